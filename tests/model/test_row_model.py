"""Models with a learner: the same answers from a file, forged files refused, true reasons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linnet
from linnet.data import load_iris
from linnet.errors import LinnetError, ModelFileError, ParameterError
from linnet.model.file import read_model, write_model

from .made import texts_of
from .test_row_classifier import LABELS, MIXED, NUMERIC, ROWS, each_mixed

TEXTS, TOPICS = texts_of(90)
TEXT_LEARNERS: dict[str, Any] = {
    "memory": linnet.MemoryBased(5, "cosine", neighbors="examples"),
    "memory l2": linnet.MemoryBased(5, "l2", neighbors="examples", vote="inverse_linear"),
    "kernel": linnet.KernelSVM(),
    "kernel perceptron": linnet.KernelPerceptron(kernel="linear"),
}
each_text = pytest.mark.parametrize("learner", TEXT_LEARNERS.values(), ids=TEXT_LEARNERS.keys())
SOME = [["sunny", 21.0], ["rain", 14.0], ["never seen", 20.0], ["fog", 99.0]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.linnet"


def loaded(model: Any, path: Path) -> Any:
    linnet.save(model, path)
    return linnet.load(path)


# Files


@each_mixed
def test_a_loaded_model_gives_the_same_answers_bit_for_bit(learner: Any, path: Path) -> None:
    model = linnet.RowClassifier(learner, abstain=0.1).fit(ROWS, LABELS).model_
    twin = loaded(model, path)
    np.testing.assert_array_equal(twin.predict_proba(SOME), model.predict_proba(SOME))
    assert twin.predict(SOME).tolist() == model.predict(SOME).tolist()
    assert twin.record_ == model.record_
    assert twin.card() == model.card()
    assert twin.explain(SOME[0]) == model.explain(SOME[0])


@pytest.mark.parametrize("learner", NUMERIC.values(), ids=NUMERIC.keys())
def test_a_loaded_density_gives_the_same_answers(learner: Any, path: Path) -> None:
    iris = load_iris()
    model = linnet.RowClassifier(learner).fit(iris.X, iris.y).model_
    twin = loaded(model, path)
    np.testing.assert_array_equal(twin.predict_proba(iris.X), model.predict_proba(iris.X))
    assert twin.explain(iris.X[70].tolist()) == model.explain(iris.X[70].tolist())


@each_text
def test_texts_bags_and_vectors_are_classified_and_kept(learner: Any, path: Path) -> None:
    bags = [{word: 1.0 for word in text.split()} for text in TEXTS]
    matrix = linnet.TextClassifier(C=1.0).fit(TEXTS, TOPICS).features_.transform(TEXTS)
    for kind, X in (("text", TEXTS), ("bag", bags), ("vector", matrix)):
        clf = linnet.TextClassifier(learner).fit(X, TOPICS)
        assert clf.kind == kind and isinstance(clf.model_, linnet.Model)
        assert clf.score(X, TOPICS) > 0.8
        twin = loaded(clf.model_, path)
        np.testing.assert_array_equal(twin.predict_proba(X), clf.predict_proba(X))
        assert twin.predict(X).tolist() == clf.predict(X).tolist()


def test_a_text_model_may_be_asked_with_other_widths_of_vectors() -> None:
    from scipy.sparse import csr_matrix

    X = csr_matrix(np.eye(6))
    clf = linnet.TextClassifier(linnet.KernelSVM()).fit(X, ["a", "b"] * 3)
    assert len(clf.predict(csr_matrix(np.ones((2, 9))))) == 2
    assert len(clf.predict(csr_matrix(np.ones((2, 3))))) == 2


def test_a_model_without_weights_cannot_be_stored_smaller(path: Path) -> None:
    clf = linnet.TextClassifier(TEXT_LEARNERS["memory"]).fit(TEXTS, TOPICS)
    for options in ({"dtype": "float16"}, {"max_features": 5}):
        with pytest.raises(ParameterError, match="cannot be stored smaller"):
            clf.save(path, **options)
    with pytest.raises(ParameterError, match="no weight for each feature"):
        clf.top_features()


def test_a_kernel_that_is_a_function_is_not_stored(path: Path) -> None:
    clf = linnet.RowClassifier(linnet.KernelSVM(kernel=lambda a, b: a @ b.T))
    clf.fit([[1.0], [2.0], [8.0], [9.0]] * 6, ["a", "a", "b", "b"] * 6)
    with pytest.raises(LinnetError, match="holds no code"):
        clf.save(path)


# Learners that do not suit texts


@pytest.mark.parametrize(
    "learner, message",
    [
        (linnet.DecisionTree(), "takes rows of a few values.*metric='cosine'"),
        (linnet.GaussianBayes(), "takes rows of a few values"),
        (linnet.ParzenWindows(), "takes rows of a few values"),
        (linnet.MemoryBased(), "metric='overlap' compares values; set metric='cosine'"),
    ],
)
def test_learners_of_rows_refuse_texts_and_say_what_to_use(learner: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        linnet.TextClassifier(learner).fit(TEXTS, TOPICS)


def test_learners_of_rows_take_vectors_of_a_few_features() -> None:
    iris = load_iris()
    for learner in (linnet.DecisionTree(), linnet.GaussianBayes(), linnet.MemoryBased()):
        clf = linnet.TextClassifier(learner).fit(iris.X, iris.y)
        assert clf.score(iris.X, iris.y) > 0.95
    with pytest.raises(ParameterError, match="at most 1,000 features, X has 1,001"):
        linnet.TextClassifier(linnet.DecisionTree()).fit(np.eye(1001), ["a"] * 1000 + ["b"])


def test_several_labels_a_row_need_a_linear_learner() -> None:
    with pytest.raises(ParameterError, match="one label a row; for several use a linear"):
        linnet.TextClassifier(linnet.KernelSVM()).fit(TEXTS, [[topic] for topic in TOPICS])


# Reasons


@pytest.mark.spec("C-27")
def test_the_neighbours_that_decided_are_those_of_the_learner() -> None:
    clf = linnet.RowClassifier(linnet.MemoryBased(2, feature_weights="gain_ratio"))
    clf.fit(ROWS[:5], LABELS[:5])
    found = clf.explain(["rain", 11.0])
    distances, rows = clf.learner_.kneighbors([["rain", 11.0]], k=2)
    assert [reason[3] - 1 for reason in found.reasons] == rows[0].tolist()
    assert [float(reason[0]) for reason in found.reasons] == pytest.approx(distances[0], rel=1e-5)
    assert found.reasons[0][4] == "x0=rain x1=10"
    assert (found.label, found.probability) == ("stay", 1.0)


@pytest.mark.parametrize(
    "learner",
    [
        linnet.KernelSVM(multi_class="ovo"),
        linnet.KernelSVM(multi_class="ovr"),
        linnet.KernelPerceptron(),
    ],
    ids=["ovo", "ovr", "perceptron"],
)
@pytest.mark.parametrize("labels", [2, 3])
def test_the_support_vectors_sum_to_the_score(learner: Any, labels: int) -> None:
    iris = load_iris()
    kept = slice(50 * (3 - labels), None)
    clf = linnet.RowClassifier(learner).fit(iris.X[kept], np.asarray(iris.y)[kept])
    row = iris.X[75].tolist()
    found = clf.explain(row)
    total = float(found.note.split()[-1])
    inputs = clf.model_.reader.inputs([row], 1)
    if learner.get_params().get("multi_class") == "ovo" and labels == 3:
        scores = clf.learner_.pair_scores(inputs)[0]
        own = dict(zip([(0, 1), (0, 2), (1, 2)], scores, strict=True))
        k, other = (clf.classes_.tolist().index(v) for v in (found.label, found.runner_up))
        expected = own[min(k, other), max(k, other)] * (1 if k > other else -1)
    else:
        score = np.atleast_1d(clf.learner_.decision_function(inputs)[0])
        k = clf.classes_.tolist().index(found.label)
        expected = score[k] if len(score) > 1 else score[0] * (1 if k else -1)
    assert total == pytest.approx(float(expected), abs=1e-3)
    assert float(expected) > 0 or learner.get_params().get("multi_class") != "ovo"


def test_the_path_of_a_tree_ends_with_the_answer() -> None:
    clf = linnet.RowClassifier(linnet.DecisionTree()).fit(ROWS, LABELS)
    found = clf.explain(["sunny", 18.0])
    assert [reason[0] for reason in found.reasons] == ["x0 = sunny", "x1 <= 25"]
    assert found.reasons[-1][1] == found.label == "go"
    assert "x0 was not seen" in clf.explain(["snow", 18.0]).note


@pytest.mark.parametrize("covariance", ["full", "diagonal", "pooled", "pooled-diagonal", 1.0])
def test_the_terms_of_a_log_density_sum_to_the_difference(covariance: Any) -> None:
    iris = load_iris()
    clf = linnet.RowClassifier(linnet.GaussianBayes(covariance)).fit(iris.X, iris.y)
    found = clf.explain(iris.X[70].tolist())
    joint = clf.learner_.predict_joint_log_proba(iris.X[70:71])[0]
    k, other = (clf.classes_.tolist().index(v) for v in (found.label, found.runner_up))
    assert float(found.note.split()[-1]) == pytest.approx(joint[k] - joint[other], rel=1e-3)
    base = float(found.note.split()[1])
    terms = sum(reason[-1] for reason in found.reasons)
    assert base + terms == pytest.approx(joint[k] - joint[other], abs=1e-3)


def test_any_label_can_be_explained_and_others_are_refused() -> None:
    clf = linnet.RowClassifier(linnet.MaxEnt()).fit(ROWS, LABELS)
    assert clf.explain(["rain", 12.0], "go").label == "go"
    assert clf.explain(["rain", 12.0], "go").runner_up == "stay"
    with pytest.raises(ParameterError, match="no label 'leave'; it has 'go', 'stay'"):
        clf.explain(["rain", 12.0], "leave")
    contributions = [reason[3] for reason in clf.explain(["rain", 12.0]).reasons]
    note = clf.explain(["rain", 12.0]).note
    base, score = float(note.split()[3]), float(note.split()[-1])
    assert base + sum(contributions) == pytest.approx(score, abs=1e-3)


def test_the_reasons_for_a_text_name_its_features(path: Path) -> None:
    for learner in TEXT_LEARNERS.values():
        clf = linnet.TextClassifier(learner).fit(TEXTS, TOPICS)
        found = clf.explain(TEXTS[0])
        assert found.label == clf.predict(TEXTS[:1])[0]
        assert found.example == TEXTS[0]
        assert found.reasons and found.to_dict(2)["reasons"]


# Forged files


def _set(**values: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda config, arrays: config.update(values)


READING = {
    "format": "c45", "mark": ",", "quoting": False, "names": ["x0", "x1", "c"], "label": "c",
    "ignored": [],
}  # fmt: skip
FORGERIES: dict[str, Callable[[dict[str, Any], dict[str, Any]], Any]] = {
    "no kind": _set(kind="rows"),
    "another kind": _set(kind="text"),
    "vector": _set(kind="vector"),
    "no names": _set(names=[]),
    "names that are numbers": _set(names=[1, 2]),
    "one name twice": _set(names=["x0", "x0"]),
    "other kinds": _set(kinds=["symbolic", "colour"]),
    "too few kinds": _set(kinds=["symbolic"]),
    "no sharpness": _set(sharpness="sharp"),
    "negative sharpness": _set(sharpness=-1.0),
    "scores that are not there": _set(sharpness=1.0),
    "threshold": _set(abstain=3),
    "label of abstaining": _set(abstain_label=[1]),
    "dense": _set(dense=1),
    "no learner": _set(learner=None),
    "no class": lambda config, arrays: config["learner"].update({"class": "os.system"}),
    "a chain": lambda config, arrays: config["learner"].update({"class": "CRF"}),
    "regression": lambda config, arrays: config["learner"].update({"class": "LinearRegression"}),
    "no state": lambda config, arrays: config["learner"].update(state={}),
    "reading": _set(reading={"format": "c45"}),
    "reading other columns": _set(reading={**READING, "names": ["a", "b", "c"]}),
    "reading another format": _set(reading={**READING, "format": "exe"}),
    "vectors": _set(vectors={"kind": "tuple", "items": []}),
    "features": _set(features={}),
}


@pytest.mark.parametrize("learner", [None, linnet.DecisionTree()], ids=["memory", "tree"])
@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_file_is_refused(forge: Any, learner: Any, path: Path) -> None:
    linnet.RowClassifier(learner).fit(ROWS, LABELS).save(path)
    file = read_model(path)
    config, arrays = dict(file.config), dict(file.arrays)
    forge(config, arrays)
    write_model(path, "Model", config, arrays, file.record)
    with pytest.raises(ModelFileError):
        linnet.load(path)


def test_a_plan_that_fits_is_kept(path: Path) -> None:
    model = linnet.RowClassifier().fit(ROWS, LABELS).model_
    model.reading = READING
    assert loaded(model, path).reading == READING


@pytest.mark.parametrize("name", ["memory", "mvdm", "tree", "kernel", "maxent"])
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_changed_arrays_never_crash(name: str, data: Any, path: Path) -> None:
    linnet.RowClassifier(MIXED[name]).fit(ROWS, LABELS).save(path)
    file = read_model(path)
    arrays = {key: np.array(array) for key, array in file.arrays.items()}
    chosen = data.draw(st.sampled_from(sorted(arrays)))
    array = arrays[chosen]
    how = data.draw(st.sampled_from(["cut", "fill", "negative", "type"]))
    if how == "cut":
        arrays[chosen] = array[:-1] if array.ndim else array
    elif how == "type":
        arrays[chosen] = array.astype(np.float32)
    elif array.size:
        place = data.draw(st.integers(0, array.size - 1))
        wrong = -7 if how == "negative" and array.dtype.kind != "u" else 120
        array.reshape(-1)[place] = wrong
    write_model(path, "Model", file.config, arrays, file.record)
    try:
        model = linnet.load(path)
        model.predict(SOME)
        model.predict_proba(SOME)
        model.explain(SOME[0])
        model.card()
    except LinnetError:
        pass  # refused; a crash of the process would not come back here
