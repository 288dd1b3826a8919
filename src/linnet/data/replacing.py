"""A file that appears whole or not at all: written beside its place and renamed at the end.

The file beside has a short name that follows from the name of the output, such as
``.linnet-0a1b2c3d-0.tmp``, and its writer holds a lock on it. A process that is killed leaves the
file but not the lock, so the next one to write the same output knows that nobody needs it and
takes it over. Locks and not process numbers: a number may have been given to another process, or
belong to another machine that writes to the same disk.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, BinaryIO, cast
from zlib import crc32

__all__ = ["check_place", "file_number", "make_folder", "place_to_write", "replacing"]

_BUFFER = 1 << 16


def place_to_write(path: str | os.PathLike[str]) -> str:
    """Return where a file of that name is written: behind links, in a folder that takes it.

    Raises
    ------
    OSError
        When nothing can be written there: a folder of that name, no folder to write into or not
        the right to, a circle of links, a name that is too long.
    """
    shown, target = os.fspath(path), os.path.realpath(path)
    folder = os.path.dirname(target)
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(f"cannot write {shown}: there is a folder of that name")
    if mode is not None and not stat.S_ISREG(mode):  # a pipe or a device: nothing to replace
        if not os.access(target, os.W_OK):
            raise PermissionError(f"cannot write {shown}: you have no right to write to it")
        return target
    named = os.path.dirname(shown) or os.curdir
    spelled = named if os.path.realpath(named) == folder else folder
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"cannot write {shown}: there is no folder {spelled}")
    if not os.access(folder, os.W_OK | os.X_OK):
        why = (
            f"{spelled} is read only"
            if _is_read_only(folder)
            else (f"you have no right to write into {spelled}")
        )
        raise PermissionError(f"cannot write {shown}: {why}")
    return target


def _is_read_only(folder: str) -> bool:
    """Tell whether the disk takes nothing from anybody."""
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder, and those above it, if it is not there.

    Raises
    ------
    OSError
        When there is no right to, which is said of the folder above that is there.
    """
    try:
        os.makedirs(path, exist_ok=True)
    except PermissionError as error:
        above = os.path.dirname(os.fspath(path).rstrip(os.sep))
        while above and not os.path.exists(above):
            above = os.path.dirname(above)
        why = f"you have no right to write into {above or os.curdir}"
        raise PermissionError(f"cannot make the folder {os.fspath(path)}: {why}") from error


def check_place(path: str | os.PathLike[str]) -> str:
    """Return where a file of that name is written, after a file has been made there and removed.

    What rights say is not always so: of a disk that is read only, or to somebody who may all.

    Raises
    ------
    OSError
        When nothing can be written there.
    """
    target = place_to_write(path)
    if not os.path.exists(target) or os.path.isfile(target):
        held, beside = _open_beside(target, path)
        held.close()
        os.unlink(beside)
    return target


def file_number(status: os.stat_result) -> tuple[int, int] | None:
    """Return the number of a plain file on its disk, the same by all its names; else None."""
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


@contextmanager
def replacing(path: str | os.PathLike[str], *, sync: bool = False) -> Iterator[BinaryIO]:
    """Open a file beside `path` that takes its name when the block ends without an error.

    After an error nothing is left and an older file of that name is untouched. A pipe or a device
    is written to directly.

    Parameters
    ----------
    path : str or path-like
    sync : bool
        Whether what was written is on the disk before it takes the name, so that it outlasts a
        power cut.

    Examples
    --------
    >>> path = getfixture('tmp_path') / "out.bin"
    >>> with replacing(path) as out:
    ...     _ = out.write(b"whole")
    >>> path.read_bytes()
    b'whole'
    """
    target = place_to_write(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with io.BufferedWriter(_Named(target, "wb", shown=path)) as out:
            yield out
        return
    held, beside = _open_beside(target, path)
    with held:
        try:
            if os.path.exists(target):  # from the start, so that nobody else reads what is private
                os.chmod(beside, os.stat(target).st_mode & 0o777)
            raw = _Named(held.fileno(), "wb", closefd=False, shown=path)
            with io.BufferedWriter(raw, _BUFFER) as out:
                yield out
            if sync:
                os.fsync(held.fileno())
            if os.name == "nt":  # which does not rename an open file
                held.close()
            os.replace(beside, target)  # still locked, so that nobody takes the file over
        except BaseException:
            if os.name == "nt":
                held.close()
            os.unlink(beside)
            raise


class _Named(io.FileIO):
    """A file whose errors, such as a full disk, carry the name that the user gave."""

    def __init__(self, file: Any, mode: str, *, closefd: bool = True, shown: Any) -> None:
        super().__init__(file, mode, closefd)
        self._shown = os.fspath(shown)

    def write(self, data: Any) -> int:
        try:
            return cast(int, super().write(data))
        except OSError as error:
            error.filename = self._shown
            raise


def _open_beside(target: str, shown: str | os.PathLike[str]) -> tuple[io.FileIO, str]:
    """Return an empty file beside the target that is ours alone, and its name."""
    folder, base = os.path.split(target)
    start = os.path.join(folder, f".linnet-{crc32(os.fsencode(base)):08x}")
    flags = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    for number in count():
        name = f"{start}-{number}.tmp"
        try:
            handle, new = os.open(name, flags | os.O_CREAT | os.O_EXCL, 0o666), True
        except FileExistsError:
            try:
                handle, new = os.open(name, flags), False
            except OSError:  # it has just got its final name, or belongs to somebody else
                continue
        except OSError as error:
            raise type(error)(f"cannot write {os.fspath(shown)}: {error.strerror}") from error
        file = io.FileIO(handle, "r+")
        locked = _lock(handle)
        # Without the second question a file could be taken that has got its final name meanwhile,
        # or one that somebody else has put there to have another file overwritten.
        if (locked or (new and locked is None)) and _is_ours(handle, name):
            file.truncate(0)
            return file, name
        file.close()
    raise AssertionError  # numbers do not end


def _lock(handle: int) -> bool | None:
    """Lock a file until it is closed; say whether that worked, None where there are no locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # another system, or a disk that knows no locks
        return None
    return True


def _is_ours(handle: int, name: str) -> bool:
    """Say whether an open file is a plain one of that name, of no other, and of this user."""
    try:
        state, named = os.fstat(handle), os.lstat(name)
    except FileNotFoundError:
        return False
    mine = not hasattr(os, "geteuid") or state.st_uid == os.geteuid()
    single = stat.S_ISREG(state.st_mode) and state.st_nlink == 1
    return os.path.samestat(state, named) and single and mine
