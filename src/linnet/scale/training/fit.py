"""Training on a cluster: the estimators of one machine, over parts that stay on their workers."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeVar

from linnet.errors import ParameterError
from linnet.learn.chain.tagger import ChainClassifier
from linnet.learn.flat.base import Learner
from linnet.learn.hmm.hmm import HMM
from linnet.model.row_classifier import RowClassifier
from linnet.model.sequence_tagger import SequenceTagger
from linnet.model.text_classifier import TextClassifier
from linnet.scale.training.origins import parts_of
from linnet.scale.training.pieces import form_of
from linnet.scale.workers import open_cluster

__all__ = ["fit"]

Estimator = TypeVar("Estimator")


def fit(
    estimator: Estimator,
    source: Any,
    *,
    client: Any = None,
    text: Any = None,
    label: Any = None,
    part_bytes: int | None = None,
    **reading: Any,
) -> Estimator:
    """Fit an estimator on the workers of a Dask cluster.

    Parameters
    ----------
    estimator : TextClassifier, RowClassifier, SequenceTagger, or a learner such as MaxEnt
        It is fitted in place, and is then as any other: it predicts, explains itself and is saved.
        A learner reads vectors: numbers, or feature dictionaries; one of sentences reads features.
    source : bag, data frame, arrays, list of delayed parts, or names of files
        A bag of pairs (example, label), or of dictionaries; a Dask data frame with a column of
        texts (or columns of values) and one of labels; a pair of Dask arrays (X, y) in the same
        chunks of rows; delayed parts or futures, each a pair (X, y), a data frame or a list of
        pairs; or names of files and patterns, which every worker must be able to read.
    client : distributed.Client or str, optional
        The client of a cluster, or the address of its scheduler. By default the current client of
        this process; if there is none, a cluster of processes on this machine is started for the
        fit, one process for each core.
    text, label : str or int, optional
        The columns or keys of examples and labels, "text" and "label" in frames and dictionaries,
        found out in files.
    part_bytes : int, optional
        About how large the parts are that files are cut into. By default a sixteenth of all, but
        at least 64 kB and at most 32 MB. The model depends on the parts in its last bits only, and
        on the number of workers not at all.
    reading : what :func:`linnet.data.read_examples` takes
        ``format``, ``delimiter`` and so on, for files.

    Returns
    -------
    estimator
        Fitted.

    Raises
    ------
    DataError
        For a part that cannot be read or learned from; the message names part and worker.
    ClusterError
        When the scheduler is gone, or a part has killed several workers.

    Examples
    --------
    >>> import dask.bag, distributed, linnet
    >>> from linnet.scale import fit
    >>> reviews = dask.bag.from_sequence(
    ...     [("a fine film", "pos"), ("a dull book", "neg")] * 20, npartitions=4)
    >>> with distributed.Client(processes=False, dashboard_address=None) as client:
    ...     clf = fit(linnet.TextClassifier("nb"), reviews, client=client)
    >>> clf.predict(["a fine book", "a dull film"]).tolist()
    ['pos', 'neg']
    """
    kind = _kind(estimator)
    form = form_of(kind, text, label, reading)
    with open_cluster(client) as cluster:
        parts = parts_of(cluster, source, form, part_bytes)
        import_module(f"linnet.scale.training.{kind}").fit(estimator, cluster, parts)
    return estimator


def _kind(estimator: Any) -> str:
    """Return the name of the module that fits an estimator."""
    kinds = {
        TextClassifier: "texts", SequenceTagger: "sentences", RowClassifier: "rows",
        Learner: "vectors", HMM: "words", ChainClassifier: "features",
    }  # fmt: skip
    for cls, kind in kinds.items():
        if isinstance(estimator, cls):
            return kind
    raise ParameterError(
        "a cluster trains a TextClassifier, a RowClassifier, a SequenceTagger or a learner, not "
        f"{type(estimator).__name__}"
    )
