"""A matrix whose rows are on the workers: learners take it as any sparse matrix.

What a learner asks of its rows (counts, scores, the minimum of a regularised loss) is asked of
each part, and the answers are added up in the order of the parts. What a learner cannot ask in
this way it is refused, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.data.columns import offsets
from linnet.errors import ParameterError
from linnet.learn.flat.online_run import Examples
from linnet.learn.flat.regularised_risk import FeaturesElsewhere, Solution, Task
from linnet.learn.flat.steps import Steps
from linnet.learn.shared.elsewhere import Mixing
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import Features, RowsElsewhere, checked_features
from linnet.scale.training.descent import MixedWalk
from linnet.scale.training.losses import minimise
from linnet.scale.training.sums import added
from linnet.scale.workers import Cluster

__all__ = ["DistributedRows", "blocks_of", "is_non_negative"]

_REFUSAL = (
    "this learner, with these settings, needs all rows in one place; over parts of them learn "
    "MultinomialNB, BernoulliNB, MaxEnt, SVM(loss='squared_hinge', multi_class='ovr'), SVM and "
    "MaxEnt by solver='sgd', Perceptron and MIRA."
)

Floats = NDArray[np.float64]
Chosen = NDArray[np.intp] | None  # rows of a block; None is all of them


class DistributedRows(RowsElsewhere):
    """Rows in blocks on workers.

    Parameters
    ----------
    cluster : Cluster
    blocks : list of futures of CSR matrices
    lengths : array of shape (blocks,)
        How many rows each has.
    columns : int
    non_negative : bool
    chosen : list of arrays, optional
        Which rows of each block count, ascending; by default all.
    """

    def __init__(
        self,
        cluster: Cluster,
        blocks: list[Any],
        lengths: NDArray[np.int64],
        columns: int,
        *,
        non_negative: bool,
        chosen: list[Chosen] | None = None,
    ) -> None:
        self.cluster, self.blocks, self.lengths = cluster, blocks, lengths
        self.chosen: list[Chosen] = chosen or [None] * len(blocks)
        self.non_negative = non_negative
        sizes = [
            int(length) if rows is None else len(rows)
            for length, rows in zip(lengths, self.chosen, strict=True)
        ]
        self.offset = offsets(sizes)
        self.shape = (int(self.offset[-1]), columns)

    def __getitem__(self, key: Any) -> Any:
        """Return some rows: few by a slice, as a matrix here; any by an array, where they are."""
        if isinstance(key, slice):
            return self._here(np.arange(*key.indices(self.shape[0])))
        rows = np.flatnonzero(key) if key.dtype == bool else np.asarray(key)
        return DistributedRows(
            self.cluster, self.blocks, self.lengths, self.shape[1],
            non_negative=self.non_negative, chosen=self._local(rows),
        )  # fmt: skip

    def __matmul__(self, weights: Any) -> Floats:
        """Return the product with a dense array."""
        return self.joined(_scores, weights)

    def joined(self, function: Callable[..., Floats], weights: Floats) -> Floats:
        """Return what a function makes of the rows of each block and of weights, all in one."""
        held = self.cluster.held(np.asarray(weights))
        parts = self.cluster.each(function, self.blocks, self.chosen, held)
        return np.concatenate(self.cluster.fetch(parts))

    def multiply(self, factors: Any) -> Any:
        """Refuse: the columns stay as they are."""
        raise ParameterError("prior_variance needs all rows in one place; leave it out.")

    @property
    def data(self) -> Any:
        """Refuse: there are no values in one place."""
        raise ParameterError(_REFUSAL)

    def features(self) -> Features:
        """Return what a learner asks."""
        return _Asked(self)

    def split(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut an array with a value for each row into those of each block."""
        return [np.ascontiguousarray(part) for part in np.split(values, self.offset[1:-1])]

    def mapped(self, function: Callable[[Features], Features]) -> DistributedRows:
        """Return the rows as a function of some rows makes them."""
        blocks = self.cluster.each(_mapped, self.blocks, function)
        return DistributedRows(
            self.cluster, blocks, self.lengths, self.shape[1], non_negative=self.non_negative,
            chosen=self.chosen,
        )  # fmt: skip

    def _local(self, rows: NDArray[Any]) -> list[Chosen]:
        """Return which rows of each block some rows are."""
        if (np.diff(rows) <= 0).any():
            raise ParameterError("rows on workers are chosen in ascending order")
        edges = np.searchsorted(rows, self.offset)
        local: list[Chosen] = []
        for k, before in enumerate(self.chosen):
            mine = rows[edges[k] : edges[k + 1]] - self.offset[k]
            local.append(mine if before is None else before[mine])
        return local

    def _here(self, rows: NDArray[Any]) -> sp.csr_matrix:
        wanted = self._local(rows)
        parts = [
            self.cluster.one(_taken, k, block, chosen)
            for k, (block, chosen) in enumerate(zip(self.blocks, wanted, strict=True))
            if chosen is not None and len(chosen)
        ]
        return sp.vstack(self.cluster.fetch(parts), "csr")


