"""Decision trees over attributes and their values (SPEC M-107, A-50).

Problem: find a tree of tests, each on one attribute, whose leaves hold examples of one class.

Given: rows of symbolic or numeric attributes, as they are; no vectors are needed. Returned, top
down: at each node the attribute of largest score, the first on ties,

    information gain   H(Y) - sum_b P(b) H(Y | b)         b the branch (M-100)
    gain ratio         information gain / H(b)            which many branches make smaller (M-101)

A symbolic attribute has a branch for each value, a numeric one is cut at the midpoint between
two values that gives the largest gain; where none is possible, known may still be parted from
missing. Splitting goes on while a node is impure and some attribute
has two values there, even at a gain of zero; without that, XOR could not be learnt. A leaf answers
with its most frequent class, the lowest on ties. A value that a node has not seen stops there and
gets the node's answer. A missing value is a value of its own: it has its branch where it occurred
in training.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import validate_data

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import Learner
from linnet.learn.shared.attributes import Attributes, AttributeTable, Kinds
from linnet.learn.shared.checks import LARGEST, check_row_numbers, seed_from
from linnet.learn.shared.declaration import Declaration
from linnet.learn.shared.inputs import (
    ClassWeight,
    RandomState,
    encode_labels,
    example_weights,
    is_bags,
)
from linnet.learn.shared.properties import Properties
from linnet.learn.shared.reasons import Named, Reasons
from linnet.learn.shared.restore import restored_on_error
from linnet.learn.tree.growing import grow, rows_of
from linnet.learn.tree.nodes import Nodes, chi_squared, pessimistic, reduced_error
from linnet.learn.tree.text import Step, draw_text, path_of, path_reasons, rules_of
from linnet.stored import Anything, Array, Each, Fields, Labels, Text, Texts

__all__ = ["DecisionTree"]

Floats = NDArray[np.float64]


class DecisionTree(ClassifierMixin, Learner):  # type: ignore[misc]
    """Decision tree on rows of attributes, symbolic and numeric.

    Parameters
    ----------
    criterion : {"gain_ratio", "information_gain"}, default "gain_ratio"
        How attributes are compared.
    min_leaf : float, default 1
        A split needs at least two branches with this many examples.
    max_depth : int, optional
        The largest number of tests on a path.
    chi2 : float, optional
        Split only where branches and classes are dependent at this significance level, such as
        0.05.
    pruning : {"pessimistic", "reduced_error"}, optional
        Cut the grown tree back: by upper limits of its error rates, or by its errors on examples
        that are held out.
    confidence : float, default 0.25
        Of pessimistic pruning: smaller values prune more.
    validation_fraction : float, default 0.25
        The share that reduced-error pruning holds out.
    kinds : None, "symbolic", "numeric", list or dict, optional
        What each column is; None lets the values decide (numbers are numeric).
    class_weight : dict, "balanced" or None
    classes : list of labels, optional
        The labels in the order in which ``classes_``, scores and probabilities have them; sorted by
        default. Ties go to the first of them.
        How often an example of each class counts.
    random_state : int, RandomState or None
        For what is held out.

    Attributes
    ----------
    classes_ : array of shape (K,)
    names_, kinds_, values_ : lists
        The attributes: names, kinds, and the values of the symbolic ones.
    parent_, branch_, feature_, threshold_, depth_, gain_ : arrays of shape (m,)
        The nodes, breadth first; a leaf has feature -1.
    counts_ : array of shape (m, K)
        Examples of each class in each node.

    Examples
    --------
    >>> rows = [["sunny", 30], ["sunny", 20], ["rain", 20], ["rain", 10]]
    >>> tree = DecisionTree().fit(rows, ["stay", "go", "stay", "stay"])
    >>> print(tree.export_text())
    stay (3 of 4)
    ├─ x0 = sunny: go (1 of 2)
    │  ├─ x1 <= 25: go (1)
    │  └─ x1 > 25: stay (1)
    └─ x0 = rain: stay (2)
    >>> tree.predict([["sunny", 22], ["snow", 22]]).tolist()
    ['go', 'stay']
    """

    stored: ClassVar[Fields] = {
        "classes_": Labels("K", least=1, ordered=False),
        "names_": Texts("J"),
        "kinds_": Each(Text(("symbolic", "numeric")), "J"),
        "values_": Each(Anything(list), "J"),
        "parent_": Array("i4", "m", low=-1),
        "branch_": Array("i4", "m", low=-2),
        "feature_": Array("i4", "m", -1, "J-1"),
        "threshold_": Array("f8", "m", beyond=(np.nan, np.inf)),
        "depth_": Array("i4", "m", low=0),
        "gain_": Array("f8", "m"),
        "counts_": Array("f8", "m K", low=0),
    }
    properties: Properties = MappingProxyType(
        {
            "kind": "discriminative",
            "models": "P(y | x)",
            "boundary": "parallel to the axes",
            "misspecified": "good",
            "overlapping_features": "good",
            "training": "easy",
            "hyperparameters": 3,
            "smoothing": "optional",
            "independence": "none",
        }
    )
    declaration: ClassVar[Declaration] = Declaration(
        short="tree",
        place=80,
        reads="rows",
        linear=False,
        training="counts",
        compared=None,
    )

    classes_: NDArray[Any]
    names_: list[str]
    kinds_: list[Any]
    values_: list[list[Any]]
    counts_: Floats

    def __init__(
        self,
        criterion: Literal["gain_ratio", "information_gain"] = "gain_ratio",
        *,
        min_leaf: float = 1,
        max_depth: int | None = None,
        chi2: float | None = None,
        pruning: Literal["pessimistic", "reduced_error"] | None = None,
        confidence: float = 0.25,
        validation_fraction: float = 0.25,
        kinds: Kinds = None,
        class_weight: ClassWeight = None,
        classes: Any = None,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.chi2 = chi2
        self.pruning = pruning
        self.confidence = confidence
        self.validation_fraction = validation_fraction
        self.kinds = kinds
        self.class_weight = class_weight
        self.classes = classes
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, and prune it where that is asked for.

        Parameters
        ----------
        X : list of rows, list of dictionaries, array or data frame, n rows
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            How often each example counts.

        Returns
        -------
        self
        """
        self._check_parameters()
        with restored_on_error(self):
            table = self._table(X, reset=True)
            check_row_numbers(table.n_rows, 2)  # its nodes may be twice as many
            self.classes_, gold = encode_labels(y, table.n_rows, self.classes)
            weights = example_weights(sample_weight, self.class_weight, self.classes_, gold)
            counted = np.flatnonzero(weights > 0)
            grown = held = counted
            if self.pruning == "reduced_error" and len(counted) > 1:
                rng = np.random.default_rng(seed_from(self.random_state))
                cut = max(1, round(self.validation_fraction * len(counted)))
                mixed = rng.permutation(counted)
                grown, held = np.sort(mixed[cut:]), np.sort(mixed[:cut])
            nodes = self._grow(rows_of(table, grown), gold[grown], weights[grown])
            if self.chi2 is not None:
                nodes = nodes.cut(chi_squared(nodes, self.chi2))
            if self.pruning == "pessimistic":
                nodes = nodes.cut(pessimistic(nodes, self.confidence))
            elif self.pruning == "reduced_error":
                rows = rows_of(table, held)
                nodes = nodes.cut(reduced_error(nodes, rows, gold[held], weights[held]))
            self._keep(nodes)
        return self

    def _check_parameters(self) -> None:
        if self.criterion not in ("gain_ratio", "information_gain"):
            raise ParameterError(
                f"criterion must be 'gain_ratio' or 'information_gain', got {self.criterion!r}."
            )
        if self.pruning not in (None, "pessimistic", "reduced_error"):
            raise ParameterError(
                f"pruning must be None, 'pessimistic' or 'reduced_error', got {self.pruning!r}."
            )
        if not 0 <= self.min_leaf <= LARGEST:
            raise ParameterError(f"min_leaf must not be negative, got {self.min_leaf!r}.")
        depth = self.max_depth
        if depth is not None and (not isinstance(depth, (int, np.integer)) or depth < 0):
            raise ParameterError(f"max_depth must be None or at least 0, got {depth!r}.")
        for name in ("chi2", "confidence", "validation_fraction"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise ParameterError(f"{name} must be between 0 and 1, got {value!r}.")

    def _table(self, X: Any, *, reset: bool) -> AttributeTable:
        """Read rows; with `reset` remember the attributes, else compare with them."""
        bags = is_bags(X)
        try:
            plain = not hasattr(X, "toarray") and len(getattr(X, "shape", (0, 0))) == 2
            if plain and not bags:
                validate_data(self, X, reset=reset, skip_check_array=True)
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(str(error)) from None
        if reset:
            attributes = Attributes.fit(X, self.kinds)
            self.names_, self.kinds_ = attributes.names, list(attributes.kinds)
            self.values_ = attributes.values
            self.n_features_in_ = len(attributes.names)
            if bags:
                self.__dict__.pop("feature_names_in_", None)
        return Attributes(self.names_, self.kinds_, self.values_).transform(X)

    def _grow(self, table: AttributeTable, gold: NDArray[np.int32], weights: Floats) -> Nodes:
        return grow(
            table,
            gold,
            weights,
            len(self.classes_),
            ratio=self.criterion == "gain_ratio",
            min_leaf=float(self.min_leaf),
            max_depth=self.max_depth,
        )

    def _keep(self, nodes: Nodes) -> None:
        self.parent_, self.branch_, self.feature_ = nodes.parent, nodes.branch, nodes.feature
        self.threshold_, self.depth_, self.gain_ = nodes.threshold, nodes.depth, nodes.gain
        self.counts_ = nodes.counts

    def _nodes(self) -> Nodes:
        return Nodes(
            self.parent_,
            self.branch_,
            self.feature_,
            self.threshold_,
            self.depth_,
            self.gain_,
            self.counts_,
        )

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the number of the node that answers for each row."""
        self._require_fitted("counts_")
        return self._nodes().route(self._table(X, reset=False))

    def predict_proba(self, X: Any) -> Floats:
        """Return the class shares of the node that answers, shape (n, K)."""
        nodes = self.apply(X)
        counts = self.counts_[nodes]
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most frequent class of the node that answers for each row."""
        nodes = self.apply(X)
        best: NDArray[Any] = self.classes_[self.counts_.argmax(axis=1)[nodes]]
        return best

    def decision_path(self, row: Any) -> list[Step]:
        """Return the tests that decided about one row, from the root down.

        Examples
        --------
        >>> tree = DecisionTree().fit([["a", 1], ["b", 2], ["b", 9]], ["x", "y", "z"])
        >>> for step in tree.decision_path(["b", 7]):
        ...     print(step.test, "→", step.guess)
        x0 = b → y
        x1 > 5.5 → z
        """
        node = int(self.apply([row] if not hasattr(row, "columns") else row)[0])
        return path_of(self, node)

    def rules(self) -> list[str]:
        """Return the tree as rules, one for each leaf; the last one answers for all other rows.

        Examples
        --------
        >>> DecisionTree().fit([["a"], ["b"]], ["x", "y"]).rules()
        ['if x0 = a then x (1)', 'if x0 = b then y (1)', 'else the class of the last node reached']
        """
        self._require_fitted("counts_")
        return rules_of(self)

    def export_text(self, max_depth: int | None = None) -> str:
        """Return a drawing of the tree in text, down to a depth."""
        self._require_fitted("counts_")
        return draw_text(self, max_depth)

    def _card(self, n_examples: int) -> list[tuple[str, str]]:
        size = f"{len(self.parent_):,} nodes, {self.n_leaves_:,} leaves"
        return [("tree", f"{size}, depth {int(self.depth_.max())}")]

    def _reasons(self, inputs: Any, k: int, other: int, named: Named) -> Reasons:
        return path_reasons(self, inputs)

    def get_feature_names(self) -> NDArray[Any]:
        """Return the names of the attributes."""
        self._require_fitted("counts_")
        return np.array(self.names_, dtype=object)

    @property
    def n_leaves_(self) -> int:
        """The number of leaves."""
        self._require_fitted("counts_")
        return int((self.feature_ < 0).sum())

    def _check_loaded(self) -> None:
        """Refuse what a forged file may hold: a walk through the nodes must end."""
        Attributes(self.names_, self.kinds_, self.values_).check()
        self._nodes().check(self.kinds_, [len(own) for own in self.values_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
