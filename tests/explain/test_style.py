"""Colours and marks that stay apart for every reader and on every printer."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.explain.style import (
    COLOURS,
    MARKERS,
    legend_below,
    limits_of,
    line_style,
    plane_points,
    series,
)

Array = NDArray[np.float64]

# What readers who lack one kind of cone see, on linear RGB (Machado, Oliveira, Fernandes 2009).
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def lab(shades: list[str], vision: str = "normal") -> Array:
    """Return CIE L*a*b* coordinates, one row a shade, as seen with the given vision."""
    rgb = np.array([[int(shade[i : i + 2], 16) / 255 for i in (1, 3, 5)] for shade in shades])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ VISION[vision].T, 0, 1)
    xyz = seen @ TO_XYZ.T / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    x, y, z = f.T
    return np.column_stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


SHADES = [shade for shade, _ in COLOURS.values()]


def test_the_conversion_to_lab_knows_white_and_red() -> None:
    white, red = lab(["#ffffff", "#ff0000"])
    assert white == pytest.approx([100, 0, 0], abs=0.02)
    assert red == pytest.approx([53.24, 80.09, 67.20], abs=0.05)


@pytest.mark.parametrize("vision", VISION)
def test_no_two_colours_look_alike(vision: str) -> None:
    seen = lab(SHADES, vision)
    distance = np.linalg.norm(seen[:, None] - seen, axis=2)
    assert distance[np.triu_indices(len(SHADES), 1)].min() > 25


def test_no_two_colours_have_the_same_grey_and_all_stand_out_from_paper() -> None:
    lightness = np.sort(lab(SHADES)[:, 0])
    assert np.diff(lightness).min() > 8
    assert lightness.max() < 75


def test_every_colour_has_a_dash_pattern_and_a_marker_of_its_own() -> None:
    assert len({dashes for _, dashes in COLOURS.values()}) == len(COLOURS)
    assert len(set(MARKERS)) == len(COLOURS)
    looks = [series(number) for number in range(12)]
    assert looks[:6] == looks[6:]
    assert [look.name for look in looks[:6]] == list(COLOURS)


def test_other_colours_are_taken_as_they_are() -> None:
    assert line_style("gold") == ("gold", "solid")


def test_limits_leave_the_same_margin_on_every_side_even_around_one_point() -> None:
    assert limits_of(np.array([[2.0, 3.0]])) == {"xlim": (1.0, 3.0), "ylim": (2.0, 4.0)}


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1, 2, 3]], [0], "plane"),
        ([], [], "plane"),
        ([[1, 2]], [0, 1], "labels"),
        ([[1, np.nan]], [0], "finite"),
    ],
)
def test_what_cannot_be_plotted_is_refused(X: list, y: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        plane_points(X, y)


@pytest.mark.parametrize("inches", [5.0, 9.0])
def test_the_legend_of_wide_panels_is_seen_first_on_a_telephone(inches: float) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    fig, axis = pyplot.subplots(figsize=(inches, 3), layout="constrained")
    for k in range(4):
        axis.plot([0, 1], [0, k], label=f"learner {k}")
    legend_below(fig, axis)
    fig.canvas.draw()
    extent = fig.legends[0].get_window_extent()
    pyplot.close(fig)
    seen = 0.54 if inches > 6 else 1.0
    assert 0 <= extent.x0 and extent.x1 <= seen * inches * fig.dpi
