"""``linnet suggest``: the examples that are most worth labelling next."""

from __future__ import annotations

from typing import Any

from linnet.cli.kinds import open_model
from linnet.cli.predict import Asked
from linnet.cli.shared.console import choose, write_bytes_atomically
from linnet.cli.shared.hints import check_places
from linnet.cli.shared.options import (
    FORCE,
    FOREIGN,
    MODEL,
    OUTPUT,
    QUIET,
    THREADS,
    From,
    Options,
    argument,
    option,
)
from linnet.cli.shared.outputs import check_outputs

__all__ = ["EPILOG", "Suggesting", "command"]

EPILOG = (
    "Examples: [bold]linnet suggest intents.linnet unlabelled.txt -n 50[/bold] · "
    "[bold]linnet suggest intents.linnet pool.jsonl --by entropy --json[/bold] · "
    "[bold]linnet suggest chunks.linnet news.conll -n 20 -o next.tsv[/bold]"
)
_POOL = argument("POOL", "Files of examples without labels; - is standard input.")


class Suggesting(Options):
    """How many are picked, and by what."""

    n: int = option("--number -n N", "How many examples.", OUTPUT, 100, min=1)
    by: str = option("--by margin|entropy", "What unsure means.", OUTPUT, "margin")
    alike: bool = option(
        "--alike", "Only by uncertainty: near-copies may all be picked.", OUTPUT, False
    )
    output: str = option("--output -o FILE", "Where the examples go.", OUTPUT, "-")
    json_lines: bool = option("--json", "A JSON object a line.", OUTPUT, False)
    force: bool = FORCE
    threads: int | None = THREADS
    learner: str | None = FOREIGN
    quiet: bool = QUIET

    def __post_init__(self) -> None:
        choose(self.by, ("margin", "entropy"), "--by")


_PLAIN, _ANY = Suggesting(), From()


def command(
    model: str = MODEL,
    pool: list[str] = _POOL,
    suggesting: Suggesting = _PLAIN,
    source: From = _ANY,
) -> None:
    """Pick the examples of a pool that are most worth labelling next, the best first.

    Those are examples that the model is unsure about and that are unlike one another. A line has
    the place in the pool, how unsure the model is (0 to 1), its present answer, and the example.
    """
    from linnet.model.suggesting import suggest

    check_outputs([suggesting.output], [model, *pool], force=suggesting.force)
    check_places("suggest", model, pool)
    kind = open_model(model, suggesting.threads)
    asked = Asked(quiet=suggesting.quiet)
    examples, keys = kind.pool(pool, source.settings(), asked)
    picked = suggest(
        kind.model, examples, suggesting.n, by=suggesting.by, diverse=not suggesting.alike
    )
    with write_bytes_atomically(suggesting.output) as out:
        for one in picked:
            found = {
                **keys[one.row],
                "uncertainty": round(one.uncertainty, 6),
                "answer": _plain(one.answer),
                "example": _shown(examples[one.row]),
            }
            line = _json(found) if suggesting.json_lines else _tsv(found)
            out.write(line.encode("utf-8", "replace") + b"\n")


def _plain(answer: Any) -> Any:
    return answer if isinstance(answer, (list, str, int, float)) or answer is None else str(answer)


def _shown(example: Any) -> Any:
    """Return an example as text; a sentence or a row by its words or cells."""
    if isinstance(example, (list, tuple)):
        cells = (
            cell[0] if isinstance(cell, tuple) else next(iter(cell), "_")
            if isinstance(cell, dict) else cell
            for cell in example
        )  # fmt: skip
        return " ".join(map(str, cells))
    if hasattr(example, "indices"):  # a vector
        pairs = zip(example.indices.tolist(), example.data.tolist(), strict=True)
        return " ".join(f"{column + 1}:{value:g}" for column, value in pairs)
    return example if isinstance(example, dict) else str(example)


def _json(found: dict[str, Any]) -> str:
    from json import dumps

    return dumps(found, ensure_ascii=False)


def _tsv(found: dict[str, Any]) -> str:
    """Return the values between tabs; what would break the line becomes a space.

    Examples
    --------
    >>> _tsv({"line": 3, "answer": ["A", "B"], "example": "one\\ttwo"})
    '3\\tA B\\tone two'
    """
    cells = (
        " ".join(map(str, value)) if isinstance(value, list) else str(value)
        for value in found.values()
    )
    return "\t".join(" ".join(cell.split()) for cell in cells)
