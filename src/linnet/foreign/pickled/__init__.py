"""Pickles and joblib's files, which hold scikit-learn's models and older taggers.

They are read by a machine that runs nothing (:mod:`linnet.foreign.pickled.machine`), compressed or
not; what they hold decides who makes a model of it.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from importlib import import_module
from typing import Any

from linnet.errors import ModelFileError
from linnet.foreign.pickled.machine import Machine, Record

__all__ = ["opened", "read", "recognises"]

#: A file may inflate to so many bytes, and so many times its size; what inflates it may take a few
#: times the first.
_FREE, _TIMES = 64 << 20, 100
#: How compressed files begin, and what inflates them.
_DEFLATED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_INFLATED: dict[bytes, Any] = {
    **dict.fromkeys(_DEFLATED, lambda: zlib.decompressobj(zlib.MAX_WBITS | 32)),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _FREE * 4),
    b"\x5d\x00\x00": lambda: lzma.LZMADecompressor(lzma.FORMAT_ALONE, _FREE * 4),
}
_LZ4 = b"\x04\x22\x4d\x18"
_PLAIN = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"ccopy_reg\n", b"ccopyreg\n")
#: Who makes models of what a pickle holds, in this order.
_MAKERS = ("perceptron", "scikit_learn")


def recognises(head: bytes) -> bool:
    """Tell whether a file begins as a pickle does, or as a compressed one."""
    if head.startswith(_DEFLATED):  # only these show their first bytes at once
        try:
            head = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(head, 64)
        except zlib.error:
            return False
        return head.startswith(_PLAIN)
    return head.startswith((*_PLAIN, *_INFLATED, _LZ4))


def opened(file: str) -> Any:
    """Return what a file holds: plain values, arrays, and records of classes."""
    with open(file, "rb") as raw:
        data = raw.read()
    if data.startswith(_LZ4):
        raise ModelFileError(
            "this file is compressed with lz4; store it with another compression, or none",
            file=file,
        )
    for magic, make in _INFLATED.items():
        if data.startswith(magic):
            data = _inflated(data, make(), file)
            break
    return Machine(data, file).run()


def _inflated(data: bytes, inflate: Any, file: str) -> bytes:
    most = _FREE + _TIMES * len(data)
    try:
        made = inflate.decompress(data, most + 1)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise ModelFileError(f"this file cannot be inflated: {error}", file=file) from None
    if len(made) > most:
        raise ModelFileError(
            f"this file inflates to more than {most >> 20} MB; store it without compression",
            file=file,
        )
    return bytes(made)


def read(file: str) -> Any:
    """Return the model that a pickle holds."""
    value = opened(file)
    for name in _MAKERS:
        maker = import_module(f"linnet.foreign.{name}")
        if maker.makes(value):
            return maker.model_of(value, file)
    kind = value.cls if isinstance(value, Record) else type(value).__name__
    raise ModelFileError(
        f"this is a Python pickle of a {kind}, which is no model that linnet reads; it reads text "
        "pipelines of scikit-learn and averaged-perceptron taggers. Other pickles can run code and "
        "are not opened",
        file=file,
    )
