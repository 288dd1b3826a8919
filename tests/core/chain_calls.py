"""Good calls of what reads sentences."""

from __future__ import annotations

from linnet import _core

from .arrays import (
    F64,
    GOLD,
    I32,
    I64,
    PAIR_LABEL,
    PAIR_START,
    SENTENCE,
    U8,
    Call,
    chain,
    ints,
    matrix,
    potentials,
    second,
    tagged,
    zeros,
)


def chain_calls() -> dict[str, Call]:
    state, floats, weights = zeros(4, 3), zeros(5), 5 + 9 + 6
    return {
        "Pairs": (_core.Pairs, {"start": PAIR_START, "label": PAIR_LABEL, "labels": 3}),
        "Chain": (
            _core.Chain,
            {
                "tokens": matrix(),
                "sentence": SENTENCE,
                "pair_start": PAIR_START,
                "pair_label": PAIR_LABEL,
                "labels": 3,
                "following_start": ints(0, 1, 2, 2, kind=I64),
                "following_next": ints(1, 2),
                "order": 2,
                "following_triple": zeros(27, kind=U8),
            },
        ),
        "ObservedPairs": (_core.ObservedPairs, {"tokens": matrix(), "gold": GOLD, "labels": 3}),
        "ObservedPairs.copy": (
            _core.ObservedPairs(matrix(), GOLD, 3).copy,
            {
                "start": zeros(4, kind=I64),
                "label": zeros(_core.ObservedPairs(matrix(), GOLD, 3).size, kind=I32),
            },
        ),
        "Potentials": (
            _core.Potentials,
            {
                "transition": zeros(3, 3),
                "start": zeros(3),
                "stop": zeros(3),
                "second": zeros(3, 3, 3),
            },
        ),
        "crf_evaluate": (
            _core.crf_evaluate,
            tagged(l2=1.0, w=zeros(weights), gradient=zeros(weights), threads=1),
        ),
        "crf_minimize": (
            _core.crf_minimize,
            {
                "solver": "lbfgs",
                **tagged(
                    frozen=zeros(weights, kind=U8),
                    l2=1.0,
                    l1=0.0,
                    w=zeros(weights),
                    tolerance=0.1,
                    max_iterations=2,
                    memory=2,
                    record=None,
                    threads=1,
                ),
            },
        ),
        "crf_value": (_core.crf_value, tagged(l2=1.0, w=zeros(weights), threads=1)),
        "crf_sgd_rate": (_core.crf_sgd_rate, tagged(decay=0.1, sample=ints(0, 1, kind=I64))),
        "crf_sgd_pass": (
            _core.crf_sgd_pass,
            tagged(
                decay=0.1,
                rate=0.1,
                order=ints(1, 0, kind=I64),
                weights=zeros(weights),
                sums=zeros(weights),
                state=ints(0, 1, 0, kind=F64),
            ),
        ),
        "structured_rounds": (
            _core.structured_rounds,
            tagged(
                rule="perceptron",
                averaging="after",
                variant="pa1",
                cap=1.0,
                augmented=False,
                beam=0,
                orders=ints(0, 1, kind=I64)[None],
                weights=zeros(weights),
                sums=zeros(weights),
                state=zeros(2),
                trace=(zeros(4, kind=I32), zeros(2), zeros(2)),
                record=lambda *_: True,
            ),
        ),
        "structured_svm": (
            _core.structured_svm,
            tagged(
                tolerance=0.1,
                max_iterations=2,
                shuffle=False,
                seed=0,
                w=zeros(weights),
                record=lambda *_: True,
                threads=1,
            ),
        ),
        "state_scores": (
            _core.state_scores,
            {"chain": chain(), "weights": floats, "out": zeros(4, 3), "threads": 1},
        ),
        "decode": (
            _core.decode,
            {
                "chain": chain(),
                "weights": floats,
                "potentials": potentials(),
                "beam": 0,
                "labels": zeros(4, kind=I32),
                "scores": zeros(2),
                "threads": 1,
            },
        ),
        "decode_table": (
            _core.decode_table,
            {
                "state": state,
                "sentence": SENTENCE,
                "potentials": potentials(),
                "beam": 0,
                "labels": zeros(4, kind=I32),
                "scores": zeros(2),
                "threads": 1,
            },
        ),
        "marginals": (
            _core.marginals,
            {
                "chain": chain(),
                "weights": floats,
                "potentials": potentials(),
                "out": zeros(4, 3),
                "log_z": zeros(2),
                "threads": 1,
            },
        ),
        "marginals_table": (
            _core.marginals_table,
            {
                "state": state,
                "sentence": SENTENCE,
                "potentials": potentials(),
                "out": zeros(4, 3),
                "log_z": zeros(2),
                "threads": 1,
            },
        ),
        "n_best": (
            _core.n_best,
            {
                "state": state,
                "sentence": SENTENCE,
                "potentials": potentials(),
                "labels": zeros(2 * 4, kind=I32),
                "scores": zeros(2, 2),
                "counts": zeros(2, kind=I64),
                "threads": 1,
            },
        ),
        "pair_marginals": (
            _core.pair_marginals,
            {
                "state": state,
                "sentence": SENTENCE,
                "potentials": second(),
                "out": zeros(4, 3, 3),
                "log_z": zeros(2),
                "threads": 1,
            },
        ),
        "decode_prefixes": (
            _core.decode_prefixes,
            {
                "state": state,
                "sentence": SENTENCE,
                "after": zeros(2, 4, 3),
                "is_probability": True,
                "width": 2,
                "labels": zeros(4, kind=I32),
                "scores": zeros(2),
                "threads": 1,
            },
        ),
    }
