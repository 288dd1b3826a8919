"""``linnet inspect``: what is inside a model file."""

from __future__ import annotations

from typing import Any

from linnet.cli.shared.console import (
    count,
    escaped,
    file_size,
    grid,
    name_cell,
    print_json,
    print_utf8,
    size,
    stdout_console,
)
from linnet.cli.shared.options import FOREIGN, JSON, MODEL, OUTPUT, QUIET, argument, option
from linnet.errors import DataError, ParameterError

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet inspect reviews.linnet[/bold] · "
    "[bold]linnet inspect reviews.linnet --top 20 --json[/bold] · "
    "[bold]linnet inspect last_week.linnet today.linnet[/bold] · "
    "[bold]linnet inspect reviews.linnet --features '*boring*'[/bold] · "
    "[bold]linnet inspect reviews.linnet --recipe > run.toml[/bold]"
)


_OTHER = argument("OTHER", "A second model, to see what differs.", None)
_TOP = option("--top N", "Features shown for each label.", OUTPUT, 10, min=0)
_FEATURES = option("--features PATTERN", "Only features like this: * and ?.", OUTPUT)
_RECIPE = option("--recipe", "Print how it was trained, for train --config.", OUTPUT, False)


def command(
    model: str = MODEL,
    other: str | None = _OTHER,
    top: int = _TOP,
    features: str | None = _FEATURES,
    recipe: bool = _RECIPE,
    learner: str | None = FOREIGN,
    json: bool = JSON,
    quiet: bool = QUIET,  # no warnings, which the option itself sees to
) -> None:
    """Show a model's card, its strongest features for each label, and how it was trained.

    With two models: what differs between them.
    """
    from linnet.cli.kinds import open_model
    from linnet.model.card import card

    kind = open_model(model)
    if other is not None:
        from linnet.cli.differing import show_differences

        if features is not None:
            raise ParameterError("--features is for one model; leave it or the second one out")
        show_differences((model, other), (kind.model, open_model(other).model), top, json)
        return
    loaded = kind.model
    if recipe:
        _print_recipe(loaded, model, json)
        return
    kind.refuse("inspect", {"--features": features})
    inside = kind.inspect(top, features)
    n_bytes = file_size(model)
    if json:
        strongest = {
            str(label): [{"feature": name, "weight": float(weight)} for name, weight in rows]
            for label, rows in inside.strongest.items()
        }
        start = {"file": model, "bytes": n_bytes, "kind": loaded.kind}
        end = {"top_features": strongest, "record": loaded.record_}
        print_json({**start, **inside.facts, **end})
        return
    console = stdout_console()
    if features is None:
        shown = card(loaded, console.width if console.is_terminal else None)
        console.print(escaped(shown), soft_wrap=True)
        labels = f"{count(len(loaded.classes_))} {inside.labels}"
        console.print(f"\nfile: {model}, {size(n_bytes)}, {labels}\n")
        inside.print(console, top)
    if any(inside.strongest.values()):
        table = grid(["label", "strongest features and their weights"])
        for label, rows in inside.strongest.items():
            weights = "   ".join(f"{name} {weight:+.3f}" for name, weight in rows)
            table.add_row(name_cell(label), name_cell(weights))
        console.print(table)
    elif features is not None:
        console.print(f"no feature looks like {features}")


def _print_recipe(model: Any, name: str, json: bool) -> None:
    from linnet.cli.shared.recipe import in_toml
    from linnet.model.card import recipe_options

    if not recipe_options(model):
        raise DataError(
            f"{name} holds no recipe; linnet train writes one, a fit in Python or another program "
            "does not"
        )
    recipe = model.record_["recipe"]
    if json:
        print_json(recipe)
    else:
        print_utf8(in_toml(recipe, name))
