"""No caller of the core can make it read or write past an end: wrong arrays are refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet import _core

from . import foreign_calls
from .arrays import ints, templates, zeros
from .calls import good_calls
from .flat_calls import row_losses

#: Functions and classes without arrays, and what others return.
WITHOUT_ARRAYS = {
    "Analysis", "Counts", "DamagedFile", "FeatureRows", "Inspection", "MemorySettings", "Rows",
    "TokenColumns",
    "TokenCounts", "TokenRows", "WapitiPatterns", "count_features", "feature_rows",
    "invalid_utf8", "normalise", "pickle_steps", "read_items", "read_rows", "table_capacity",
    "tag_weights", "tagger_json", "token_columns", "token_flags", "trace_text",
    "unicode_properties", "wapiti_cells_of_lists", "wapiti_observations", "word_breaks",
}  # fmt: skip
#: Arrays that may be shorter: any length is a right one, or a shorter one is whole too.
ANY_LENGTH = {
    ("Matrix", "start"), ("permutation", "out"), ("count_columns", "index"),
    ("count_totals", "counts"),
    ("Columns", "slot"), ("Columns", "print"),
    ("kernel_perceptron", "mistakes"), ("crf_sgd_rate", "sample"), ("crf_sgd_pass", "order"),
    ("hash_names", "offset"), ("TokenTemplates", "slot"), ("read_token_rows", "slot"),
    ("read_token_rows", "print"), ("build_table", "slot"), ("build_table", "offset"),
    ("fill_table", "print"), ("Texts", "bytes"), ("decode_prefixes", "after"),
    ("measure_front_coded", "code"), ("spell_front_coded", "code"), ("front_coded", "offset"),
    *foreign_calls.ANY_LENGTH,
}  # fmt: skip


def wrong_lengths(array: Any) -> Iterator[Any]:
    """Yield the array shortened and lengthened along each axis."""
    for axis in range(array.ndim):
        for size in {0, array.shape[axis] - 1, array.shape[axis] + 1} - {-1, array.shape[axis]}:
            shape = list(array.shape)
            shape[axis] = size
            made = np.zeros(shape, array.dtype)
            both = tuple(slice(0, min(a, b)) for a, b in zip(shape, array.shape, strict=True))
            made[both] = array[both]
            yield made


def wrong_numbers(array: Any) -> Iterator[Any]:
    """Yield the array with each integer replaced by one that is surely no number of anything."""
    if array.dtype.kind != "i":
        return
    for k in range(array.size):
        for number in (-(2**31), -3, 7, 10**6):
            made = array.copy()
            made.flat[k] = number
            yield made


def variants(value: Any, change: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield from change(value)
    elif isinstance(value, tuple):  # a trace
        for k, part in enumerate(value):
            yield from ((*value[:k], made, *value[k + 1 :]) for made in variants(part, change))


def shorter(value: Any, made: Any) -> bool:
    if isinstance(value, tuple):
        return any(shorter(a, b) for a, b in zip(value, made, strict=True))
    return made.size < value.size


def test_every_function_of_the_core_is_walked() -> None:
    public = {name for name in dir(_core) if name[0] != "_" and callable(getattr(_core, name))}
    walked = {name.split()[0].split(".")[0] for name in good_calls()}
    assert public - walked == WITHOUT_ARRAYS - walked
    for name, (_, arguments) in good_calls().items():
        arrays = [v for v in arguments.values() if isinstance(v, (np.ndarray, tuple))]
        assert arrays, name


def test_the_good_calls_are_good() -> None:
    for name, (function, arguments) in good_calls().items():
        try:
            function(**arguments)
        except Exception as error:
            raise AssertionError(name) from error


def test_wrong_arrays_are_refused_and_never_followed() -> None:
    """In a process of its own: what is not refused may end it."""
    done = subprocess.run(
        [sys.executable, "-c", "from core.test_shapes import walk; walk()"],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert (done.returncode, done.stdout.splitlines()) == (0, []), done.stdout + done.stderr


def test_losses_without_a_point_are_refused() -> None:
    losses, table = _core.RowLosses(**row_losses()), zeros(4, 3)
    for ask in (
        lambda: losses.hessian_times(table, table.copy()),
        lambda: losses.hessian_diagonal(table),
        lambda: losses.conjugate_sum(1.0),
    ):
        with pytest.raises(ValueError, match="evaluate comes first"):
            ask()


def test_missing_columns_are_refused() -> None:
    columns: Any = [None]
    sentence = ints(0, 1, kind=np.int64)
    with pytest.raises(ValueError, match="a column is missing"):
        _core.wapiti_cells(columns, sentence)
    with pytest.raises(ValueError, match="a column is missing"):
        _core.count_token_features(columns, sentence, templates(), 1, 1)


@pytest.mark.parametrize(("offset", "column"), [(2**62, 0), (-(2**63), 0), (0, 2**64 - 1)])
def test_patterns_that_look_too_far_are_refused(offset: int, column: int) -> None:
    with pytest.raises(ValueError, match="too far"):
        _core.WapitiPatterns([(("x", False, False, offset, column, None),)])


def walk() -> None:
    """Print each wrong array that is not refused."""
    for name in good_calls():
        for argument in good_calls()[name][1]:
            for change in (wrong_lengths, wrong_numbers):
                count = sum(1 for _ in variants(good_calls()[name][1][argument], change))
                for k in range(count):
                    _try(name, argument, change, k)


def _try(name: str, argument: str, change: Any, k: int) -> None:
    function, arguments = good_calls()[name]
    value = arguments[argument]
    made = list(variants(value, change))[k]
    try:
        function(**{**arguments, argument: made})
    except (ValueError, TypeError):
        return
    except Exception as error:
        print(f"{name}, {argument}: {type(error).__name__}: {error}")
        return
    if change is wrong_lengths and shorter(value, made) and (name, argument) not in ANY_LENGTH:
        print(f"{name}, {argument}: an array of shape {np.shape(made)} was taken")
