"""The lectures' own sentences: corpora small enough to check by hand (SPEC D-09).

Examples
--------
>>> REVIEWS.labels
('-', '-', '-', '+', '+')
>>> len({word for text in REVIEWS.texts for word in text.split()})
20
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

__all__ = [
    "BIRD_ROBBERY",
    "BIRD_ROBBERY_WEIGHTS",
    "PEOPLE",
    "PERSON_WEIGHTS",
    "REVIEWS",
    "REVIEW_TEST",
    "RONALDO",
    "UPDATES",
    "Labelled",
]

Label = TypeVar("Label", str, int)


class Labelled(NamedTuple, Generic[Label]):
    """Texts with one label each."""

    texts: tuple[str, ...]
    labels: tuple[Label, ...]


#: The naive Bayes example of S2 (SPEC W-05): five film reviews.
REVIEWS = Labelled[str](
    (
        "just plain boring",
        "entirely predictable and lacks energy",
        "no surprises and very few laughs",
        "very powerful",
        "the most fun film of the summer",
    ),
    ("-", "-", "-", "+", "+"),
)

#: The review to be classified in W-05; two of its words are new.
REVIEW_TEST = "predictable with no originality"

#: The two sentences of S2's perceptron and logistic updates (W-06, W-07, W-10): a person or not.
UPDATES = Labelled[int](
    ("A site , located in Maizuru , Kyoto", "Shoken , monk born in Kyoto"),
    (-1, 1),
)

#: Sentences that introduce a person (1) or something else (-1), from S2 (W-09).
PEOPLE = Labelled[int](
    (
        "Gonso was a Sanron sect priest (754-827) in the late Nara and early Heian periods.",
        "Shichikuzan Chigogataki Fudomyoo is a historical site located at Magura, Maizuru City, "
        "Kyoto Prefecture.",
        "Kuya (903-972) was a priest born in Kyoto Prefecture.",
    ),
    (1, -1, 1),
)

#: The weights S2 gives to four features of such sentences; ``<#>`` stands for a number.
PERSON_WEIGHTS = {
    "priest": 2.0,
    "(<#>-<#>)": 1.0,
    "site": -3.0,
    "Kyoto Prefecture": -1.0,
}

#: Two sentences that differ in one word (S2 "Some models are better than others", W-15).
BIRD_ROBBERY = Labelled[int](
    ("he saw a bird in the park", "he saw a robbery in the park"),
    (-1, 1),
)

#: The two classifiers S2 compares on them; the first gets the second sentence wrong (A-25).
BIRD_ROBBERY_WEIGHTS = (
    {
        "he": 3.0,
        "saw": -5.0,
        "a": 0.5,
        "bird": -1.0,
        "robbery": 1.0,
        "in": 5.0,
        "the": -3.0,
        "park": -2.0,
    },
    {"bird": -1.0, "robbery": 1.0},
)

#: S0's sentence for proposition features (W-08).
RONALDO = "Ronaldo kicked the ball and scored an amazing goal!"
