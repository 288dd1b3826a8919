"""HMM, MEMM and CRF side by side on parts of speech: a table of the shape of SPEC T-05.

First-order models. The plain rows know a token by its word only; the rows with a plus sign also
know how it is spelled: does it begin with a digit or an upper-case letter, has it a hyphen, which
of nine suffixes does it have (M-121; after Lafferty et al. 2001). HMM+ is not in their paper: it
guesses unknown words by their endings. Half of the sentences of a corpus are for training, the
other half for testing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import linnet
from linnet.data import read_sequences
from linnet.evaluate import evaluate_sequences

SUFFIXES = ("ing", "ogy", "ed", "s", "ly", "ion", "tion", "ity", "ies")
CORPORA = ("ud_en_ewt", "brown")
ROWS = ("HMM", "MEMM", "CRF", "HMM+", "MEMM+", "CRF+")
MANY_TAGS = 50  # above, the CRF is trained by ten rounds of SGD instead of L-BFGS
# Lafferty et al. 2001, section 5.3 (W-22): Penn Treebank, not free. Percent.
PAPER = {
    "HMM": (5.69, 45.99),
    "MEMM": (6.37, 54.61),
    "CRF": (5.55, 48.05),
    "MEMM+": (4.81, 26.99),
    "CRF+": (4.27, 23.76),
}

Words = list[list[str]]


@dataclass(frozen=True)
class Corpus:
    """Tagged sentences of one corpus, or of a share of it, in two halves."""

    name: str
    words: Words
    tags: Words
    test_words: Words
    test_tags: Words
    share: float = 1.0

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Tokens to train on, tokens to test on, and different tags."""
        kinds = {tag for half in (self.tags, self.test_tags) for tags in half for tag in tags}
        return sum(map(len, self.words)), sum(map(len, self.test_words)), len(kinds)


@dataclass(frozen=True)
class Row:
    """One model on one corpus; errors are shares."""

    model: str
    error: float
    oov_error: float
    known_error: float
    oov_rate: float
    seconds: float


def halves(name: str, words: Words, tags: Words, share: float = 1.0, seed: int = 0) -> Corpus:
    """Shuffle the sentences, keep a share, and cut it into two halves."""
    order = np.random.default_rng(seed).permutation(len(words))
    order = order[: max(2, round(share * len(words)))]
    train, test = order[: len(order) // 2].tolist(), order[len(order) // 2 :].tolist()

    def pick(rows: Words, places: list[int]) -> Words:
        return [rows[i] for i in places]

    parts = (pick(rows, places) for places in (train, test) for rows in (words, tags))
    return Corpus(name, *parts, share=share)


def read_corpus(folder: Path, share: float = 1.0, seed: int = 0) -> Corpus:
    """Read all parts of a corpus together."""
    words, tags = [], []
    for path in sorted(folder.glob("*.gz")):
        part = read_sequences(path)
        words += part.sentences()
        tags += part.tags
    return halves(folder.name, words, tags, share, seed)


def spelling(word: str) -> list[str]:
    """Return the spelling features of a word.

    >>> spelling("Mid-morning")
    ['upper', 'hyphen', '-ing']
    """
    kinds = (("digit", word[:1].isdigit()), ("upper", word[:1].isupper()), ("hyphen", "-" in word))
    found = [name for name, holds in kinds if holds]
    return found + [f"-{suffix}" for suffix in SUFFIXES if word.endswith(suffix)]


def features(words: Words, spelled: bool) -> list[list[list[str]]]:
    """Return the features of every token: its word and, if asked for, its spelling."""
    known: dict[str, list[str]] = {}
    for sentence in words:
        for word in sentence:
            if word not in known:
                known[word] = [f"w={word}", *(spelling(word) if spelled else ())]
    return [[known[word] for word in sentence] for sentence in words]


def learner(name: str, n_tags: int, threads: int | None = None) -> Any:
    """Return the model of a row.

    C = 16 was the best of 1, 4, 16 and 64 on a held-out tenth of the training half of ud_en_ewt,
    for the plain MEMM and the plain CRF alike, and alpha = 0.01 of 0.001, 0.01, 0.1 and 1.
    """
    if name.startswith("HMM"):
        return linnet.HMM(unknown="suffix" if name == "HMM+" else "uniform", n_threads=threads)
    if name.startswith("MEMM"):
        return linnet.MEMM(C=16.0, tol=1e-2, n_threads=threads)
    if n_tags <= MANY_TAGS:
        return linnet.CRF(C=16.0, tol=1e-2, n_threads=threads)
    return linnet.CRF(C=16.0, solver="sgd", max_iter=10, random_state=0, n_threads=threads)


def measure(name: str, corpus: Corpus, threads: int | None = None) -> Row:
    """Train and test one row."""
    began = perf_counter()
    model, spelled = learner(name, corpus.sizes[2], threads), name.endswith("+")
    X: Any = corpus.words
    X_test: Any = corpus.test_words
    if not name.startswith("HMM"):
        X, X_test = features(X, spelled), features(X_test, spelled)
    guess = model.fit(X, corpus.tags).predict(X_test)
    known = {word for sentence in corpus.words for word in sentence}
    report = evaluate_sequences(corpus.test_tags, guess, words=corpus.test_words, known=known)
    part = report.vocabulary
    seconds = perf_counter() - began
    return Row(name, report.error, part.oov_error, part.known_error, part.oov_rate, seconds)


def tagging_table(
    corpus: Corpus,
    rows: Sequence[str] = ROWS,
    *,
    threads: int | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> list[Row]:
    """Train and test every row on one corpus."""
    found = []
    for name in rows:
        row = measure(name, corpus, threads)
        say(f"{corpus.name} {name}: error {row.error:.2%}, {row.seconds:.0f} s")
        found.append(row)
    return found
