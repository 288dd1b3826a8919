"""The pictures of docs/plots.md: each is drawn, fits its page, and is where the page expects it."""

from __future__ import annotations

import importlib.util
import re
import sys
from io import BytesIO
from pathlib import Path
from types import ModuleType

import matplotlib
import numpy as np
import pytest

import linnet

DOCS = Path(__file__).resolve().parent.parent / "docs"


def load_builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_plots", DOCS / "build_plots.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(DOCS))  # as when the script is run: its parts lie beside it
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DOCS))
    return module


BUILDER = load_builder()
IMAGE = re.compile(r'<img src="plots/(\w+)\.svg" alt="[^"]{15,}">')


def test_the_gallery_shows_every_picture_once_and_describes_it() -> None:
    text = (DOCS / "plots.md").read_text(encoding="utf-8")
    assert text.count("<img") == len(IMAGE.findall(text))
    assert sorted(IMAGE.findall(text)) == sorted(BUILDER.PICTURES)


def test_pictures_of_other_pages_exist() -> None:
    for page in DOCS.glob("*.md"):
        for name in re.findall(r'src="plots/([^"]+)\.svg"', page.read_text(encoding="utf-8")):
            assert name in BUILDER.PICTURES, page.name


@pytest.mark.filterwarnings("error")
@pytest.mark.spec("P-23")
@pytest.mark.parametrize("name", BUILDER.PICTURES)
def test_a_picture_is_drawn_without_warning_and_nothing_is_cut_off(name: str) -> None:
    matplotlib.use("agg")
    fig = BUILDER.PICTURES[name]()
    out = BytesIO()
    fig.savefig(out, format="png")
    assert out.getvalue().startswith(b"\x89PNG") and len(out.getvalue()) > 5000
    legends = [legend.get_window_extent() for legend in fig.legends]
    axes = [axis.get_tightbbox() for axis in fig.axes]
    for box in (*axes, *legends):
        assert box.x0 >= 0 and box.y0 >= 0
        assert box.x1 <= fig.bbox.x1 and box.y1 <= fig.bbox.y1
    assert not any(axis.overlaps(legend) for axis in axes for legend in legends)
    titles = [axis.get_title(loc="left") for axis in fig.axes]
    assert any(len(title) >= 10 for title in titles), "it says what it shows"
    panels = [axis for axis, title in zip(fig.axes, titles, strict=True) if title]
    assert fig.get_figwidth() <= 5.6 or len(panels) > 1 or name in ("tree", "confusion"), (
        "one panel and its legend can be read on a telephone"
    )


def arrows(name: str) -> set[tuple[bool, bool]]:
    """Return the kinds of arrows in a graph: (begins at a tag, ends at a tag)."""
    axis = BUILDER.PICTURES[name]().axes[0]
    found = [text for text in axis.texts if getattr(text, "arrow_patch", None) is not None]
    return {(text.xyann[1] > 0.75, text.xy[1] > 0.75) for text in found}


