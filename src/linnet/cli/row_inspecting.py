"""What ``linnet inspect`` shows of a model that keeps its learner."""

from __future__ import annotations

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from linnet.cli.helpers import count, file_size, print_json, size, stdout_console
from linnet.cli.tagging import refuse
from linnet.data.terminal import escaped
from linnet.errors import ParameterError

__all__ = ["inspect_learner"]

_WEIGHTS = ("weight", "gain_ratio", "information_gain", "chi2")


def inspect_learner(model: Any, path: str, top: int, features: str | None, *, json: bool) -> None:
    """Show card, feature weights, rules or support vectors, and the training in numbers."""
    from linnet.model.card import feature_weights, rules

    refuse({"--features": features}, "a model that keeps its learner")
    weights, tests = feature_weights(model), rules(model)
    strongest = _strongest(model, top)
    if json:
        print_json(
            {
                "file": path,
                "bytes": file_size(path),
                "kind": model.kind,
                "classes": [str(label) for label in model.classes_],
                "columns": [
                    {"name": n, "kind": k} for n, k in zip(model.names, model.kinds, strict=True)
                ],
                "weights": [dict(zip(("column", *_WEIGHTS), row, strict=True)) for row in weights],
                "rules": tests,
                "support_vectors": _support(model),
                "top_features": {
                    str(label): [{"feature": name, "weight": w} for name, w in rows]
                    for label, rows in strongest.items()
                },
                "record": model.record_,
            }
        )
        return
    console = stdout_console()
    console.print(escaped(model.card()), soft_wrap=True)
    n_labels = count(len(model.classes_))
    console.print(f"\nfile: {path}, {size(file_size(path))}, {n_labels} labels\n")
    if weights:
        _print_weights(console, weights)
    for rule in tests[: 3 * top]:
        console.print(Text(escaped(rule)), soft_wrap=True)
    if len(tests) > 3 * top:
        console.print(f"… {count(len(tests) - 3 * top)} more rules; see --top and --json")
    if strongest:
        from linnet.cli.inspect import print_features

        print_features(console, strongest)


def _strongest(model: Any, top: int) -> dict[Any, list[tuple[str, float]]]:
    try:
        found: dict[Any, list[tuple[str, float]]] = model.top_features(top)
    except ParameterError:
        return {}
    return found


def _support(model: Any) -> int | None:
    support = getattr(model.learner_, "support_", None)
    return None if support is None else len(support)


def _print_weights(console: Console, weights: list[tuple[Any, ...]]) -> None:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("column", overflow="fold")
    for heading in ("weight used", "gain ratio", "information gain", "χ²"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, *numbers in weights:
        table.add_row(Text(escaped(name)), *(f"{value:.6g}" for value in numbers))
    console.print(table)
