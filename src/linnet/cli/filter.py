"""``linnet filter``: keep the rows of files that a model approves of.

A rule is ``label OP number``, or ``label`` alone:

    hq>=0.9        the probability of hq is at least 0.9; also >, <, <=
    hq             the model's answer is hq

A label may itself contain < and >: the last sign in the rule counts, and a rule that is exactly a
label is that label.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from linnet.cli.console import (
    count,
    file_size,
    find_label,
    grid,
    name_cell,
    print_json,
    say,
    size,
    stdout_console,
)
from linnet.cli.folder import tell_bad
from linnet.cli.options import (
    FORCE,
    FOREIGN,
    JSON,
    MODEL,
    OUTPUT,
    QUIET,
    REQUIRED,
    RESUME,
    SKIP_BAD,
    THREADS,
    Files,
    Options,
    argument,
    option,
)
from linnet.cli.outputs import check_outputs, keep_inputs
from linnet.cli.watching import watched_reading
from linnet.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from linnet.cli.copying import Tally
    from linnet.cli.kinds.kind import Kind
    from linnet.stream.parts import Part, Parts

__all__ = ["EPILOG", "Judge", "Rule", "command", "parse_rule"]

EPILOG = (
    "Examples: [bold]linnet filter quality.linnet crawl/*.parquet -o kept --keep 'hq>=0.9'[/bold] "
    "· [bold]linnet filter lang.linnet a.jsonl.gz -o en --keep en --dropped rest[/bold] · "
    "[bold]linnet filter spam.linnet mail.tsv -o ham --keep 'spam<0.2' --dry-run[/bold]"
)
_SIGNS = {">=": "greater_equal", "<=": "less_equal", ">": "greater", "<": "less"}


_FILES = argument("FILES", "Parquet, JSONL, TSV, CSV or text files.")


class Filtering(Options):
    """What is kept, and where it goes."""

    output: Path = option("--output -o DIR", "Folder for the kept rows.", OUTPUT, REQUIRED)
    keep: list[str] = option(
        "--keep RULE", "'label>=0.9', >, <, <=; or 'label' alone.", OUTPUT, REQUIRED
    )
    any_rule: bool = option(
        "--any/--all", "With several rules: one is enough, or all hold.", OUTPUT, False
    )
    dropped: Path | None = option("--dropped DIR", "Folder for the other rows.", OUTPUT)
    force: bool = FORCE
    resume: bool = RESUME
    skip_bad: int = SKIP_BAD
    dry_run: bool = option("--dry-run", "Count; write nothing.", OUTPUT, False)


def command(
    model: str = MODEL,
    files: list[Path] = _FILES,
    *,
    filtering: Filtering,
    reading: Files,
    threads: int | None = THREADS,
    learner: str | None = FOREIGN,
    json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Keep the rows that a model gives the wanted label.

    Output files have the name, format and columns of the input. Each appears when it is complete,
    so a run that was stopped can go on with --resume.
    """
    from linnet.cli.kinds import open_model

    if reading.encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32")):
        raise ParameterError(
            f"files in {reading.encoding} are not filtered; convert them to UTF-8 first"
        )
    folders = _folders(filtering)
    parts = _parts(model, files, filtering, reading, folders)
    waiting = parts.check(overwrite=filtering.force or filtering.dry_run, resume=filtering.resume)
    kind = open_model(model, threads, texts=True)
    labels = [str(label) for label in kind.model.classes_]
    judge = Judge(
        kind.model, [parse_rule(rule, labels) for rule in filtering.keep], filtering.any_rule
    )
    if not filtering.dry_run:
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        check_outputs([target for part in waiting for target in part.targets], [model, *files])
    rows = _run(parts, waiting, kind, judge, reading, filtering, quiet or json)
    _report(rows, judge, len(files) - len(waiting), json, quiet)


def _folders(filtering: Filtering) -> list[Path]:
    """Return where kept and, if they are asked for, dropped rows go."""
    output, dropped = filtering.output, filtering.dropped
    if dropped is None:
        return [output]
    if dropped.resolve() == output.resolve():
        raise ParameterError("kept and dropped rows need two folders, not one")
    return [output, dropped]


def _parts(
    model: str, files: list[Path], filtering: Filtering, reading: Files, folders: list[Path]
) -> Parts:
    """Return the parts of the run, or say what stands in the way."""
    from linnet.stream.parts import Parts, state_of

    wishes = {
        "verb": "filter",
        "model": state_of(model) if os.path.exists(model) else model,
        "keep": [filtering.keep, filtering.any_rule, filtering.skip_bad],
        "folders": [str(folder.resolve()) for folder in folders],
        "reading": reading.settings(),
    }
    parts = Parts(files, folders, wishes)
    keep_inputs([target for part in parts.all for target in part.targets], [model, *files])
    return parts


def _run(
    parts: Parts,
    waiting: list[Part],
    kind: Kind,
    judge: Judge,
    reading: Files,
    filtering: Filtering,
    quiet: bool,
) -> list[tuple[Path, Tally, float]]:
    """Filter every file; return its tally and seconds."""
    from linnet.cli import copying
    from linnet.data.hidden import BadRows

    rows: list[tuple[Path, Tally, float]] = []
    bad = BadRows(filtering.skip_bad)
    dry = filtering.dry_run
    run = parts.run(overwrite=filtering.force, resume=filtering.resume)
    watched = watched_reading([part.source for part in waiting], quiet)
    with watched as counted, nullcontext(iter(waiting)) if dry else run as todo:
        for part in todo:
            began = perf_counter()
            source = Path(part.source)
            before = sum(sum(tally.rows) for _, tally, _ in rows)

            def watch(n: int, before: int = before) -> None:
                counted("rows", before + n)

            kept, *rest = part.targets
            outputs = (None, None) if dry else (rest[0] if rest else None, kept)

            with bad.left_out():
                blocks = kind.stream(part.source, reading.settings(), quiet, copying.BLOCK_BYTES)
                tally = copying.filter_file(source, blocks, judge, outputs, watch)
            rows.append((source, tally, perf_counter() - began))
    tell_bad(bad, quiet)
    return rows


