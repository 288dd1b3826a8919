"""What differs between two models: what they are, how they were trained, what they look at."""

from __future__ import annotations

from typing import Any

from linnet.cli.shared.console import grid, name_cell, print_json, stdout_console

__all__ = ["show_differences"]

_LABELS = 20  # whose features are shown


def show_differences(names: tuple[str, str], models: tuple[Any, Any], top: int, json: bool) -> None:
    """Print what differs; with `json` as one value."""
    facts = differing_facts(*models)
    features = differing_features(*models, top)
    if json:
        sides = {
            str(label): {"only_first": first, "only_second": second}
            for label, (first, second) in features.items()
        }
        plain = {name: list(pair) for name, pair in facts.items()}
        print_json({"files": list(names), "differences": plain, "top_features": sides})
        return
    console = stdout_console()
    if not facts and not features:
        console.print(f"{names[0]} and {names[1]} say the same of themselves", soft_wrap=True)
    if facts:
        table = grid(["", *names])
        for name, pair in facts.items():
            table.add_row(name, *(name_cell("–" if one is None else one) for one in pair))
        console.print(table)
    if features:
        table = grid(["label", *(f"strongest only in {name}" for name in names)])
        for label, (first, second) in list(features.items())[:_LABELS]:
            table.add_row(*map(name_cell, (label, ", ".join(first), ", ".join(second))))
        console.print(table)


def differing_facts(first: Any, second: Any) -> dict[str, tuple[str | None, str | None]]:
    """Return what the cards of two models say differently, by name."""
    a, b = _facts(first), _facts(second)
    names = [*a, *(name for name in b if name not in a)]
    return {name: (a.get(name), b.get(name)) for name in names if a.get(name) != b.get(name)}


def _facts(model: Any) -> dict[str, str]:
    """Return the card of a model by name, and in place of the command its options one by one."""
    from linnet.model.card import facts, recipe_options

    first, lines = facts(model)
    options = {f"option {name}": str(value) for name, value in recipe_options(model).items()}
    return {"model": first, **{n: v for n, v in lines if n != "command"}, **options}


def differing_features(first: Any, second: Any, top: int) -> dict[Any, tuple[list[str], list[str]]]:
    """Return for each label of both the features that are among the strongest of one only."""
    from linnet.errors import LinnetError

    try:
        a, b = first.top_features(top), second.top_features(top)
    except LinnetError:  # a learner without weights has no features to rank
        return {}
    found = {}
    for label in a:
        ours, theirs = [n for n, _ in a[label]], [n for n, _ in b.get(label, [])]
        sides = [n for n in ours if n not in theirs], [n for n in theirs if n not in ours]
        if label in b and any(sides):
            found[label] = sides
    return found
