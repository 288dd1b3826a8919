r"""The perceptron (SPEC M-29–M-37, M-42–M-46).

Two classes, y = ±1: when an example is wrong, :math:`w \leftarrow w + \eta\,y\,x`. Several classes:
when the guess :math:`\hat y = \arg\max_k w_k \cdot x` is wrong,
:math:`w_y \leftarrow w_y + \eta\,x` and :math:`w_{\hat y} \leftarrow w_{\hat y} - \eta\,x`.
It is stochastic subgradient descent on the perceptron criterion
:math:`\sum_i \max(0, \theta - y_i\,w \cdot x_i)` with margin θ (M-44).
"""

from __future__ import annotations

from typing import Any, ClassVar

from linnet.errors import ParameterError
from linnet.learn.flat.joint import JointFunction
from linnet.learn.flat.online_classifier import OnlineClassifier
from linnet.learn.shared.checks import LARGEST, check_choice
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.online_run import Floats, Rule
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.schedules import HeldOut, Schedule, check_schedule

__all__ = ["Perceptron"]


class Perceptron(OnlineClassifier):
    """Perceptron, plain or averaged, for two classes or more.

    Parameters
    ----------
    max_iter : int
        Rounds over the examples.
    average : {False, True, "before", "after", "listing", "mistakes"}
        The weights to return: False the last ones; True or "after" the mean after every step;
        "before" the mean of the weights that made the predictions; "listing" what the lectures'
        efficient listing computes, n/(n+1) times "after"; "mistakes" the mean after every update.
    margin : float
        θ: with two classes update when y s <= margin, with more when the gold score does not
        exceed the best other by more than the margin.
    tie : {"nonpositive", "sign", "strict"}
        When a binary score on the margin is wrong: "nonpositive" always (y s <= margin); "sign"
        when the sign is wrong, a score of 0 counting as positive; "strict" never (y s < margin).
    learning_rate : float or Schedule
        η. From zero weights and without margin a constant rate only scales the weights.
    truncate : float
        Each update first pulls every weight but the intercept towards 0 by this much (M-45).
    shuffle : bool
        A fresh order every round; False keeps the given order.
    stop_when_clean : bool
        Stop after a round without update.
    fit_intercept, intercept_scaling
        Whether to fold an intercept in, and the value of its feature.
    early_stopping : bool
        Keep ``validation_fraction`` of the examples aside, stop when their accuracy has not
        improved for ``n_iter_no_change`` rounds, return the best weights.
    snapshot_every : int, optional
        Keep the model after every so many rounds in ``snapshots_``.
    record_objective : bool
        Compute ``objective``, the perceptron criterion of the last weights, after each round. That
        scores all examples once more; False saves the time.
    joint_map : callable, optional
        f(x, y) -> dictionary of features; X is then a sequence of any objects (M-25).
    class_weight : dict, "balanced" or None
    warm_start : bool
        ``fit`` goes on from the previous fit.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    random_state : int, RandomState or None
    verbose : int

    Attributes
    ----------
    classes_, coef_, intercept_
    history_ : dict of arrays, one value a round
        ``iteration``; ``online_loss``, the criterion summed over the round, each example at the
        weights it met; ``mistakes``, the examples that caused an update; ``objective``, unless
        ``record_objective`` is False; ``seconds``.
    mistakes_ : array of int
        Updates in each round.
    n_iter_, t_ : int
        Rounds made in this fit; examples seen by the run.
    optimality_ : float
        Share of the examples that still caused an update in the last round; 0 means separated.
    snapshots_ : list of Snapshot
    validation_scores_ : array
        With ``early_stopping``, the accuracy on the examples kept aside after each round.

    Examples
    --------
    >>> X = [[2, 1], [-1, -2], [1, -1], [-2, 1], [0.5, -2]]
    >>> model = Perceptron(average=False, shuffle=False).fit(X, [1, -1, 1, -1, -1])
    >>> model.coef_, model.intercept_, model.mistakes_
    (array([[2.5, 2. ]]), array([1.]), array([2, 1, 0]))
    """

    properties: ClassVar[Properties] = discriminative(
        misspecified="fair (may not converge)", training="easy", hyperparameters=0
    )
    declaration: ClassVar[Declaration] = Declaration(
        place=20,
        training="rounds",
        grid=tried("max_iter", 10, 5, 20, 40),
        shown={
            "perceptron": {"average": False, "random_state": 0},
            "perceptron, averaged": {"random_state": 0},
        },
    )

    def __init__(
        self,
        *,
        max_iter: int = 10,
        average: bool | str = True,
        margin: float = 0.0,
        tie: str = "nonpositive",
        learning_rate: float | Schedule = 1.0,
        truncate: float = 0.0,
        shuffle: bool = True,
        stop_when_clean: bool = True,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        snapshot_every: int | None = None,
        record_objective: bool = True,
        joint_map: JointFunction | None = None,
        class_weight: Any = None,
        warm_start: bool = False,
        n_threads: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.max_iter = max_iter
        self.average = average
        self.margin = margin
        self.tie = tie
        self.learning_rate = learning_rate
        self.truncate = truncate
        self.shuffle = shuffle
        self.stop_when_clean = stop_when_clean
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.snapshot_every = snapshot_every
        self.record_objective = record_objective
        self.joint_map = joint_map
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_threads = n_threads
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("tie", self.tie, ("nonpositive", "sign", "strict"))
        if not 0.0 <= self.margin <= LARGEST:
            raise ParameterError(f"margin must be finite and not negative, got {self.margin}.")
        if isinstance(check_schedule(self.learning_rate), HeldOut):
            raise ParameterError("HeldOut follows a likelihood, which a perceptron does not have.")

    def _rule(self, n_classes: int, form: str) -> Rule:
        return Rule("perceptron", form, n_classes, tie=self.tie, margin=float(self.margin))

    def _rates(self, first: int, n: int) -> Floats:
        return check_schedule(self.learning_rate).rates(first, n)
