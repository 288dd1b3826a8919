"""RowClassifier: labelled rows of attribute values in, a classifier of rows out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier

from linnet.errors import ParameterError
from linnet.learn.flat.base import Learner
from linnet.learn.memory import MemoryBased
from linnet.learn.shared.attributes import Kinds
from linnet.learn.shared.declaration import settings_of
from linnet.learn.shared.inputs import ClassWeight
from linnet.learn.shared.known import suited_learner
from linnet.learn.shared.not_fitted import EstimatorNotFittedError
from linnet.learn.shared.restore import restored_on_error
from linnet.model.faces import ClassifierFace
from linnet.model.fitting.steps import fit_rows

if TYPE_CHECKING:
    from linnet.typing import Labels, Rows, Weights

__all__ = ["RowClassifier"]


class RowClassifier(ClassifierFace["Rows"], ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify rows of attribute values: symbols, numbers, or both.

    Parameters
    ----------
    learner : estimator or str, optional
        Any flat classifier of linnet, or its name, such as "tree" or "maxent". By default
        ``MemoryBased(feature_weights="gain_ratio")``.
        Memory-based learning and decision trees take rows as they are; for kernels and linear
        learners a symbol becomes an indicator ``column=value`` (SPEC M-72); densities take
        numbers only.
    kinds : None, "symbolic", "numeric", list or dict
        What the columns hold; None lets their values decide, a dictionary names some of them.
    C : float or "auto", default="auto"
        Weight of the losses, for learners that have it. "auto" lets held-out examples choose for
        linear learners, and is the learner's own for others.
    class_weight : dict or "balanced", optional
        Factor of the examples of each class, for learners that weigh examples.
    classes : list of labels, optional
        The labels in the order in which ``classes_``, scores, probabilities and reports have them;
        sorted by default. It is kept in the file.
    abstain : float, optional
        Do not answer when the best probability is lower; ``abstain_label`` is returned instead.
    abstain_label : str, int, float or None, default=None
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    random_state : int, default=0
        Of the folds and of the learner.

    Attributes
    ----------
    classes_ : array of shape (K,)
    model_ : Model
        All that predicting needs; what :meth:`save` writes.
    learner_ : the fitted learner
    tuning_ : Tuning
        What held-out examples said, where some were held out.
    record_ : dict
        The training in numbers.
    seconds_ : dict
        What fitting took, in all and for the features; it says more about the machine than about
        the model, so it is not part of the file.

    Examples
    --------
    >>> import linnet
    >>> rows = [["sunny", 30], ["sunny", 20], ["rain", 20], ["rain", 10]]
    >>> tree = linnet.RowClassifier(linnet.DecisionTree()).fit(rows, ["stay", "go", "stay", "stay"])
    >>> tree.predict([["sunny", 18]]).tolist()
    ['go']
    """

    _examples = "rows"
    _not_fitted = EstimatorNotFittedError

    def __init__(
        self,
        learner: Any = None,
        *,
        kinds: Kinds = None,
        C: float | str = "auto",
        class_weight: ClassWeight = None,
        classes: Any = None,
        abstain: float | None = None,
        abstain_label: Any = None,
        n_threads: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.learner = learner
        self.kinds = kinds
        self.C = C
        self.class_weight = class_weight
        self.classes = classes
        self.abstain = abstain
        self.abstain_label = abstain_label
        self.n_threads = n_threads
        self.random_state = random_state

    def fit(self, X: Rows, y: Labels, sample_weight: Weights | None = None) -> Self:
        """Learn to classify.

        Parameters
        ----------
        X : list of rows, list of dictionaries, array, data frame or RowTable
            None and NaN are missing values, for learners that take them.
        y : sequence of labels
        sample_weight : array of shape (n,), optional
            For learners that weigh examples.
        """
        self._check()
        with restored_on_error(self):
            self.__dict__.update(fit_rows(self, X, y, sample_weight))
        return self

    def _unfitted_learner(self) -> Any:
        if self.learner is None:
            learner: Any = MemoryBased(**settings_of(MemoryBased.declaration.rows))
        elif isinstance(self.learner, str):
            learner = suited_learner(self.learner, "rows")
        else:
            if not isinstance(self.learner, Learner) or not is_classifier(self.learner):
                raise ParameterError(
                    f"learner must be a classifier of linnet such as MemoryBased(), DecisionTree() "
                    f"or MaxEnt(), got {self.learner!r}."
                )
            learner = clone(self.learner)
        known = learner.get_params()
        if known.get("joint_map") is not None or known.get("kernel") == "precomputed":
            raise ParameterError("The learner must read rows, not a joint map or a Gram matrix.")
        return learner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags
