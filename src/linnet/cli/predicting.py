"""What ``linnet predict`` does: read, ask the model, write, block by block.

Nothing here, nor in what it imports for plain text, is slow to import: a line in a pipe is
answered at once.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from linnet.cli.answers import Keys, ParquetAnswers, TextAnswers, Writer, answer, plain_labels
from linnet.cli.helpers import check_kind, choose, load_model, say, shown
from linnet.cli.outputs import check_outputs
from linnet.data.files import write_bytes_atomically
from linnet.data.formats import bare_suffix
from linnet.errors import ParameterError

if TYPE_CHECKING:
    from linnet.cli.tag_predicting import TagOptions

__all__ = ["run"]

_FORMATS = {
    ".csv": "csv", ".json": "jsonl", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".pq": "parquet",
}  # fmt: skip


def run(
    model: str,
    files: list[str] | None = None,
    *,
    strings: list[str] | None = None,
    top: int | None = None,
    table: bool = False,
    abstain: float | None = None,
    json_lines: bool = False,
    format: str | None = None,
    output: str = "-",
    reading: dict[str, Any] | None = None,
    threads: int | None = None,
    quiet: bool = False,
    safe_csv: bool = False,
    tagging: TagOptions | None = None,
) -> None:
    """Predict as the command line says; see :func:`linnet.cli.predict.command`."""
    if strings and files:
        raise ParameterError("give either files or --string, not both")
    check_outputs([output], [model, *([] if strings else files or ["-"])])
    loaded = load_model(model, threads, sequences=True)
    if loaded.kind == "sequence":
        from linnet.cli import tag_predicting
        from linnet.cli.tagging import refuse

        others = {"--top": top, "--proba": table, "--abstain": abstain, "--safe-csv": safe_csv}
        refuse(others, "a tagger of sentences")
        if json_lines and format not in (None, "jsonl"):
            raise ParameterError(f"--json and --format {format} contradict each other; drop one")
        tag_predicting.run(
            loaded,
            files or ["-"],
            strings=strings,
            options=tagging or tag_predicting.TagOptions(),
            format="jsonl" if json_lines else format,
            output=output,
            reading=reading or {},
            quiet=quiet,
        )
        return
    if tagging is not None:
        from linnet.cli.tagging import refuse

        refuse(tagging.given(), "a classifier")
    kind = _answer_format(format, json_lines, output)
    if abstain is not None:
        loaded.abstain = abstain
    blocks: Iterator[tuple[Any, Keys]]
    if loaded.kind == "row":
        from linnet.cli.row_predicting import row_blocks

        blocks = row_blocks(loaded, files or ["-"], strings, reading or {}, quiet)
    elif strings:
        blocks = iter([(strings, Keys(range(1, len(strings) + 1)))])
    else:
        blocks = _blocks(loaded, model, files or ["-"], reading or {}, quiet)
    if safe_csv and kind != "csv":
        raise ParameterError("--safe-csv is for CSV; let the name of the output end in .csv")
    with _writer(kind, output, plain_labels(loaded.classes_), safe_csv) as writer:
        for X, keys in blocks:
            writer.write(answer(loaded, X, keys, top=top, table=table))


def _answer_format(format: str | None, json_lines: bool, output: str) -> str:
    if format is None:
        format = "jsonl" if json_lines else _FORMATS.get(bare_suffix(output), "tsv")
    choose(format, ("tsv", "csv", "jsonl", "parquet"), "--format")
    if json_lines and format != "jsonl":
        raise ParameterError(f"--json and --format {format} contradict each other; drop one")
    if format == "parquet" and output == "-" and sys.stdout.isatty():
        raise ParameterError("Parquet is not for a terminal; name a file with --output")
    return format


def _blocks(
    model: Any, model_name: str, files: list[str], options: dict[str, Any], quiet: bool
) -> Iterator[tuple[Any, Keys]]:
    """Yield X and what identifies its rows, block by block through all files."""
    from linnet.data.examples import stream_examples

    for name in files:
        source = _standard_input() if name == "-" else name
        if source is None:
            continue
        first = True
        for block in stream_examples(source, labels=False, nulls="empty", **options):
            check_kind(model, model_name, block, shown(name))
            if first and block.format != "text" and options.get("format") is None:
                for decision in block.decisions:
                    say(f"{shown(name)}: {decision}", quiet)
            first = False
            yield block.X, Keys(block.lines, name if len(files) > 1 else None, block.ids)


def _standard_input() -> BinaryIO | str | None:
    """Return standard input, or None when nothing comes from it: no text, no answer."""
    try:
        raw = io.FileIO(os.dup(sys.stdin.fileno()))
    except io.UnsupportedOperation:  # replaced by an object in memory
        return "-"
    raw.name = "<stdin>"
    file = io.BufferedReader(raw)
    return file if file.peek(1) else None


@contextmanager
def _writer(kind: str, output: str, classes: list[Any], safe: bool) -> Iterator[Writer]:
    with write_bytes_atomically(output) as out:
        writer: Writer
        if kind == "parquet":
            writer = ParquetAnswers(out, classes)
        else:
            writer = TextAnswers(out, classes, kind, safe)
        yield writer
        writer.close()
