"""The models that are served, each under its name, and how a replaced file is taken up.

A file is copied aside before it is mapped into memory: whatever happens to the original, even that
somebody writes into it, the pages in use stay as they are. All workers map the same copy, so they
share its pages. A new file is loaded and tried before the name points to it; requests under way
keep the model they started with.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linnet.errors import DataError, ModelFileError, ParameterError
from linnet.model.file import load
from linnet.serve.errors import Problem
from linnet.serve.kinds import Kind, kind_of

__all__ = ["Served", "Shelf", "named_files"]

Stamp = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Served:
    """A model under its name.

    Attributes
    ----------
    name : str
    kind : Kind
        Knows the model.
    version : str
        Of the file; another file has another one.
    loaded : float
        When, in seconds since 1970.
    """

    name: str
    kind: Kind
    version: str
    loaded: float

    @property
    def model(self) -> Any:
        """The model."""
        return self.kind.model

    def to_dict(self) -> dict[str, Any]:
        """Return what clients should know, as plain values."""
        return {
            "name": self.name,
            "kind": self.model.kind,
            "verb": self.kind.verb,
            "reads": [name for form in self.kind.forms for name in (form.one, form.many)],
            "labels": self.kind.labels,
            "features": self.model.n_features,
            "version": self.version,
            "loaded": self.loaded,
        }


def named_files(sources: list[str]) -> dict[str, str]:
    """Return the file of each name: as given in ``name=file``, else called like the file.

    Examples
    --------
    >>> named_files(["models/spam.linnet", "ner=crf.linnet"])
    {'spam': 'models/spam.linnet', 'ner': 'crf.linnet'}
    """
    files: dict[str, str] = {}
    for source in sources:
        name, equals, path = source.partition("=")
        if not equals or os.path.exists(source):
            name, path = Path(source).name.removesuffix(".linnet"), source
        if not name or name in files:
            raise ParameterError(
                f"two models cannot be called {name!r}; give one another name: other={path}"
            )
        files[name] = path
    return files


class Shelf:
    """The models by their names.

    Parameters
    ----------
    files : mapping of names to paths
    folder : path
        Where copies of the files are kept; workers have it in common.
    threads : int, optional
        Of one call of a model.
    """

    def __init__(
        self, files: Mapping[str, str], folder: str | Path, threads: int | None = None
    ) -> None:
        self._files, self._folder, self._threads = dict(files), Path(folder), threads
        self._stamps = {name: _stamp(path) for name, path in self._files.items()}
        self._served = {name: self._open(name, self._stamps[name]) for name in self._files}

    def __iter__(self) -> Iterator[Served]:
        return iter(self._served.values())

    def __getitem__(self, name: str | None) -> Served:
        if name is None and len(self._served) == 1:
            return next(iter(self._served.values()))
        names = ", ".join(self._served)
        if name is None:
            raise Problem(422, f"name one of the models: {names}", pointer="/model")
        if name not in self._served:
            raise Problem(404, f"there is no model {name[:60]!r}; there are {names}")
        return self._served[name]

    def replaced(self) -> list[str]:
        """Return the names whose files are not those that were last looked at."""
        return [name for name, path in self._files.items() if _changed(path, self._stamps[name])]

    def take_up(self, name: str) -> Served:
        """Load the new file of a name and use it from now on.

        Raises
        ------
        LinnetError or OSError
            When it cannot be used. The model in use stays, and this file is not tried again.
        """
        self._stamps[name] = stamp = _stamp(self._files[name])
        new, old = self._open(name, stamp), self._served[name]
        if new.model.kind != old.model.kind:
            raise DataError(
                f"{self._files[name]} holds a model of kind {new.model.kind!r}, and requests are "
                f"made for one of kind {old.model.kind!r}; start the service anew to change that"
            )
        self._served[name] = new
        return new

    def _open(self, name: str, stamp: Stamp) -> Served:
        """Load a file and try it."""
        path = self._files[name]
        copy = _copied(path, self._folder, name, stamp)
        try:
            model = load(copy)
        except ModelFileError as error:
            copy.unlink(missing_ok=True)
            raise ModelFileError(error.message, file=path) from None
        if not hasattr(model, "reader"):
            raise DataError(
                f"{path} holds a {type(model).__name__}, which is a learner without a reader; "
                "serve what linnet train has written"
            )
        model.n_threads = self._threads
        _forget_older(copy)
        return Served(name, kind_of(model), f"{stamp[0]:x}-{stamp[1]:x}", time.time())


def _stamp(path: str) -> Stamp:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino


def _changed(path: str, stamp: Stamp) -> bool:
    try:
        return _stamp(path) != stamp
    except OSError:  # it is about to be replaced, or gone: the model in use stays
        return False


def _copied(path: str, folder: Path, name: str, stamp: Stamp) -> Path:
    """Return a copy of a file that nobody writes into; workers find that of the first of them."""
    home = folder / name.encode().hex()
    home.mkdir(exist_ok=True)
    copy = home / "-".join(f"{part:x}" for part in stamp)
    if copy.exists():
        return copy
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as fresh:
        try:
            with open(path, "rb") as original:
                shutil.copyfileobj(original, fresh, 1 << 20)
            fresh.flush()
            if _stamp(path) != stamp:
                raise DataError(f"{path} was written to while it was read")
            os.link(fresh.name, copy)
        except FileExistsError:
            pass  # another worker was faster
        finally:
            os.unlink(fresh.name)
    return copy


def _forget_older(copy: Path) -> None:
    """Remove copies before the last two; what is mapped stays until its last user is done."""
    ages = []
    for one in copy.parent.iterdir():
        with suppress(FileNotFoundError):  # another worker was faster
            ages.append((one.stat().st_mtime_ns, one))
    for _, old in sorted(ages)[:-2]:
        if old != copy:
            old.unlink(missing_ok=True)
