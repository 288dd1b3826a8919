"""Reading a model file: mapped, checked, and without running anything it says.

Every number in the header is checked against the size of the file before it is used, so a damaged
or hostile file costs no more memory than its own size asks for.
"""

from __future__ import annotations

import json
import mmap
import os
import stat
from math import isfinite, prod
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ModelFileError
from linnet.model.file.layout import (
    BLANK,
    DTYPES,
    FORMAT,
    MAX_HEADER,
    METADATA,
    PLAIN,
    PREFIXES,
    ModelFile,
    checksum,
)

_KEYS = ("linnet_format", "checksum", "linnet_version", "class", "config", "record")
_MAX_AXES = 8
_MAX_ITEMS = 1 << 59  # NumPy refuses more, even when another axis has length 0
_DAMAGED = "the file is damaged or cut short; copy it again or save the model again"


def read_model(path: str | os.PathLike[str], *, verify: bool = True) -> ModelFile:
    """Map a model file into memory and check it.

    Parameters
    ----------
    path : str or path-like
    verify : bool, default True
        Compare the checksum, which reads the file once. Without it only the structure is checked.

    Returns
    -------
    ModelFile
        Its arrays are read-only views of the mapped file. Replace a file that is in use as
        :func:`~linnet.save` does, by renaming; never write into it.

    Raises
    ------
    ModelFileError
        When the file is not a model, damaged, or of a newer format.

    Examples
    --------
    >>> import numpy as np
    >>> from linnet.model.file import write_model
    >>> path = getfixture("tmp_path") / "m.linnet"
    >>> write_model(path, "MaxEnt", {"C": 1.0}, {"coef": np.ones(2)}, {"rows": 10})
    >>> file = read_model(path)
    >>> file.name, file.config, file.record, file.arrays["coef"].tolist()
    ('MaxEnt', {'C': 1.0}, {'rows': 10}, [1.0, 1.0])
    """
    file = os.fspath(path)
    data = _mapped(file)
    header = _header(data, file)
    if verify and header.startswith(PREFIXES):
        _verify(data, file)
    entries = _parsed(header, "header", file)
    texts = _metadata(entries.pop(METADATA, None), header, file)
    arrays = _arrays(entries, data, 8 + len(header), file)
    return ModelFile(
        name=texts["class"],
        config=_parsed(texts["config"], "config", file),
        record=_parsed(texts["record"], "record", file),
        arrays=arrays,
        version=texts["linnet_version"],
        path=file,
        format=int(texts["linnet_format"]),
    )


def beginning(path: str | os.PathLike[str]) -> bytes:
    """Return the first bytes of a file, enough to know its format by; none of what is no file."""
    if not os.path.isfile(path):
        return b""
    with open(path, "rb", buffering=0) as raw:
        return raw.read(512) or b""


def is_own(head: bytes) -> bool:
    """Tell whether a file that begins so is one of linnet's own."""
    return head[: 8 + len(PREFIXES[0])].endswith(PREFIXES)


def _mapped(file: str) -> mmap.mmap:
    if not stat.S_ISREG(os.stat(file).st_mode):
        raise ModelFileError("this is a folder or device; give a model file", file=file)
    with open(file, "rb") as raw:
        if os.fstat(raw.fileno()).st_size == 0:
            raise ModelFileError("the file is empty; copy or save the model again", file=file)
        return mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ)


def _header(data: mmap.mmap, file: str) -> bytes:
    """Return the header, if there can be one."""
    length = int.from_bytes(data[:8], "little")
    fits = length <= min(len(data) - 8, MAX_HEADER)
    if data[8 : 8 + len(PREFIXES[0])].endswith(PREFIXES) and not fits:
        raise ModelFileError(_DAMAGED, file=file)
    if len(data) < 10 or length < 2 or not fits or data[8:9] != b"{":
        _refuse_foreign(data[:8], file)
    return data[8 : 8 + length]


def _refuse_foreign(start: bytes, file: str) -> NoReturn:
    """Say what a file is that is no model file."""
    kinds = {
        b"\x80": "a Python pickle, which linnet never opens because it can run code",
        b"PK\x03\x04": "a zip archive",
        b"\x1f\x8b": "gzip-compressed; unpack it first",
        b"\x28\xb5\x2f\xfd": "zstd-compressed; unpack it first",
        b"PAR1": "Parquet data",
    }
    kind = next((what for magic, what in kinds.items() if start.startswith(magic)), None)
    what = f"this is not a linnet model but {kind}" if kind else "this is not a linnet model"
    raise ModelFileError(
        f"{what}, or it is damaged; give a file written by linnet's save or `linnet train`",
        file=file,
    )


