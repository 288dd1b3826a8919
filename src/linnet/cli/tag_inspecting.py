"""What ``linnet inspect`` shows of a tagger: its card, transitions, and features for each tag."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING, Any

from linnet.cli.helpers import count, file_size, print_json, size, stdout_console
from linnet.cli.inspect import print_features
from linnet.learn.chain import LinearChain

if TYPE_CHECKING:
    from rich.console import Console

    from linnet.model.model import Model

__all__ = ["inspect_tags"]


def inspect_tags(model: Model, path: str, top: int, pattern: str | None, *, json: bool) -> None:
    """Print what is inside a tagger."""
    linear = isinstance(model.chain, LinearChain)
    strongest = _strongest(model, top, pattern) if linear and top else {}
    transitions = model.top_transitions(2 * top) if linear else []
    n_bytes = file_size(path)
    if json:
        print_json(
            {
                "file": path,
                "bytes": n_bytes,
                "kind": model.kind,
                "n_features": model.n_features,
                "n_columns": model.n_columns,
                "scheme": model.scheme,
                "classes": model.classes_.tolist(),
                "top_transitions": [
                    {"from": a, "to": b, "weight": weight} for a, b, weight in transitions
                ],
                "top_features": {
                    tag: [{"feature": name, "weight": w} for name, w in rows]
                    for tag, rows in strongest.items()
                },
                "record": model.record_,
            }
        )
        return
    console = stdout_console()
    if pattern is None:
        from linnet.data.terminal import escaped

        console.print(escaped(model.card()), soft_wrap=True)
        tags = count(len(model.classes_))
        console.print(f"\nfile: {path}, {size(n_bytes)}, {tags} tags\n")
        if transitions:
            console.print("the strongest transitions:")
            _print_transitions(console, transitions)
    if any(strongest.values()):
        print_features(console, strongest)
    elif pattern is not None:
        console.print(f"no feature looks like {pattern}")


def _strongest(model: Model, top: int, pattern: str | None) -> dict[str, list[tuple[str, float]]]:
    """Return each tag's features of largest weight, or of largest size among those asked for."""
    if pattern is None:
        return model.top_features(top)
    chain, extractor = model.scorer.linear("list of features"), model.extractor
    matches = re.compile(translate(pattern)).match
    rows = {
        name: chain.weights_of(j)
        for j, name in enumerate(extractor.names.tolist())
        if matches(name)
    }
    found: dict[str, list[tuple[str, float]]] = {}
    for label, tag in enumerate(model.classes_.tolist()):
        own = [(name, float(weights[label])) for name, weights in rows.items() if weights[label]]
        if own:
            found[tag] = sorted(own, key=lambda row: -abs(row[1]))[:top]
    return found


def _print_transitions(console: Console, transitions: list[tuple[Any, Any, float]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from linnet.data.terminal import escaped

    table = Table(box=SIMPLE_HEAD)
    table.add_column("tag", overflow="fold")
    table.add_column("next", overflow="fold")
    table.add_column("weight", justify="right", no_wrap=True)
    for before, after, weight in transitions:
        table.add_row(Text(escaped(before)), Text(escaped(after)), f"{weight:+.3f}")
    console.print(table)
