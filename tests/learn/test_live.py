"""A fit in Python shows how far it is: a line on standard error, a bar in a notebook."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import linnet
from linnet.learn.shared.watching import FitStep, tell

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
    assert not first and len(lines) == 1 + model.n_iter_ + 1  # the last again, as finished
    assert all(len(line.rstrip("\n")) == 79 for line in lines)
    assert [line.endswith("\n") for line in lines] == [False] * (len(lines) - 1) + [True]


def test_nothing_is_shown_where_nothing_is_fitted(capsys: pytest.CaptureFixture[str]) -> None:
    with linnet.watch():
        pass
    assert capsys.readouterr().err == ""


class Notebook:
    """A notebook that keeps what it was asked to draw."""

    def __init__(self) -> None:
        self.pages: list[str] = []
        self.n_displays = 0

    def display(self, page: str, display_id: bool) -> Any:
        assert display_id
        self.n_displays += 1
        self.pages.append(page)
        return SimpleNamespace(update=self.pages.append)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    drawn = Notebook()
    python: Any = ModuleType("IPython")
    python.get_ipython = lambda: SimpleNamespace(kernel=object())
    python.display = ModuleType("IPython.display")
    python.display.display, python.display.HTML = drawn.display, str
    monkeypatch.setitem(sys.modules, "IPython", python)
    monkeypatch.setitem(sys.modules, "IPython.display", python.display)
    monkeypatch.setattr("linnet.learn.shared.live._PAUSE", 0.0)
    return drawn


def test_a_notebook_has_one_bar_that_grows(notebook: Notebook) -> None:
    with linnet.watch():
        model = linnet.MaxEnt().fit(X, Y)
    assert notebook.n_displays == 1  # one display, updated
    assert len(notebook.pages) == 1 + model.n_iter_ + 1  # the last again, as finished
    assert all(page.startswith('<progress max="1"') for page in notebook.pages)
    assert f"</progress> fit {model.n_iter_}/" in notebook.pages[-1]


def watched(step: FitStep) -> None:
    assert tell(step.learner, {"iteration": step.iteration, "seconds": step.seconds}, step.limit,
                step.seconds_left)  # fmt: skip


STEP = FitStep("CRF", "fit", 37, 500, None, None, None, 60.0, 240.0)


def test_a_bar_that_is_finished_is_full_and_has_no_time_left(notebook: Notebook) -> None:
    with linnet.watch():
        watched(STEP)
    assert notebook.pages == [
        '<progress max="1" value="0.200"></progress> fit 37/≤500 · about 4 min left',
        '<progress max="1" value="1.000"></progress> fit 37/≤500',
    ]


@pytest.mark.parametrize(("left", "share"), [(240.0, "0.200"), (None, "0.000")])
def test_a_bar_that_was_stopped_rests_where_it_was(
    notebook: Notebook, left: float | None, share: str
) -> None:
    with pytest.raises(KeyboardInterrupt), linnet.watch():
        watched(replace(STEP, seconds_left=left))
        raise KeyboardInterrupt
    assert notebook.pages[-1] == f'<progress max="1" value="{share}"></progress> fit 37/≤500'


def test_the_last_line_has_no_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    with linnet.watch():
        watched(STEP)
    assert capsys.readouterr().err == "fit 37/≤500\n"
