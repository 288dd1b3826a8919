"""scikit-learn's text pipelines answer here as they do there, and their pickles run nothing."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

import linnet
from linnet.errors import DataError, ModelFileError, ParameterError
from linnet.foreign import scikit_learn

from .running import run
from .texts import labelled, texts

pytestmark = pytest.mark.filterwarnings("ignore")

VECTORISERS: dict[str, Any] = {
    "counts": CountVectorizer(binary=True),
    "pairs of words": TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
    "characters": TfidfVectorizer(
        analyzer="char_wb", ngram_range=(2, 4), norm="l1", strip_accents="unicode"
    ),
    "pattern": TfidfVectorizer(token_pattern=r"\b\w+\b", stop_words="english", use_idf=False),
    "stop words": CountVectorizer(stop_words=["ok", "aa"], lowercase=False, strip_accents="ascii"),
    "hashed": HashingVectorizer(n_features=1000, ngram_range=(1, 2)),
    "two steps": make_pipeline(CountVectorizer(), TfidfTransformer(norm=None)),
    "side by side": FeatureUnion(
        [
            ("words", TfidfVectorizer()),
            ("characters", CountVectorizer(analyzer="char", binary=True)),
            ("pipeline", make_pipeline(CountVectorizer(ngram_range=(2, 2)), TfidfTransformer())),
        ],
        transformer_weights={"words": 2.0},
    ),
}
CLASSIFIERS: dict[str, Any] = {
    "logistic": LogisticRegression(),
    "svm": LinearSVC(),
    "without intercept": LinearSVC(fit_intercept=False),
    "hinge": SGDClassifier(random_state=0),
    "log loss": SGDClassifier(loss="log_loss", random_state=0),
    "modified Huber": SGDClassifier(loss="modified_huber", random_state=0),
    "ridge": RidgeClassifier(),
    "perceptron": Perceptron(),
    "multinomial": MultinomialNB(),
    "bernoulli": BernoulliNB(),
    "complement": ComplementNB(),
    "sigmoid": CalibratedClassifierCV(LinearSVC(), cv=3),
    "isotonic": CalibratedClassifierCV(LinearSVC(), cv=3, method="isotonic"),
    "temperature": CalibratedClassifierCV(LinearSVC(), cv=3, method="temperature"),
    "sigmoid of naive Bayes": CalibratedClassifierCV(MultinomialNB(), cv=3),
    "temperature of naive Bayes": CalibratedClassifierCV(
        MultinomialNB(), cv=3, method="temperature"
    ),
}
ASKED = texts(400)


def fitted(vectoriser: Any, classifier: Any, labels: int = 4, n: int = 300) -> Any:
    rows = labelled(n, 0, labels)
    return make_pipeline(vectoriser, classifier).fit(
        [text for _, text in rows], [label for label, _ in rows]
    )


def stored(value: Any, path: Path, protocol: int = 5) -> Path:
    path.write_bytes(pickle.dumps(value, protocol))
    return path


def assert_same_answers(pipeline: Any, model: Any, asked: list[str]) -> None:
    assert model.predict(asked).tolist() == pipeline.predict(asked).tolist()
    assert model.judge(asked).labels.tolist() == pipeline.predict(asked).tolist()
    if hasattr(pipeline, "predict_proba"):
        expected = pipeline.predict_proba(asked)
        np.testing.assert_allclose(model.predict_proba(asked), expected, rtol=0, atol=1e-9)
    else:
        scores = pipeline.decision_function(asked)
        np.testing.assert_allclose(model.decision_function(asked), scores, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", VECTORISERS)
def test_texts_are_read_as_by_the_vectoriser(name: str, tmp_path: Path) -> None:
    pipeline = fitted(VECTORISERS[name], LogisticRegression())
    assert_same_answers(pipeline, linnet.load(stored(pipeline, tmp_path / "m.pkl")), ASKED)


@pytest.mark.parametrize("labels", [2, 4])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_labels_and_probabilities_are_the_classifiers(
    name: str, labels: int, tmp_path: Path
) -> None:
    pipeline = fitted(TfidfVectorizer(), CLASSIFIERS[name], labels)
    model = linnet.load(stored(pipeline, tmp_path / "m.pkl"))
    assert_same_answers(pipeline, model, ASKED)
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert np.array_equal(again.predict_proba(ASKED), model.predict_proba(ASKED))
    assert again.card() == model.card()
    why = model.explain(labelled(1, 3, labels)[0][1])
    total = why.intercept + sum(part.contribution for part in why.contributions)
    assert why.score == pytest.approx(total, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["logistic", "multinomial", "sigmoid"])
def test_ten_thousand_texts_have_the_same_answers(name: str, tmp_path: Path) -> None:
    pipeline = fitted(TfidfVectorizer(ngram_range=(1, 2)), CLASSIFIERS[name], n=2000)
    assert_same_answers(pipeline, linnet.load(stored(pipeline, tmp_path / "m.pkl")), texts(10_000))


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_every_protocol_of_pickles_is_read(protocol: int, tmp_path: Path) -> None:
    pipeline = fitted(TfidfVectorizer(), LinearSVC())
    model = linnet.load(stored(pipeline, tmp_path / "m.pkl", protocol))
    assert_same_answers(pipeline, model, ASKED[:50])


@pytest.mark.parametrize("compress", [0, 3, ("gzip", 3), ("bz2", 3), ("xz", 3), ("lzma", 3)])
def test_files_of_joblib_are_read_whatever_their_compression(compress: Any, tmp_path: Path) -> None:
    pipeline = fitted(CountVectorizer(), CalibratedClassifierCV(LinearSVC(), cv=2))
    joblib.dump(pipeline, tmp_path / "m.joblib", compress=compress)
    assert_same_answers(pipeline, linnet.load(tmp_path / "m.joblib"), ASKED[:50])


@pytest.mark.parametrize("kind", [object, np.int64, bool])
def test_labels_of_every_type_come_back(kind: Any, tmp_path: Path) -> None:
    rows = labelled(60, 0, 2)
    names: Any = {object: ("ja", "nein"), np.int64: (3, 7), bool: (False, True)}[kind]
    y = np.array([names[label == "latin"] for label, _ in rows], kind)
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression())
    pipeline.fit([text for _, text in rows], y)
    joblib.dump(pipeline, tmp_path / "m.joblib")
    for path in (tmp_path / "m.joblib", stored(pipeline, tmp_path / "m.pkl")):
        assert_same_answers(pipeline, linnet.load(path), ASKED[:20])


def test_a_score_of_zero_goes_to_the_first_of_two_labels(tmp_path: Path) -> None:
    pipeline = fitted(CountVectorizer(), LinearSVC(fit_intercept=False), 2)
    model = linnet.load(stored(pipeline, tmp_path / "m.pkl"))
    assert model.decision_function([""]).tolist() == [0.0]
    assert model.predict([""]).tolist() == pipeline.predict([""]).tolist() == ["accents"]


def test_older_logistic_regressions_choose_their_probabilities_by_parameters(
    tmp_path: Path,
) -> None:
    pipeline = fitted(CountVectorizer(), LogisticRegression())
    scores = pipeline.decision_function(ASKED)
    vars(pipeline[-1])["multi_class"] = "ovr"
    p = 1.0 / (1.0 + np.exp(-scores))
    model = linnet.load(stored(pipeline, tmp_path / "m.pkl"))
    np.testing.assert_allclose(
        model.predict_proba(ASKED), p / p.sum(axis=1, keepdims=True), atol=1e-12
    )
    pipeline = fitted(CountVectorizer(), LogisticRegression(), 2)
    vars(pipeline[-1])["multi_class"] = "multinomial"
    twice = 1.0 / (1.0 + np.exp(-2.0 * pipeline.decision_function(ASKED)))
    model = linnet.load(stored(pipeline, tmp_path / "m.pkl"))
    np.testing.assert_allclose(model.predict_proba(ASKED)[:, 1], twice, atol=1e-12)


@pytest.mark.parametrize("name", ["one_vs_rest.pkl", "calibrated.joblib"])
def test_files_of_scikit_learn_1_3_2_give_the_answers_it_gave(name: str) -> None:
    folder = Path(__file__).parent / "scikit_learn"
    expected = json.loads((folder / "answers.json").read_text("utf-8"))
    model, answers = linnet.load(folder / name), expected["answers"][name]
    assert model.predict(expected["texts"]).tolist() == answers["labels"]
    p = model.predict_proba(expected["texts"])
    np.testing.assert_allclose(p, answers["probabilities"], rtol=0, atol=1e-12)


def test_sparse_weights_are_read(tmp_path: Path) -> None:
    pipeline = fitted(CountVectorizer(), SGDClassifier(penalty="l1", alpha=0.01, random_state=0))
    pipeline[-1].sparsify()
    assert_same_answers(pipeline, linnet.load(stored(pipeline, tmp_path / "m.pkl")), ASKED[:50])


def test_a_pipeline_that_was_calibrated_as_a_whole_is_read(tmp_path: Path) -> None:
    inner = fitted(TfidfVectorizer(), LinearSVC())
    rows = labelled(100, 5, 4)
    whole = CalibratedClassifierCV(FrozenEstimator(inner))
    whole.fit([text for _, text in rows], [label for label, _ in rows])
    assert_same_answers(whole, linnet.load(stored(whole, tmp_path / "m.pkl")), ASKED[:50])


def test_a_vectoriser_and_a_classifier_may_be_two_files_or_a_pair(tmp_path: Path) -> None:
    pipeline = fitted(TfidfVectorizer(), LogisticRegression())
    joblib.dump(pipeline[0], tmp_path / "v.joblib")
    joblib.dump(pipeline[1], tmp_path / "c.joblib")
    model = scikit_learn.joined(tmp_path / "v.joblib", tmp_path / "c.joblib")
    assert_same_answers(pipeline, model, ASKED[:50])
    pair = linnet.load(stored((pipeline[0], pipeline[1]), tmp_path / "pair.pkl"))
    assert_same_answers(pipeline, pair, ASKED[:50])
    with pytest.raises(ModelFileError, match="without the vectoriser"):
        linnet.load(tmp_path / "c.joblib")
    with pytest.raises(ModelFileError, match="without a classifier"):
        linnet.load(tmp_path / "v.joblib")


def test_threads_and_arrow_columns_change_nothing(tmp_path: Path) -> None:
    import pyarrow as pa

    model = linnet.load(stored(fitted(TfidfVectorizer(), LinearSVC()), tmp_path / "m.pkl"))
    expected = model.predict_proba(ASKED)
    model.n_threads = 1
    assert np.array_equal(model.predict_proba(ASKED), expected)
    assert np.array_equal(model.predict_proba(pa.array(ASKED)), expected)


def test_reading_and_predicting_import_nothing_of_scikit_learn(tmp_path: Path) -> None:
    pipeline = fitted(TfidfVectorizer(stop_words="english"), CalibratedClassifierCV(LinearSVC()))
    path = stored(pipeline, tmp_path / "m.pkl")
    code = (
        "import sys, linnet\n"
        f"linnet.load({str(path)!r}).predict_proba(['a text'])\n"
        "print([name for name in ('sklearn', 'scipy', 'joblib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_verb_of_the_command_line_takes_a_pipeline(tmp_path: Path) -> None:
    pipeline = fitted(TfidfVectorizer(), LogisticRegression())
    path = stored(pipeline, tmp_path / "m.pkl")
    rows = labelled(20, 5, 4)
    data = tmp_path / "data.tsv"
    data.write_text("".join(f"{label}\t{text}\n" for label, text in rows), "utf-8")
    lines = "".join(text + "\n" for _, text in rows)
    answers = pipeline.predict([text for _, text in rows]).tolist()
    said = run("predict", path, stdin=lines).splitlines()
    assert [line.split("\t")[0] for line in said] == answers
    assert "accuracy" in run("evaluate", path, data)
    assert "scikit-learn" in run("inspect", path)
    assert rows[0][0] in run("explain", path, rows[0][1])
    run("convert", path, tmp_path / "m.linnet")
    assert run("predict", tmp_path / "m.linnet", stdin=lines).splitlines() == said


# --- what is refused ---------------------------------------------------------------------------


def split(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize("name", ["tokenizer", "preprocessor", "analyzer"])
def test_functions_of_the_users_are_refused_in_words(name: str, tmp_path: Path) -> None:
    pipeline = fitted(CountVectorizer(**{name: split if name != "preprocessor" else str}),
                      LinearSVC())  # fmt: skip
    with pytest.raises(ModelFileError, match=rf"test_scikit_learn\.split|{name}"):
        linnet.load(stored(pipeline, tmp_path / "m.pkl"))


def test_steps_that_are_not_read_are_named(tmp_path: Path) -> None:
    rows = labelled(60, 0, 2)
    pipeline = make_pipeline(CountVectorizer(), MaxAbsScaler(), LinearSVC())
    pipeline.fit([text for _, text in rows], [label for label, _ in rows])
    with pytest.raises(ModelFileError, match="MaxAbsScaler"):
        linnet.load(stored(pipeline, tmp_path / "m.pkl"))


def test_a_pipeline_that_was_not_fitted_is_refused(tmp_path: Path) -> None:
    pipeline = make_pipeline(TfidfVectorizer(), LinearSVC())
    with pytest.raises(ModelFileError, match="not fitted"):
        linnet.load(stored(pipeline, tmp_path / "m.pkl"))


def test_a_pattern_that_may_search_without_end_is_refused(tmp_path: Path) -> None:
    pipeline = fitted(CountVectorizer(token_pattern=r"(?:\w+\s?)+"), LinearSVC())
    with pytest.raises(ModelFileError, match="may never end"):
        linnet.load(stored(pipeline, tmp_path / "m.pkl"))


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    model = linnet.load(stored(fitted(CountVectorizer(), LinearSVC()), tmp_path / "m.pkl"))
    for wrong in ("one text", [{"a": 1}], [3]):
        with pytest.raises(DataError):
            model.predict(wrong)
    with pytest.raises(DataError, match="one text"):
        model.explain(3)
    with pytest.raises(ParameterError, match="cannot be pruned"):
        model.save(tmp_path / "small.linnet", max_features=3)


class Bomb:
    """An object whose pickle runs a command when an ordinary reader opens it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.path}",)


