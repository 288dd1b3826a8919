"""The usual first programs of two other packages run here with their import lines changed.

Each program is one text. It runs with the lines that import linnet; where the other package is
installed it runs with the lines that import that one, too.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

OURS_CRF = """
from linnet.compat import sklearn_crfsuite
from linnet.compat.sklearn_crfsuite import metrics
"""
THEIRS_CRF = OURS_CRF.replace("linnet.compat.", "").replace("from linnet.compat ", "")
CRF_PROGRAM = """
from collections import Counter
from sklearn.metrics import make_scorer
from sklearn.model_selection import RandomizedSearchCV

def features_of(sentence, i):
    word, pos = sentence[i][:2]
    features = {
        "bias": 1.0, "lower": word.lower(), "ending": word[-3:], "upper": word.isupper(),
        "title": word.istitle(), "digit": word.isdigit(), "pos": pos, "pos group": pos[:2],
    }
    if i > 0:
        before, its_pos = sentence[i - 1][:2]
        features.update({"-1 lower": before.lower(), "-1 title": before.istitle()})
        features["-1 pos"] = its_pos
    else:
        features["first"] = True
    if i < len(sentence) - 1:
        after, its_pos = sentence[i + 1][:2]
        features.update({"+1 lower": after.lower(), "+1 title": after.istitle(), "+1 pos": its_pos})
    else:
        features["last"] = True
    return features

def sentence_features(sentence):
    return [features_of(sentence, i) for i in range(len(sentence))]

def sentence_labels(sentence):
    return [label for token, pos, label in sentence]

X_train = [sentence_features(s) for s in train]
y_train = [sentence_labels(s) for s in train]
X_test = [sentence_features(s) for s in test]
y_test = [sentence_labels(s) for s in test]

crf = sklearn_crfsuite.CRF(
    algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True
)
crf.fit(X_train, y_train)
labels = list(crf.classes_)
labels.remove("O")
y_pred = crf.predict(X_test)
f1 = metrics.flat_f1_score(y_test, y_pred, average="weighted", labels=labels)
by_type = sorted(labels, key=lambda name: (name[1:], name[0]))
report = metrics.flat_classification_report(y_test, y_pred, labels=by_type, digits=3)

search = RandomizedSearchCV(
    sklearn_crfsuite.CRF(algorithm="lbfgs", max_iterations=20, all_possible_transitions=True),
    {"c1": [0.5, 0.05], "c2": [0.05, 0.5]}, cv=2, n_iter=2, random_state=0,
    scoring=make_scorer(metrics.flat_f1_score, average="weighted", labels=labels),
)
search.fit(X_train, y_train)
print("best params:", search.best_params_)
print("best CV score:", search.best_score_)
print("model size: {:0.2f}M".format(search.best_estimator_.size_ / 1000000))
best = search.best_estimator_
found = metrics.flat_f1_score(y_test, best.predict(X_test), average="weighted", labels=labels)
likely = Counter(crf.transition_features_).most_common(20)
unlikely = Counter(crf.transition_features_).most_common()[-20:]
strong = Counter(crf.state_features_).most_common(30)
against = Counter(crf.state_features_).most_common()[-30:]
attributes = crf.attributes_
tags = crf.tagger_.tag(X_test[0])
"""

THEIRS_TEXT = """
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import MultinomialNB
"""
OURS_TEXT = THEIRS_TEXT.replace("from sklearn.", "from linnet.compat.sklearn.")
TEXT_PROGRAM = """
from sklearn import metrics
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

count_vect = CountVectorizer()
X_counts = count_vect.fit_transform(train.data)
column = count_vect.vocabulary_.get("goal")
tfidf_transformer = TfidfTransformer()
X_tfidf = tfidf_transformer.fit_transform(X_counts)
clf = MultinomialNB().fit(X_tfidf, train.target)
new = tfidf_transformer.transform(
    count_vect.transform(["a goal in the match", "the price of shares"]))
named = [train.target_names[number] for number in clf.predict(new)]

text_clf = Pipeline([("vect", CountVectorizer()), ("tfidf", TfidfTransformer()),
                     ("clf", MultinomialNB())])
text_clf.fit(train.data, train.target)
by_counting = np.mean(text_clf.predict(test.data) == test.target)

text_clf = Pipeline([
    ("vect", CountVectorizer()),
    ("tfidf", TfidfTransformer()),
    ("clf", SGDClassifier(loss="hinge", penalty="l2", alpha=1e-3, random_state=42,
                          max_iter=5, tol=None)),
])
text_clf.fit(train.data, train.target)
predicted = text_clf.predict(test.data)
accuracy = np.mean(predicted == test.target)
report = metrics.classification_report(test.target, predicted, target_names=test.target_names)
table = metrics.confusion_matrix(test.target, predicted)

