"""``linnet inspect``: what is inside a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.cli.console import (
    JsonOption,
    ModelArgument,
    count,
    file_size,
    load_model,
    print_json,
    size,
    stdout_console,
)

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["EPILOG", "command", "print_features"]

EPILOG = (
    "Examples: [bold]linnet inspect reviews.linnet[/bold] · "
    "[bold]linnet inspect reviews.linnet --top 20 --json[/bold] · "
    "[bold]linnet inspect reviews.linnet --features '*boring*'[/bold]"
)


def command(
    model: ModelArgument,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=0, help="Features shown for each label.")
    ] = 10,
    features: Annotated[
        str | None,
        typer.Option("--features", metavar="PATTERN", help="Only features like this: * and ?."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show a model's card, its strongest features for each label, and how it was trained."""
    loaded = load_model(model, sequences=True)
    if loaded.kind == "sequence":
        from linnet.cli.tag_inspecting import inspect_tags

        inspect_tags(loaded, model, top, features, json=json)
        return
    if hasattr(loaded, "learner_"):
        from linnet.cli.row_inspecting import inspect_learner

        inspect_learner(loaded, model, top, features, json=json)
        return
    strongest = _strongest(loaded, top, features)
    n_bytes = file_size(model)
    if json:
        print_json(
            {
                "file": model,
                "bytes": n_bytes,
                "kind": loaded.kind,
                "multilabel": bool(loaded.multilabel),
                "n_features": loaded.n_features,
                "classes": [str(label) for label in loaded.classes_],
                "top_features": {
                    str(label): [{"feature": name, "weight": float(w)} for name, w in rows]
                    for label, rows in strongest.items()
                },
                "record": loaded.record_,
            }
        )
        return
    console = stdout_console()
    if features is None:
        from linnet.data.terminal import escaped

        console.print(escaped(loaded.card()), soft_wrap=True)
        console.print(f"\nfile: {model}, {size(n_bytes)}, {count(len(loaded.classes_))} labels\n")
    if strongest:
        print_features(console, strongest)
    elif features is not None:
        console.print(f"no feature looks like {features}")


def _strongest(model: Any, top: int, pattern: str | None) -> dict[Any, list[tuple[str, float]]]:
    """Return each label's features of largest weight, or of largest size among those asked for."""
    if pattern is None:
        found: dict[Any, list[tuple[str, float]]] = model.top_features(top) if top else {}
        return found
    import re
    from fnmatch import translate

    matches = re.compile(translate(pattern)).match
    names = {j: name for j in range(model.n_features) if matches(name := model.feature_name(j))}
    if not names:
        return {}
    columns = list(names)
    chosen = {}
    for k, label in enumerate(model.classes_.tolist()):
        weights = dict(zip(columns, model.weights_of(k)[columns].tolist(), strict=True))
        ranked = sorted(columns, key=lambda j: -abs(weights[j]))[:top]
        chosen[label] = [(names[j], weights[j]) for j in ranked]
    return chosen


def print_features(console: Console, strongest: dict[Any, list[tuple[str, float]]]) -> None:
    """Print a table: labels, and their features with weights."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from linnet.data.terminal import escaped

    table = Table(box=SIMPLE_HEAD)
    table.add_column("label", overflow="fold")
    table.add_column("strongest features and their weights", overflow="fold")
    for label, rows in strongest.items():
        shown = "   ".join(f"{escaped(name)} {weight:+.3f}" for name, weight in rows)
        table.add_row(Text(escaped(str(label))), Text(shown))
    console.print(table)