def _verify(data: mmap.mmap, file: str) -> None:
    at = 8 + len(PREFIXES[0])
    after = at + len(BLANK)
    with memoryview(data) as view:
        expected = checksum([view[:at], BLANK, view[after:]])
    if data[at:after] != expected:
        raise ModelFileError(f"the checksum does not match: {_DAMAGED}", file=file)


def _parsed(text: str | bytes, what: str, file: str) -> dict[str, Any]:
    """Return a JSON object, refusing keys given twice and numbers that are not finite."""
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_float=_finite, parse_constant=_not_finite
        )
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"its {what} is not JSON ({error}): {_DAMAGED}", file=file) from None
    if not isinstance(value, dict):
        raise ModelFileError(f"its {what} is not a JSON object: {_DAMAGED}", file=file)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key is given twice")
    return values


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):  # a number such as 1e999
        raise ValueError(f"{text[:20]} is not a finite number")
    return number


def _not_finite(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a finite number")


def _metadata(texts: object, header: bytes, file: str) -> dict[str, str]:
    """Return the strings of the header that are linnet's, once the format is known to be ours."""
    if not isinstance(texts, dict) or "linnet_format" not in texts:
        raise ModelFileError(
            "this is a safetensors file, but not a linnet model: its header has no linnet_format; "
            "give a file written by linnet's save or `linnet train`",
            file=file,
        )
    number = texts["linnet_format"]
    if isinstance(number, str) and number.isdecimal() and int(number[:9]) > FORMAT:
        raise ModelFileError(
            f"written by a newer linnet (format {number[:9]}); this one reads up to {FORMAT}; "
            "upgrade linnet",
            file=file,
        )
    if number == "1":
        raise ModelFileError(
            f"written by linnet 0.1 in format 1, this reads {PLAIN} to {FORMAT}; train it again",
            file=file,
        )
    if not header.startswith(PREFIXES):
        raise ModelFileError(
            f"its header was not written by linnet, so it has no checksum: {_DAMAGED}", file=file
        )
    missing = [key for key in _KEYS if not isinstance(texts.get(key), str)]
    if missing:
        raise ModelFileError(f"its header lacks {', '.join(missing)}: {_DAMAGED}", file=file)
    return texts


def _arrays(
    entries: dict[str, Any], data: mmap.mmap, base: int, file: str
) -> dict[str, NDArray[Any]]:
    """Return views of all arrays, if they cover the data without hole or overlap."""
    spans = {key: _span(key, entry, file) for key, entry in entries.items()}
    arrays, expected = {}, 0
    for key in sorted(spans, key=lambda name: spans[name][2:]):
        dtype, shape, begin, end = spans[key]
        if begin != expected or base + end > len(data):
            raise ModelFileError(
                f"array {key!r} lies at bytes {begin} to {end}, where it cannot be: {_DAMAGED}",
                file=file,
            )
        arrays[key] = _view(data, base + begin, dtype, shape)
        if dtype.kind == "b" and end > begin and arrays[key].view(np.uint8).max() > 1:
            raise ModelFileError(f"array {key!r} holds bytes that are no booleans", file=file)
        expected = end
    if base + expected != len(data):
        raise ModelFileError(
            f"there are {len(data) - base - expected} bytes after the arrays: {_DAMAGED}", file=file
        )
    return arrays


def _span(key: str, entry: object, file: str) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """Return type, shape, first byte and end of an array, if they agree."""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"array {key!r} is not described: {_DAMAGED}", file=file)
    code, shape, span = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in DTYPES:
        raise ModelFileError(
            f"array {key!r} has the type {str(code)[:20]!r}, which linnet does not use", file=file
        )
    fits = _are_counts(shape) and len(shape) <= _MAX_AXES
    fits = fits and prod(n or 1 for n in shape) <= _MAX_ITEMS
    if not fits or not _are_counts(span) or len(span) != 2:
        raise ModelFileError(f"array {key!r} has no proper shape or place: {_DAMAGED}", file=file)
    if DTYPES[code].itemsize * prod(shape) != span[1] - span[0]:  # of any size: no overflow
        raise ModelFileError(
            f"array {key!r} has another size than its shape says: {_DAMAGED}", file=file
        )
    return DTYPES[code], tuple(shape), span[0], span[1]


def _are_counts(values: object) -> bool:
    return isinstance(values, list) and all(type(n) is int and n >= 0 for n in values)


def _view(
    data: mmap.mmap, start: int, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> NDArray[Any]:
    if 0 in shape:
        array: NDArray[Any] = np.empty(shape, dtype)
    else:
        array = np.frombuffer(data, dtype, prod(shape), start).reshape(shape)
        if array.flags.aligned:
            return array
        array = array.copy()  # another writer may have left it between two words
    array.flags.writeable = False
    return array
