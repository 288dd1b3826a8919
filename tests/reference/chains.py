"""Small random chains and tagged sentences, for any test to import."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from linnet.reference.chain import Chain

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


def random_chain(
    n: int,
    L: int,
    *,
    seed: int = 0,
    order: int = 1,
    per_step: bool = False,
    whole: bool = False,
    forbidden: float = 0.0,
) -> Chain:
    """Normal scores, or whole numbers that make ties; a share of them -inf."""
    rng = np.random.default_rng(seed)

    def scores(*shape: int) -> FloatArray:
        values = rng.integers(-1, 2, shape).astype(float) if whole else 2 * rng.normal(size=shape)
        return np.where(rng.random(shape) < forbidden, -np.inf, values)

    steps = (max(n - 1, 0), L, L) if per_step else (L, L)
    second = scores(L, L, L) if order == 2 else None
    return Chain.of(scores(n, L), scores(*steps), scores(L), scores(L), second)


def chains(
    orders: tuple[int, ...] = (1, 2),
    whole: bool | None = None,
    forbidden: tuple[float, ...] = (0.0, 0.2, 0.6),
    max_tokens: int = 6,
    max_labels: int = 4,
) -> st.SearchStrategy[Chain]:
    """Chains of at most six tokens and four labels, the sizes that enumeration can judge."""
    return st.builds(
        random_chain,
        st.integers(0, max_tokens),
        st.integers(1, max_labels),
        seed=st.integers(0, 2**31),
        order=st.sampled_from(orders),
        per_step=st.booleans(),
        whole=st.booleans() if whole is None else st.just(whole),
        forbidden=st.sampled_from(forbidden),
    )


def tagged_sentences(
    lengths: tuple[int, ...], n_features: int, n_labels: int, seed: int = 0
) -> tuple[list[FloatArray], list[IntArray]]:
    """Normal features and uniform labels."""
    rng = np.random.default_rng(seed)
    sentences = [rng.normal(size=(n, n_features)) for n in lengths]
    return sentences, [rng.integers(0, n_labels, n) for n in lengths]


def label_bias() -> tuple[list[FloatArray], list[IntArray]]:
    """F-13: 3 times rib with labels 1 2 3, once rob with 4 5 3 (here 0 1 2, 3 4 2); bias last."""
    letters = np.hstack([np.eye(4), np.ones((4, 1))])
    rib, rob = (letters[["riob".index(c) for c in word]] for word in ("rib", "rob"))
    gold = [np.array([0, 1, 2])] * 3 + [np.array([3, 4, 2])]
    return [rib, rib, rib, rob], gold
