"""The lattice's numbers: those of the learners, and of the reference to 1e-9."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.errors import ParameterError
from linnet.lab.lattice import answer
from linnet.lab.lattice.examples import EXAMPLES, read_corpus
from linnet.lab.lattice.trellis import Trellis
from linnet.reference.beam_search import beam_search
from linnet.reference.chain import Chain
from linnet.reference.forward_backward import forward_backward
from linnet.reference.viterbi import n_best, viterbi

CLOSE = {"rtol": 0, "atol": 1e-9}


def array(values: Any) -> Any:
    """Return the page's numbers; None is minus infinity."""
    table = np.array(values, dtype=object)
    return np.where(table == None, -np.inf, table).astype(float)  # noqa: E711


def lattice(state: dict[str, Any], model: str) -> dict[str, Any]:
    return next(one for one in state["lattices"] if one["model"] == model)


def reference_chain(state: dict[str, Any], model: str) -> Chain:
    """Build the reference's chain from the numbers that the page shows and edits."""
    one, words = lattice(state, model), state["words"]
    parts = {name: array(part) for name, part in one["parameters"].items()}
    rows = [one["vocabulary"].index(word) for word in words]
    emission, L = parts["emission"][rows], len(state["labels"])
    legal = np.ones((L + 1, L), bool)
    for before, after in state["forbidden"]:
        place = state["labels"].index(before) if before else L
        legal[place, state["labels"].index(after)] = False
    with np.errstate(divide="ignore"):
        if model == "hmm":
            emission, *others = (
                np.log(part)
                for part in (emission, parts["transition"], parts["start"], parts["stop"])
            )
            chain = Chain.of(emission, *others)
        elif model == "crf":
            chain = Chain.of(emission, parts["transition"], parts["start"], parts["stop"])
        else:
            whole = emission if one["per_state"] else emission[:, None, :]
            local = whole + np.vstack([parts["transition"], parts["start"]])
            local = local - np.logaddexp.reduce(local, axis=2)[:, :, None]
            chain = Chain.of(np.zeros((len(words), L)), local[1:, :L], start=local[0, L])
    return chain.constrained(transition=legal[:L], start=legal[L])


settings = [
    {"example": name, "constraints": constraints}
    for name in EXAMPLES
    for constraints in (False, True)
]
settings += [
    {"example": "fish", "sentence": "can fish swim fish can", "beam": 1},
    {"example": "fish", "edits": [["hmm", "emission", "can", "V", 0.9]]},
    {"example": "bias", "sentence": "r i b", "edits": [["memm", "emission", "i", "2", 3.0, "1"]]},
    {"example": "crf", "forbidden": [["", "A"]], "edits": [["crf", "stop", "", "B", 2.0]]},
    {"example": "fish", "edits": [["memm", "emission", "can", "V", -5000.0]]},
    {"example": "random", "tokens": 6, "tags": 4, "seed": 3, "beam": 3},
    {"example": "own", "corpus": "a/X b/Y\nb/X", "sentence": "b unseen a"},
]


@pytest.mark.spec("F-05", "F-06", "F-13", "M-112", "M-115", "M-118", "M-119")
@pytest.mark.parametrize("model", ["hmm", "memm", "crf"])
@pytest.mark.parametrize("asked", settings, ids=lambda asked: json.dumps(asked))
def test_every_number_of_a_lattice_equals_the_reference(asked: dict[str, Any], model: str) -> None:
    state = answer(asked)
    one, chain = lattice(state, model), reference_chain(state, model)
    expected = forward_backward(chain)
    assert one["log_z"] == pytest.approx(expected.log_partition, abs=1e-9)
    np.testing.assert_allclose(one["marginal"], expected.token, **CLOSE)
    total = array(one["alpha"]) + array(one["beta"]) - one["log_z"]
    np.testing.assert_allclose(np.exp(total), expected.token, **CLOSE)
    best = viterbi(chain)
    assert one["best"]["labels"] == best.labels.tolist()
    assert one["best"]["score"] == pytest.approx(best.score, abs=1e-9)
    assert trace(one, chain.stop) == best.labels.tolist()
    ranked = n_best(chain, 5)
    assert [path["score"] for path in one["n_best"]] == pytest.approx(
        [path.score for path in ranked], abs=1e-9
    )
    last = beam_search(chain, asked.get("beam", 2))
    kept = [path.score for path in last if path.score > -np.inf]
    assert [kept[2] for kept in one["beam"][-1]] == pytest.approx(kept, abs=1e-9)
    assert one["beam_best"]["labels"] == last[0].labels.tolist()


def trace(one: dict[str, Any], stop: Any) -> list[int]:
    """Follow the back pointers from the best last cell, as the page does."""
    labels = [int(np.argmax(array(one["viterbi"])[-1] + stop))]
    for row in reversed(one["back"][1:]):
        labels.append(row[labels[-1]])
    return labels[::-1]