class _Asked(FeaturesElsewhere, Mixing):
    """What a learner asks of rows on workers."""

    def __init__(self, rows: DistributedRows) -> None:
        n, columns = rows.shape
        for name, value in (
            ("rows", n), ("cols", columns), ("stored", 0),
            ("non_negative", rows.non_negative), ("csr", rows),
        ):  # fmt: skip
            object.__setattr__(self, name, value)

    @property
    def matrix(self) -> Any:
        """Refuse: there is none in one place."""
        raise ParameterError(_REFUSAL)

    def scores(self, weights: Floats, threads: int) -> Floats:
        """Return the products of the rows with weights."""
        scores: Floats = self.csr.joined(_scores, weights)
        return scores

    def counts(
        self, gold: NDArray[np.int32], weights: Floats, classes: int, threads: int
    ) -> Floats:
        """Return the sums of weight times x_ij over the rows i of each class, shape (K, J)."""
        rows = self.csr
        counts: Floats = rows.cluster.fetch(
            rows.cluster.total(
                added, _counts, rows.blocks, rows.chosen, rows.split(gold), rows.split(weights),
                classes,
            )
        )  # fmt: skip
        return counts

    def each(self, prepare: Callable[[Features], Features]) -> Features:
        """Return the rows as a function of some rows makes them."""
        return _Asked(self.csr.mapped(prepare))

    def minimize(
        self, task: Task, solver: str, weights: Floats, *, tol: float, max_iter: int, threads: int,
        record: Any,
    ) -> None:  # fmt: skip
        """Change the weights to those that minimise a task over the rows."""
        rows = self.csr
        problems = rows.cluster.each(
            _problem, rows.blocks, rows.chosen, rows.split(task.gold), rows.split(task.cost),
            (task.n_classes, task.loss, "columns" if task.is_binary else task.form, task.bias),
        )  # fmt: skip
        minimise(
            rows.cluster, problems, task, solver, weights, tol=tol, max_iter=max_iter,
            threads=threads, record=record,
        )  # fmt: skip

    def walk(self, task: Task, steps: Steps, scaled: Floats, start: Solution | None) -> MixedWalk:
        """Return who goes over the rows by single steps."""
        return MixedWalk(self.csr, self._examples(task.gold, scaled), task, steps, start)

    def mix(self, learner: Any, examples: Any, history: History) -> Any:
        """Fit an online learner by rounds over the parts."""
        from linnet.scale.training.mixing import mixed

        rows, parts = self.csr, self._examples(examples.gold, examples.weights)
        return mixed(rows.cluster, learner, _round, parts, rows.shape[0], history)

    def squared_norms(self, bias: float) -> Floats:
        """Return |x|² + bias² of each row."""
        norms: Floats = self.csr.joined(_norms, np.array(bias))
        return norms

    def _examples(self, gold: NDArray[np.int32], weights: Floats) -> list[Any]:
        rows: DistributedRows = self.csr
        return rows.cluster.each(
            _examples, rows.blocks, rows.chosen, rows.split(gold), rows.split(weights)
        )


def blocks_of(matrix: Any) -> sp.csr_matrix:
    """Return a checked matrix, as it stays on a worker."""
    return checked_features(matrix).csr


def is_non_negative(block: sp.csr_matrix) -> bool:
    """Tell whether no value is below 0."""
    return not bool((block.data < 0).any())


def _taken(block: sp.csr_matrix, chosen: Chosen) -> sp.csr_matrix:
    return block if chosen is None else block[chosen]


def _scores(block: sp.csr_matrix, chosen: Chosen, weights: Floats) -> Floats:
    features = _features(block, chosen)
    return np.zeros((0, weights.shape[1])) if features is None else features.scores(weights, 1)


def _norms(block: sp.csr_matrix, chosen: Chosen, bias: Floats) -> Floats:
    features = _features(block, chosen)
    return np.zeros(0) if features is None else features.squared_norms(float(bias))


def _features(block: sp.csr_matrix, chosen: Chosen) -> Features | None:
    """Return rows of a block as the core reads them; None if there are none."""
    rows = _taken(block, chosen)
    return checked_features(rows) if rows.shape[0] else None


def _counts(
    block: sp.csr_matrix, chosen: Chosen, gold: NDArray[np.int32], weights: Floats, classes: int
) -> Floats:
    features = _features(block, chosen)
    if features is None:
        return np.zeros((classes, block.shape[1]))
    return features.counts(gold, weights, classes, 1)


def _mapped(block: sp.csr_matrix, function: Callable[[Features], Features]) -> sp.csr_matrix:
    features = function(checked_features(block))
    values = features.csr.data
    if features.csr is block:  # its values were forgotten, as all are present
        values = np.ones_like(values)
    return sp.csr_matrix((values, features.csr.indices, features.csr.indptr), features.csr.shape)


def _problem(
    block: sp.csr_matrix, chosen: Chosen, gold: NDArray[np.int32], cost: Floats, how: Any
) -> Any:
    from linnet.scale.training.losses import RowProblem

    return RowProblem(_taken(block, chosen), gold, cost, *how)


def _examples(
    block: sp.csr_matrix, chosen: Chosen, gold: NDArray[np.int32], weights: Floats
) -> tuple[sp.csr_matrix, NDArray[np.int32], Floats]:
    return _taken(block, chosen), gold, weights


def _round(part: Any, learner: Any, weights: Floats, number: int, round_number: int) -> Any:
    from linnet.scale.training.mixing import round_of

    rows, gold, cost = part
    if not rows.shape[0]:
        return 0.0 * weights, 0.0 * weights, np.zeros(1), np.zeros(1), np.zeros(1)
    examples = learner._with_norms(Examples(checked_features(rows), gold, cost))
    return round_of(learner, examples, weights, number, round_number)
