"""What ``linnet train`` does with rows of attribute values: how they are read and who learns."""

from __future__ import annotations

from typing import Any

from linnet.cli.helpers import shown
from linnet.cli.learners import apply_settings, flat_learner
from linnet.cli.rows import kinds_of
from linnet.cli.tagging import refuse
from linnet.cli.tasks import Loaded, Task
from linnet.cli.training import Settings
from linnet.data.formats.rows import rows_by_plan
from linnet.data.rows import RowPlan
from linnet.errors import ParameterError

__all__ = ["DEFAULT", "row_task"]

DEFAULT = "memory"


def row_task(settings: Settings, plan: RowPlan) -> Task:
    """Return how rows are read and learnt from."""
    others = ("ngrams", "tokenizer", "hashing", "min_df")
    given: dict[str, Any] = {
        f"--{name.replace('_', '-')}": settings.parameters.get(name) for name in others
    }
    given["--max-features"] = settings.max_features
    given["--dtype"] = None if settings.dtype == "float32" else settings.dtype
    refuse(given, "rows of values")
    return _RowTask(settings, plan)


class _RowTask(Task):
    """Rows of one file, and of others like it."""

    def __init__(self, settings: Settings, plan: RowPlan) -> None:
        import linnet

        chosen = dict(settings.learner_settings)
        self._wish = _checked_kinds(chosen.pop("kinds", None))
        self.name = settings.learner or DEFAULT
        learner = apply_settings(flat_learner(self.name, rows=True), chosen)
        super().__init__(
            linnet.RowClassifier(
                learner,
                class_weight=settings.class_weight,
                n_threads=settings.threads,
                random_state=settings.seed,
                **settings.parameters,
            )
        )
        self._plan, self._reading = plan, settings.reading
        self._kinds: dict[str, str] | None = None

    def read(self, data: str, source: Any) -> Loaded:
        """Read a file; the first one decides what the columns hold."""
        options = {name: self._reading[name] for name in ("encoding", "errors")}
        found = rows_by_plan(source, self._plan, **options)
        said = list(found.decisions)
        if self._kinds is None:
            self._kinds = kinds_of(found, source, self._plan, self._wish)
            numbers = [name for name, kind in self._kinds.items() if kind == "numeric"]
            if numbers:
                said.append(f"numbers: column {', '.join(numbers)}")
        found = found.with_numbers(self._kinds)
        return Loaded(found.table, found.labels, tuple(said))

    def finish(self, model: Any) -> None:
        """Let the model remember how files are read."""
        from linnet.model.row_reader import plan_to

        model.reading = plan_to(self._plan)

    def no_labels(self, data: str, examples: Loaded) -> str:
        """Say that the class column is not there."""
        return f"{shown(data)} has no class in column {self._plan.label}; see --label"


def _checked_kinds(wish: Any) -> Any:
    named = list(wish.values()) if isinstance(wish, dict) else [] if wish is None else [wish]
    if any(kind not in ("symbolic", "numeric") for kind in named):
        raise ParameterError(
            'kinds is symbolic or numeric, or such as {"c3": "symbolic"} for some columns; '
            f"got {wish!r}"
        )
    return wish