def hostile(folder: Path) -> dict[str, bytes]:
    command = f"touch {folder / 'ran'}".encode()
    deep = b"\x80\x04" + b"(" * 200_000 + b"t" * 200_000 + b"."
    bomb = b"\x80\x04]q\x00" + b"".join(b"]q%c(h%ch%ce" % (k + 1, k, k) for k in range(99)) + b"."
    keys = b"\x80\x04)" + b"2\x86" * 60 + b"}" + b"\x8c\x01a" + b"s" + b"."
    return {
        "os.system": b"cos\nsystem\n(S'" + command + b"'\ntR.",
        "posix.system": b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x05touch\x85R.",
        "an object's own reduction": pickle.dumps(Bomb(folder / "ran")),
        "eval": b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.",
        "attributes": b"\x80\x04\x8c\x08builtins\x8c\x07getattr\x93.",
        "dotted names": b"\x80\x04\x8c\x05numpy\x8c\x10f2py.crackfortran\x93.",
        "an instance": b"(S'" + command + b"'\nios\nsystem\n.",
        "the extension registry": b"\x80\x02\x82\x01.",
        "a persistent id": b"\x80\x04\x8c\x01aQ.",
        "a buffer outside": b"\x80\x05\x97.",
        "a huge text": b"\x80\x04\x8d" + (1 << 62).to_bytes(8, "little") + b"abc.",
        "huge bytes": b"\x80\x04\x8e" + (1 << 62).to_bytes(8, "little") + b"abc.",
        "a huge integer": b"\x80\x04\x8b" + (1 << 30).to_bytes(4, "little") + bytes(4000) + b".",
        "a huge place in the memory": b"\x80\x04Nr\xff\xff\xff\xff.",
        "a nest of tuples": deep,
        "a bomb of lists": bomb,
        "a key of nested tuples": keys,
        "a wrong protocol": b"\x80\x09N.",
        "nothing at all": b"\x80\x04.",
        "no end": b"\x80\x04" + b"N" * 50,
    }


