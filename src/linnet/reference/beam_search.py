r"""Beam search and greedy decoding (M-115).

Problem
    a good labelling when the score of a label may depend on all labels before it
Given
    a chain, the beam size N.
Returned
    the N prefixes that are left at the last token, the best first.

S1 "MaxEnt with beam search": keep the N best prefixes; extend each with every label; keep the N
best of these by the sum of their local scores (the product of probabilities, Eq. 77), and go on to
the next token if there is one (A-58). Prefixes with the same last label are not joined, and ties
go to the prefix that was made first: from the better old prefix, then with the lower label.

N = 1 is the greedy tagger. N >= L^(n-1) never drops anything before the last step, so it is exact.
In between the search may lose the best labelling, and a wider beam may even return a worse one.
"""

from __future__ import annotations

import numpy as np

from linnet.errors import ParameterError
from linnet.reference.chain import Chain, Path

__all__ = ["beam_search", "greedy"]


def beam_search(chain: Chain, width: int = 5) -> list[Path]:
    """Return the last beam, the best labelling first.

    Examples
    --------
    >>> chain = Chain.of(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0, -5.0], [0, 0]]))
    >>> beam_search(chain, 1), beam_search(chain, 2)[0].score
    ([Path(labels=array([0, 0]), score=1.0)], 2.0)
    """
    if width < 1:
        raise ParameterError(f"width={width}: keep at least one prefix")
    beam: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for t in range(chain.n_tokens):
        longer = [
            (score + local, (*labels, label))
            for score, labels in beam
            for label, local in enumerate(chain.local(t, labels).tolist())
        ]
        beam = sorted(longer, key=lambda prefix: -prefix[0])[:width]  # sorting keeps ties in order
    return [Path(np.array(labels, dtype=np.intp), score) for score, labels in beam]


def greedy(chain: Chain) -> Path:
    """Take the best label at each token, given the labels already taken.

    Examples
    --------
    >>> greedy(Chain.of(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0, -5.0], [0, 0]])))
    Path(labels=array([0, 0]), score=1.0)
    """
    labels: tuple[int, ...] = ()
    score = 0.0
    for t in range(chain.n_tokens):
        scores = score + chain.local(t, labels)
        labels = (*labels, int(np.argmax(scores)))
        score = float(scores[labels[-1]])
    return Path(np.array(labels, dtype=np.intp), score)
