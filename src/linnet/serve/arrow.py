"""Record batches of Arrow's IPC stream: a column of examples in, columns of answers out."""

from __future__ import annotations

from collections.abc import Iterator
from struct import error, unpack_from
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from linnet.serve.errors import Problem
from linnet.serve.forms import Form
from linnet.serve.kinds import Asked, Kind
from linnet.serve.limits import Limits
from linnet.serve.models import Served

if TYPE_CHECKING:
    from linnet.serve.service import Service
    from linnet.serve.streams import Duplex

__all__ = ["answer_batches"]

_NO_STREAM = "this is no Arrow IPC stream, or it is damaged"


def answer_batches(service: Service, served: Served, asked: Asked, duplex: Duplex) -> None:
    """Answer each record batch by one with as many rows."""
    limits = service.settings.limits
    types = _types(served.kind)
    writer = None
    for batch, names in _batches(duplex):
        form, examples = _examples(served, batch, names, limits)
        columns: dict[str, Any] = {}
        if len(batch):
            result = service.ask_here(served, form, examples, asked)
            columns = served.kind.columns(result, asked)
        elif writer is None:
            continue  # what the columns are is known with the first row
        arrays = {name: pa.array(v, types.get(name, pa.float64())) for name, v in columns.items()}
        if writer is None:
            schema = pa.schema([(name, array.type) for name, array in arrays.items()])
            writer = pa.ipc.new_stream(pa.PythonFile(duplex, mode="w"), schema)
        rows = arrays or {field.name: pa.array([], field.type) for field in schema}
        writer.write_batch(pa.record_batch(rows, schema=schema))
    if writer is None:
        raise Problem(422, "the stream holds no row")
    writer.close()


def _batches(duplex: Duplex) -> Iterator[tuple[Any, list[str]]]:
    """Yield record batches and their columns after checking all that they say of themselves."""
    try:
        messages = pa.ipc.MessageReader.open_stream(pa.PythonFile(duplex, mode="r"))
        schema = pa.ipc.read_schema(messages.read_next_message())
        names = schema.names
        for message in messages:
            if message.type != "record batch":
                raise Problem(422, "columns of a dictionary are not read here; send plain ones")
            if _is_compressed(message.metadata.to_pybytes()):  # a few bytes can become any number
                raise Problem(422, "compressed record batches are not read here; send plain ones")
            batch = pa.ipc.read_record_batch(message, schema)
            batch.validate(full=True)
            yield batch, names
    except (pa.ArrowException, OSError, ValueError, EOFError, StopIteration, error) as damage:
        raise Problem(400, f"{_NO_STREAM}: {' '.join(str(damage).split())[:200]}") from None


def _is_compressed(metadata: bytes) -> bool:
    """Tell whether the header of a message, a RecordBatch, has the member compression.

    A table of FlatBuffers begins with the distance back to its vtable, which holds the sizes of
    both and then the place of each member, 0 for one that is not there.
    """

    def place(table: int, member: int) -> int:
        vtable = table - unpack_from("<i", metadata, table)[0]
        size, slot = unpack_from("<H", metadata, vtable)[0], 4 + 2 * member
        return 0 if slot >= size else int(unpack_from("<H", metadata, vtable + slot)[0])

    message = unpack_from("<I", metadata, 0)[0]
    header = message + place(message, 2)
    return place(header + unpack_from("<I", metadata, header)[0], 3) != 0


def _examples(served: Served, batch: Any, names: list[str], limits: Limits) -> tuple[Form, Any]:
    """Return the form of the examples of a record batch, and the examples."""
    kind = served.kind
    form = next((form for form in kind.forms if form.one in names), None)
    if form is None and served.model.kind in ("row", "columns"):
        form, values = kind.forms[0], batch.to_pylist()
    elif form is None:
        listed = " or ".join(form.one for form in kind.forms)
        raise Problem(422, f"the stream has no column {listed}; it has {', '.join(names)[:200]}")
    else:
        column = batch.column(form.one)
        if form.one == "text" and not form.raw:
            return form, _texts(column, limits)
        values = column.to_pylist()
        if pa.types.is_map(column.type):
            values = [None if pairs is None else dict(pairs) for pairs in values]
    for row, value in enumerate(values):
        fault = form.fault(served.model, value, limits)
        if fault is not None:
            raise Problem(422, f"row {row} of a record batch {fault}")
    return form, form.read(served.model, values)


def _texts(column: Any, limits: Limits) -> Any:
    """Return a column of texts as it is: the core reads it where it lies."""
    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise Problem(422, f"the column text holds {kind}, not strings")
    if column.null_count:
        raise Problem(422, "the column text has nulls; drop those rows, or make them empty")
    longest = pc.max(pc.utf8_length(column)).as_py() or 0
    if longest > limits.text:
        raise Problem(422, f"a text has {longest:,} characters, at most {limits.text:,} are read")
    return column


def _types(kind: Kind) -> dict[str, Any]:
    """Return the types of the columns of answers; those of probabilities are plain numbers."""
    label = pa.array(kind.labels).type
    number, place, text = pa.float64(), pa.int64(), pa.string()
    token = {"text": text, "start": place, "end": place}
    several = bool(kind.model.multilabel) or kind.verb == "tag"
    return {
        "label": label,
        "labels": pa.list_(label),
        "probability": pa.list_(number) if several else number,
        "top": pa.list_(pa.struct({"label": label, "probability": number})),
        "tags": pa.list_(text),
        "tokens": pa.list_(pa.struct(token)),
        "spans": pa.list_(pa.struct({**token, "label": text})),
        "nbest": pa.list_(pa.struct({"score": number, "tags": pa.list_(text)})),
    }
