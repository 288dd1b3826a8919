"""features="auto": richer features than words, tried on held-out examples, taken only if better.

Half of the examples, or as many as are quickly read, are learned from with each kind of features,
and the other half is answered. A richer kind is taken when it is significantly better than words
there (McNemar's test, corrected for the number of kinds). What answers held-out examples has not
seen them: vocabulary, weights and ratios are those of the other half.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.learn.shared.checks import seed_from
from linnet.learn.shared.decision import winners
from linnet.learn.shared.inputs import is_bags
from linnet.learn.shared.watching import tell_ahead
from linnet.model.decision import fit_sharpness, log_loss
from linnet.model.fitting.linear_form import FoldWalk, linear_scores
from linnet.model.fitting.reading import rows_of
from linnet.model.fitting.tuning import strengths, tune
from linnet.text.remembered import Remembered
from linnet.text.texts import as_texts
from linnet.text.vocabulary import EmptyVocabularyError

if TYPE_CHECKING:
    from linnet.model.text_classifier import TextClassifier

__all__ = ["Choice", "choose_features"]

_FEWEST = 500  # different examples; fewer say too little about a choice
_LABELS = 256  # beyond, a weight for each label and character sequence takes gigabytes
_LEVEL = 0.05  # of the tests, all looks and kinds together
_LOOKS = 2  # one half held out, and if that leaves it open the other
_SHORT = 400  # bytes of a text, on average, up to which characters cost little
_LEARNED, _ANSWERED = 8e6, 12e6  # bytes of text that a trial learns from and answers
_MOST = 12_000  # texts of either
_SMOOTHING = (0.01, 0.03, 0.1, 0.3, 1.0)  # alpha of naive Bayes
#: What says that the user has chosen, when it is not as it is by default.
_CHOSEN = (
    "learner", "tokenizer", "ngrams", "skip", "max_features", "hashing", "weighting",
    "sublinear_tf", "norm", "class_weight", "C",
)  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """A kind of features, as parameters of a TextClassifier, and who learns."""

    name: str
    settings: dict[str, Any]
    bayes: bool = False


@dataclass
class Trial:
    """What became of a candidate: its answers to held-out examples, and what it costs."""

    candidate: Candidate
    right: list[NDArray[np.bool_]] = field(default_factory=list)
    n_features: int = 0
    values: float = 0.0
    alpha: float | None = None
    p: float | None = None

    @property
    def accuracy(self) -> float:
        """The share of held-out examples answered rightly."""
        return float(np.concatenate(self.right).mean())

    def record(self) -> dict[str, Any]:
        """Return the evidence as plain values; p is corrected for all tests that were made."""
        facts = {
            "features": self.candidate.name, "accuracy": self.accuracy, "p": self.p,
            "alpha": self.alpha, "n_features": self.n_features, "values_per_text": self.values,
        }  # fmt: skip
        return {name: value for name, value in facts.items() if value is not None}


@dataclass(frozen=True)
class Choice:
    """What was chosen, as a classifier that says so, and why."""

    classifier: TextClassifier
    sentence: str
    majority: float
    trials: list[Trial]

    @property
    def record(self) -> dict[str, Any]:
        """What stands in the record of training."""
        tried = [trial.record() for trial in self.trials]
        return {"choice": self.sentence, "majority": self.majority, "tried": tried}


def choose_features(
    clf: TextClassifier, X: Any, gold: NDArray[np.int32], importance: Any
) -> Choice | None:
    """Return what to look at in texts; None where there is nothing, or too little, to choose by.

    Parameters
    ----------
    clf : TextClassifier
    X : the examples
    gold : array of shape (n,), or (n, K) for several labels a row
    importance : array of shape (n,) or None
        Weights of examples; with any, words stay.
    """
    if clf.columns is not None:
        return None
    default = signature(type(clf)).parameters
    chosen = any(getattr(clf, name) != default[name].default for name in _CHOSEN)
    texts = not (is_bags(X) or sp.issparse(X) or getattr(X, "ndim", 1) == 2)
    if clf.features != "auto" or chosen or not texts or gold.ndim == 2 or importance is not None:
        return None
    rows = Copies.of(X).originals
    n_classes = int(gold.max()) + 1
    if len(rows) < _FEWEST or n_classes > _LABELS:
        return None
    size = as_texts(rows_of(X, rows)).nbytes / len(rows)
    halves = _halves(gold, rows, seed_from(clf.random_state), size)
    trials = [Trial(candidate) for candidate in _candidates(n_classes, size)]
    return _decided(clf, trials, _hold(clf, X, gold, halves, trials, size <= _SHORT))


def _candidates(n_classes: int, size: float) -> Iterator[Candidate]:
    """Yield words, then what may be better for so many labels and texts of such a size."""
    yield Candidate("words:1-2", {"features": "words"})
    short = size <= _SHORT
    if n_classes == 2:
        ratios = {"weighting": "log_count_ratio"}
        yield Candidate("words:1-3 by log-count ratio", {"features": ["words:1-3"], **ratios})
    if n_classes > 2 or short:
        blocks = ["words:1-2", "char_wb:2-5" if short else "char_wb:3-4"]
        name = " + ".join(blocks)
        yield Candidate(name, {"features": blocks})
        if n_classes == 2:
            yield Candidate(f"{name} by log-count ratio", {"features": blocks, **ratios})
        if short:
            yield Candidate(f"{name}, naive Bayes", {"features": blocks}, bayes=True)


def _halves(
    gold: NDArray[np.int32], rows: NDArray[np.int64], seed: int, size: float
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return rows to learn from and rows to answer, twice, the classes in their proportions."""
    draw = np.random.default_rng(seed)
    order = draw.permutation(rows)
    order = order[np.argsort(gold[order], kind="stable")]
    halves = [draw.permutation(order[half::2]) for half in (0, 1)]
    learned, answered = (min(_MOST, int(most / max(size, 1))) for most in (_LEARNED, _ANSWERED))
    return [(np.sort(halves[k][:learned]), np.sort(halves[1 - k][:answered])) for k in (0, 1)]


