"""Work over many files, a part of output for each: what is finished is kept, the rest is resumed.

Every part is written beside its place and renamed when it is whole. While a run is under way, a
journal in the output folder says what the run was asked for and which parts are finished, so that
a run which was killed, at whatever moment, goes on: finished parts are passed over, all others are
written again. The journal is removed with the last part; then the outputs themselves say what was
done. A part that was finished from a source that has changed since is not finished.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from linnet.errors import DataError

__all__ = ["Part", "Parts", "state_of"]

JOURNAL = ".linnet-parts"


@dataclass(frozen=True)
class Part:
    """One source and the files that become of it."""

    source: str
    targets: tuple[Path, ...]

    @property
    def there(self) -> list[Path]:
        """The targets that exist."""
        return [target for target in self.targets if target.exists()]


def state_of(path: str | os.PathLike[str]) -> list[Any]:
    """Return what changes when a file does: its place, size and time of change."""
    status = os.stat(path)
    return [os.path.realpath(path), status.st_size, status.st_mtime_ns]


class Parts:
    """The parts of a run, those that are finished and those that wait.

    Parameters
    ----------
    sources : sequence of paths
    folders : sequence of Path
        Where the outputs of each source go; the first holds the journal.
    wishes : dict
        What else the outputs depend on, ready for JSON: a run is resumed with the same.
    named : function of a path
        The name of the output of a source; by default the source's own.

    Attributes
    ----------
    all : list of Part

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> for name in ("a.txt", "b.txt"):
    ...     _ = (folder / name).write_text(name)
    >>> (folder / "out").mkdir()
    >>> parts = Parts([folder / "a.txt", folder / "b.txt"], [folder / "out"], {"verb": "copy"})
    >>> with parts.run() as waiting:
    ...     for part in waiting:
    ...         _ = part.targets[0].write_text("done")
    >>> parts.check(resume=True), sorted(path.name for path in (folder / "out").iterdir())
    ([], ['a.txt', 'b.txt'])
    """

    def __init__(
        self,
        sources: Sequence[str | os.PathLike[str]],
        folders: Sequence[Path],
        wishes: Mapping[str, Any],
        named: Callable[[str], str] = os.path.basename,
    ) -> None:
        self._journal = Path(folders[0]) / JOURNAL
        self._wishes = sha256(json.dumps(wishes, sort_keys=True).encode()).hexdigest()
        self.all: list[Part] = []
        names: dict[str, str] = {}
        for source in (os.fspath(source) for source in sources):
            if not os.path.isfile(source):
                raise DataError(f"{source} is not a file; name files that can be read again")
            name = named(source)
            if name in names:
                raise DataError(
                    f"{names[name]} and {source} would both become {folders[0] / name}; "
                    "write them into two folders"
                )
            names[name] = source
            self.all.append(Part(source, tuple(folder / name for folder in folders)))

    def check(self, *, overwrite: bool = False, resume: bool = False) -> list[Part]:
        """Return the parts that are to be written, or say what stands in the way."""
        if resume:
            finished = self._finished()
            return [part for part in self.all if not finished(part)]
        for part in self.all:
            if part.there and not overwrite:
                raise DataError(
                    f"{part.there[0]} is already there; --force replaces it, --resume passes "
                    "over it"
                )
        return list(self.all)

    @contextmanager
    def run(self, *, overwrite: bool = False, resume: bool = False) -> Iterator[Iterator[Part]]:
        """Give the parts that are to be written; asking for the next one says that one is done."""
        with self.begun(overwrite=overwrite, resume=resume) as parts:
            yield self._each(parts)

    @contextmanager
    def begun(self, *, overwrite: bool = False, resume: bool = False) -> Iterator[list[Part]]:
        """Give the parts that are to be written, in whatever order :meth:`finish` is told."""
        parts = self.check(overwrite=overwrite, resume=resume)
        if not (resume and self._journal.exists()):
            self._begin()
        try:
            yield parts
        except BaseException:
            if self._journal.read_bytes().count(b"\n") == 1:  # no part is finished
                self._journal.unlink()
            raise
        self._journal.unlink(missing_ok=True)

    def finish(self, part: Part, state: list[Any]) -> None:
        """Note that a part is whole, whose source was in that state before it was read."""
        if state_of(part.source) != state:
            raise DataError(f"{part.source} changed while it was read; run again with --resume")
        self._note([part.source, state])

    def _each(self, parts: list[Part]) -> Iterator[Part]:
        for part in parts:
            state = state_of(part.source)
            yield part
            self.finish(part, state)

    def _begin(self) -> None:
        from linnet.data.files import write_bytes_atomically

        with write_bytes_atomically(self._journal) as out:
            out.write(json.dumps(self._wishes).encode() + b"\n")

    def _note(self, entry: Any) -> None:
        """Add a line to the journal, in one piece."""
        with open(self._journal, "ab") as out:
            out.write(json.dumps(entry).encode() + b"\n")

    def _finished(self) -> Callable[[Part], bool]:
        """Return what tells of a part whether an earlier run finished it."""
        try:
            first, *lines = self._journal.read_bytes().split(b"\n")
        except FileNotFoundError:  # that run came to its end, and what is there is whole
            return lambda part: len(part.there) == len(part.targets)
        if json.loads(first) != self._wishes:
            raise DataError(
                f"{self._journal.parent} holds parts of a run that was asked for something else "
                "(another model, other rules or options); --force begins anew"
            )
        states: dict[str, Any] = {}
        for line in lines:
            with suppress(ValueError):  # the last line may be cut
                source, state = json.loads(line)
                states[source] = state
        return lambda part: (
            len(part.there) == len(part.targets)
            and states.get(part.source) == state_of(part.source)
        )
