"""scikit-learn's text pipelines, from pickles and joblib's files.

A vectoriser becomes a reader of texts, a classifier weights and the way from scores to
probabilities; labels and probabilities are scikit-learn's. Nothing of scikit-learn is needed or
run, but for its list of English stop words where a file asks for that.
"""

from __future__ import annotations

import os
from typing import Any

from linnet.errors import ModelFileError
from linnet.foreign.pickled.machine import Record
from linnet.foreign.scikit_learn.classifiers import CALIBRATED, classifier_of
from linnet.foreign.scikit_learn.fields import Fields, fields_of
from linnet.foreign.scikit_learn.reader import VectoriserReader
from linnet.foreign.scikit_learn.vectorisers import VECTORISERS, reader_of, weighing_of
from linnet.foreign.scikit_learn.weighing import Weighing
from linnet.model.decision import Decision
from linnet.model.model import Model

__all__ = ["joined", "makes", "model_of"]

_STEPS = 100


def makes(value: Any) -> bool:
    """Tell whether something is an object of scikit-learn, or a pair of such."""
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return all(isinstance(part, Record) for part in value)
    return isinstance(value, Record)


def model_of(value: Any, file: str) -> Model:
    """Return the model of a pipeline, or of a pair of vectoriser and classifier."""
    objects = list(value) if isinstance(value, (tuple, list)) else [value]
    steps = [step for one in objects for step in _unfolded(fields_of(one, file, "this"), 0)]
    first = steps[0]
    if first.cls not in VECTORISERS:
        raise ModelFileError(
            f"this scikit-learn {first.cls} stands without the vectoriser that makes its features; "
            "store the whole pipeline, or read both files with linnet.foreign.scikit_learn.joined",
            file=file,
        )
    if len(steps) == 1:
        first.refuse("stands without a classifier; store the whole pipeline")
    reader = reader_of(first)
    columns = reader.n_features
    weighings = []
    for step in steps[1:-1]:
        if step.cls != "TfidfTransformer":
            step.refuse("is no step that linnet reads between a vectoriser and a classifier")
        weighings.append(weighing_of(step, columns))
    classifier = classifier_of(steps[-1], columns)
    if classifier.above is not None:
        weighings.append(Weighing(above=classifier.above))
    record = {"format": "scikit-learn pipeline", "classifier": steps[-1].cls}
    version = steps[-1].value("_sklearn_version", None)
    if isinstance(version, str):
        record["scikit-learn"] = version[:20]
    if not classifier.calibrated:
        record["probabilities"] = "of scores that were never calibrated"
    return Model(
        VectoriserReader(reader.parts, tuple(weighings)),
        classifier.scorer,
        Decision(classifier.labels, sharpness=classifier.sharpness),
        record,
    )


def joined(vectoriser: str | os.PathLike[str], classifier: str | os.PathLike[str]) -> Model:
    """Return the model of a vectoriser and a classifier that are stored in two files.

    Examples
    --------
    >>> import pickle
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> folder = getfixture("tmp_path")
    >>> counts = CountVectorizer()
    >>> bayes = MultinomialNB().fit(counts.fit_transform(["good fun", "a bore"]), ["+", "-"])
    >>> _ = (folder / "v.pkl").write_bytes(pickle.dumps(counts))
    >>> _ = (folder / "c.pkl").write_bytes(pickle.dumps(bayes))
    >>> joined(folder / "v.pkl", folder / "c.pkl").predict(["what fun"]).tolist()
    ['+']
    """
    from linnet.foreign.pickled import opened

    files = [os.fspath(vectoriser), os.fspath(classifier)]
    return model_of([opened(file) for file in files], files[1])


def _unfolded(fields: Fields, depth: int) -> list[Fields]:
    """Return the steps of a pipeline, and of those within, one after the other."""
    if depth > _STEPS:
        fields.refuse("has too many pipelines within each other")
    if fields.cls == CALIBRATED:
        return _calibrated_pipeline(fields, depth)
    if fields.cls != "Pipeline":
        return [fields]
    steps: list[Fields] = []
    for pair in fields.listed("steps"):
        if not isinstance(pair, tuple) or len(pair) != 2:
            fields.refuse("has a step that is no pair of name and object")
        if pair[1] is None or (isinstance(pair[1], str) and pair[1] == "passthrough"):
            continue
        inner = fields_of(pair[1], fields.file, "a step of this pipeline")
        steps += _unfolded(inner, depth + 1)
        if len(steps) > _STEPS:
            fields.refuse("has too many steps")
    if not steps:
        fields.refuse("has no steps")
    return steps


def _calibrated_pipeline(fields: Fields, depth: int) -> list[Fields]:
    """Return the vectoriser inside of a calibrated pipeline before the calibrated classifier.

    There is one only where the pipeline was fitted before: else each member has another vectoriser.
    """
    members = fields.listed("calibrated_classifiers_")
    member = fields_of(members[0], fields.file, f"a member of this {CALIBRATED}")
    name = "estimator" if member.has("estimator") else "base_estimator"
    inner = member.inner(name)
    if inner.cls == "FrozenEstimator":
        inner = inner.inner("estimator")
    if inner.cls != "Pipeline":
        return [fields]
    if len(members) > 1:
        fields.refuse("calibrates whole pipelines, each with a vectoriser of its own; calibrate "
                      "the classifier within one pipeline")  # fmt: skip
    *before, last = _unfolded(inner, depth + 1)
    member.record.state[name] = last.record
    return [*before, fields]
