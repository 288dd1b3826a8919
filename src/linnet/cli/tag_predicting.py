"""What ``linnet predict`` does with a tagger: read sentences, tag, write, block by block.

Sentences come out in the format they came in, with the tags in their place or in a new last
column; raw text comes out as columns of words and tags. Nothing here is slow to import.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from linnet.cli.helpers import choose, shown
from linnet.cli.tagging import column, like_training, open_sequences, say_decisions
from linnet.data.columns import TextColumn
from linnet.data.files import write_bytes_atomically
from linnet.data.formats import bare_suffix, format_module
from linnet.data.formats.common import Plan
from linnet.data.formats.sequence_common import Sequences
from linnet.data.sequences import stream_sequences
from linnet.data.tags import are_chunk_tags, spans
from linnet.errors import DataError, ParameterError

__all__ = ["TagOptions", "run"]

_BLOCK = 1 << 19
_TABLES = (".arrow", ".csv", ".feather", ".parquet", ".pq")
_FORMATS = ("conll", "conllu", "jsonl", "spans", "word_tag")
_SUFFIXES = {
    ".conll": "conll", ".conllu": "conllu", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip


@dataclass(frozen=True)
class TagOptions:
    """What only taggers are asked for."""

    nbest: int | None = None
    marginals: bool = False
    constraints: str | None = None
    tokens: str | None = None

    def given(self) -> dict[str, Any]:
        """Return the options by their names on the command line."""
        return {
            "--nbest": self.nbest, "--marginals": self.marginals,
            "--constraints": self.constraints, "--tokens": self.tokens,
        }  # fmt: skip


def run(
    model: Any,
    files: list[str],
    *,
    strings: list[str] | None,
    options: TagOptions,
    format: str | None,
    output: str,
    reading: dict[str, Any],
    quiet: bool,
) -> None:
    """Tag what the command line says."""
    if format is None:
        if bare_suffix(output) in _TABLES:
            raise ParameterError(
                f"{output}: sentences are no rows of a table; let the name end in .conll, .conllu "
                "or .jsonl, or pass --format"
            )
        format = _SUFFIXES.get(bare_suffix(output))
    else:
        choose(format, _FORMATS, "--format")
    if options.nbest is not None and options.marginals:
        raise ParameterError("give --nbest or --marginals, not both")
    if format not in (None, "conll", "jsonl") and (options.nbest or options.marginals):
        raise ParameterError(f"--format {format} cannot hold what was asked for; use --json")
    blocks: Iterator[tuple[str | None, Sequences]]
    if strings:
        blocks = iter([(None, _of_strings(strings, options))])
    else:
        blocks = _blocks(model, files, options, reading, quiet)
    row = 0
    with write_bytes_atomically(output) as out:
        for file, block in blocks:
            name = file if len(files) > 1 else None
            for line in _lines(model, block, format, options, name, row):
                out.write(line.encode("utf-8", "replace"))
            out.flush()
            row += len(block)


def _of_strings(strings: list[str], options: TagOptions) -> Sequences:
    raw = "".join(text.replace("\n", " ") + "\n" for text in strings).encode("utf-8", "replace")
    tokens: Any = options.tokens or "unicode"
    return next(stream_sequences(io.BytesIO(raw), format="text", tokens=tokens, block_bytes=None))


def _blocks(
    model: Any, files: list[str], options: TagOptions, reading: dict[str, Any], quiet: bool
) -> Iterator[tuple[str | None, Sequences]]:
    """Yield the name of the file and some of its sentences, through all files."""
    record = model.record_
    encoding = reading.get("encoding") or "utf-8"
    for name in files:
        source, found = open_sequences(name, like_training(reading, record), assume=True)
        if found is None:  # nothing comes from standard input
            continue
        tag: Any = None
        if found.format == "conllu":
            tag = column(record.get("label_column"), -1)
        elif found.format in ("spans", "word_tag"):
            tag = -1
        tokens: Any = options.tokens or "unicode"
        first = True
        for block in stream_sequences(
            source,
            format=found.format,
            word=column(reading.get("text") or record.get("text_column"), 0),  # type: ignore[arg-type]
            tag=tag,
            delimiter=found.delimiter,
            tokens=tokens,
            encoding=encoding,
            errors=reading.get("errors") or "strict",
            block_bytes=_BLOCK,
        ):
            if first and found.format != "text" and reading.get("format") is None:
                say_decisions(name, found, block, quiet)
            first = False
            if block.word is None:
                raise DataError(f"{shown(name)} holds features of tokens but no words")
            yield name, block


def _lines(
    model: Any,
    block: Sequences,
    format: str | None,
    options: TagOptions,
    file: str | None,
    row: int,
) -> Iterator[str]:
    """Yield the lines of a block's answer."""
    rule = _rule(options)
    if options.nbest is not None:
        ranked = model.predict_nbest(block, options.nbest, constraints=rule)
        if format == "jsonl":
            yield from _ranked_objects(block, ranked, file)
        else:
            yield from _ranked_columns(block, ranked)
        return
    tags = model.predict(block, constraints=rule)
    shares = model.predict_marginals(block, constraints=rule) if options.marginals else None
    if format == "jsonl":
        yield from _objects(model, block, tags, shares, file)
        return
    chosen = format or {"text": "conll"}.get(block.format, block.format)
    tagged = block.with_tags(tags)
    if shares is not None:
        if chosen != "conll":
            raise ParameterError(f"{chosen} has no place for probabilities; use --json")
        tagged = _with_shares(model, tagged, tags, shares)
    plan = Plan(file or "-", chosen)
    yield from format_module(chosen, sentences=True).write(tagged, row, plan)


