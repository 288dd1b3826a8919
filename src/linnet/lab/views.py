"""The views of the lab, and how one is asked.

A view is a module with a function ``answer(settings)``, a pure function: the same settings give
the same answer. Settings that are left out have the defaults of the view; those that it does not
know, such as the step that the page shows, do not concern it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from linnet.errors import ParameterError
from linnet.lab.numbers import packed

__all__ = ["TITLES", "ask", "spelled", "state_of_link"]

#: The views in the order of the page, by their names; ``linnet.lab.<name>`` answers.
TITLES = {
    "plane": "Plane",
    "text": "Text",
    "lattice": "Lattice",
    "neighbours": "Neighbours, tree, kernel, densities",
    "losses": "Losses and solvers",
    "model": "Model",
}


def ask(view: str, settings: Mapping[str, Any], model: Path | None = None) -> dict[str, Any]:
    """Return the answer of a view.

    Parameters
    ----------
    view : str
    settings : mapping
        What was asked for. Its member ``model`` is that of the command line, whatever it says:
        no page may have a file of this machine opened.
    model : Path, optional

    Examples
    --------
    >>> ask("plain", {})
    Traceback (most recent call last):
    ...
    linnet.errors.ParameterError: there is no view 'plain'; there are plane, ...
    """
    if view not in TITLES:
        raise ParameterError(f"there is no view {view!r}; there are {', '.join(TITLES)}")
    asked = {**settings, "model": None if model is None else str(model)}
    answer: dict[str, Any] = import_module(f"linnet.lab.{view}").answer(asked)
    return answer


def spelled(value: Any) -> str:
    """Return plain values and arrays as JSON that any parser takes.

    Examples
    --------
    >>> import numpy as np
    >>> spelled({"w": np.array([0.5, 1.0])})
    '{"w":[0.5,1.0]}'
    """
    return json.dumps(packed(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def state_of_link(link: str) -> tuple[str, dict[str, Any]]:
    """Return the view and the settings that stand behind the # of a link.

    Values are JSON; what is none is text.

    Examples
    --------
    >>> state_of_link("http://127.0.0.1:8010/#plane?n=40&learners=%5B%22svm%22%5D&data=xor")
    ('plane', {'n': 40, 'learners': ['svm'], 'data': 'xor'})
    """
    from urllib.parse import parse_qsl

    view, _, query = link.rpartition("#")[2].partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    return view or next(iter(TITLES)), {name: _value(text) for name, text in pairs}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
