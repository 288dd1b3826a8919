"""``linnet.compat.fasttext`` has the signatures of ``fasttext``, and its answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet.compat import fasttext as ours

from .made import labelled, texts

theirs = pytest.importorskip("fasttext", reason="fasttext-community is not installed")
if not hasattr(theirs, "train_supervised"):
    pytest.skip("this fasttext cannot train", allow_module_level=True)

LOSSES = {"softmax": {"dim": 4}, "folded": {"dim": 9}, "ova": {}, "ns": {}, "hs": {}}


@pytest.fixture(scope="module", params=LOSSES)
def pair(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any, str]:
    """Return one model as both load it."""
    folder = tmp_path_factory.mktemp("fasttext")
    data, path = folder / "train.txt", str(folder / "m.bin")
    rows = labelled(900)
    data.write_text("".join(f"__label__{label} {text}\n" for label, text in rows), "utf-8")
    options = {"loss": request.param, "dim": 6, **LOSSES[request.param]}
    if request.param == "folded":
        options["loss"] = "softmax"
    theirs.train_supervised(
        str(data), wordNgrams=2, bucket=400, thread=1, verbose=0, epoch=5, **options
    ).save_model(path)
    return theirs.load_model(path), ours.load_model(path), request.param


@pytest.mark.parametrize(("k", "threshold"), [(1, 0.0), (2, 0.0), (-1, 0.0), (3, 0.2), (9, 0.6)])
def test_lists_of_texts_get_the_same_lists(
    k: int, threshold: float, pair: tuple[Any, Any, str]
) -> None:
    them, us, loss = pair
    asked = texts(1000)
    labels, p = them.predict(asked, k=k, threshold=threshold)
    mine, q = us.predict(asked, k=k, threshold=threshold)
    assert mine == labels and type(mine) is type(labels) and type(q) is type(p)
    assert {row.dtype for row in q} == {np.dtype(np.float32)}
    for a, b in zip(p, q, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-6 if loss == "folded" else 0)


def test_one_text_gets_a_tuple_and_an_array(pair: tuple[Any, Any, str]) -> None:
    them, us, _ = pair
    for text in texts(40):
        labels, p = them.predict(text, k=3)
        mine, q = us.predict(text, k=3)
        assert mine == labels and isinstance(mine, tuple)
        assert q.dtype == p.dtype == np.float64 or not len(p)
        np.testing.assert_allclose(p, q, rtol=0, atol=1e-6)
        pairs = us.f.predict(text + "\n", 2, 0.0, "strict")
        assert [y for _, y in pairs] == [
            y for _, y in them.f.predict(text + "\n", 2, 0.0, "strict")
        ]


def test_what_the_dictionary_says_is_the_same(pair: tuple[Any, Any, str]) -> None:
    them, us, _ = pair
    assert us.labels == them.labels and us.words == them.words
    assert us.get_dimension() == them.get_dimension() and us.is_quantized() == them.is_quantized()
    for mine, other in (
        (us.get_labels(include_freq=True), them.get_labels(include_freq=True)),
        (us.get_words(include_freq=True), them.get_words(include_freq=True)),
    ):
        assert mine[0] == other[0] and mine[1].tolist() == other[1].tolist()
    assert us.get_word_id(us.words[3]) == 3 and us.get_word_id("never seen") == -1


def test_errors_are_the_originals(pair: tuple[Any, Any, str], tmp_path: Path) -> None:
    _, us, _ = pair
    with pytest.raises(ValueError, match="one line at a time"):
        us.predict("two\nlines")
    with pytest.raises(ValueError, match="k needs to be 1"):
        us.predict("text", k=0)
    with pytest.raises(ValueError, match="cannot be opened for loading!"):
        ours.load_model(str(tmp_path / "none.bin"))
    (tmp_path / "text.bin").write_text("no model at all")
    with pytest.raises(ValueError, match="has wrong file format!"):
        ours.load_model(str(tmp_path / "text.bin"))


def test_there_is_no_training() -> None:
    assert not hasattr(ours, "train_supervised")


def test_it_takes_the_place_of_the_original(pair: tuple[Any, Any, str]) -> None:
    them, us, _ = pair
    program = (
        "import sys, linnet.compat.fasttext as ours\n"
        "sys.modules['fasttext'] = ours\n"
        "import fasttext\n"
        "from fasttext.FastText import _FastText\n"
        "print(_FastText(sys.argv[1]).predict('ab', k=1)[0][0], fasttext.load_model.__module__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, us.f.path], capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[0] == them.predict("ab")[0][0]
    assert done.stdout.split()[1].startswith("linnet.")


def test_words_are_cut_as_there() -> None:
    for text in ("a b\tc\nd", " x\0y ", "é\u00a0z\n"):
        assert ours.tokenize(text) == theirs.tokenize(text)