def _hold(
    clf: TextClassifier,
    X: Any,
    gold: NDArray[np.int32],
    halves: Any,
    trials: list[Trial],
    short: bool,
) -> NDArray[np.int32]:
    """Let all candidates answer one half, and those that may yet be better the other.

    Returns the labels of what was answered.
    """
    truth, open_ones = [], trials
    for learned, answered in halves:
        seen, held = rows_of(X, learned), rows_of(X, answered)
        if short:  # characters are counted for several candidates
            seen, held = Remembered(seen), Remembered(held)
        for trial in open_ones:
            _answer(clf, trial, seen, held, gold[learned], gold[answered])
        truth.append(gold[answered])
        for trial in open_ones[1:]:
            trial.p = _corrected_p(trial, trials)
        if _better(trials):
            break
        hopeful = [t for t in trials[1:] if t.accuracy > trials[0].accuracy]
        if not hopeful:
            break
        open_ones = [trials[0], *hopeful]
    return np.concatenate(truth)


def _better(trials: list[Trial]) -> list[Trial]:
    """Return who is significantly better than words on all that both answered."""
    words = trials[0]
    return [
        trial for trial in trials[1:]
        if trial.p is not None and trial.p < _LEVEL and trial.accuracy > words.accuracy
        and len(trial.right) == len(words.right)
    ]  # fmt: skip


def _corrected_p(trial: Trial, trials: list[Trial]) -> float:
    from linnet.evaluate.significance import discordance_p

    ours, theirs = (np.concatenate(t.right) for t in (trial, trials[0]))
    p = discordance_p(int((ours & ~theirs).sum()), int((theirs & ~ours).sum()))
    return min(1.0, p * (len(trials) - 1) * _LOOKS)


