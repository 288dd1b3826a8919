"""A fit in Python shows how far it is: a line on standard error, a bar in a notebook."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import linnet

X, Y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]


def test_the_last_step_stands_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with linnet.watch():
        model = linnet.MaxEnt().fit(X, Y)
    shown = capsys.readouterr().err
    assert shown.startswith(f"fit {model.n_iter_}/≤") and shown.count("\n") == 1


def test_a_terminal_has_one_line_that_is_written_over(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("linnet.learn.shared.live._PAUSE", 0.0)
    with linnet.watch():
        model = linnet.MaxEnt().fit(X, Y)
    first, *lines = capsys.readouterr().err.split("\r")
    assert not first and len(lines) == 1 + model.n_iter_
    assert all(len(line.rstrip("\n")) == 79 for line in lines)
    assert [line.endswith("\n") for line in lines] == [False] * (len(lines) - 1) + [True]


def test_nothing_is_shown_where_nothing_is_fitted(capsys: pytest.CaptureFixture[str]) -> None:
    with linnet.watch():
        pass
    assert capsys.readouterr().err == ""


def test_a_notebook_has_one_bar_that_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []
    displays: list[bool] = []

    def display(page: Any, display_id: bool) -> Any:
        displays.append(display_id)
        pages.append(page)
        return SimpleNamespace(update=pages.append)

    notebook: Any = ModuleType("IPython")
    notebook.get_ipython = lambda: SimpleNamespace(kernel=object())
    notebook.display = ModuleType("IPython.display")
    notebook.display.display, notebook.display.HTML = display, str
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", notebook.display)
    monkeypatch.setattr("linnet.learn.shared.live._PAUSE", 0.0)
    with linnet.watch():
        model = linnet.MaxEnt().fit(X, Y)
    assert displays == [True]  # one display, updated
    assert len(pages) == 1 + model.n_iter_
    assert all(page.startswith('<progress max="1"') for page in pages)
    assert f"</progress> fit {model.n_iter_}/" in pages[-1]
