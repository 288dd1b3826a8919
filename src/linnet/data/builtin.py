"""Data that is there on every machine: iris, the badges game, and a regression in six points.

:func:`load_pydoc`, the text corpus that every Python carries, is in :mod:`linnet.data.docstrings`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.docstrings import load_pydoc

__all__ = [
    "Badges",
    "Iris",
    "badge_features",
    "load_badges",
    "load_iris",
    "load_pydoc",
    "load_vague_adjectives",
]


@dataclass(frozen=True)
class Iris:
    """Fisher's iris measurements: 50 flowers of each of three species, in that order."""

    X: NDArray[np.float64]  # (150, 4), centimetres
    y: NDArray[np.int64]  # (150,), index into `species`
    species: tuple[str, ...]
    feature_names: tuple[str, ...]


def load_iris() -> Iris:
    """Return the iris data as Fisher printed them (SPEC D-03, A-74).

    The copy is scikit-learn's, which has the two rows that the widespread file gets wrong.

    Examples
    --------
    >>> iris = load_iris()
    >>> iris.X.shape, iris.species
    ((150, 4), ('setosa', 'versicolor', 'virginica'))
    """
    from sklearn.datasets import load_iris as load

    bunch = load()
    return Iris(
        X=np.asarray(bunch.data, dtype=np.float64),
        y=np.asarray(bunch.target, dtype=np.int64),
        species=tuple(str(name) for name in bunch.target_names),
        feature_names=tuple(str(name) for name in bunch.feature_names),
    )


def load_vague_adjectives() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return six houses: vague adjectives in the advertisement, and dollars over the asking price.

    The points are the textbook's behind the plot of S1 and S3 (SPEC W-20, D-13).

    Returns
    -------
    X : array of shape (6, 1)
    y : array of shape (6,)

    Examples
    --------
    >>> X, y = load_vague_adjectives()
    >>> np.polyfit(X[:, 0], y, 1).round(6).tolist()
    [-4900.0, 16550.0]
    """
    x = np.array([4.0, 3.0, 2.0, 2.0, 1.0, 0.0])
    y = np.array([0.0, 1000.0, 1500.0, 6000.0, 14000.0, 18000.0])
    return x[:, None], y


_BADGES = """
+ Naoki Abe, - Myriam Abramson, + David W. Aha, + Kamal M. Ali, - Eric Allender, + Dana Angluin,
- Chidanand Apte, + Minoru Asada, + Lars Asker, + Javed Aslam, + Jose L. Balcazar,
- Cristina Baroglio, + Peter Bartlett, - Eric Baum, + Welton Becket, - Shai Ben-David,
+ George Berg, + Neil Berkman, + Malini Bhandaru, + Bir Bhanu, + Reinhard Blasig, - Avrim Blum,
- Anselm Blumer, + Justin Boyan, + Carla E. Brodley, + Nader Bshouty, - Wray Buntine,
- Andrey Burago, + Tom Bylander, + Bill Byrne, - Claire Cardie, + John Case, + Jason Catlett,
- Philip Chan, - Zhixiang Chen, - Chris Darken
"""

_UNSEEN_BADGES = """
+ Gerald F. DeJong, - Chris Drummond, + Yolanda Gil, - Attilio Giordana, + Jiarong Hong,
- J. R. Quinlan, - Priscilla Rasmussen, + Dan Roth, + Yoram Singer, - Lyle H. Ungar
"""


@dataclass(frozen=True)
class Badges:
    """The badges game of S4: names, each labelled "+" or "-" by a rule to be found."""

    train_names: tuple[str, ...]
    train_labels: tuple[str, ...]
    test_names: tuple[str, ...]
    test_labels: tuple[str, ...]


def load_badges() -> Badges:
    """Return the 36 labelled names and the 10 test names of S4, slides 4 to 6 (SPEC D-04, W-23).

    The slides leave the test names unlabelled; their labels here are those of the game.

    Examples
    --------
    >>> badges = load_badges()
    >>> badges.train_labels[0], badges.train_names[0]
    ('+', 'Naoki Abe')
    >>> "".join(badges.test_labels)
    '+-+-+--++-'
    """
    train_labels, train_names = _split_badges(_BADGES)
    test_labels, test_names = _split_badges(_UNSEEN_BADGES)
    return Badges(train_names, train_labels, test_names, test_labels)


def _split_badges(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    badges = [" ".join(entry.split()) for entry in text.split(",")]
    return tuple(badge[0] for badge in badges), tuple(badge[2:] for badge in badges)


def badge_features(name: str, positions: int = 5) -> dict[str, float]:
    """Describe a name by what a player of the badges game may look at (SPEC D-04).

    Of the first and of the last part of the name: each of the first `positions` letters, whether
    it is a vowel (a, e, i, o, u) or a consonant, and the number of letters; of the whole: whether
    there is a middle part.

    Examples
    --------
    >>> features = badge_features("David W. Aha")
    >>> features["first letter 2 = a"], features["first letter 2 is a vowel"]
    (1.0, 1.0)
    >>> features["last length"], features["middle initial"]
    (3.0, 1.0)
    """
    parts = name.split()
    features: dict[str, float] = {}
    for which, part in zip(("first", "last"), (parts[:1], parts[1:][-1:]), strict=True):
        word = "".join(part).lower()
        features[f"{which} length"] = float(sum(map(str.isalpha, word)))
        for position, letter in enumerate(word[:positions], 1):
            if letter.isalpha():
                kind = "vowel" if letter in "aeiou" else "consonant"
                features[f"{which} letter {position} = {letter}"] = 1.0
                features[f"{which} letter {position} is a {kind}"] = 1.0
    if len(parts) > 2:
        features["middle initial"] = 1.0
    return features
