"""Filtering many files by a model: which rows are kept, on this machine or on a cluster."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

from pyarrow.parquet import ParquetFile

from linnet.data.hidden import BadRows
from linnet.data.limits import longest_line
from linnet.data.replacing import check_place, file_number, make_folder
from linnet.errors import DataError, ParameterError
from linnet.model.model import Model
from linnet.scale.cluster import cluster_client
from linnet.scale.filtering.result import Filtered, estimated
from linnet.scale.filtering.scores import Top, parse_top, score_at, score_name
from linnet.scale.filtering.work import FilteredPart, FilterWork
from linnet.scale.parts import finished_parts
from linnet.stream.parts import Part, Parts, state_of

__all__ = ["filter_parts"]

Watch = Callable[[str, int], None]


def filter_parts(
    model: str | os.PathLike[str] | Model,
    files: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    any_rule: bool = False,
    keep_top: str | None = None,
    score: str | None = None,
    dropped: str | os.PathLike[str] | None = None,
    add_score: str | None = None,
    scores_only: bool = False,
    ids: str | None = None,
    audit_by: Sequence[str] = (),
    reading: dict[str, Any] | None = None,
    skip_bad: int = 0,
    overwrite: bool = False,
    resume: bool = False,
    dry_run: bool = False,
    n_threads: int | None = None,
    learner: str | None = None,
    client: Any = None,
    watch: Watch | None = None,
) -> Filtered:
    """Keep the rows of files that a model approves of; each file becomes one of the same name.

    Parameters
    ----------
    model : path or Model
        For a cluster a file, which has the same path everywhere.
    files : sequence of paths
        Parquet, JSON lines, TSV, CSV or plain text.
    output : path
        The folder for the kept rows, made if it is not there.
    keep, drop : sequences of str
        Rules such as ``hq>=0.9``, or a label alone: kept is a row for which all of `keep` hold (one
        of them with `any_rule`) and none of `drop`.
    keep_top : str, optional
        Instead of rules, the rows with the highest scores of all files: ``10%`` of them, or
        ``5000``. Exact: the files are read twice. Rows whose scores are equal stay together, so it
        may be a few more. With `dry_run` an estimate of one pass, see `Filtered.wanted`.
    score : label, optional
        Whose probability is the score; with two labels and one rule, that of the rule.
    dropped : path, optional
        A folder for the other rows.
    add_score : str, optional
        The name of a new column with the score, in Parquet and JSON lines.
    scores_only : bool
        Copy no rows; write for each file a score file with a row for every row of it, in Parquet:
        id, row, label, score, keep.
    ids : str, optional
        The column that becomes the id in score files.
    audit_by : sequence of str
        Columns, or ``length``: how many rows are kept of each of their values.
    reading : dict, optional
        How the files are read: text, format, delimiter, encoding, errors.
    skip_bad : int
        How many rows that cannot be read are left out; on a cluster, of each file.
    overwrite, resume : bool
        What becomes of outputs that are there: replaced, or passed over if they are finished.
    dry_run : bool
        Count, and write nothing.
    n_threads : int, optional
        Here all cores by default; on a cluster one for each thread of a worker.
    learner : str, optional
        ``MODULE:CLASS`` of another package, if the model was learned by one.
    client : distributed.Client or str, optional
        A cluster of Dask, its address, or ``local:4``. See docs/scale.md.
    watch : function of a file and a number, optional
        Called with the rows of the file that are judged; of a cluster when the file is finished.

    Returns
    -------
    Filtered

    Examples
    --------
    >>> import linnet
    >>> from linnet.scale import filter_parts
    >>> folder = getfixture("tmp_path")
    >>> clf = linnet.TextClassifier(ngrams=1).fit(["fine", "poor"] * 9, ["hq", "lq"] * 9)
    >>> for name in ("a", "b"):
    ...     _ = (folder / f"{name}.txt").write_text("a fine text\\na poor one\\n" * 5)
    >>> done = filter_parts(clf.model_, [folder / "a.txt", folder / "b.txt"], folder / "kept",
    ...     keep=["hq"], audit_by=["length"])
    >>> done.total.rows, (folder / "kept" / "b.txt").read_text().count("fine")
    ([10, 10], 5)
    """
    folders = [Path(output)] if dropped is None else [Path(output), Path(dropped)]
    work = FilterWork(
        _placed(model, client),
        tuple(keep), tuple(drop), any_rule, score, add_score, scores_only, ids, tuple(audit_by),
        dict(reading or {}), skip_bad, dry_run, n_threads if client is None or n_threads else 1,
        learner, longest_line(),
    )  # fmt: skip
    _check(work, folders, keep_top, client)
    work = replace(work, score=work.score or work.natural_score(keep_top))
    judge = work.judge()
    wishes = work.wishes() | {"folders": [str(folder.resolve()) for folder in folders]}
    named = score_name if scores_only else os.path.basename
    parts = Parts(files, folders, wishes | {"keep_top": keep_top}, named)
    _keep_inputs(parts, [model, *files])
    waiting = parts.check(overwrite=overwrite or dry_run, resume=resume)
    top = None if keep_top is None else parse_top(keep_top)
    if not dry_run:
        for folder in folders:
            make_folder(folder)
        for target in (target for part in waiting for target in part.targets):
            check_place(target)
    with nullcontext() if client is None else cluster_client(client) as connected:
        run = _Run(connected, watch or (lambda name, n: None), BadRows(skip_bad))
        if top is not None and dry_run:
            work = replace(work, sketched=True)
        elif top is not None and waiting:
            work = _scored_first(work, top, files, folders[0].absolute(), run)
        done = run(parts, work, overwrite=overwrite, resume=resume)
    if work.scored is not None:
        shutil.rmtree(work.scored)
    rules = [str(rule) for rule in (*judge.rules, *judge.drop)]
    filtered = Filtered(
        done, len(parts.all) - len(waiting), rules, judge.classes, work.score, work.threshold
    )
    return estimated(filtered, top) if top is not None and dry_run else filtered


def _placed(model: Any, client: Any) -> Any:
    """Return a model, or the name of its file, as workers in other folders know it."""
    if not isinstance(model, (str, os.PathLike)):
        return model
    return os.fspath(model) if client is None else os.path.abspath(model)


def _check(work: FilterWork, folders: list[Path], keep_top: str | None, client: Any) -> None:
    """Refuse what contradicts itself."""
    if len(folders) == 2 and folders[0].resolve() == folders[1].resolve():
        raise ParameterError("kept and dropped rows need two folders, not one")
    if work.scores_only and (len(folders) == 2 or work.add_score or keep_top):
        raise ParameterError(
            "score files hold every row; leave --dropped, --add-score and --keep-top out"
        )
    if not (work.keep or work.drop or keep_top or work.scores_only):
        raise ParameterError(
            "say which rows are kept: --keep, --drop or --keep-top; or ask for --scores-only"
        )
    if keep_top and (work.keep or work.drop):
        raise ParameterError("--keep-top goes by the scores alone; leave --keep and --drop out")
    if keep_top and work.dry_run and work.audit_by:
        raise ParameterError(
            "--keep-top with --dry-run counts scores and no groups; leave --audit-by out"
        )
    if work.ids is not None and not work.scores_only:
        raise ParameterError("--ids names the ids of score files; it needs --scores-only")
    if client is not None and not isinstance(work.model, str):
        raise ParameterError("a cluster needs the model as a file, which every worker opens")


def _keep_inputs(parts: Parts, inputs: Sequence[Any]) -> None:
    """Refuse to write over the model or a file that is read."""
    named = [name for name in inputs if isinstance(name, (str, os.PathLike))]
    read = {file_number(os.stat(name)): name for name in named if os.path.exists(name)}
    for target in (target for part in parts.all for target in part.targets):
        number = file_number(os.stat(target)) if os.path.exists(target) else None
        if number is not None and number in read:
            also = "" if str(read[number]) == str(target) else f" ({os.fspath(read[number])})"
            raise DataError(f"{target} is the input itself{also}; name another output")


def _scored_first(
    work: FilterWork, top: Top, files: Sequence[Any], output: Path, run: _Run
) -> FilterWork:
    """Write score files of everything, and return the work with the threshold they give."""
    scoring = replace(work, scores_only=True, add_score=None, audit_by=())
    wishes = [scoring.wishes(), [state_of(file) for file in files]]
    folder = output / f".linnet-scores-{sha256(dumps(wishes).encode()).hexdigest()[:12]}"
    folder.mkdir(exist_ok=True)
    parts = Parts(files, [folder], {"wishes": wishes}, score_name)
    run(parts, scoring, overwrite=False, resume=True)
    targets = [part.targets[0] for part in parts.all]
    rows = sum(ParquetFile(target).metadata.num_rows for target in targets)
    return replace(work, scored=folder, threshold=score_at(targets, top.of(rows)))


@dataclass(frozen=True)
class _Run:
    """Does work on parts, here or on a cluster."""

    client: Any
    watch: Watch
    bad: BadRows

    def __call__(
        self, parts: Parts, work: FilterWork, *, overwrite: bool, resume: bool
    ) -> list[FilteredPart]:
        """Do the parts that wait; return what came of them in the order of the files."""
        flags = {"overwrite": overwrite or work.dry_run, "resume": resume}
        begun = nullcontext(parts.check(**flags)) if work.dry_run else parts.begun(**flags)
        task: Any = work
        if self.client is None:
            task = partial(self._here, work)
        done = {}
        with begun as waiting:
            for part, state, one in finished_parts(waiting, task, self.client):
                if not work.dry_run:
                    parts.finish(part, state)
                done[part.source] = replace(one, source=part.source)
                self.watch(part.source, sum(one.tally.rows))
        return [done[part.source] for part in parts.all if part.source in done]

    def _here(self, work: FilterWork, part: Part) -> FilteredPart:
        return work(part, self.bad, partial(self.watch, part.source))
