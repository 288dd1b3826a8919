r"""The maximum entropy Markov model (M-113, M-114, M-120).

Model
    P(T | W) = prod_i P(t_i | x_i, t_{i-1}), each factor a MaxEnt model           S1 Eq. 74-75
Given
    sentences X (n, J), one token a row; tags 0..L-1; before the first token stands the start
    symbol, numbered L.
Returned
    "shared"     one W (J+L+1, L): the previous tag is L+1 more indicator features
    "per_state"  L+1 models W (L+1, J, L): W[i] is trained on the tokens that follow tag i (A-56)

Training is MaxEnt on single tokens with the gold previous tag: 1/2 ||W||^2 + C sum of losses. The
logarithms of the local distributions are one transition matrix a step of a chain, so decoding is
Viterbi with P(s_j | s_i, o_t) (Eq. 76, A-57), or beam search (Eq. 77).

Every local distribution sums to 1, and so do the probabilities of all L^n tag sequences: Z = 1.
That is the label bias: a state whose training tokens all go to one successor sends nearly all its
mass there, whatever the word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from linnet.errors import DataError, ParameterError
from linnet.reference.beam_search import beam_search
from linnet.reference.chain import Chain
from linnet.reference.common import FloatArray, IntArray, one_hot
from linnet.reference.global_features import GlobalMap
from linnet.reference.lbfgs import lbfgs
from linnet.reference.maxent import summed_loss
from linnet.reference.viterbi import viterbi

__all__ = ["Mode", "chain", "decode", "fit", "local_distributions", "with_previous"]

Mode = Literal["shared", "per_state"]


def with_previous(X: FloatArray, previous: IntArray, n_labels: int) -> FloatArray:
    """Append the indicators of the previous tag, the start symbol last: (n, J+L+1).

    Examples
    --------
    >>> with_previous(np.array([[7.0], [8.0]]), np.array([2, 0]), 2)
    array([[7., 0., 0., 1.],
           [8., 1., 0., 0.]])
    """
    return np.hstack([X, one_hot(previous, n_labels + 1)])


def local_distributions(X: FloatArray, W: FloatArray) -> FloatArray:
    """Return ln P(t | x, previous) for every token and every previous tag or start: (n, L+1, L).

    W has two axes in the shared mode and three in the per-state mode.

    Examples
    --------
    >>> np.exp(local_distributions(np.ones((1, 1)), np.zeros((4, 2))))
    array([[[0.5, 0.5],
            [0.5, 0.5],
            [0.5, 0.5]]])
    """
    L, J = W.shape[-1], X.shape[1]
    if W.shape not in ((J + L + 1, L), (L + 1, J, L)):
        raise DataError(f"W has shape {W.shape}: need {(J + L + 1, L)} or {(L + 1, J, L)}")
    shared = W.ndim == 2
    scores = (X @ W[:J])[:, None, :] + W[J:] if shared else np.einsum("nj,ijl->nil", X, W)
    return np.asarray(scores - np.logaddexp.reduce(scores, axis=2)[:, :, None])


def chain(X: FloatArray, W: FloatArray) -> Chain:
    """Chain whose score of a tag sequence is ln P(T | W).

    Examples
    --------
    >>> scores = chain(np.ones((3, 1)), np.zeros((4, 2)))
    >>> round(float(np.exp(scores.score(np.array([0, 1, 1])))), 12)
    0.125
    """
    local = local_distributions(X, W)
    L = W.shape[-1]
    if len(X) == 0:
        return Chain.of(np.zeros((0, L)))
    return Chain.of(np.zeros((len(X), L)), local[1:, :L], start=local[0, L])


def decode(X: FloatArray, W: FloatArray, beam: int | None = None) -> IntArray:
    """Most probable tags by Viterbi, or by beam search of the given width.

    Examples
    --------
    >>> W = np.array([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    >>> decode(np.array([[1.0], [-1.0]]), W), decode(np.array([[1.0], [-1.0]]), W, beam=1)
    (array([1, 0]), array([1, 0]))
    """
    scores = chain(X, W)
    return viterbi(scores).labels if beam is None else beam_search(scores, beam)[0].labels


def fit(
    sentences: Sequence[FloatArray],
    tags: Sequence[IntArray],
    n_labels: int,
    *,
    mode: Mode = "shared",
    C: float = 1.0,
    tolerance: float = 1e-8,
) -> FloatArray:
    """Train the local models by L-BFGS; a state that is never left keeps W = 0, the uniform choice.

    Examples
    --------
    >>> X, y = [np.eye(2)], [np.array([0, 1])]
    >>> decode(X[0], fit(X, y, 2)), decode(X[0], fit(X, y, 2, mode="per_state"))
    (array([0, 1]), array([0, 1]))
    """
    if mode not in ("shared", "per_state"):
        raise ParameterError(f"mode={mode!r}: use 'shared' or 'per_state'")
    if not sentences:
        raise DataError("no sentences to learn from")
    GlobalMap(sentences[0].shape[1], n_labels).check(sentences, tags)
    X, y = np.concatenate(sentences), np.concatenate(tags).astype(np.intp)
    starts = [np.concatenate([[n_labels], labels])[:-1] for labels in tags]
    previous = np.concatenate(starts).astype(np.intp)
    if mode == "shared":
        return _maxent(with_previous(X, previous, n_labels), y, n_labels, C, tolerance)
    groups = [previous == state for state in range(n_labels + 1)]
    return np.stack([_maxent(X[group], y[group], n_labels, C, tolerance) for group in groups])


def _maxent(X: FloatArray, y: IntArray, n_labels: int, C: float, tolerance: float) -> FloatArray:
    problem = summed_loss(X, y, n_labels, C)
    return lbfgs(problem, np.zeros(problem.shape), tolerance=tolerance * max(1.0, C)).x