def _report(
    rows: list[tuple[Path, Tally, float]], judge: Judge, passed: int, json: bool, quiet: bool
) -> None:
    from linnet.cli.copying import Tally

    total = Tally(judge.classes)
    for _, tally, _ in rows:
        total.merge(tally)
    if json:
        files = [
            {
                "file": str(source),
                "bytes": file_size(source),
                "seconds": round(seconds, 4),
                "rows_per_second": round(sum(tally.rows) / max(seconds, 1e-9)),
                **tally.to_dict(),
            }
            for source, tally, seconds in rows
        ]
        rules = [str(rule) for rule in judge.rules]
        print_json({"rules": rules, "files": files, "passed_over": passed, **total.to_dict()})
    elif not quiet:
        if passed:
            say(f"{passed} files were already there")
        _print_tables(rows, total)


def _print_tables(rows: list[tuple[Path, Tally, float]], total: Tally) -> None:
    console = stdout_console()
    table = grid(["file"], ["kept", "of", "share", "read", "rows/s"])
    for source, tally, seconds in rows:
        n = sum(tally.rows)
        table.add_row(
            name_cell(source),
            count(tally.rows[1]),
            count(n),
            f"{100 * tally.rows[1] / max(n, 1):.1f} %",
            size(file_size(source)),
            count(round(n / max(seconds, 1e-9))),
        )
    console.print(table)
    audit = grid([""], ["rows", "mean text"], ["most probable labels"])
    for name, side in (("removed", 0), ("kept", 1)):
        n = total.rows[side]
        ranked = sorted(zip(total.labels[side].tolist(), total.classes, strict=True), reverse=True)
        shown = ", ".join(f"{label} {100 * c / n:.1f} %" for c, label in ranked[:5] if c)
        length = total.text_bytes[side] / max(n, 1)
        audit.add_row(name, count(n), size(length) if length else "", name_cell(shown))
    console.print(audit)


@dataclass(frozen=True)
class Rule:
    """One condition; without a sign the model's answer must be the label."""

    label: str
    sign: str | None = None
    number: float = 0.0

    def __str__(self) -> str:
        return self.label if self.sign is None else f"{self.label}{self.sign}{self.number:g}"


def parse_rule(text: str, labels: Sequence[str]) -> Rule:
    """Read one rule.

    Parameters
    ----------
    text : str
    labels : sequence of str
        The model's labels as they are spelled.

    Raises
    ------
    ParameterError
        When the text is no rule, or the number no probability. Whether the label exists is
        checked where the model is at hand.

    Examples
    --------
    >>> parse_rule("hq >= 0.9", ["hq", "lq"])
    Rule(label='hq', sign='>=', number=0.9)
    >>> parse_rule("a>b<0.5", ["a>b", "c"])
    Rule(label='a>b', sign='<', number=0.5)
    """
    if text.strip() in labels:
        return Rule(text.strip())
    at = max(text.rfind(">"), text.rfind("<"))
    if at < 0:
        return Rule(text.strip())
    sign = text[at : at + 2] if text[at + 1 : at + 2] == "=" else text[at]
    try:
        number = float(text[at + len(sign) :])
    except ValueError:
        number = -1.0
    label = text[:at].strip()
    if not label or not 0 <= number <= 1:
        raise ParameterError(
            f"--keep {text!r} is no rule; write a label, a sign (>=, >, <, <=) and a probability "
            "between 0 and 1, such as 'hq>=0.9', or a label alone"
        )
    return Rule(label, sign, number)


class Judge:
    """Decides by a model and rules which rows are kept.

    Parameters
    ----------
    model : the model
    rules : sequence of Rule
    any_rule : bool
        One rule that holds is enough; else all must hold.
    """

    def __init__(self, model: Any, rules: Sequence[Rule], any_rule: bool = False) -> None:
        self.model = model
        self.any_rule = any_rule
        self.classes = [str(label) for label in model.classes_]
        self.rules = tuple(rules)
        for rule in self.rules:
            find_label(model, rule.label)

    def __call__(self, X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return which rows are kept, and the column of each row's best label."""
        import numpy as np

        verdict = self.model.judge(X)
        held = [self._holds(rule, verdict) for rule in self.rules]
        join = np.logical_or if self.any_rule else np.logical_and
        return join.reduce(held), verdict.best

    def _holds(self, rule: Rule, verdict: Any) -> NDArray[Any]:
        import numpy as np

        column = self.classes.index(rule.label)
        if rule.sign is not None:
            holds = getattr(np, _SIGNS[rule.sign])
            return np.asarray(holds(verdict.probability[:, column], rule.number))
        wanted = self.model.classes_.tolist()[column]
        answers = verdict.labels.tolist()
        if self.model.multilabel:
            return np.array([wanted in labels for labels in answers], dtype=bool)
        return np.array([label == wanted for label in answers], dtype=bool)
