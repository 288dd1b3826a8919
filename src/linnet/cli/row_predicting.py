"""What ``linnet predict`` does with rows of attribute values: read them like the training file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linnet.cli.answers import Keys
from linnet.cli.predicting import _standard_input
from linnet.cli.rows import read_model_rows, rows_of_strings
from linnet.cli.tagging import refuse

__all__ = ["row_blocks"]

_BLOCK = 1 << 14  # rows answered at a time


def row_blocks(
    model: Any,
    files: list[str],
    strings: list[str] | None,
    reading: dict[str, Any],
    quiet: bool,
) -> Iterator[tuple[Any, Keys]]:
    """Yield tables of rows and what identifies them; a class in the file is not looked at."""
    refuse({"--text": reading.get("text")}, "a classifier of rows")
    if strings:
        yield rows_of_strings(model, strings).table, Keys(range(1, len(strings) + 1))
        return
    for name in files:
        source = _standard_input() if name == "-" else name
        if source is None:
            continue
        found = read_model_rows(model, source, reading)
        key = name if len(files) > 1 else None
        for first in range(0, len(found), _BLOCK):
            part = range(first, min(first + _BLOCK, len(found)))
            yield found.table.take(part), Keys(found.lines[part.start : part.stop], key)
