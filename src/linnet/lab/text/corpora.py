"""The lectures' tiny corpora, and how their texts are cut into features (SPEC D-09, W-05..W-09)."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from linnet.data.tiny import PEOPLE, PERSON_WEIGHTS, REVIEW_TEST, REVIEWS, UPDATES
from linnet.errors import ParameterError

__all__ = ["CORPORA", "OWN", "Corpus", "Token", "bag_of", "own_corpus"]

OWN = "own"
MOST_TEXTS, MOST_CHARACTERS = 60, 20_000
_WORDS = re.compile(r"\S+")
_PERSONS = re.compile(r"\(\d+-\d+\)|Kyoto Prefecture|\w+")
_NUMBER = re.compile(r"\d+")


class Token(NamedTuple):
    """A feature and the characters of the text that it comes from."""

    feature: str
    start: int
    end: int


class Corpus(NamedTuple):
    """Labelled texts of two classes, the second of which has positive scores."""

    title: str
    note: str
    spec: str
    texts: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, str]
    text: str
    learners: tuple[str, ...]
    weights: dict[str, float] | None = None
    pattern: re.Pattern[str] = _WORDS

    def tokens(self, text: str) -> list[Token]:
        """Cut a text into features; ``<#>`` stands for a number where weights are given."""
        cut = [(match.group(), *match.span()) for match in self.pattern.finditer(text)]
        if self.pattern is not _PERSONS:
            return [Token(*part) for part in cut]
        return [Token(_NUMBER.sub("<#>", word), start, end) for word, start, end in cut]


def bag_of(tokens: list[Token]) -> dict[str, float]:
    """Count features.

    Examples
    --------
    >>> bag_of(CORPORA["kyoto"].tokens("Kyoto , Kyoto"))
    {'Kyoto': 2.0, ',': 1.0}
    """
    counts = Counter(token.feature for token in tokens)
    return {feature: float(count) for feature, count in counts.items()}


_ONLINE = ("perceptron", "mira", "slide", "log")

CORPORA = {
    "kyoto": Corpus(
        "two sentences: a person or not",
        "Each sentence that is met moves the weights of its words: a person (+1) to the right, "
        "something else (-1) to the left. The comma stands twice in the first sentence, so it "
        "moves twice as far.",
        "W-06, W-07",
        UPDATES.texts,
        tuple(f"{label:+d}" for label in UPDATES.labels),
        ("-1", "+1"),
        UPDATES.texts[1],
        _ONLINE,
    ),
    "reviews": Corpus(
        "five film reviews",
        "Naive Bayes counts: the weight of a word is the logarithm of how much more probable it "
        "is in a good (+) review than in a bad (-) one, with 1 added to every count. Words that "
        "were not seen count nothing.",
        "W-05",
        REVIEWS.texts,
        REVIEWS.labels,
        ("-", "+"),
        REVIEW_TEST,
        ("nb", *_ONLINE),
    ),
    "people": Corpus(
        "three sentences with given weights",
        "In the lecture four features have a weight, all others none: a person if the sum is above "
        "0. One piece of evidence can outweigh another.",
        "W-09",
        PEOPLE.texts,
        tuple(f"{label:+d}" for label in PEOPLE.labels),
        ("-1", "+1"),
        PEOPLE.texts[2],
        ("given", *_ONLINE),
        PERSON_WEIGHTS,
        _PERSONS,
    ),
}


def own_corpus(lines: str) -> Corpus:
    """Return the corpus of lines ``label: text``, with two labels.

    Examples
    --------
    >>> own_corpus("good: fine film\\nbad: dull film").classes
    ('bad', 'good')
    """
    if len(lines) > MOST_CHARACTERS:
        raise ParameterError(f"the page takes at most {MOST_CHARACTERS} characters of texts")
    pairs = []
    for number, line in enumerate(lines.splitlines(), 1):
        if not line.strip():
            continue
        label, colon, text = line.partition(":")
        if not colon or not label.strip() or not text.split():
            raise ParameterError(f"line {number} of the texts must be label: text, got {line!r}")
        pairs.append((label.strip(), " ".join(text.split())))
    classes = sorted({label for label, _ in pairs})
    if len(classes) != 2 or len(pairs) > MOST_TEXTS:
        raise ParameterError(
            f"the page takes 2 to {MOST_TEXTS} texts with two labels, got {len(pairs)} with "
            f"{classes}"
        )
    texts = tuple(text for _, text in pairs)
    note = f"Texts of your own; a positive score speaks for {classes[1]!r}."
    labels = tuple(label for label, _ in pairs)
    return Corpus(
        "texts of your own", note, "", texts, labels, (classes[0], classes[1]), texts[0],
        ("perceptron", "mira", "slide", "log", "nb"),
    )  # fmt: skip