parameters = {"vect__ngram_range": [(1, 1), (1, 2)], "tfidf__use_idf": (True, False),
              "clf__alpha": (1e-2, 1e-3)}
gs_clf = GridSearchCV(text_clf, parameters, cv=5)
gs_clf = gs_clf.fit(train.data[:60], train.target[:60])
best = {name: gs_clf.best_params_[name] for name in sorted(parameters)}
again = train.target_names[gs_clf.predict(["the team won the match"])[0]]
"""


def sentences(n: int, seed: int) -> list[list[tuple[str, str, str]]]:
    """Return sentences of names in lower-case words, in the columns of CoNLL-2002."""
    rng = np.random.default_rng(seed)
    names = {"PER": ["Ana", "Luis", "Marta"], "LOC": ["Madrid", "Sevilla"], "ORG": ["EFE", "ONU"]}
    made = []
    for _ in range(n):
        sentence: list[tuple[str, str, str]] = []
        for _ in range(int(rng.integers(2, 5))):
            sentence += [(w, "NCS", "O") for w in rng.choice(["dia", "agua", "en", "que"], 2)]
            kind = str(rng.choice(list(names)))
            chosen = rng.choice(names[kind], int(rng.integers(1, 3)))
            tags = [f"B-{kind}"] + [f"I-{kind}"] * (len(chosen) - 1)
            sentence += [(str(w), "NP", tag) for w, tag in zip(chosen, tags, strict=True)]
        made.append([(str(word), pos, tag) for word, pos, tag in sentence])
    return made


class Bunch:
    """Texts with numbers of classes, as scikit-learn's loaders return them."""

    target_names = ("markets", "sport")

    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        words = (["price", "shares", "bank", "trade"], ["goal", "match", "team", "ball"])
        self.target = rng.integers(0, 2, n)
        self.data = [
            "the " + " ".join(rng.choice([*words[k], "of", "a", "in"], 8)) for k in self.target
        ]


def run(imports: str, program: str, **data: Any) -> dict[str, Any]:
    space: dict[str, Any] = {"np": np, **data}
    exec(imports + program, space)
    return space


def test_the_program_of_sklearn_crfsuite_runs_with_other_imports() -> None:
    said = run(OURS_CRF, CRF_PROGRAM, train=sentences(60, 0), test=sentences(30, 1))
    assert said["f1"] > 0.9 and said["found"] > 0.8
    assert "B-PER" in said["report"] and "weighted avg" in said["report"]
    assert ("B-PER", "I-PER") in [pair for pair, _ in said["likely"]] and said["likely"][0][1] > 0
    assert said["unlikely"][-1][1] < 0 and said["against"][-1][1] < 0
    assert len(said["attributes"]) == said["crf"].num_attributes_ > 10
    assert said["tags"] == said["y_pred"][0] and said["best"].size_ > 1000
    assert any(name == "lower:madrid" and label == "B-LOC" for (name, label), _ in said["strong"])


@pytest.mark.skipif(find_spec("sklearn_crfsuite") is None, reason="the other package is not there")
def test_both_packages_say_the_same() -> None:
    data = {"train": sentences(60, 0), "test": sentences(30, 1)}
    ours, theirs = run(OURS_CRF, CRF_PROGRAM, **data), run(THEIRS_CRF, CRF_PROGRAM, **data)
    assert ours["y_pred"] == [list(row) for row in theirs["y_pred"]]


def test_scikit_learns_program_for_texts_runs_with_other_imports() -> None:
    said = run(OURS_TEXT, TEXT_PROGRAM, train=Bunch(120, 0), test=Bunch(60, 1))
    assert said["named"] == ["sport", "markets"] and said["again"] == "sport"
    assert said["accuracy"] > 0.9 and said["by_counting"] > 0.9
    assert said["table"].sum() == 60 and "markets" in said["report"]
    assert set(said["best"]) == {"clf__alpha", "vect__ngram_range", "tfidf__use_idf"}
    assert "linnet" in type(said["text_clf"]["clf"]).__module__
    assert "linnet" in type(said["text_clf"]["vect"]).__module__


def test_scikit_learn_says_the_same_of_the_texts() -> None:
    data = {"train": Bunch(120, 0), "test": Bunch(60, 1)}
    ours, theirs = run(OURS_TEXT, TEXT_PROGRAM, **data), run(THEIRS_TEXT, TEXT_PROGRAM, **data)
    assert ours["named"] == theirs["named"] and ours["column"] == theirs["column"]
    assert abs(ours["X_counts"] - theirs["X_counts"]).max() == 0
    assert ours["by_counting"] == theirs["by_counting"]
    assert ours["predicted"].tolist() == theirs["predicted"].tolist()
    assert ours["report"] == theirs["report"]