@pytest.mark.parametrize("name", hostile(Path()))
def test_a_hostile_pickle_is_refused_and_runs_nothing(name: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pkl"
    raw = hostile(tmp_path)[name]
    path.write_bytes(raw if raw.startswith(b"\x80") else b"\x80\x02" + raw)
    with pytest.raises(ModelFileError):
        linnet.load(path)
    assert not (tmp_path / "ran").exists()


def test_work_that_a_short_file_asks_for_again_and_again_is_refused(tmp_path: Path) -> None:
    names = b"\x80\x04]\x94(" + b"K\x01" * 5000 + b"e0"
    calls = b"\x8c\x08builtins\x8c\x03set\x93h\x00\x85R" * 3000
    (tmp_path / "m.pkl").write_bytes(names + calls + b".")
    with pytest.raises(ModelFileError, match="far more to be made"):
        linnet.load(tmp_path / "m.pkl")


@pytest.mark.parametrize("compress", ["zlib", "bz2", "xz", "lzma"])
def test_a_file_that_inflates_without_measure_is_refused(compress: str, tmp_path: Path) -> None:
    joblib.dump(np.zeros(20 << 20), tmp_path / "m.joblib", compress=(compress, 9))
    with pytest.raises(ModelFileError, match="inflates to more"):
        linnet.load(tmp_path / "m.joblib")


def test_arrays_whose_sizes_lie_are_refused(tmp_path: Path) -> None:
    raw = pickle.dumps(fitted(CountVectorizer(), LinearSVC(), n=60), 4)
    coef = fitted(CountVectorizer(), LinearSVC(), n=60)[-1].coef_
    shape = pickle.dumps(coef.shape[1], 4)[2:-1]
    assert shape in raw
    for size in (0, 1, 255, 65535):
        forged = raw.replace(shape, b"M" + size.to_bytes(2, "little"))
        (tmp_path / "m.pkl").write_bytes(forged)
        with pytest.raises(ModelFileError):
            linnet.load(tmp_path / "m.pkl")


@pytest.mark.parametrize("order", "<>")
def test_labels_of_characters_that_do_not_exist_are_refused(order: str, tmp_path: Path) -> None:
    pipeline = make_pipeline(CountVectorizer(), MultinomialNB()).fit(["a1", "b2"], ["+", "-"])
    pipeline[-1].classes_ = np.array(["+", "-"], f"{order}U1")
    raw = pickle.dumps(pipeline)
    plus = pipeline[-1].classes_.tobytes()
    assert raw.count(plus) == 1
    (tmp_path / "m.pkl").write_bytes(raw.replace(plus, b"\xff" * len(plus)))
    with pytest.raises(ModelFileError, match="characters that do not exist"):
        linnet.load(tmp_path / "m.pkl")
