"""``linnet predict``: labels for texts from files or a pipe, block by block.

Nothing here, nor in what it imports for plain text, is slow to import: a line in a pipe is
answered at once.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linnet.cli.kinds import open_model
from linnet.cli.shared.console import choose, write_bytes_atomically
from linnet.cli.shared.folder import (
    PartNames,
    is_folder,
    on_cluster,
    resumed,
    several_need_a_folder,
    tell_bad,
)
from linnet.cli.shared.hints import check_places, tell_terminal
from linnet.cli.shared.options import (
    CLUSTER,
    FORCE,
    FOREIGN,
    INPUT,
    MODEL,
    OUTPUT,
    QUIET,
    RESUME,
    SAFE_CSV,
    SKIP_BAD,
    THREADS,
    From,
    Options,
    argument,
    asked_for,
    changed,
    lasting,
    option,
)
from linnet.cli.shared.outputs import check_outputs
from linnet.cli.shared.watching import watched_reading
from linnet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from linnet.cli.kinds.kind import Kind
    from linnet.stream.parts import Part

__all__ = ["EPILOG", "Asked", "command"]

EPILOG = (
    "Examples: [bold]linnet predict reviews.linnet new.jsonl --top 3[/bold] · "
    "[bold]tail -f log | linnet predict spam.linnet[/bold] · "
    "[bold]linnet predict reviews.linnet crawl.parquet -o labels.parquet[/bold] · "
    "[bold]linnet predict reviews.linnet crawl/*.jsonl -o labels/ --resume[/bold]"
)


class Asked(Options):
    """What is wanted of the model."""

    string: list[str] | None = option("--string TEXT", "A text instead of files.", INPUT)
    top: int | None = option("--top K", "The K most probable labels.", OUTPUT, min=1)
    proba: bool = option(
        "--proba", "The probability of every label; TSV gets a header.", OUTPUT, False
    )
    abstain: float | None = option(
        "--abstain P", "No label below probability P.", OUTPUT, min=0, max=1
    )
    json_lines: bool = option("--json", "The same as --format jsonl.", OUTPUT, False)
    nbest: int | None = option("--nbest K", "Tagger: the K best taggings, scored.", OUTPUT, min=1)
    marginals: bool = option("--marginals", "Tagger: the probability of each tag.", OUTPUT, False)
    constraints: str | None = option(
        "--constraints SCHEME", "Tagger: iob1, iob2, bioes, bilou or none.", OUTPUT
    )
    tokens: str | None = option("--tokens unicode|whitespace", "Tagger: how text is cut.", INPUT)
    format: str | None = option(
        "--format FORMAT",
        "Of the answers: tsv, csv, jsonl or parquet; of a tagger conll, conllu, spans, "
        "word_tag or jsonl.",
        OUTPUT,
    )
    output: str = option(
        "--output -o FILE|DIR/", "Where the answers go; a folder gets a file for each input.",
        OUTPUT, "-",
    )  # fmt: skip
    resume: bool = RESUME
    force: bool = FORCE
    skip_bad: int = SKIP_BAD
    safe_csv: bool = SAFE_CSV
    cluster: str | None = CLUSTER
    threads: int | None = THREADS
    learner: str | None = FOREIGN
    quiet: bool = QUIET

    def __post_init__(self) -> None:
        if self.tokens is not None:
            choose(self.tokens, ("unicode", "whitespace"), "--tokens")
        if self.json_lines and self.format not in (None, "jsonl"):
            raise ParameterError(
                f"--json and --format {self.format} contradict each other; drop one"
            )


_FILES = argument("FILES", "Files of any format; - or none: standard input.", None)
_PLAIN, _ANY = Asked(), From()
_LONG = 1 << 22  # bytes whose answers take longer than a line that shows how far they are


def command(
    model: str = MODEL,
    files: list[str] | None = _FILES,
    asked: Asked = _PLAIN,
    source: From = _ANY,
) -> None:
    """Label texts, one answer for each, in their order.

    The default answer is a line [bold]label<TAB>probability[/bold]. Text that arrives slowly
    through a pipe is answered as it arrives. Labels in the input are ignored. A tagger gives
    sentences back in their format with a column of tags, and raw text as columns.
    """
    if asked.string and files:
        raise ParameterError("give either files or --string, not both")
    files = files or ["-"]
    if not is_folder(asked.output):
        check_outputs([asked.output], [model, *([] if asked.string else files)], force=asked.force)
    if not asked.string:
        _check_files(model, files, asked.quiet)
    kind = open_model(model, asked.threads)
    kind.refuse("predict", asked_for(asked) | asked_for(source))
    if asked.json_lines:
        asked = changed(asked, format="jsonl")
    format = kind.answer_format(asked)
    if is_folder(asked.output):
        _into_folder(kind, model, files, format, asked, source)
        return
    several_need_a_folder(
        asked.output, resume=asked.resume, skip_bad=asked.skip_bad, cluster=asked.cluster
    )
    blocks = kind.blocks(files, source.settings(), asked)
    with _watched(files, asked), write_bytes_atomically(asked.output) as out:
        kind.write_answers(blocks, format, asked, out)


def _watched(files: list[str], asked: Asked) -> AbstractContextManager[Any]:
    """Show how far the files are, unless the answers themselves are seen or are there at once."""
    if asked.string or (asked.output == "-" and sys.stdout.isatty()):
        return nullcontext()
    return watched_reading(files, asked.quiet, _LONG)


def _into_folder(
    kind: Kind, model: str, files: list[str], format: str | None, asked: Asked, source: From
) -> None:
    """Write the answers to each file into a file of its own; what is finished stays finished."""
    if asked.string or "-" in files:
        raise ParameterError("a folder takes the answers to files; name files, or another output")
    from linnet.data.hidden import BadRows

    plain = changed(
        asked, output="", force=False, resume=False, threads=None, quiet=False, cluster=None
    )
    wishes = {"verb": "predict", "asked": asked_for(plain), "reading": source.settings()}
    run: Any = (files, asked.output, wishes, PartNames(format), [model])
    flags: Any = {"force": asked.force, "resume": asked.resume, "quiet": asked.quiet}
    if asked.cluster is not None:
        work = PredictWork(os.path.abspath(model), format, asked, source)
        bad_rows = on_cluster(asked.cluster, work, *run, **flags)
        errors = [text for _, some in bad_rows for text in some]
        tell_bad(sum(n for n, _ in bad_rows), errors, asked.quiet)
        return
    with resumed(*run, **flags) as parts:
        bad = BadRows(asked.skip_bad)
        for part in parts:
            with bad.left_out():
                _answer(kind, format, asked, source, part)
    tell_bad(len(bad), bad.errors, asked.quiet)


def _answer(kind: Kind, format: str | None, asked: Asked, source: From, part: Part) -> None:
    """Write the answers to one file."""
    blocks = kind.blocks([part.source], source.settings(), asked)
    with write_bytes_atomically(part.targets[0]) as out:
        kind.write_answers(blocks, format, asked, out)


@dataclass(frozen=True)
class PredictWork:
    """What a worker of a cluster does with one file; it opens the model once."""

    model: str
    format: str | None
    asked: Asked
    source: From

    def __call__(self, part: Part) -> tuple[int, list[str]]:
        """Write the answers; return how many rows were left out, and why the first of them."""
        from linnet.cli.kinds import kind_of
        from linnet.data.hidden import BadRows
        from linnet.scale.loading import loaded_model

        asked = changed(self.asked, quiet=True)
        bad = BadRows(asked.skip_bad)
        with lasting(asked), lasting(self.source), bad.left_out():
            kind = kind_of(loaded_model(self.model, asked.threads or 1), self.model)
            _answer(kind, self.format, asked, self.source, part)
        return len(bad), [str(error) for error in bad.errors]


def _check_files(model: str, files: list[str], quiet: bool) -> None:
    """Tell what is no file, but a text, a model, or a terminal that waits."""
    check_places("predict", model, files)
    for file in files:
        if any(mark.isspace() for mark in file) and not os.path.exists(file):
            raise DataError(
                f"there is no file {file!r}; if it is a text: linnet predict {model} --string "
                f"{shlex.quote(file)}"
            )
    if "-" in files:
        tell_terminal("texts, one a line,", quiet)