def _rule(options: TagOptions) -> str | None:
    given = options.constraints or "model"
    return None if given == "none" else given


def _with_shares(model: Any, tagged: Sequences, tags: Any, shares: Any) -> Sequences:
    """Return the sentences with one more column: the probability of each tag."""
    from dataclasses import replace

    number = {tag: place for place, tag in enumerate(model.classes_.tolist())}
    cells = [
        f"{table[t, number[tag]]:.6f}"
        for row, table in zip(tags, shares, strict=True)
        for t, tag in enumerate(row)
    ]
    columns = {**tagged.columns, "probability": TextColumn.from_strings(cells)}
    return replace(tagged, columns=columns)


def _ranked_columns(block: Sequences, ranked: Any) -> Iterator[str]:
    """Yield every sequence of tags as a block of columns under its rank and score."""
    for words, best in zip(block.sentences(), ranked, strict=True):
        for rank, (score, tags) in enumerate(best, 1):
            yield f"# {rank} {score:.6f}\n"
            yield from (f"{word}\t{tag}\n" for word, tag in zip(words, tags, strict=True))
            yield "\n"


def _ranked_objects(block: Sequences, ranked: Any, file: str | None) -> Iterator[str]:
    for answer, best in zip(_starts(block, file), ranked, strict=True):
        answer["tags"] = best[0][1]
        answer["nbest"] = [{"score": score, "tags": tags} for score, tags in best]
        yield json.dumps(answer, ensure_ascii=False) + "\n"


def _objects(
    model: Any, block: Sequences, tags: Any, shares: Any, file: str | None
) -> Iterator[str]:
    classes, chunked = model.classes_.tolist(), are_chunk_tags(model.classes_.tolist())
    places = None if block.characters is None else block.characters.tolist()
    texts = None if block.texts is None else block.texts.to_list()
    first = 0
    for number, (answer, row) in enumerate(zip(_starts(block, file), tags, strict=True)):
        answer["tags"] = row
        if chunked and places is not None and texts is not None:
            answer["entities"] = _entities(row, places[first : first + len(row)], texts[number])
        elif chunked:
            answer["chunks"] = [list(chunk) for chunk in spans(row)]
        if shares is not None:
            table = shares[number].tolist()
            answer["marginals"] = [dict(zip(classes, line, strict=True)) for line in table]
        first += len(row)
        yield json.dumps(answer, ensure_ascii=False) + "\n"


def _entities(tags: list[str], places: list[Any], text: str) -> list[dict[str, Any]]:
    found = []
    for first, last, label in spans(tags):
        start, end = places[first][0], places[last - 1][1]
        found.append({"start": start, "end": end, "label": label, "text": text[start:end]})
    return found


def _starts(block: Sequences, file: str | None) -> Iterator[dict[str, Any]]:
    for line, words in zip(block.lines.tolist(), block.sentences(), strict=True):
        named = {} if file is None else {"file": file}
        yield {**named, "line": line, "words": words}
