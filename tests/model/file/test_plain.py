"""Plain values and strings are stored without loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linnet.model.file import pack_strings, read_model, unpack_strings, write_model
from linnet.model.file.plain import Encoder, decode

from .same import assert_same

NUMBERS = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
    | st.floats(width=32).map(np.float32) | st.integers(-9, 9).map(np.int8)
)  # fmt: skip
arrays = hnp.arrays(
    st.sampled_from(NUMBERS).map(np.dtype), hnp.array_shapes(min_dims=0, min_side=0, max_side=4)
)
values = st.recursive(
    scalars | arrays | st.lists(st.text(), max_size=30) | st.lists(st.integers(), max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers() | st.booleans(), inner, max_size=4)
    ),
    max_leaves=8,
)
quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@quick
@given(value=values)
def test_any_plain_value_is_read_back_as_it_was(value: Any, tmp_path: Path) -> None:
    encoder = Encoder()
    config = {"value": encoder.encode("value", value)}
    write_model(tmp_path / "v", "MaxEnt", config, encoder.arrays, {})
    file = read_model(tmp_path / "v")
    assert_same(value, decode(file.config["value"], file.arrays))


@quick
@given(strings=st.lists(st.text(st.characters(codec=None)), max_size=40))
def test_packed_strings_are_unpacked_as_they_were(strings: list[str]) -> None:
    assert unpack_strings(*pack_strings(strings)) == strings