@given(
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(0, 10**6),
)
def test_forward_backward_and_viterbi_cells_are_those_of_enumeration(
    n: int, L: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    first, between, stop = rng.normal(size=L), rng.normal(size=(n - 1, L, L)), rng.normal(size=L)
    trellis = Trellis(first, between, stop)
    alpha, beta, (v, _) = trellis.forward(), trellis.backward(), trellis.viterbi()
    for t in range(n):
        for j in range(L):
            before = [
                first[y[0]] + sum(between[k, y[k], y[k + 1]] for k in range(t))
                for y in product(range(L), repeat=t + 1)
                if y[-1] == j
            ]
            after = [
                stop[y[-1]] + sum(between[t + k, y[k], y[k + 1]] for k in range(n - 1 - t))
                for y in product(range(L), repeat=n - t)
                if y[0] == j
            ]
            assert alpha[t, j] == pytest.approx(np.logaddexp.reduce(before), abs=1e-12)
            assert beta[t, j] == pytest.approx(np.logaddexp.reduce(after), abs=1e-12)
            assert v[t, j] == pytest.approx(max(before), abs=1e-12)


@pytest.mark.spec("F-06")
def test_fish_can_swim_has_the_numbers_of_the_worked_example() -> None:
    one = lattice(answer({"n_best": 8}), "hmm")
    assert np.exp(one["log_z"]) == pytest.approx(0.035612, abs=1e-12)
    paths = {"".join("NV"[i] for i in path["labels"]): path["score"] for path in one["n_best"]}
    expected = {"NNN": .00108, "NNV": .0126, "NVN": .00504, "NVV": .0063, "VNN": .000768,
                "VNV": .00896, "VVN": .000384, "VVV": .00048}  # fmt: skip
    assert {name: np.exp(score) for name, score in paths.items()} == pytest.approx(expected)
    np.testing.assert_allclose(
        np.array(one["marginal"])[:, 0], [0.702572, 0.657307, 0.204201], atol=5e-7
    )


@pytest.mark.spec("F-05")
def test_a_b_a_has_the_numbers_of_the_worked_example() -> None:
    one = lattice(answer({"example": "crf"}), "crf")
    assert one["log_z"] == pytest.approx(3.3532823441, abs=1e-10)
    np.testing.assert_allclose(
        np.array(one["marginal"])[:, 0], [0.681266, 0.556913, 0.805540], atol=5e-7
    )
    assert one["best"]["labels"] == [0, 0, 0]
    assert np.argmax(one["state"], axis=1).tolist() == [0, 1, 0]


@pytest.mark.spec("F-13", "M-120")
def test_the_memm_gets_r_o_b_wrong_and_the_others_do_not() -> None:
    state = answer({"example": "bias"})
    named = {
        one["model"]: "".join(state["labels"][i] for i in one["best"]["labels"])
        for one in state["lattices"]
    }
    assert named == {"hmm": "453", "memm": "123", "crf": "453"}
    ranked = [path["probability"] for path in lattice(state, "memm")["n_best"][:2]]
    assert ranked == pytest.approx([0.702, 0.248], abs=5e-4)
    assert lattice(state, "crf")["best"]["probability"] == pytest.approx(0.992, abs=5e-4)


def test_constraints_keep_a_chunk_from_beginning_inside() -> None:
    free, legal = (answer({"example": "names", "constraints": on}) for on in (False, True))
    for before, after in zip(free["lattices"], legal["lattices"], strict=True):
        assert free["labels"][before["best"]["labels"][0]] == "I-LOC"
        assert legal["labels"][after["best"]["labels"][0]].startswith("B-")


def test_an_edit_changes_its_model_and_no_other() -> None:
    plain = answer({})
    edited = answer({"edits": [["hmm", "transition", "N", "V", 0.0]]})
    assert lattice(edited, "hmm")["best"] != lattice(plain, "hmm")["best"]
    assert lattice(edited, "crf") == lattice(plain, "crf")


def test_a_sentence_without_a_possible_labelling_says_so() -> None:
    edits = [["hmm", "emission", "can", "N", 0], ["hmm", "emission", "can", "V", 0]]
    one = lattice(answer({"edits": edits}), "hmm")
    assert one["log_z"] is one["best"] is one["marginal"] is one["beam_best"] is None
    assert one["alpha"][1] == [None, None]


def test_forty_tokens_with_49_tags_are_answered_as_json_without_nan() -> None:
    state = answer({"example": "random", "tokens": 40, "tags": 49})
    assert np.array(lattice(state, "crf")["alpha"]).shape == (40, 49)
    json.dumps(state, allow_nan=False)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"example": "none"}, "example must be one of"),
        ({"sentence": ""}, "1 to 100 words"),
        ({"sentence": 3}, "sentence must be text"),
        ({"models": ["svm"]}, "models must be"),
        ({"models": []}, "models must be"),
        ({"beam": 0}, "beam must lie between 1 and 50"),
        ({"beam": True}, "beam must be a number"),
        ({"n_best": 1000}, "n_best must lie"),
        ({"constraints": "on"}, "constraints must be true or false"),
        ({"forbidden": [["N"]]}, "forbidden needs pairs"),
        ({"forbidden": [["X", "N"]]}, "forbidden needs pairs"),
        ({"forbidden": 1}, "forbidden must be a list"),
        ({"edits": [["hmm", "emission", "can", "X", 0.5]]}, "no label 'X'"),
        ({"edits": [["hmm", "emission", "can", "V", 1.5]]}, "a probability is from 0 to 1"),
        ({"edits": [["crf", "emission", "can", "V", float("nan")]]}, "a weight is from"),
        ({"edits": [["crf", "emission", "can", "V", "x"]]}, "must be a number"),
        ({"edits": [["memm", "stop", "", "V", 1]]}, "memm has no 'stop'"),
        ({"edits": ["x"]}, "an edit is"),
        ({"edits": {}}, "edits must be a list"),
        ({"example": "own", "corpus": "a b/X"}, "line 1 .*'a': write word/tag"),
        ({"example": "own", "corpus": 1}, "corpus must be text"),
        ({"example": "own", "corpus": "a/X b/Y", "C": -1}, "C must lie"),
        ({"example": "own", "corpus": " ".join(f"a/T{k}" for k in range(40))}, "at most"),
    ],
)
def test_settings_that_cannot_work_are_named(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        answer(asked)


def test_a_corpus_without_sentences_is_refused() -> None:
    with pytest.raises(ParameterError, match="no tagged sentences"):
        read_corpus("\n \n")
