"""One small fitted model of every kind that a file can hold, and what to ask it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

import linnet
from linnet import MemoryBased, RowClassifier, SequenceTagger, TextClassifier

__all__ = ["KINDS", "Kind"]


class Kind(NamedTuple):
    """How to fit a model, and examples for the fitted one."""

    fit: Callable[[], Any]
    questions: Any
    labels: Any = None  # of the questions, for models that go on learning


_WORDS = {
    "sport": ["goal", "match", "team", "Ball", "runner"],
    "food": ["soup", "bread", "crème", "Äpfel", "spoon"],
    "music": ["violin", "song", "chord", "bass", "tune"],
}
_DRAW = np.random.default_rng(0)
LABELS = list(_WORDS) * 10
TEXTS = [
    " ".join([*_DRAW.choice(_WORDS[label], 2), *_DRAW.choice(["the", "a", "was", "1984"], 2)])
    for label in LABELS
]
NEW_TEXTS = [*TEXTS[:6], "", "unseen words only", "ÄPFEL and 3 goals!"]
BAGS = [{word: float(text.split().count(word)) for word in text.split()} for text in TEXTS]
NUMBERS = _DRAW.integers(0, 4, size=(36, 4)).astype(float)
NUMERIC = NUMBERS.tolist()
CLASSES = np.argmax(NUMBERS[:, :3] + _DRAW.gumbel(size=(36, 3)), axis=1)
NAMES = np.array(["ant", "bee", "cat"])[CLASSES]
COUNTED = [dict(zip("abcd", row, strict=True)) for row in NUMBERS.tolist()]
ROWS = [
    ["red" if a else "blue", ["x", "y", "z", "w"][int(b)], float(c), d / 2]
    for a, b, c, d in NUMBERS.tolist()
]
SYMBOLS = [row[:2] for row in ROWS]
NEW_ROWS = [*ROWS[:5], ["green", "?", 9.0, -1.0]]
SENTENCES = [
    ["The", "old", "man", "sat"],
    ["A", "dog", "ran"],
    ["Rome", "fell"],
    ["The", "dog", "saw", "Rome", "burn"],
    ["Old", "dogs", "sleep"],
] * 3
TAGS = [
    ["D", "J", "N", "V"], ["D", "N", "V"], ["P", "V"], ["D", "N", "V", "P", "V"], ["J", "N", "V"],
] * 3  # fmt: skip
CHUNKS = [
    ["B-NP", "I-NP", "I-NP", "O"], ["B-NP", "I-NP", "O"], ["B-NP", "O"],
    ["B-NP", "I-NP", "O", "B-NP", "O"], ["B-NP", "I-NP", "O"],
] * 3  # fmt: skip
PAIRED = [list(zip(words, tags, strict=True)) for words, tags in zip(SENTENCES, TAGS, strict=True)]
NEW_SENTENCES = [*SENTENCES[:5], ["Unseen", "words"], []]
TOKENS = [[{f"w={word}": 1.0, f"s={word[-1:]}": 1.0} for word in words] for words in SENTENCES]


def _texts(labels: Any = LABELS, **options: Any) -> Kind:
    def fit() -> Any:
        learner = options.get("learner") or linnet.SVM(random_state=0)
        strength = {"C": 1.0} if "C" in learner.get_params() else {}
        return TextClassifier(**strength, n_threads=1, **options).fit(TEXTS, labels)

    return Kind(fit, NEW_TEXTS)


def _rows(learner: Any, rows: Any = ROWS, **options: Any) -> Kind:
    new = rows[:5] if rows is NUMERIC else [row[: len(rows[0])] for row in NEW_ROWS]

    def fit() -> Any:
        return RowClassifier(learner, n_threads=1, **options).fit(rows, NAMES.tolist())

    return Kind(fit, new)


def _tagged(learner: Any, tags: Any = TAGS, **options: Any) -> Kind:
    def fit() -> Any:
        return SequenceTagger(learner, n_threads=1, **options).fit(SENTENCES, tags)

    return Kind(fit, NEW_SENTENCES)


def _columns() -> Any:
    tagger = SequenceTagger(
        linnet.CRF(max_iter=20), features=["w[0]", "pos[0]", "pos[-1]|pos[0]"], n_threads=1
    )
    return tagger.fit(PAIRED, CHUNKS)


def _bare(learner: Any, X: Any = NUMBERS, y: Any = CLASSES) -> Kind:
    return Kind(lambda: learner.fit(X, y), X[:8], y[:8])


def _distribution() -> Any:
    return linnet.MaxEntDistribution().fit(["a", "b", "c"], {"ab": ({"a", "b"}, 0.75)})


def _vector_memory() -> Any:
    return MemoryBased(2, "l2", n_threads=1).fit(csr_matrix(NUMBERS), CLASSES)


_TEXT_KINDS = {
    "text svm": _texts(),
    "text two classes": _texts(["+" if label == "food" else "-" for label in LABELS]),
    "text maxent": _texts(learner=linnet.MaxEnt()),
    "text perceptron": _texts(learner=linnet.Perceptron(random_state=0)),
    "text mira": _texts(learner=linnet.MIRA(random_state=0)),
    "text multinomial": _texts(learner=linnet.MultinomialNB(alpha=1.0)),
    "text bernoulli": _texts(learner=linnet.BernoulliNB(alpha=1.0)),
    "text hashing": _texts(hashing=6),
    "text counts": _texts(weighting="count", norm=None, sublinear_tf=False, ngrams=1),
    "text regex": _texts(tokenizer=r"(?u)\w+"),
    "text char": _texts(tokenizer="char_wb", ngrams=(2, 3)),
    "text cleaned": _texts(html=True, digits=True, accents="ascii", stop_words="english", skip=1),
    "text abstaining": _texts(abstain=0.6, abstain_label="?"),
    "text numbers": _texts([len(label) for label in LABELS], abstain=0.6, abstain_label=-1),
    "text several labels": _texts([[v, "all"] if i % 5 else [] for i, v in enumerate(LABELS)]),
    "text kernel": _texts(learner=linnet.KernelSVM(kernel="linear")),
    "text memory": _texts(learner=MemoryBased(3, "cosine")),
    "text labels": _texts(learner=linnet.LabelTree(leaf_labels=2, branching=2, random_state=0)),
    "bags": Kind(lambda: TextClassifier(C=1.0).fit(BAGS, LABELS), BAGS[:5]),
    "vectors": Kind(lambda: TextClassifier(C=1.0).fit(csr_matrix(NUMBERS), NAMES), NUMBERS[:5]),
}
_ROW_KINDS = {
    "row memory": _rows(None),
    "row overlap": _rows(MemoryBased(3, "overlap", "gain_ratio", vote="inverse_linear")),
    "row mvdm": _rows(MemoryBased(3, "mvdm", "chi2", vote="inverse_distance")),
    "row mvdm symbols": _rows(MemoryBased(2, "mvdm"), SYMBOLS, abstain=0.5),
    "row l1": _rows(MemoryBased(2, "l1", neighbors="examples")),
    "row l2": _rows(MemoryBased(2, "l2", vote="exponential_decay")),
    "row linf": _rows(MemoryBased(2, "linf", [1.0, 2.0, 0.5, 1.0])),
    "row lk": _rows(MemoryBased(2, "lk", p=2.5)),
    "row igtree": _rows(MemoryBased(1, "overlap", "gain_ratio", search="igtree"), SYMBOLS),
    "row tribl": _rows(MemoryBased(2, "overlap", "gain_ratio", search="tribl"), SYMBOLS),
    "row tribl2": _rows(MemoryBased(2, "mvdm", "gain_ratio", search="tribl2"), SYMBOLS),
    "row tree": _rows(linnet.DecisionTree()),
    "row svm": _rows(linnet.SVM(random_state=0), C=1.0),
    "row maxent": _rows(linnet.MaxEnt(), C=1.0),
    "row kernel svm": _rows(linnet.KernelSVM(), C=1.0),
    "row polynomial": _rows(linnet.KernelSVM(kernel="polynomial", coef0=1.0), C=1.0),
    "row kernel perceptron": _rows(linnet.KernelPerceptron(random_state=0)),
    "row gaussian": _rows(linnet.GaussianNB(), NUMERIC),
    "row bayes": _rows(linnet.GaussianBayes(), NUMERIC),
    "row parzen": _rows(linnet.ParzenWindows(), NUMERIC),
}
_TAG_KINDS = {
    "tag crf": _tagged(linnet.CRF(max_iter=20)),
    "tag chunks": _tagged(linnet.CRF(max_iter=20), CHUNKS),
    "tag perceptron": _tagged(linnet.StructuredPerceptron(random_state=0), CHUNKS),
    "tag mira": _tagged(linnet.StructuredMIRA(random_state=0)),
    "tag svm": _tagged(linnet.StructuredSVM(random_state=0)),
    "tag hmm": _tagged(linnet.HMM(stop=True)),
    "tag second order": _tagged(linnet.HMM(order=2), CHUNKS),
    "tag memm": _tagged(linnet.MEMM(max_iter=20)),
    "tag memm states": _tagged(linnet.MEMM(states="per_state", max_iter=20)),
    "tag local": _tagged(linnet.LocalTagger(linnet.SVM(random_state=0), history=1)),
    "tag gazetteer": _tagged(
        linnet.CRF(max_iter=20),
        features=["w[0]", "w.suffix2[0]", "w.gazetteer[0]", "w.is_title[0]"],
        gazetteers={"places": ["Rome", "New York"], "beasts": ["dog"]},
    ),
    "tag columns": Kind(_columns, NEW_SENTENCES),
}
_LEARNERS = {
    "maxent": _bare(linnet.MaxEnt(warm_start=True), COUNTED),
    "maxent sgd": _bare(
        linnet.MaxEnt(solver=linnet.SGD(linnet.schedules.Power(0.5)), random_state=1, max_iter=5)
    ),
    "maxent variances": _bare(linnet.MaxEnt(prior_variance=np.array([1.0, 2.0, 0.5, 1.0]))),
    "svm": _bare(linnet.SVM(random_state=0, warm_start=True)),
    "svm pairs": _bare(linnet.SVM(multi_class="ovo", random_state=0)),
    "svm cost": _bare(linnet.SVM(cost=(1.0 - np.eye(3)).tolist(), random_state=0)),
    "perceptron": _bare(
        linnet.Perceptron(
            learning_rate=linnet.schedules.InverseTime(2.0), snapshot_every=2, random_state=0
        )
    ),
    "perceptron last": _bare(
        linnet.Perceptron(average=False, early_stopping=True, random_state=0), NUMBERS, NAMES
    ),
    "mira": _bare(linnet.MIRA(cost=1.0 - np.eye(3), random_state=0), COUNTED, NAMES),
    "multinomial": _bare(linnet.MultinomialNB(), COUNTED, NAMES),
    "multinomial zeros": _bare(linnet.MultinomialNB(alpha=0.0)),
    "bernoulli": _bare(linnet.BernoulliNB()),
    "gaussian": _bare(linnet.GaussianNB()),
    "gaussian shared": _bare(linnet.GaussianNB("shared")),
    "bayes": _bare(linnet.GaussianBayes()),
    "bayes pooled": _bare(linnet.GaussianBayes("pooled")),
    "parzen": _bare(linnet.ParzenWindows(window="hypercube", h=2.0)),
    "regression": _bare(linnet.LinearRegression(), NUMBERS, NUMBERS[:, 0] * 2),
    "kernel svm": _bare(linnet.KernelSVM()),
    "kernel svm ovr": _bare(linnet.KernelSVM(kernel="quadratic", multi_class="ovr")),
    "kernel strings": _bare(linnet.KernelSVM(kernel="string_subsequence"), TEXTS[:12], LABELS[:12]),
    "kernel perceptron": _bare(linnet.KernelPerceptron(random_state=0)),
    "memory": _bare(MemoryBased(2, "overlap", "information_gain"), ROWS, NAMES),
    "memory vectors": Kind(_vector_memory, csr_matrix(NUMBERS[:8]), CLASSES[:8]),
    "labels": _bare(linnet.LabelTree(leaf_labels=2, branching=2, random_state=0)),
    "tree": _bare(linnet.DecisionTree(pruning="pessimistic"), ROWS, NAMES),
    "decision": _bare(linnet.BayesDecision(linnet.MaxEnt(), (1.0 - np.eye(3)).tolist())),
    "distribution": Kind(_distribution, "a"),
}
_SEQUENCE_LEARNERS = {
    "hmm": _bare(linnet.HMM(), SENTENCES, TAGS),
    "hmm clusters": Kind(
        lambda: linnet.HMM(n_states=3, random_state=0, max_iter=5).fit(SENTENCES), SENTENCES[:4]
    ),
    "memm": _bare(linnet.MEMM(max_iter=20), TOKENS, TAGS),
    "crf": _bare(linnet.CRF(max_iter=20, warm_start=True), TOKENS, TAGS),
    "crf sgd": _bare(linnet.CRF(solver="sgd", max_iter=3, random_state=0), TOKENS, TAGS),
    "structured perceptron": _bare(linnet.StructuredPerceptron(random_state=0), TOKENS, TAGS),
    "structured last": _bare(
        linnet.StructuredPerceptron(average=False, random_state=0), TOKENS, TAGS
    ),
    "structured mira": _bare(linnet.StructuredMIRA(random_state=0), TOKENS, TAGS),
    "structured svm": _bare(linnet.StructuredSVM(random_state=0), TOKENS, TAGS),
    "local": _bare(linnet.LocalTagger(linnet.Perceptron(random_state=0)), TOKENS, TAGS),
}
KINDS: dict[str, Kind] = {
    **_TEXT_KINDS, **_ROW_KINDS, **_TAG_KINDS, **_LEARNERS, **_SEQUENCE_LEARNERS,
}  # fmt: skip
