"""Data that is there on every machine: iris, six points, the badges game, Python's docstrings."""

from __future__ import annotations

import ast
import sysconfig
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

__all__ = [
    "Badges",
    "Iris",
    "TextCorpus",
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


_TOPICS = {
    "asyncio": "asyncio",
    "concurrency": "multiprocessing threading concurrent queue subprocess sched",
    "debugging": "inspect pydoc pdb bdb dis traceback trace profile pstats",
    "files": "_pyio pathlib os shutil tempfile glob tarfile zipfile gzip bz2 lzma filecmp",
    "gui": "tkinter turtle",
    "imports": "importlib pkgutil runpy zipimport modulefinder imp",
    "logging": "logging",
    "mail": "email mailbox imaplib smtplib poplib nntplib",
    "markup": "xml html xmlrpc",
    "network": "http urllib wsgiref socketserver socket ssl ftplib ipaddress",
    "numbers": "_pydecimal fractions statistics random numbers",
    "packaging": "distutils venv ensurepip zipapp",
    "testing": "unittest doctest",
    "time": "datetime _pydatetime calendar zoneinfo _strptime",
}
_NOT_THE_LIBRARY = {"test", "tests", "_bundled", "__pycache__"}
_TEST_ONE_IN = 5


@dataclass(frozen=True)
class TextCorpus:
    """Labelled texts in a training and a test part."""

    train_texts: tuple[str, ...]
    train_labels: tuple[str, ...]
    test_texts: tuple[str, ...]
    test_labels: tuple[str, ...]
    description: str

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels, sorted."""
        return tuple(sorted({*self.train_labels, *self.test_labels}))


@cache
def load_pydoc(min_length: int = 40, min_documents: int = 60) -> TextCorpus:
    """Return the docstrings of the running Python's standard library, labelled by topic.

    Source files are read and parsed, never imported or run. The label of a docstring is the topic
    of the package or module it stands in. Texts differ a little from one Python version to the
    next, so figures on this corpus are comparable only within one version.

    Parameters
    ----------
    min_length : int
        Shorter docstrings (in characters) are left out.
    min_documents : int
        Topics with fewer docstrings are left out.

    Returns
    -------
    TextCorpus
        Runs of white space are made one space; nothing else is changed, so a text may name its
        own package. Of equal texts only the first is kept. One text in five, chosen by its
        checksum, is a test text; the checksum also fixes the order, which mixes the topics. The
        result is kept in memory for the next call.

    Raises
    ------
    DataError
        When this Python comes without the source files of its library.

    Examples
    --------
    >>> corpus = load_pydoc()
    >>> "mail" in corpus.classes, len(corpus.train_texts) > 2 * len(corpus.test_texts)
    (True, True)
    """
    library = Path(sysconfig.get_path("stdlib"))
    label_of: dict[str, str] = {}
    for topic, names in _TOPICS.items():
        for name in names.split():
            for text in _docstrings_of(library, name):
                if len(text) >= min_length:
                    label_of.setdefault(text, topic)
    sizes = Counter(label_of.values())
    kept = {text: topic for text, topic in label_of.items() if sizes[topic] >= min_documents}
    if not kept:
        raise DataError(f"no docstrings found in {library}: is the library's source installed?")
    return _as_corpus(kept)


def _as_corpus(label_of: dict[str, str]) -> TextCorpus:
    """Cut the texts into two parts; their checksums also mix the topics."""
    checksum = {text: crc32(text.encode()) for text in label_of}
    texts = sorted(label_of, key=lambda text: (checksum[text] // _TEST_ONE_IN, text))
    train = [text for text in texts if checksum[text] % _TEST_ONE_IN]
    test = [text for text in texts if not checksum[text] % _TEST_ONE_IN]
    return TextCorpus(
        train_texts=tuple(train),
        train_labels=tuple(label_of[text] for text in train),
        test_texts=tuple(test),
        test_labels=tuple(label_of[text] for text in test),
        description=(
            f"{len(texts)} docstrings of Python {sysconfig.get_python_version()}'s standard "
            f"library in {len(set(label_of.values()))} topics"
        ),
    )


def _docstrings_of(library: Path, name: str) -> Iterator[str]:
    """Yield the docstrings of a module or package in a fixed order, on one line each."""
    module, package = library / f"{name}.py", library / name
    files = [module] if module.is_file() else sorted(package.rglob("*.py"))
    for file in files:
        if _NOT_THE_LIBRARY.isdisjoint(file.relative_to(library).parts):
            for node in _documented(ast.parse(file.read_bytes())):
                if text := ast.get_docstring(node, clean=False):
                    yield " ".join(text.split())


def _documented(
    node: ast.AST,
) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield modules, classes and functions, in source order, without entering functions."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                yield from _documented(child)
