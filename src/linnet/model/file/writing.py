"""Writing a model file: whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from linnet.data.replacing import replacing
from linnet.errors import ModelFileError
from linnet.model.file.layout import (
    ALIGNMENT,
    BLANK,
    CODES,
    MAX_HEADER,
    METADATA,
    PREFIXES,
    checksum,
    format_of,
)


def write_model(
    path: str | os.PathLike[str],
    name: str,
    config: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    record: Mapping[str, Any],
) -> None:
    """Write a model file; the same content gives the same bytes.

    The file is written beside `path`, flushed to the disk and renamed. After an error or an
    interrupt an older file of that name is untouched and nothing else is left.

    Parameters
    ----------
    path : str or path-like
    name : str
        The class that will read it.
    config, record : dict
        JSON values; tuples become lists. Numbers must be finite and keys strings.
    arrays : dict of str to array
        Floating point of 16, 32 or 64 bits, integers, or booleans. A model with strings packs
        them with :func:`~linnet.model.file.pack_strings`.

    Raises
    ------
    ModelFileError
        When something cannot be stored; the message names it.

    Examples
    --------
    >>> import numpy as np
    >>> from linnet.model.file import read_model
    >>> path = getfixture("tmp_path") / "m.linnet"
    >>> write_model(path, "MaxEnt", {"C": 1.0}, {"coef": np.ones((2, 3))}, {})
    >>> read_model(path).arrays["coef"].shape
    (2, 3)
    """
    file = os.fspath(path)
    tensors = {key: _checked(key, value, file) for key, value in arrays.items()}
    ordered = sorted(tensors.items(), key=lambda item: -item[1].itemsize)  # keeps all aligned
    texts = {
        "class": name,
        "config": _json(config, "config", file),
        "record": _json(record, "record", file),
    }
    header = _header(texts, ordered, file)
    parts = [_bytes(value) for _, value in ordered if value.size]
    digits = checksum([header, *parts])
    at = 8 + len(PREFIXES[0])
    with _replacing(file) as out:
        out.write(header[:at] + digits + header[at + len(digits) :])
        for part in parts:
            out.write(part)


def _checked(key: str, value: NDArray[Any], file: str) -> NDArray[Any]:
    """Return an array in C order and little-endian, if its name and type can be stored."""
    if not isinstance(key, str) or not key or key == METADATA:
        raise ModelFileError(f"{key!r} cannot be the name of an array", file=file)
    array = np.asarray(value, order="C")
    if f"{array.dtype.kind}{array.itemsize}" not in CODES:
        raise ModelFileError(
            f"array {key!r} has the type {array.dtype}, which a model file cannot hold; use "
            "float16, float32, float64, an integer type, bool, or pack_strings for text",
            file=file,
        )
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def _bytes(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _json(value: Mapping[str, Any], what: str, file: str) -> str:
    """Return a mapping as JSON that reads back as it was."""
    try:
        _check_keys(value)
        return json.dumps(dict(value), allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(
            f"the {what} cannot be stored as JSON: {error}; keep to text, finite numbers, lists "
            "and dictionaries with text keys",
            file=file,
        ) from None


def _check_keys(value: object) -> None:
    """Refuse keys that JSON would silently turn into strings."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} is not text")
            _check_keys(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _check_keys(inner)


def _header(texts: dict[str, str], tensors: list[tuple[str, NDArray[Any]]], file: str) -> bytes:
    """Return everything before the data, with a blank checksum."""
    from linnet import __version__

    metadata = {
        "linnet_format": str(format_of(key for key, _ in tensors)),
        "checksum": BLANK.decode(),
        "linnet_version": __version__,
        **texts,
    }
    entries: dict[str, Any] = {METADATA: metadata}
    start = 0
    for key, value in tensors:
        entries[key] = {
            "dtype": CODES[f"{value.dtype.kind}{value.itemsize}"],
            "shape": list(value.shape),
            "data_offsets": [start, start + value.nbytes],
        }
        start += value.nbytes
    try:
        text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except (TypeError, UnicodeEncodeError) as error:
        raise ModelFileError(f"a name cannot be stored: {error}", file=file) from None
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    if len(text) > MAX_HEADER:
        raise ModelFileError(
            f"settings and record take {len(text)} bytes, more than the {MAX_HEADER} a model file "
            "has for them; store what is long as arrays",
            file=file,
        )
    return len(text).to_bytes(8, "little") + text


@contextmanager
def _replacing(file: str) -> Iterator[BinaryIO]:
    """Open a file beside the target that takes its name at the end."""
    target = os.path.realpath(file)
    if os.path.exists(target) and not os.path.isfile(target):
        raise ModelFileError("there is a folder or device of that name; choose another", file=file)
    with replacing(file, sync=True) as out:
        yield out
    _sync_folder(os.path.dirname(target))


def _sync_folder(folder: str) -> None:
    """Make the new name last through a power cut, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems refuse; the content itself is on the disk
        pass
    finally:
        os.close(handle)
