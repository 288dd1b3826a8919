"""Sketches: a threshold unit, and for sequences graphs of the models and a trellis (SPEC P-22).

A circle is a variable, grey when it is given; an arrow leads from what is conditioned on to what
depends on it; a line without a head joins what is scored together; a dark square is one score.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.explain.style import FAINT, INK, QUIET, line_style, new_figure, write_near, write_title

RADIUS = 0.3
WORDS = ("the", "dog", "runs")
TAGS = ("D", "N", "V")
TITLES = {
    "local": "Local classifiers: each tag by itself",
    "hmm": "HMM: tags make tags, and tags make words",
    "memm": "MEMM: the tag before and the word make a tag",
    "crf": "CRF: one score for all tags together",
}


def _canvas(title: str, height: float, xlim: Any, ylim: Any) -> tuple[Any, Any]:
    fig, axis = new_figure(5.4, height)
    write_title(axis, title)
    axis.set(xlim=xlim, ylim=ylim, aspect="equal")
    axis.axis("off")
    return fig, axis


def _node(axis: Any, place: Any, text: str, given: bool = False, colour: str = INK) -> None:
    import matplotlib.pyplot as plt

    face = FAINT if given else "white"
    axis.add_patch(plt.Circle(place, RADIUS, facecolor=face, edgecolor=colour, lw=1.3, zorder=3))
    axis.text(*place, text, ha="center", va="center", color=INK, fontsize=10, zorder=4)


def _edge(
    axis: Any, start: Any, end: Any, head: str = "-|>", colour: str = INK, **more: Any
) -> None:
    a, b = np.asarray(start, float), np.asarray(end, float)
    step = RADIUS * (b - a) / np.linalg.norm(b - a)
    look = {"arrowstyle": head, "color": colour, "lw": 1.3, "shrinkA": 0, "shrinkB": 0, **more}
    axis.annotate("", tuple(b - step), tuple(a + step), arrowprops=look)


def _square(axis: Any, place: Any) -> None:
    axis.plot(*place, marker="s", color=INK, markersize=7, zorder=4)


def _chain(model: str) -> Any:
    """Draw three tags above three words, joined as the model joins them."""
    fig, axis = _canvas(TITLES[model], 2.7, (-1.9, 4.6), (-0.6, 2.1))
    tags = [(1.5 * i, 1.5) for i in range(3)]
    words = [(1.5 * i, 0.0) for i in range(3)]
    start = (-1.4, 1.5)
    for i in range(3):
        _node(axis, tags[i], f"$t_{i + 1}$")
        _node(axis, words[i], f"$x_{i + 1}$", given=True)
        before = start if i == 0 else tags[i - 1]
        if model == "crf":
            _edge(axis, tags[i], words[i], "-")
            _square(axis, (tags[i][0], 0.75))
            if i:
                _edge(axis, before, tags[i], "-")
                _square(axis, ((before[0] + tags[i][0]) / 2, 1.5))
        elif model == "hmm":
            _edge(axis, before, tags[i])
            _edge(axis, tags[i], words[i])
        else:
            _edge(axis, words[i], tags[i])
            if model == "memm":
                _edge(axis, before, tags[i])
    if model in ("hmm", "memm"):
        axis.text(*start, "start", ha="center", va="center", color=INK, fontsize=10)
    return fig


def graph_local() -> Any:
    """P-22: a tag depends on its token only."""
    return _chain("local")


def graph_hmm() -> Any:
    """P-22: a tag depends on the tag before, a word on its tag."""
    return _chain("hmm")


def graph_memm() -> Any:
    """P-22: a tag depends on the tag before and on its token."""
    return _chain("memm")


def graph_crf() -> Any:
    """P-22: neighbours are scored together, and nothing is conditioned in between."""
    return _chain("crf")


def _trellis(
    axis: Any, words: Any, tags: Any, below: float
) -> dict[tuple[int, str], tuple[float, float]]:
    places = {}
    for i, word in enumerate(words):
        for j, tag in enumerate(tags):
            places[i, tag] = (2.0 * i, 1.1 * (len(tags) - 1 - j))
            _node(axis, places[i, tag], tag)
        axis.text(2.0 * i, below, word, ha="center", va="center", color=INK, fontsize=10)
    for i in range(len(words) - 1):
        for one in tags:
            for two in tags:
                _edge(axis, places[i, one], places[i + 1, two], "-", FAINT, zorder=1)
    return places


def _path(axis: Any, places: Any, labels: Any, colour: str) -> None:
    shade, dashes = line_style(colour)
    for i in range(len(labels) - 1):
        ends = places[i, labels[i]], places[i + 1, labels[i + 1]]
        _edge(axis, *ends, colour=shade, lw=2.2, linestyle=dashes, zorder=2)


def trellis() -> Any:
    """P-22: every labelling is a path; Viterbi keeps one way into each circle."""
    import linnet

    words = [{"fish": 0.5, "swim": 0.1, "can": 0.4}, {"fish": 0.2, "swim": 0.5, "can": 0.3}]
    steps = np.array([[0.3, 0.7], [0.8, 0.2]])
    model = linnet.HMM.from_probabilities(["N", "V"], [0.6, 0.4], steps.tolist(), words)
    sentence = ["fish", "can", "swim"]
    best = np.array([0.6, 0.4]) * [bag["fish"] for bag in words]
    fig, axis = _canvas(
        "The best way to each tag, and its probability", 3.5, (-0.8, 4.8), (-1.35, 1.9)
    )
    places = _trellis(axis, sentence, "NV", -1.1)
    for i in range(3):
        if i:
            ways = best[:, None] * steps
            for j, tag in enumerate("NV"):
                _edge(axis, places[i - 1, "NV"[int(ways[:, j].argmax())]], places[i, tag])
            best = ways.max(axis=0) * [bag[sentence[i]] for bag in words]
        for j, tag in enumerate("NV"):
            write_near(axis, f"{best[j]:.4g}", places[i, tag], (0, 33 if j == 0 else -33))
    _path(axis, places, model.predict([sentence])[0], "red")
    return fig


def trellis_update() -> Any:
    """P-22: what a structured learner corrects is where two paths part."""
    fig, axis = _canvas(
        "The right path is added, the guessed one taken away", 3.7, (-0.8, 4.8), (-1.6, 2.7)
    )
    places = _trellis(axis, WORDS, TAGS, -0.75)
    _path(axis, places, TAGS, "green")
    _path(axis, places, "DDD", "red")
    for colour, name, x in (("green", "right: + Φ(x, y)", 0.2), ("red", "guess: − Φ(x, ŷ)", 2.5)):
        shade, dashes = line_style(colour)
        axis.plot([x, x + 0.5], [-1.35, -1.35], color=shade, linestyle=dashes, lw=2.2)
        axis.text(x + 0.6, -1.35, name, va="center", color=INK, fontsize=9)
    return fig


def rib_rob() -> Any:
    """P-22: the automaton of the label bias, with what a MEMM makes of the letter o."""
    fig, axis = _canvas("Where the label bias comes from", 3.3, (-0.9, 5.7), (-0.75, 2.75))
    places = {"start": (0.0, 1.0), "1": (1.8, 1.9), "2": (3.6, 1.9), "4": (1.8, 0.1),
              "5": (3.6, 0.1), "3": (5.2, 1.0)}  # fmt: skip
    for name, place in places.items():
        if name == "start":
            axis.text(*place, name, ha="center", va="center", color=INK, fontsize=10)
        else:
            _node(axis, place, name)
    edges = (
        ("start", "1", "r", (-12, 12)), ("1", "2", "i", (0, 10)), ("2", "3", "b", (12, 10)),
        ("start", "4", "r", (-12, -12)), ("4", "5", "o", (0, 10)), ("5", "3", "b", (12, -10)),
    )  # fmt: skip
    for one, two, letter, shift in edges:
        _edge(axis, places[one], places[two])
        middle = (np.array(places[one]) + places[two]) / 2
        write_near(axis, letter, middle, shift, fontsize=10)
    write_near(axis, "P(2 | 1, i) = P(2 | 1, o) = 1", (2.7, 1.9), (0, 34), QUIET)
    write_near(axis, "P(5 | 4, o) = P(5 | 4, i) = 1", (2.7, 0.1), (0, -34), QUIET)
    return fig


def label_tree() -> Any:
    """Labels below two choices, with the path to one of them and its probabilities."""
    fig, axis = _canvas(
        "A label is a path, its probability a product", 3.0, (-0.7, 7.7), (-0.6, 2.5)
    )
    root, nodes = (3.5, 2.1), {"v": (1.5, 1.1), "u": (5.5, 1.1)}
    leaves = {name: (0.5 + 2.0 * k, 0.0) for k, name in enumerate("abcd")}
    parents = {"a": "v", "b": "v", "c": "u", "d": "u"}
    for place in nodes.values():
        _edge(axis, root, place)
    for leaf, parent in parents.items():
        _edge(axis, nodes[parent], leaves[leaf])
    for name, place in {"": root, **nodes, **leaves}.items():
        _node(axis, place, name)
    write_near(axis, "0.9", (4.5, 1.6), (14, 8), QUIET)
    write_near(axis, "0.8", (5.0, 0.55), (-14, 4), QUIET)
    write_near(axis, "p(c | x) = 0.9 · 0.8 = 0.72", leaves["c"], (0, -22), INK)
    return fig


def threshold_unit() -> Any:
    """S4 19: weighted inputs, a sum, a threshold; the weights of a perceptron that has learnt."""
    import linnet

    X = np.array(list(np.ndindex((2,) * 6)), float)
    y = X[:, [0, 2, 4]].sum(axis=1) >= 2
    model = linnet.Perceptron(average=False, shuffle=False, max_iter=100).fit(X, y)
    fig, axis = _canvas(
        "A threshold unit and the weights it has learnt", 4.0, (-0.6, 5.9), (-0.6, 4.6)
    )
    unit = (2.9, 2.0)
    for i, weight in enumerate(model.coef_[0]):
        place = (0.0, 4.0 - 0.8 * i)
        _node(axis, place, f"$x_{i + 1}$", given=True)
        _edge(axis, place, unit, lw=0.6 + 0.5 * abs(weight))
        write_near(axis, f"{weight:g}", 0.72 * np.array(place) + 0.28 * np.array(unit), (0, 7))
    _node(axis, unit, "Σ")
    _edge(axis, unit, (5.3, 2.0))
    write_near(axis, f"≥ {-model.intercept_[0]:g} ?", (4.1, 2.0), (0, 12), fontsize=10)
    _node(axis, (5.3, 2.0), "$y$")
    return fig


PICTURES = (
    threshold_unit, graph_local, graph_hmm, graph_memm, graph_crf, trellis, trellis_update,
    rib_rob, label_tree,
)  # fmt: skip