@pytest.mark.spec("P-22")
def test_the_graphs_of_the_sequence_models_have_their_arrows() -> None:
    matplotlib.use("agg")
    tag_to_tag, tag_to_word, word_to_tag = (True, True), (True, False), (False, True)
    assert arrows("graph_local") == {word_to_tag}
    assert arrows("graph_hmm") == {tag_to_tag, tag_to_word}
    assert arrows("graph_memm") == {tag_to_tag, word_to_tag}
    for page in ("local", "hmm", "memm", "crf"):
        assert f"plots/graph_{page}.svg" in (DOCS / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.spec("P-22")
def test_the_trellis_shows_the_probabilities_of_viterbis_algorithm() -> None:
    matplotlib.use("agg")
    texts = {text.get_text() for text in BUILDER.PICTURES["trellis"]().axes[0].texts}
    assert {"0.3", "0.08", "0.036", "0.063", "0.00504", "0.0126"} <= texts


def test_descents_meet_on_the_convex_objective_and_part_on_the_other() -> None:
    convex, other = BUILDER.PICTURES["minima"]().axes
    ends = [
        {
            round(float(line.get_xdata()[0]), 4)
            for line in axis.lines
            if line.get_fillstyle() == "none"
        }
        for axis in (convex, other)
    ]
    x, y = [[2.0], [0.3], [0.3], [0.3]], [1, -1, -1, -1]
    best = linnet.MaxEnt(C=100.0, fit_intercept=False, tol=1e-10).fit(x, y).coef_[0, 0]
    assert len(ends[0]) == 1 and ends[0].pop() == pytest.approx(best, abs=1e-3)
    low, high = sorted(ends[1])
    curve = other.lines[0]
    heights = np.interp([low, -1.0, high], curve.get_xdata(), curve.get_ydata())
    assert low < -1.0 < high and heights[0] < heights[2] < heights[1]


def test_the_posterior_peaks_where_maxent_with_the_priors_variance_as_c_ends() -> None:
    axes = BUILDER.PICTURES["gaussian_prior"]().axes
    peaks = []
    for axis in axes:
        curve = {line.get_label(): line for line in axis.lines}
        likelihood = curve["likelihood"].get_ydata()
        assert (np.diff(likelihood) > 0).all()  # alone it has no peak
        peak = curve["posterior"].get_xdata()[curve["posterior"].get_ydata().argmax()]
        assert curve["MaxEnt(C=σ²)"].get_xdata()[0] == pytest.approx(peak, abs=0.0051)
        peaks.append(peak)
    assert peaks == sorted(peaks) and peaks[-1] > 10 * peaks[0]


def test_the_four_strategies_lie_in_the_four_corners_of_bias_and_variance() -> None:
    axis = BUILDER.PICTURES["strategies"]().axes[0]
    places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axis.lines]
    (well, few, rough, asleep) = [(bias > 0.15, variance > 0.07) for bias, variance in places]
    assert (well, few, rough, asleep) == (
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    )


def test_a_larger_c_fits_the_training_examples_better_and_new_ones_worse() -> None:
    scores, margins = BUILDER.PICTURES["choice_of_c"]().axes
    training, test = (line.get_ydata() for line in scores.lines)
    assert training[-1] == 1.0 > training[0] and test[-1] < test[0] - 0.03
    width = margins.lines[0].get_ydata()
    assert (np.diff(width) <= 1e-3 * width[:-1]).all() and width[0] > 10 * width[-1]


def test_the_threshold_unit_answers_as_its_caption_says() -> None:
    texts = [text.get_text() for text in BUILDER.PICTURES["threshold_unit"]().axes[0].texts]
    weights = np.array([float(text) for text in texts if re.fullmatch(r"[−-]?\d+", text)])
    threshold = next(float(text[2:-2]) for text in texts if text.startswith("≥"))
    bits = np.array(list(np.ndindex((2,) * 6)))
    assert ((bits @ weights >= threshold) == (bits[:, [0, 2, 4]].sum(axis=1) >= 2)).all()


@pytest.mark.spec("P-23")
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_one_command_writes_the_files_and_the_same_bytes_each_time(
    tmp_path: Path, kind: str
) -> None:
    names = ["losses", "lift_line", "hyperplane"]
    for folder in ("one", "two"):
        BUILDER.build(tmp_path / folder, kind, names)
    for name in names:
        first, second = (tmp_path / folder / f"{name}.{kind}" for folder in ("one", "two"))
        assert first.read_bytes() == second.read_bytes()
        assert (b"<svg" if kind == "svg" else b"PNG") in first.read_bytes()[:600]


def test_a_sweep_shows_how_far_its_samples_lie_apart() -> None:
    matplotlib.use("agg")
    sweep = linnet.explain.accuracy_sweep("points", [10, 100], samples=3)
    _, axis = linnet.explain.plot_accuracy_sweep(sweep)
    assert len(axis.collections) == len(sweep.accuracy)
    low, high = axis.collections[0].get_datalim(axis.transData).get_points()[:, 1]
    table = next(iter(sweep.accuracy.values()))
    assert (low, high) == (table.min(), table.max())
