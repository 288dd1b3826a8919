"""A text corpus that every Python carries: the docstrings of its standard library.

Source files are read and parsed, never imported or run. The label of a docstring is the topic of
the package or module it stands in. Texts differ a little from one Python version to the next, so
figures on this corpus are comparable only within one version.
"""

from __future__ import annotations

import ast
import sysconfig
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

from linnet.errors import DataError

__all__ = ["TextCorpus", "load_pydoc"]

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
