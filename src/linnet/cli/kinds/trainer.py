"""Who learns from files of one kind, with the settings of the command line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from linnet.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from linnet.cli.kinds.labelled import Labelled
    from linnet.learn.shared.known import Kind as KindName

__all__ = ["Trainer", "apply_settings", "learner_for"]


class Trainer(ABC):
    """How the files of one kind are read, and who learns from them.

    Attributes
    ----------
    name : str
        Of the learner.
    estimator : TextClassifier, RowClassifier or SequenceTagger
    """

    name: str
    estimator: Any
    _reading: dict[str, Any]  # what the command line says about files

    @abstractmethod
    def read(self, data: str, source: Any = None) -> Labelled:
        """Read a labelled file; `source` is what was opened of it."""

    def fit(self, data: Labelled) -> Any:
        """Return a model that remembers how its files are read."""
        return self.estimator.fit(data.X, data.y).model_

    def fit_cached(self, data: str, folder: Path, quiet: bool) -> Any:
        """Return a model of a file that may be larger than memory; features go to a folder."""
        raise ParameterError(f"--cache is for texts, and {data} holds none; leave it out")

    def fit_on_cluster(self, files: list[str], cluster: str) -> Any:
        """Return a model of files that the workers of a cluster read."""
        from linnet.scale.cluster import cluster_client
        from linnet.scale.training.fit import fit

        reading = {name: value for name, value in self._reading.items() if value is not None}
        with cluster_client(cluster) as client:
            return fit(self.estimator, files, client=client, **reading).model_

    @abstractmethod
    def facts(self, model: Any, n: int) -> dict[str, Any]:
        """Return what the model was trained on, as plain values."""

    @abstractmethod
    def sentence(self, facts: dict[str, Any]) -> str:
        """Return what the model was trained on, in words."""


def learner_for(kind: KindName, name: str, settings: dict[str, Any]) -> Any:
    """Return a new learner by its name, with what suits such data and then with `settings`.

    Examples
    --------
    >>> learner_for("rows", "memory", {}).feature_weights
    'gain_ratio'
    >>> learner_for("texts", "memory", {"k": 3})
    MemoryBased(k=3, metric='cosine', neighbors='examples', vote='inverse_linear')
    """
    from linnet.learn.shared.known import suited_learner

    return apply_settings(suited_learner(name, kind), settings)


def apply_settings(learner: Any, settings: dict[str, Any]) -> Any:
    """Give the learner its parameters; the error for an unknown one lists those it has."""
    known = learner.get_params(deep=False)
    for name in settings:
        if name not in known and not (name.startswith("solver__") and "solver" in known):
            names = ", ".join(sorted(known))
            raise ParameterError(
                f"--set {name}: {type(learner).__name__} has no such parameter; it has {names}"
            )
    return learner.set_params(**settings)
