"""TiMBL and its reference data set: the same weights, the same class for every example (E-07)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from linnet import FeatureWeights, MemoryBased
from linnet.data import AttributeRows, read_attributes

Finder: TypeAlias = Callable[[str], Path]

GAIN_RATIO = [
    0.024891536, 0.027552191, 0.018676787, 0.052620750, 0.047699231, 0.024471911,
    0.034953203, 0.043983864, 0.046816705, 0.042844587, 0.185070181, 0.325371814,
]  # fmt: skip
INFORMATION_GAIN = [
    0.030971064, 0.060860038, 0.039562857, 0.052541227, 0.074523225, 0.106044327,
    0.123486677, 0.097198760, 0.045752381, 0.213887591, 0.669704583, 1.278076246,
]  # fmt: skip
CHI2 = [
    128.418284, 364.758115, 212.298037, 449.838231, 288.872176, 415.641126,
    501.334653, 367.660212, 169.369615, 914.619058, 2807.041753, 7160.368152,
]  # fmt: skip
CORRECT = {
    "none": (821, 694, 595),
    "gain_ratio": (919, 916, 906),
    "information_gain": (918, 920, 913),
    "chi2": (918, 921, 913),
}
WEIGHTS = {
    "none": "nw", "gain_ratio": "gr", "information_gain": "ig", "chi2": "x2",
    "shared_variance": "sv",
}  # fmt: skip
DECAY = {
    "majority": "Z", "inverse_linear": "IL", "inverse_distance": "ID",
    "exponential_decay": "ED:1.5:1",
}  # fmt: skip
METRICS = {"overlap": "O", "mvdm": "M"}
ALGORITHMS = {"exact": "0", "igtree": "1", "tribl": "2", "tribl2": "4"}


@pytest.fixture(scope="module")
def dimin(request: pytest.FixtureRequest) -> tuple[AttributeRows, AttributeRows]:
    folder = request.getfixturevalue("data_dir")("dimin_nl")
    return read_attributes(folder / "dimin.train"), read_attributes(folder / "dimin.test")


@pytest.mark.spec("D-11", "E-07")
def test_the_files_load_as_2999_and_950_instances_of_12_features(dimin: Any) -> None:
    for data, size in zip(dimin, (2999, 950), strict=True):
        assert len(data.rows) == len(data.labels) == size
        assert {len(row) for row in data.rows} == {12}


@pytest.mark.spec("E-07", "R-06", "M-100", "M-101", "M-102")
def test_the_weights_of_the_twelve_features(dimin: Any) -> None:
    train, _ = dimin
    weights = FeatureWeights.from_data(train.rows, train.labels)
    assert weights.class_entropy == pytest.approx(1.617892856, abs=5e-10)
    np.testing.assert_allclose(weights.gain_ratio, GAIN_RATIO, atol=6e-10)
    np.testing.assert_allclose(weights.information_gain, INFORMATION_GAIN, atol=6e-10)
    np.testing.assert_allclose(weights.chi2, CHI2, atol=6e-7)


@pytest.mark.spec("E-07", "R-06", "A-48")
@pytest.mark.parametrize("weights", CORRECT)
def test_the_accuracies_at_one_three_and_five_distances(dimin: Any, weights: Any) -> None:
    train, test = dimin
    for k, correct in zip((1, 3, 5), CORRECT[weights], strict=True):
        model = MemoryBased(k, "overlap", weights).fit(train.rows, train.labels)
        assert (model.predict(test.rows) == np.array(test.labels)).sum() == correct


@pytest.mark.spec("E-07")
def test_there_are_39_exact_matches(dimin: Any) -> None:
    train, test = dimin
    distances, _ = MemoryBased().fit(train.rows, train.labels).kneighbors(test.rows, k=1)
    assert (distances == 0).sum() == 39


@pytest.mark.spec("E-07", "A-48")
def test_five_examples_have_tied_classes_and_four_of_them_come_out_right(dimin: Any) -> None:
    train, test = dimin
    model = MemoryBased(1, "overlap", "gain_ratio").fit(train.rows, train.labels)
    distances, rows = model.kneighbors(test.rows, k=400)
    assert (distances[:, 0] < distances[:, -1]).all()  # so all nearest ones are among them
    labels, right = np.array(train.labels), model.predict(test.rows) == np.array(test.labels)
    tied = []
    for distance, row in zip(distances, rows, strict=True):
        votes = np.unique(labels[row[distance == distance[0]]], return_counts=True)[1]
        tied.append((votes == votes.max()).sum() > 1)
    assert (sum(tied), right[tied].sum()) == (5, 4)


# --- the program itself ------------------------------------------------------------------------

needs_timbl = pytest.mark.skipif(shutil.which("timbl") is None, reason="timbl is not installed")


def timbl(
    folder: Path, train: Path, rows: list[list[str]], labels: list[str], *options: str
) -> Any:
    """Return the class that TiMBL gives each row."""
    asked, answers = folder / "asked", folder / "answers"
    comma = "," if "," in train.read_text().splitlines()[0] else " "
    lines = [comma.join([*row, label]) for row, label in zip(rows, labels, strict=True)]
    asked.write_text("\n".join(lines) + "\n")
    subprocess.run(
        ["timbl", "-f", str(train), "-t", str(asked), "-o", str(answers), "+vs", *options],
        check=True, capture_output=True, timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    return [line.rsplit(comma, 1)[1] for line in answers.read_text().splitlines()]


def options(model: MemoryBased) -> list[str]:
    return [
        "-a", ALGORITHMS[model.search], "-m", METRICS[model.metric], "-k", str(model.k),
        "-w", WEIGHTS[str(model.feature_weights)], "-d", DECAY[model.vote],
        *(["-q", str(model.depth)] if model.search == "tribl" else []),
    ]  # fmt: skip


@needs_timbl
@pytest.mark.spec("E-07", "A-48", "M-104")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("weights", "k", "vote"),
    [
        ("none", 1, "majority"),
        ("shared_variance", 3, "inverse_distance"),
        ("gain_ratio", 11, "majority"),
        ("information_gain", 3, "exponential_decay"),
        ("chi2", 1, "inverse_linear"),
    ],
)
def test_timbl_gives_every_example_of_dimin_the_same_class(
    dimin: Any, data_dir: Finder, tmp_path: Path, metric: Any, weights: Any, k: int, vote: Any
) -> None:
    train, test = dimin
    model = MemoryBased(k, metric, weights, vote=vote, alpha=1.5).fit(train.rows, train.labels)
    path = data_dir("dimin_nl") / "dimin.train"
    theirs = timbl(tmp_path, path, test.rows, test.labels, *options(model))
    assert model.predict(test.rows).tolist() == theirs


@needs_timbl
@pytest.mark.spec("E-07")
@pytest.mark.parametrize("search", ["igtree", "tribl", "tribl2"])
def test_timbl_descends_its_tree_to_the_same_class(
    dimin: Any, data_dir: Finder, tmp_path: Path, search: Any
) -> None:
    train, test = dimin
    model = MemoryBased(1, "overlap", "gain_ratio", search=search, depth=2)
    model.fit(train.rows, train.labels)
    path = data_dir("dimin_nl") / "dimin.train"
    theirs = timbl(tmp_path, path, test.rows, test.labels, *options(model))
    assert model.predict(test.rows).tolist() == theirs


@needs_timbl
@pytest.mark.spec("E-07", "M-104")
def test_timbl_started_afresh_after_each_tie_votes_the_same_by_inverse_linear(
    dimin: Any, data_dir: Finder, tmp_path: Path
) -> None:
    """After a tie TiMBL keeps one neighbour too many, and inverse linear weights become 1."""
    train, test = dimin
    model = MemoryBased(3, "overlap", "gain_ratio", vote="inverse_linear")
    ours = model.fit(train.rows, train.labels).predict(test.rows).tolist()
    wider = MemoryBased(4, "overlap", "gain_ratio", vote="inverse_linear")
    votes = wider.fit(train.rows, train.labels).predict_proba(test.rows)
    shares = model.predict_proba(test.rows)
    tied = [i for i, (a, b) in enumerate(zip(shares, votes, strict=True)) if not wide(a, b)]
    path, start = data_dir("dimin_nl") / "dimin.train", 0
    for end in [*(i + 1 for i in tied[:12]), None]:
        rows, labels = test.rows[start:end], test.labels[start:end]
        if end is None and len(tied) > 12:
            break
        if rows:
            assert timbl(tmp_path, path, rows, labels, *options(model)) == ours[start:end]
        start = end or 0


def wide(shares: Any, more: Any) -> bool:
    """Tell whether one class has most of the votes, and no more were asked."""
    first, second = np.sort(shares)[-1:-3:-1]
    return bool(first - second > 1e-12 and not np.allclose(shares, more))


@needs_timbl
@pytest.mark.spec("E-07")
@pytest.mark.parametrize(("metric", "k"), [("overlap", 1), ("mvdm", 11)])
def test_timbl_gives_examples_of_ppattach_the_same_class(
    data_dir: Finder, tmp_path: Path, metric: Any, k: int
) -> None:
    folder = data_dir("ppattach")
    train = read_attributes(folder / "training", skip=1, missing=None)
    test = read_attributes(folder / "test", skip=1, missing=None)
    path = tmp_path / "training"
    lines = [" ".join([*row, y]) for row, y in zip(train.rows, train.labels, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    model = MemoryBased(k, metric, "gain_ratio").fit(train.rows, train.labels)
    rows, labels = test.rows[:300], test.labels[:300]
    theirs = timbl(tmp_path, path, rows, labels, "-F", "Columns", *options(model))
    assert model.predict(rows).tolist() == theirs