def _answer(
    clf: TextClassifier, trial: Trial, seen: Any, held: Any, y: NDArray[np.int32],
    gold: NDArray[np.int32],
) -> None:  # fmt: skip
    """Learn from the texts seen and note which of the others are answered rightly."""
    from linnet.model.fitting.steps import features_for, learner_of

    variant = _variant(clf, trial)
    learner = learner_of(variant)
    features = features_for(variant, learner, len(y))
    tell_ahead(type(learner).__name__, f"try {trial.candidate.name} on {len(y):,} texts")
    try:
        known, new = features.fit_transform(seen, y), features.transform(held)
    except EmptyVocabularyError:  # nothing to look at: the most frequent label is the answer
        trial.right.append(gold == np.bincount(y).argmax())
        return
    trial.n_features, trial.values = known.shape[1], round(known.nnz / known.shape[0], 1)
    if trial.candidate.bayes:
        learner = _smoothed(learner, known, new, y, gold, trial)
    else:
        labels, part = np.concatenate([y, gold]), np.arange(len(y), len(y) + len(gold))
        walk = FoldWalk(learner, known, labels, None, part, held=new)
        _, learner = tune(strengths(learner), labels, [part], [walk])
    answers = np.asarray(learner.classes_)[winners(linear_scores(learner, new))]
    trial.right.append(answers == gold)


def _smoothed(
    learner: Any, known: Any, new: Any, y: NDArray[np.int32], gold: NDArray[np.int32], trial: Trial
) -> Any:
    """Return naive Bayes with the alpha of least log loss on the held-out texts."""
    best, least = learner, np.inf
    place = np.full(int(max(y.max(), gold.max())) + 1, -1)
    for alpha in _SMOOTHING if trial.alpha is None else [trial.alpha]:
        smoothed = type(learner)(alpha=alpha, n_threads=learner.n_threads).fit(known, y)
        place[smoothed.classes_] = np.arange(len(smoothed.classes_))
        there = place[gold] >= 0
        scores, truth = linear_scores(smoothed, new)[there], place[gold[there]]
        loss = log_loss(scores, truth, fit_sharpness(scores, truth, None), None)
        if loss < least:
            best, least, trial.alpha = smoothed, loss, alpha
    return best


def _variant(clf: TextClassifier, trial: Trial) -> TextClassifier:
    """Return a classifier with the features and the learner of a candidate."""
    settings = {**clf.get_params(deep=False), **trial.candidate.settings}
    if trial.candidate.bayes:
        from linnet.learn.naive_bayes.naive_bayes import MultinomialNB

        settings["learner"] = MultinomialNB(alpha=trial.alpha or 1.0)
    return type(clf)(**settings)


def _decided(clf: TextClassifier, trials: list[Trial], truth: NDArray[np.int32]) -> Choice:
    """Take the best of those that are significantly better than words, or words."""
    words, better = trials[0], _better(trials)
    majority = float(np.bincount(truth).max() / len(truth))
    best = max(better, key=lambda trial: trial.accuracy, default=words)
    n, base = len(truth), f"{100 * words.accuracy:.2f} %"
    if better:
        why = f"{100 * best.accuracy:.2f} % right where words:1-2 have {base}, p = {best.p:.2g}"
    else:
        why = f"{base} right, and nothing tried was significantly better"
    sentence = f"{best.candidate.name}: {why}; {n:,} examples held out"
    if not _beats(best, majority, n):
        sentence += (
            f"; nothing tried beats the most frequent label, which is right for "
            f"{100 * majority:.2f} %"
        )
    return Choice(_variant(clf, best), sentence, majority, trials)


def _beats(trial: Trial, majority: float, n: int) -> bool:
    from linnet.evaluate import wilson_interval

    right = int(np.concatenate(trial.right).sum())
    return bool(wilson_interval(right, n)[0] > majority)
