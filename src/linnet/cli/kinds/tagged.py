"""What a tagger answers: sentences with their tags, block by block.

Sentences come out in the format they came in, with the tags in their place or in a new last
column; raw text comes out as columns of words and tags. Nothing here is slow to import.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from linnet.cli.kinds.sentence_files import (
    column,
    for_model,
    like_training,
    open_sequences,
    tell_about,
)
from linnet.cli.shared.console import choose
from linnet.data.columns import TextColumn
from linnet.data.formats import bare_suffix, format_module
from linnet.data.formats.common import Plan
from linnet.data.formats.sequence_common import Sequences
from linnet.data.sequences import stream_sequences
from linnet.data.tags import are_chunk_tags, spans
from linnet.errors import ParameterError

if TYPE_CHECKING:
    from linnet.cli.predict import Asked

__all__ = ["answer_format", "blocks", "lines_of"]

_BLOCK = 1 << 19
_TABLES = (".arrow", ".csv", ".feather", ".parquet", ".pq")
_FORMATS = ("conll", "conllu", "crfsuite", "jsonl", "spans", "word_tag")
_SUFFIXES = {
    ".conll": "conll", ".conllu": "conllu", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip


def answer_format(asked: Asked) -> str | None:
    """Return the format that was asked for, else that of the output's name, if it has one."""
    format = asked.format
    if format is None:
        if bare_suffix(asked.output) in _TABLES:
            raise ParameterError(
                f"{asked.output}: sentences are no rows of a table; let the name end in .conll, "
                ".conllu or .jsonl, or pass --format"
            )
        format = _SUFFIXES.get(bare_suffix(asked.output))
    else:
        choose(format, _FORMATS, "--format")
    if asked.nbest is not None and asked.marginals:
        raise ParameterError("give --nbest or --marginals, not both")
    if format not in (None, "conll", "jsonl") and (asked.nbest or asked.marginals):
        raise ParameterError(f"--format {format} cannot hold what was asked for; use --json")
    return format


def blocks(
    model: Any, files: Sequence[str], reading: dict[str, Any], asked: Asked
) -> Iterator[tuple[str | None, Sequences]]:
    """Yield sentences, and the name of their file if there are several."""
    tokens: Any = asked.tokens or "unicode"
    if asked.string:
        lines = "".join(text.replace("\n", " ") + "\n" for text in asked.string)
        source: Any = io.BytesIO(lines.encode("utf-8", "replace"))
        yield None, next(stream_sequences(source, format="text", tokens=tokens, block_bytes=None))
        return
    record = model.record_
    for name in files:
        source, sniffed = open_sequences(name, like_training(reading, record), assume=True)
        if sniffed is None:  # nothing comes from standard input
            continue
        tag: Any = None
        if sniffed.format == "conllu":
            tag = column(record.get("label_column"), -1)
        elif sniffed.format in ("spans", "word_tag"):
            tag = -1
        first = True
        for block in stream_sequences(
            source,
            format=sniffed.format,
            word=column(reading["text"] or record.get("text_column"), 0),  # type: ignore[arg-type]
            tag=tag,
            delimiter=sniffed.delimiter,
            tokens=tokens,
            encoding=reading["encoding"],
            errors=reading["errors"],
            block_bytes=_BLOCK,
        ):
            if first and sniffed.format != "text" and reading["format"] is None:
                tell_about(name, sniffed, block, asked.quiet)
            block = for_model(block, model, name, first)
            first = False
            yield (name if len(files) > 1 else None), block


def lines_of(
    model: Any, block: Sequences, format: str | None, asked: Asked, file: str | None, row: int
) -> Iterator[str]:
    """Yield the lines of a block's answer."""
    rule = None if asked.constraints == "none" else asked.constraints or "model"
    if asked.nbest is not None:
        ranked = model.predict_nbest(block, asked.nbest, constraints=rule)
        if format == "jsonl":
            yield from _ranked_objects(block, ranked, file)
        else:
            yield from _ranked_columns(block, ranked)
        return
    tags = model.predict(block, constraints=rule)
    shares = model.predict_marginals(block, constraints=rule) if asked.marginals else None
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
    entities = []
    for first, last, label in spans(tags):
        start, end = places[first][0], places[last - 1][1]
        entities.append({"start": start, "end": end, "label": label, "text": text[start:end]})
    return entities


def _starts(block: Sequences, file: str | None) -> Iterator[dict[str, Any]]:
    for line, words in zip(block.lines.tolist(), block.sentences(), strict=True):
        named = {} if file is None else {"file": file}
        yield {**named, "line": line, "words": words}
