"""Packed names: any list comes back, with the fingerprints that looking up asks for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet import _core
from linnet.errors import DataError
from linnet.text.names import Names
from linnet.text.packed_names import pack_names, unpack_names, unpack_table
from linnet.text.texts import as_texts


@given(st.lists(st.text(max_size=300)), st.booleans())
def test_any_list_of_names_comes_back(names: list[str], in_order: bool) -> None:
    kept = [name.encode("utf-8", "ignore").decode() for name in names]
    kept = sorted(kept) if in_order else kept
    assert unpack_names({"n_packed": pack_names(Names.of(kept))}, "n").tolist() == kept


@given(st.sets(st.text(st.characters(codec="utf-8"), max_size=20)), st.integers(0, 2**63 - 1))
def test_fingerprints_that_go_on_from_a_shared_beginning_are_those_of_whole_names(
    names: set[str], seed: int
) -> None:
    whole = np.empty(len(names), np.uint64)
    _core.name_prints(as_texts(sorted(names)), seed, whole)
    spelled, slots, prints = unpack_table(
        {"n_packed": pack_names(Names.of(sorted(names)))}, "n", seed
    )
    assert spelled.tolist() == sorted(names)
    np.testing.assert_array_equal(prints, whole)
    table = np.empty_like(slots)
    assert _core.fill_table(whole, table) < 0
    np.testing.assert_array_equal(slots, table)


def test_sorted_names_take_a_fraction_of_their_bytes() -> None:
    names = Names.of(sorted(f"w[-1]|w[0]=word{k % 97}|word{k}" for k in range(5000)))
    assert 4 * len(pack_names(names)) < len(names.data)


@pytest.mark.parametrize("names", [["a" * n for n in range(3000)], [""] * 3000])
def test_names_that_pack_too_well_are_left_long_enough_to_be_read(names: list[str]) -> None:
    packed = pack_names(Names.of(names))
    assert unpack_names({"n_packed": packed}, "n").tolist() == names


def test_two_names_of_one_fingerprint_are_refused() -> None:
    with pytest.raises(DataError, match="told apart"):
        unpack_table({"n_packed": pack_names(Names.of(["a", "a"]))}, "n", 0)
