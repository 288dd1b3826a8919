"""Kernel functions and the feature maps behind them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet import feature_maps, kernels
from linnet.errors import DataError, ParameterError
from linnet.reference import kernels as plain

NAMES = {
    "linear": (kernels.linear, plain.linear, {}),
    "quadratic": (kernels.quadratic, plain.quadratic, {}),
    "polynomial": (kernels.polynomial, plain.polynomial, {"degree": 3, "gamma": 0.5, "coef0": 1.0}),
    "gaussian": (kernels.gaussian, plain.gaussian, {"gamma": 0.3}),
    "sigmoid": (kernels.sigmoid, plain.sigmoid, {"gamma": 0.2, "coef0": -1.0}),
}


@pytest.mark.spec("M-40")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("density", [1.0, 0.02], ids=["panels", "inverted"])
@pytest.mark.parametrize("rows", [1, 31, 32, 33, 130])
def test_kernels_equal_their_plain_twins(name: str, density: float, rows: int) -> None:
    ours, twin, options = NAMES[name]
    rng = np.random.default_rng(rows)
    X, Z = (rng.normal(size=(n, 90)) * (rng.random((n, 90)) < density) for n in (7, rows))
    for left, right in ((X, Z), (sp.csr_matrix(X), sp.csr_matrix(Z))):
        expected = twin(X, Z, **options)  # where terms cancel, their rounding stays: atol
        np.testing.assert_allclose(ours(left, right, **options), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(ours(X, Z, **options, n_threads=1), ours(X, Z, **options))


@pytest.mark.spec("M-40")
@pytest.mark.parametrize("name", ["linear", "quadratic", "polynomial", "gaussian"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 40), cols=st.integers(1, 20))
def test_a_gram_matrix_is_symmetric_and_has_no_negative_eigenvalue(
    name: str, seed: int, rows: int, cols: int
) -> None:
    ours, _, options = NAMES[name]
    X = np.random.default_rng(seed).normal(size=(rows, cols))
    values = ours(X, **options)
    np.testing.assert_array_equal(values, values.T)
    assert np.linalg.eigvalsh(values)[0] >= -1e-10 * np.abs(values).max()


def test_equal_rows_have_a_gaussian_kernel_of_exactly_one() -> None:
    X = np.repeat(np.random.default_rng(0).normal(1e3, 1.0, size=(20, 50)), 3, axis=0)
    values = kernels.gaussian(X, gamma=1e-3)
    for row in range(0, 60, 3):
        assert (values[row : row + 3, row : row + 3] == 1.0).all()


def test_the_sigmoid_is_not_positive_semi_definite() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    assert np.linalg.eigvalsh(kernels.sigmoid(X, gamma=1.0, coef0=-1.0))[0] < -0.1


def test_sigma_is_another_name_for_gamma() -> None:
    X = [[0.0, 1.0], [2.0, -1.0]]
    np.testing.assert_array_equal(
        kernels.gaussian(X, sigma=2.0), kernels.gaussian(X, gamma=1.0 / 8.0)
    )


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: kernels.linear([[1.0]], [[1.0, 2.0]]), DataError),
        (lambda: kernels.linear([[np.nan]]), DataError),
        (lambda: kernels.gram("cosine", [[1.0]]), ParameterError),
        (lambda: kernels.gaussian([[1.0]], gamma=0.0), ParameterError),
        (lambda: kernels.gaussian([[1.0]], sigma=-1.0), ParameterError),
        (lambda: kernels.polynomial([[1.0]], degree=1.5), ParameterError),  # type: ignore[arg-type]
        (lambda: kernels.polynomial([[1e200]], degree=9), DataError),
        (lambda: kernels.string_subsequence("abc"), DataError),
        (lambda: kernels.string_subsequence([3]), DataError),  # type: ignore[list-item]
        (lambda: kernels.string_subsequence(["a"], decay=1.5), ParameterError),
        (lambda: kernels.string_subsequence(["a"], length=0), ParameterError),
    ],
)
def test_bad_arguments_are_refused_with_a_reason(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


# --- strings -----------------------------------------------------------------------------------


def test_the_example_of_the_subsequence_kernel_paper() -> None:
    # cat and car share "ca" only: decay^4; cat with itself has ca, at (decay^4) and ct (decay^6)
    decay = 0.7
    values = kernels.string_subsequence(["cat", "car", "bat"], decay=decay, normalize=False)
    assert values[0, 1] == pytest.approx(decay**4)
    assert values[0, 0] == pytest.approx(2 * decay**4 + decay**6)
    normal = kernels.string_subsequence(["cat", "car", "bat"], decay=decay)
    assert normal[0, 1] == pytest.approx(1.0 / (2.0 + decay**2))
    assert np.diagonal(normal).tolist() == [1.0, 1.0, 1.0]


@settings(max_examples=40, deadline=None)
@given(
    strings=st.lists(st.text("abc", max_size=7), min_size=1, max_size=3),
    length=st.integers(1, 4),
    decay=st.sampled_from([0.3, 0.5, 1.0]),
)
def test_the_subsequence_kernel_equals_the_list_of_all_occurrences(
    strings: list[str], length: int, decay: float
) -> None:
    values = kernels.string_subsequence(strings, length=length, decay=decay, normalize=False)
    for i, s in enumerate(strings):
        for j, t in enumerate(strings):
            expected = plain.subsequence(s, t, length, decay)
            assert values[i, j] == pytest.approx(expected, rel=1e-12)


def test_tokens_are_symbols_as_characters_are() -> None:
    strings = ["abca", "bcab", "a"]
    np.testing.assert_array_equal(
        kernels.string_subsequence(strings),
        kernels.string_subsequence([[f"token {c}" for c in s] for s in strings]),
    )


# --- feature maps ------------------------------------------------------------------------------


@pytest.mark.spec("W-16", "M-40")
def test_the_quadratic_map_of_the_lecture() -> None:
    x, z = [[1, 2]], [[3, -1]]
    assert feature_maps.quadratic(x).tolist() == [[1, 2, 2, 4]]
    assert (feature_maps.quadratic(x) @ feature_maps.quadratic(z).T).item() == 1.0
    assert kernels.quadratic(x, z).item() == 1.0


@pytest.mark.spec("W-17", "A-52")
def test_the_map_to_three_dimensions_needs_the_root_of_two() -> None:
    x, z = [[1, 2]], [[3, -1]]
    printed = feature_maps.circle(x, cross=2.0) @ feature_maps.circle(z, cross=2.0).T
    right = feature_maps.circle(x) @ feature_maps.circle(z).T
    assert printed.item() == -11.0
    assert right.item() == pytest.approx(1.0)


@pytest.mark.spec("W-17")
@pytest.mark.parametrize("cross", [2.0, np.sqrt(2.0)])
def test_what_a_circle_separates_is_linearly_separable_in_three_dimensions(cross: float) -> None:
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    points = np.vstack([r * np.column_stack([np.cos(angles), np.sin(angles)]) for r in (1, 2)])
    inside = np.repeat([1, 0], 12)
    hard = linnet.KernelSVM(np.inf, kernel="linear")
    with pytest.raises(DataError, match="cannot be separated"):
        hard.fit(points, inside)
    mapped = feature_maps.circle(points, cross=cross)
    assert (hard.fit(mapped, inside).predict(mapped) == inside).all()


@pytest.mark.spec("W-28")
def test_an_interval_becomes_separable_with_squares() -> None:
    x = np.arange(-3.0, 4.0)[:, None]
    y = np.where(np.abs(x[:, 0]) >= 2, 1, -1)
    hard = linnet.KernelSVM(np.inf, kernel="linear", tol=1e-9)
    with pytest.raises(DataError, match="cannot be separated"):
        hard.fit(x, y)
    mapped = feature_maps.with_squares(x)
    assert (hard.fit(mapped, y).predict(mapped) == y).all()
    np.testing.assert_allclose(hard.coef_, [[0.0, 2 / 3]], atol=1e-7)  # between 1 and 4


@pytest.mark.spec("M-40")
@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("coef0", [0.0, 1.5])
def test_the_polynomial_map_has_the_polynomial_kernel(degree: int, coef0: float) -> None:
    rng = np.random.default_rng(degree)
    X, Z = rng.normal(size=(5, 4)), rng.normal(size=(6, 4))
    options = {"degree": degree, "gamma": 0.7, "coef0": coef0}
    mapped = feature_maps.polynomial(X, **options) @ feature_maps.polynomial(Z, **options).T
    np.testing.assert_allclose(mapped, kernels.polynomial(X, Z, **options), atol=1e-9)


def test_conjunctions_count_the_shared_sets_of_features() -> None:
    rng = np.random.default_rng(1)
    X, Z = (rng.random((n, 6)) < 0.6 for n in (4, 5))
    mapped = feature_maps.conjunctions(X, order=3) @ feature_maps.conjunctions(Z, order=3).T
    for i, x in enumerate(X):
        for j, z in enumerate(Z):
            shared = range(int((x & z).sum()))
            expected = sum(1 for k in (1, 2, 3) for _ in combinations(shared, k))
            assert mapped[i, j] == expected


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: feature_maps.circle([[1.0, 2.0, 3.0]]), DataError),
        (lambda: feature_maps.conjunctions([[0.5]]), DataError),
        (lambda: feature_maps.quadratic([[np.inf]]), DataError),
        (lambda: feature_maps.quadratic([1.0]), DataError),
        (lambda: feature_maps.polynomial([[1.0]], coef0=-1.0), ParameterError),
        (lambda: feature_maps.polynomial(np.ones((1, 1000)), degree=5), ParameterError),
    ],
)
def test_maps_refuse_what_they_cannot_map(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()
