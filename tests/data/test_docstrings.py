"""The corpus made of the standard library's docstrings."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from linnet.data.builtin import load_pydoc
from linnet.errors import DataError


def test_there_are_enough_topics_and_texts() -> None:
    corpus = load_pydoc()
    sizes = Counter(corpus.train_labels + corpus.test_labels)
    assert 8 <= len(corpus.classes) <= 15
    assert min(sizes.values()) >= 60
    assert tuple(sorted(sizes)) == corpus.classes
    assert len(corpus.train_texts) == len(corpus.train_labels)
    assert len(corpus.test_texts) == len(corpus.test_labels)
    share = len(corpus.test_texts) / sizes.total()
    assert 0.15 < share < 0.25
    assert str(sizes.total()) in corpus.description


def test_no_text_occurs_twice_and_all_are_one_line() -> None:
    corpus = load_pydoc()
    texts = corpus.train_texts + corpus.test_texts
    assert len(set(texts)) == len(texts)
    assert all(text == " ".join(text.split()) and len(text) >= 40 for text in texts)


def test_the_corpus_is_deterministic_and_kept() -> None:
    first = load_pydoc()
    assert load_pydoc() is first
    load_pydoc.cache_clear()
    assert load_pydoc() == first


def test_every_topic_is_in_both_parts_and_topics_are_mixed() -> None:
    corpus = load_pydoc()
    assert set(corpus.train_labels) == set(corpus.test_labels)
    changes = sum(a != b for a, b in pairwise(corpus.train_labels))
    assert changes > len(corpus.train_labels) / 2


def test_limits_are_respected() -> None:
    large = load_pydoc(min_length=200, min_documents=100)
    assert min(map(len, large.train_texts)) >= 200
    assert min(Counter(large.train_labels + large.test_labels).values()) >= 100


def test_a_python_without_sources_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    load_pydoc.cache_clear()
    with pytest.raises(DataError, match="no docstrings found"):
        load_pydoc()


def test_sources_are_parsed_and_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "logging").mkdir()
    (tmp_path / "logging" / "__init__.py").write_text(
        '"""The module."""\nraise SystemExit\nclass A:\n    """The\n    class."""\n'
        '    if x:\n        async def f(self):\n            """The function."""\n'
        '            def g():\n                """Inside."""\n'
    )
    (tmp_path / "logging" / "test").mkdir()
    (tmp_path / "logging" / "test" / "t.py").write_text('"""A test module."""')
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    corpus = load_pydoc(min_length=1, min_documents=1)
    load_pydoc.cache_clear()
    texts = {*corpus.train_texts, *corpus.test_texts}
    assert texts == {"The module.", "The class.", "The function."}
    assert corpus.classes == ("logging",)
