"""Outputs that go into a folder, one for each input; see :mod:`linnet.stream.parts`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linnet.cli.shared.console import bare_suffix, file_size, progress, say
from linnet.cli.shared.outputs import check_outputs
from linnet.cli.shared.watching import watched_reading
from linnet.data.replacing import make_folder
from linnet.errors import ParameterError

if TYPE_CHECKING:
    from linnet.stream.parts import Part, Parts

__all__ = [
    "PartNames",
    "already_there",
    "is_folder",
    "on_cluster",
    "resumed",
    "several_need_a_folder",
    "tell_bad",
]

# What the name of a file ends in whose format has another name.
_SUFFIXES = {"labelled": "tsv", "text": "txt", "spans": "jsonl", "word_tag": "txt", "table": "csv"}


def is_folder(output: str) -> bool:
    """Tell whether an output is meant as a folder: its name ends in a slash."""
    return output.endswith(("/", os.sep))


def several_need_a_folder(
    output: str, *, resume: bool, skip_bad: int, cluster: str | None = None
) -> None:
    """Refuse what means something only for outputs in a folder."""
    asked_for = (("--resume", resume), ("--skip-bad", skip_bad), ("--cluster", cluster))
    for option, asked in asked_for:
        if asked:
            raise ParameterError(
                f"{option} is for outputs in a folder, and {output} is none; let its name end in /"
            )


def tell_bad(n: int, errors: Sequence[object], quiet: bool) -> None:
    """Say how many rows were left out, and the first of them."""
    if n:
        say(f"{n} bad rows were left out, the first: {errors[0]}", quiet)


class PartNames:
    """The name of the output of each input: its own, with the suffix of the output's format.

    Examples
    --------
    >>> PartNames("jsonl")("data/part-1.tsv.gz"), PartNames(None)("data/part-1.conll")
    ('part-1.jsonl', 'part-1.conll')
    """

    def __init__(self, format: str | None) -> None:
        self.format = format

    def __call__(self, source: str) -> str:
        """Return the name of the output of one input."""
        name = os.path.basename(source)
        if self.format is None:
            return name
        for suffix in (".gz", ".zst", bare_suffix(name)):
            name = name[: len(name) - len(suffix)] if name.lower().endswith(suffix) else name
        return f"{name}.{_SUFFIXES.get(self.format, self.format)}"


@contextmanager
def resumed(
    files: Sequence[str],
    output: str,
    wishes: dict[str, Any],
    named: PartNames,
    others: Sequence[str] = (),
    *,
    force: bool,
    resume: bool,
    quiet: bool,
) -> Iterator[Iterator[Part]]:
    """Give the parts of a run into a folder that are still to be written.

    Parameters
    ----------
    files : sequence of str
    output : str
        The folder, which is made if it is not there.
    wishes : dict
        What the outputs depend on beside the files.
    named : PartNames
    others : sequence of str
        Files that are read beside the inputs, such as the model.
    force, resume, quiet : bool
    """
    parts, waiting = _checked(files, output, wishes, named, others, force, resume, quiet)
    run = parts.run(overwrite=force, resume=resume)
    with watched_reading([part.source for part in waiting], quiet) as counted, run as todo:
        yield _shown(todo, counted)


def on_cluster(
    cluster: str,
    work: Callable[[Part], Any],
    files: Sequence[str],
    output: str,
    wishes: dict[str, Any],
    named: PartNames,
    others: Sequence[str] = (),
    *,
    force: bool,
    resume: bool,
    quiet: bool,
) -> list[Any]:
    """Write the parts of a run into a folder by the workers of a cluster; return what they say.

    Parameters
    ----------
    cluster : str
        See :func:`linnet.scale.cluster_client`.
    work : function of a Part
        What a worker does; it is pickled.
    files, output, wishes, named, others, force, resume, quiet
        As :func:`resumed` takes them.
    """
    from linnet.scale.cluster import cluster_client
    from linnet.scale.parts import finished_parts

    parts, waiting = _checked(files, output, wishes, named, others, force, resume, quiet)
    total, results = sum(file_size(part.source) for part in waiting), []
    with (
        cluster_client(cluster) as client,
        progress(total, quiet) as step,
        parts.begun(overwrite=force, resume=resume) as todo,
    ):
        for part, state, result in finished_parts(todo, work, client):
            parts.finish(part, state)
            step(os.path.basename(part.source), state[1])
            results.append(result)
    return results


def _checked(
    files: Sequence[str],
    output: str,
    wishes: dict[str, Any],
    named: PartNames,
    others: Sequence[str],
    force: bool,
    resume: bool,
    quiet: bool,
) -> tuple[Parts, list[Part]]:
    """Return the parts of a run and those that wait, in a folder that can take them."""
    from linnet.stream.parts import Parts, state_of

    states = [state_of(other) for other in others if os.path.exists(other)]
    parts = Parts(files, [Path(output)], {**wishes, "others": states}, named)
    waiting = parts.check(overwrite=force, resume=resume)
    if len(waiting) < len(files):
        say(already_there(len(files) - len(waiting)), quiet)
    make_folder(output)
    check_outputs([target for part in parts.all for target in part.targets], [*files, *others])
    return parts, waiting


def _shown(parts: Iterator[Part], counted: Any) -> Iterator[Part]:
    """Yield the parts and say how many there are so far."""
    for number, part in enumerate(parts):
        counted("files", number)
        yield part


def already_there(count: int) -> str:
    """Say how many files need not be made again."""
    return f"{count} files were already there" if count > 1 else "1 file was already there"
