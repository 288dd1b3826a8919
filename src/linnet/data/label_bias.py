r"""Words of a noisy automaton that shows the label bias (SPEC M-120; Lafferty et al. 2001, 5.1).

The automaton has two branches that differ in their second letter only,

    start → 1 → 2 → 3   emits  r i b
    start → 4 → 5 → 3   emits  r o b

and takes either with probability 1/2. Each state emits its letter with probability 1 - 3q and each
of the other three with probability q, by default 1/32. The labels are the states.

The first letter has the same distribution in both branches and the third comes from the same state:
only the second tells them apart. It points to the wrong branch with probability q and to neither
with 2q, so the best decision takes the wrong branch in q + 2q/2 = 2q of the words (1/16), and gets
two of three labels wrong there: an error of 4q/3 per label (1/24 = 4.17 %).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError

__all__ = ["RIB_ROB", "make_rib_rob", "rib_rob_error", "rib_rob_transitions"]

#: The letter that each state emits by design.
RIB_ROB = {"1": "r", "2": "i", "3": "b", "4": "r", "5": "o"}

_LETTERS = "riob"
_BRANCHES = ("123", "453")


def make_rib_rob(
    n: int, *, flip: float = 1 / 32, seed: int | None = 0
) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Draw words of the noisy automaton, with their states.

    Parameters
    ----------
    n : int
        Number of words, of three letters each.
    flip : float
        Probability of each of the three letters that a state does not mean, from 0 to 1/4.
    seed : int or None
        The same seed gives the same words; None draws a fresh one.

    Returns
    -------
    X : list of n words
        A word is a list of tokens, a token a list of one feature: the letter.
    y : list of n lists of states

    Examples
    --------
    >>> X, y = make_rib_rob(4, seed=6)
    >>> ["".join(letter for [letter] in word) for word in X]
    ['rib', 'rob', 'roi', 'rrb']
    >>> ["".join(states) for states in y]
    ['123', '453', '453', '123']
    """
    _check_flip(flip)
    if n < 0:
        raise ParameterError(f"the number of words must not be negative, got {n}")
    rng = np.random.default_rng(seed)
    branch = rng.integers(0, len(_BRANCHES), n)
    chance = rng.random((n, 3))
    y = [list(_BRANCHES[b]) for b in branch.tolist()]
    table = {state: _letters_of(state) for state in RIB_ROB}
    X = []
    for states, chances in zip(y, chance.tolist(), strict=True):
        places = [min(2, int(u / flip)) if u < 3 * flip else 3 for u in chances]
        X.append([[table[s][k]] for s, k in zip(states, places, strict=True)])
    return X, y


def _letters_of(state: str) -> str:
    """Return the three letters a state emits by mistake, then its own."""
    meant = RIB_ROB[state]
    return _LETTERS.replace(meant, "") + meant


def rib_rob_transitions(states: list[str] | None = None) -> NDArray[np.bool_]:
    """Return which state may follow which: shape (L + 1, L), the start last.

    Parameters
    ----------
    states : list of str, optional
        Their order, by default from 1 to 5.

    Examples
    --------
    >>> rib_rob_transitions().astype(int)[-1]  # from the start to the states 1 and 4
    array([1, 0, 0, 1, 0])
    """
    names = list(RIB_ROB) if states is None else list(states)
    if sorted(names) != sorted(RIB_ROB):
        raise ParameterError(f"the states are {sorted(RIB_ROB)}, got {names}")
    legal = np.zeros((len(names) + 1, len(names)), bool)
    for branch in _BRANCHES:
        path = [len(names), *(names.index(state) for state in branch)]
        legal[path[:-1], path[1:]] = True
    return legal


def rib_rob_error(flip: float = 1 / 32) -> tuple[float, float]:
    """Return the smallest possible error: share of wrong labels, share of words with one.

    Examples
    --------
    >>> rib_rob_error()
    (0.041666666666666664, 0.0625)
    """
    _check_flip(flip)
    return 4 * flip / 3, 2 * flip


def _check_flip(flip: float) -> None:
    if not 0 <= flip <= 0.25:
        raise ParameterError(f"flip must be from 0 to 1/4, got {flip}")
