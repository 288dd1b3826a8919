"""Files packed by zstd. Imported only where one is opened, as it takes pyarrow."""

from __future__ import annotations

from pyarrow import CompressedInputStream, OSFile

__all__ = ["ZstdFile"]


class ZstdFile(CompressedInputStream):  # type: ignore[misc]
    """The unpacked bytes of a file, which tells how much of it has been read.

    Attributes
    ----------
    name : str
    packed : file
        The file on disk.
    """

    def __init__(self, path: str) -> None:
        self.name, self.packed = path, OSFile(path)
        super().__init__(self.packed, "zstd")
