"""The report of any data: nasty texts, many labels, every kind of example, degenerate cases."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.comparison.report.markup import clean, element
from linnet.errors import DataError

from .pages import Page

CORPUS = linnet.data.load_pydoc()
NASTY = [
    "<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\"quoted\" 'text' &amp;",
    "\u202eabc مرحبا שלום", "emoji 🦜👩‍👩‍👧", "nul \0 bell \a", "w" * 5000, "half \ud800 pair", "",
    "<!-- ]]> -->",
]  # fmt: skip


def test_nothing_in_texts_and_labels_becomes_markup() -> None:
    labels = [NASTY[i % 4] or "none" for i in range(20)]
    examples = [f"{NASTY[i % len(NASTY)]} word{i % 4} {i}".encode("utf-8", "replace").decode()
                for i in range(20)]  # fmt: skip
    labels[1] = labels[2]  # some mistakes to show
    learners = {"<i>nb</i>": linnet.MultinomialNB(), '"svm" & co': linnet.SVM()}
    found = linnet.compare((examples, labels), learners, test=(examples, labels), explain=True)
    text = found.to_html(title="</title><script>alert(2)</script>", command="<b>run</b> & go")
    page = Page(text)
    assert [own.get("type") for own in page.all("script")] == ["application/json", None]
    assert not page.all("img")
    assert not page.all("i")
    assert not page.all("b")
    assert not any(name.startswith("on") for _, own in page.elements for name in own)
    assert "\0" not in text
    assert "\a" not in text
    assert max(map(len, re.findall(r"w+", page.text))) < 401, "a long word is cut"
    assert "<script>alert(1)</script>" in page.text, "it is there as text"
    assert "🦜👩‍👩‍👧" in text
    assert "<i>nb</i>" in page.text


def test_half_a_surrogate_pair_can_be_written(tmp_path: Path) -> None:
    assert clean("half \ud800 pair") == "half � pair"
    assert element("td", "\ud800", title="a\0\"b<'").encode() == (
        '<td title="a�&quot;b&lt;&#x27;">�</td>'.encode()
    )


def test_a_report_stays_small_with_long_texts_and_many_labels() -> None:
    rng = np.random.default_rng(0)
    n = 10_000
    y = rng.integers(20, size=n)
    words = [f"w{j}" for j in range(500)]
    noise = rng.integers(500, size=(n, 30))
    examples = [f"topic{y[i] if noise[i, 0] < 350 else noise[i, 1] % 20} "
                + " ".join(words[j] for j in noise[i]) for i in range(n)]  # fmt: skip
    labels = [f"label number {k}" for k in y.tolist()]
    train = (examples[: n // 10], labels[: n // 10])
    learners = "nb, bernoulli, perceptron, mira"
    found = linnet.compare(train, learners, test=(examples, labels), explain=True)
    assert len(found.to_html().encode()) < 1_500_000


@pytest.mark.parametrize("kind", ["bags", "vectors", "sparse", "frame", "numbers"])
def test_examples_may_have_any_form(kind: str) -> None:
    import pandas as pd
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    X: Any = np.abs(rng.normal(size=(80, 3)).round(2))
    y: Any = (X[:, 0] > X[:, 1] + 0.3 * rng.normal(size=80)).astype(int)
    if kind == "bags":
        X = [{f"f{j}": float(v) for j, v in enumerate(row)} for row in X]
    elif kind == "sparse":
        X = sp.csr_matrix(X)
    elif kind == "frame":
        X = pd.Series([f"word{int(10 * row[0])} text" for row in X], index=range(100, 180))
    else:
        y = y.tolist() if kind == "numbers" else np.array(["no", "yes"])[y]
    page = Page(linnet.compare((X, y), "nb, maxent, memory", folds=2, explain=True).to_html())
    assert {"bags": "f0:", "frame": "word"}.get(kind, "x0:") in page.text


def test_folds_pool_mistakes_under_the_right_truth() -> None:
    data = (CORPUS.train_texts[::6], CORPUS.train_labels[::6])
    found = linnet.compare(data, "nb, svm", folds=3, time_budget=0.2, explain=True)
    assert found.answers is not None
    for own in found.answers.learners.values():
        assert own.why is not None
        for mistake in own.why.mistakes:
            assert found.answers.gold[mistake.row] == mistake.truth
            assert own.guess[mistake.row] == mistake.guess
            assert found.answers.examples([mistake.row]) == [mistake.example]
    assert "3 folds" in Page(found.to_html()).text


DEGENERATE = {
    "two examples": ((["good", "bad"], ["p", "n"]), {"test": (["good", "bad"], ["p", "n"])}),
    "perfect": ((["good film", "bad film"] * 30, ["p", "n"] * 30), {}),
    "all the same answer": ((["same text"] * 40, ["p"] * 30 + ["n"] * 10), {}),
    "an unseen label": (
        (["good", "bad"] * 20, ["p", "n"] * 20), {"test": (["good", "bad"], ["p", "q"])},
    ),
    "one test example": ((["good", "bad"] * 20, ["p", "n"] * 20), {"test": (["good"], ["p"])}),
    "mixed labels": ((["good", "bad"] * 20, [1, "n"] * 20), {}),
    "one learner": ((["good", "bad"] * 20, ["p", "n"] * 20), {"learners": "svm"}),
    "no chunks": (([["a", "b"]] * 20, [["X", "Y"]] * 20), {"learners": "hmm, crf"}),
    "one token": (([["a"], ["b"]] * 20, [["X"], ["Y"]] * 20), {"learners": "hmm, perceptron"}),
}  # fmt: skip


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_data_gives_a_right_page(name: str) -> None:
    data, options = DEGENERATE[name]
    options = {"learners": "nb, perceptron, svm", **options}
    found = linnet.compare(data, explain=True, curve=(0.5, 1), **options)  # type: ignore[arg-type]
    page = Page(found.to_html())
    assert "nan" not in re.findall(r"\w+", page.text.lower())
    assert "inf" not in re.findall(r"\w+", page.text.lower())
    assert len(page.of_class("learner")) == len(found.rows)
    if name == "perfect":
        assert "No answer was wrong." in page.text


def test_one_class_is_refused_as_the_comparison_does() -> None:
    with pytest.raises(DataError, match="have the label 'x'"):
        linnet.compare((["a"] * 20, ["x"] * 20), explain=True)
