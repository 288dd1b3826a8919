"""TextClassifier: labelled texts in, a classifier of texts out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from linnet.errors import ParameterError
from linnet.learn.shared.known import suited_learner
from linnet.learn.shared.not_fitted import EstimatorNotFittedError
from linnet.learn.shared.restore import restored_on_error
from linnet.model.faces import ClassifierFace
from linnet.model.fitting.linear_form import own_learner
from linnet.model.fitting.pruning import check_prune
from linnet.model.fitting.steps import default_learner, fit_texts
from linnet.model.indicators import Indicators
from linnet.text.features import TextFeatures

if TYPE_CHECKING:
    from linnet.typing import Labels, TextInput, Texts, Weights

__all__ = ["TextClassifier"]


class TextClassifier(ClassifierFace["TextInput"], ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify texts: features, any linear learner and a decision rule in one estimator.

    Parameters
    ----------
    learner : estimator or str, optional
        Any linear classifier of linnet (or of scikit-learn), or the name of one of linnet's, such
        as "svm", "maxent" or "nb", with the settings that suit texts. By default
        ``SVM(loss="squared_hinge", multi_class="ovr", tol=1e-3)``. BernoulliNB looks at presence
        only, so it is given binary features without a norm. Of the others, MemoryBased with
        metric "cosine" or "l2", KernelSVM and KernelPerceptron read texts; all learners of
        linnet read vectors of up to 1,000 features.
    features : "auto", "words", str or list of str, default="auto"
        What to look at in a text. "words" are n-grams of one kind, as the parameters below say.
        "auto" tries richer kinds on held-out examples and takes one that is significantly better
        there, else words; it has nothing to choose for fewer than 500 different texts or more
        than 256 labels, or where a learner, C, a tokenizer, n-grams, hashing, a weighting or a norm
        was chosen already.
        Names of blocks, ``["words:1-2", "char_wb:2-5"]``, stand in place of `tokenizer` and
        `ngrams`: features of several kinds side by side, each weighted and normalised by itself.
    columns : dict, optional
        For rows of several columns in place of texts, what each column holds: names of blocks for
        a text, "category" or "number", such as ``{"title": "words:1-2", "body": ["words:1-2",
        "char_wb:2-5"], "source": "category", "price": "number"}``. Each column has features of
        its own; numbers are standardised, and what is missing counts for nothing.
    tokenizer, ngrams, skip, lowercase, accents, digits, html, stop_words, min_df, max_df, \
max_features, hashing, weighting, sublinear_tf, norm
        What to look at in a text: see :class:`linnet.text.TextFeatures`. ``min_df="auto"`` drops
        features of a single text when there are at least 1,000 texts. Bags of features are only
        weighted and pruned; values that are no counts stay as they are. Vectors stay as they are.
    C : float or "auto", default="auto"
        Weight of the losses against the penalty, for learners that have it. "auto" chooses it on
        held-out examples along a warm-started path, unless the learner was given another than its
        default.
    class_weight : dict or "balanced", optional
        Factor of the examples of each class. Not for several labels a row.
    classes : list of labels, optional
        The labels in the order in which ``classes_``, scores, probabilities and reports have them;
        sorted by default. It is kept in the file.
    prune : float or "auto", optional
        Leave out weights smaller than this, and keep the others in a sparse form: with many labels
        the model becomes much smaller. "auto" takes the largest threshold at which no more
        held-out examples are answered wrongly; ``record_`` says which.
    abstain : float, optional
        Do not answer when the best probability is lower; ``abstain_label`` is returned instead.
        Not for several labels a row.
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
        Its classes are the numbers of the labels. For several labels a row, a list of one learner
        for each; None for a label that every row has.
    features_ : TextFeatures, when X was texts
    tuning_ : Tuning
        What held-out examples said about C and about the probabilities.
    indicators_ : Indicators or None
        The columns of y, if it was a table of 0 and 1.
    record_ : dict
        The training in numbers.
    seconds_ : dict
        What fitting took, in all and for the features; it says more about the machine than about
        the model, so it is not part of the file.

    Examples
    --------
    >>> import linnet
    >>> corpus = linnet.data.load_pydoc()
    >>> clf = linnet.TextClassifier().fit(corpus.train_texts, corpus.train_labels)
    >>> clf.predict(["Return the message's payload, decoded from base64."]).tolist()
    ['mail']
    >>> bool(clf.score(corpus.test_texts, corpus.test_labels) > 0.75)
    True

    Rows of several columns:

    >>> rows = [{"title": "Rates rise", "source": "bank", "words": 310},
    ...         {"title": "Cup final tonight", "source": "fans", "words": 95}] * 10
    >>> clf = linnet.TextClassifier(
    ...     columns={"title": "words:1-2", "source": "category", "words": "number"})
    >>> clf = clf.fit(rows, ["money", "sport"] * 10)
    >>> clf.predict([{"title": "Rates fall", "source": "unknown", "words": None}]).tolist()
    ['money']
    >>> [part.feature for part in clf.explain(rows[0]).contributions][:3]
    ['words', 'source=bank', 'title: rates']
    """

    _examples = "texts"
    _not_fitted = EstimatorNotFittedError

    def __init__(
        self,
        learner: Any = None,
        *,
        features: str | Iterable[str] = "auto",
        columns: Mapping[str, str | Iterable[str]] | None = None,
        tokenizer: Any = "token",
        ngrams: tuple[int, int] | int = (1, 2),
        skip: int = 0,
        lowercase: bool | None = None,
        accents: str | None = None,
        digits: bool = False,
        html: bool = False,
        stop_words: str | Iterable[str] | None = None,
        min_df: float | str = "auto",
        max_df: float = 1.0,
        max_features: int | None = None,
        hashing: int | bool | None = None,
        weighting: str = "tfidf",
        sublinear_tf: bool = True,
        norm: str | None = "auto",
        C: float | str = "auto",
        class_weight: Any = None,
        classes: Any = None,
        prune: float | str | None = None,
        abstain: float | None = None,
        abstain_label: Any = None,
        n_threads: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.learner = learner
        self.features = features
        self.columns = columns
        self.tokenizer = tokenizer
        self.ngrams = ngrams
        self.skip = skip
        self.lowercase = lowercase
        self.accents = accents
        self.digits = digits
        self.html = html
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.hashing = hashing
        self.weighting = weighting
        self.sublinear_tf = sublinear_tf
        self.norm = norm
        self.C = C
        self.class_weight = class_weight
        self.classes = classes
        self.prune = prune
        self.abstain = abstain
        self.abstain_label = abstain_label
        self.n_threads = n_threads
        self.random_state = random_state

    def fit(self, X: TextInput, y: Labels, sample_weight: Weights | None = None) -> Self:
        """Learn to classify.

        Parameters
        ----------
        X : list of str, TextColumn, pandas, polars or Arrow column
            Texts; or a list of dictionaries (feature to value); or a sparse matrix. With `columns`
            rows: a list of dictionaries, a data frame, an Arrow table or a dictionary of columns.
        y : sequence of labels, or of lists of labels, or a table of 0 and 1
            With lists, a text may have any number of labels and each is learned by itself. A table
            (array, sparse matrix or data frame) has a column for each label, and then
            :meth:`predict` answers with such a table; ``model_`` knows the columns by number or
            name.
        sample_weight : array of shape (n,), optional
            An example of weight 0 counts as if it were not there.
        """
        self._check()
        check_prune(self.prune)
        with restored_on_error(self):
            for name in ("features_", "_increment"):  # of an earlier fit on texts
                self.__dict__.pop(name, None)
            self.indicators_ = Indicators.of(y)
            labels = y if self.indicators_ is None else self.indicators_.lists(y)
            self.__dict__.update(fit_texts(self, X, labels, sample_weight))
        return self

    def partial_fit(self, X: Texts, y: Labels, classes: Labels | None = None) -> Self:
        """Go over the given texts once, from where the last call stopped.

        The learner must be able to learn an example at a time: MaxEnt, which is the default here,
        SVM, Perceptron, MIRA or MultinomialNB. Each text is answered before it is learned;
        ``record_["progressive"]`` says how well.

        Parameters
        ----------
        X : list of str, TextColumn, pandas, polars or Arrow column
        y : sequence of labels
        classes : list of labels, optional
            All labels that will ever come, for the first call; others are refused then. Without
            it a label counts from its first example on.

        Notes
        -----
        Without ``hashing`` the features are those of the texts of the first call.

        Examples
        --------
        >>> import linnet
        >>> clf = linnet.TextClassifier(hashing=16)
        >>> for _ in range(3):
        ...     clf = clf.partial_fit(["a fine film", "a dull book"], ["pos", "neg"])
        >>> clf.predict(["a dull film"]).tolist(), clf.record_["examples"]
        (['neg'], 6)
        """
        from linnet.model.fitting.increment import increment_of

        self._check()
        increment = getattr(self, "_increment", None)
        if increment is None or classes is not None:
            increment = increment_of(self, X, y, classes, increment)
        increment.meet_texts(X, y)
        self.model_ = increment.model(self)
        self.learner_, self._increment = increment.learner, increment
        return self

    def predict(self, X: TextInput) -> NDArray[Any] | Any:
        """Return the label of each row; for several labels lists, or a table as y was one."""
        answers = super().predict(X)
        table = getattr(self, "indicators_", None)
        return answers if table is None else table.table(answers.tolist())

    def score(self, X: TextInput, y: Labels, sample_weight: Weights | None = None) -> float:
        """Return the share of rows whose answer is right, with all labels and no others."""
        table = getattr(self, "indicators_", None)
        known = table is not None and Indicators.of(y) is not None
        return super().score(X, table.lists(y) if table and known else y, sample_weight)

    def decision_function(self, X: TextInput) -> NDArray[np.float64]:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        return self._model().decision_function(X)

    @property
    def multilabel(self) -> bool:
        """Whether a text may have any number of labels."""
        return bool(self._model().multilabel)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

    def _unfitted_learner(self) -> Any:
        if self.learner is None:
            return default_learner()
        named = isinstance(self.learner, str)
        return own_learner(suited_learner(self.learner, "texts") if named else self.learner)

    def _features(self, n: int, blocks: list[str] | None = None) -> TextFeatures:
        """Return what makes features of n texts; with `blocks`, of one of several columns."""
        if self.columns is not None and blocks is None:
            raise ParameterError("Rows of several columns are learned by fit, from all of them.")
        if self.columns is not None and self.features != "auto":
            raise ParameterError(
                "features says what to look at in the only text; with columns= say it there."
            )
        named = self.features if blocks is None else blocks
        min_df: Any = self.min_df
        if min_df == "auto":
            min_df = 2 if n >= 1000 and not self.hashing else 1
        chosen = {name: getattr(self, name) for name in _FEATURES}
        if named not in ("words", "auto"):
            if (chosen.pop("tokenizer"), chosen.pop("ngrams")) != ("token", (1, 2)):
                raise ParameterError(
                    "tokenizer and ngrams say what one kind of features looks at; with features= "
                    "or columns= say it there, such as features=['unicode:1-3', 'char_wb:2-5']."
                )
            chosen["features"] = named
        return TextFeatures(**chosen, min_df=min_df)


_FEATURES = (
    "tokenizer", "ngrams", "skip", "lowercase", "accents", "digits", "html", "stop_words", "max_df",
    "max_features", "hashing", "weighting", "sublinear_tf", "norm", "n_threads",
)  # fmt: skip
