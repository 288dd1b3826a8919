"""Taggers over a stream of sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.stream.conftest import Killed, killed_after
from typer.testing import CliRunner

import linnet
from linnet import _core
from linnet.cli.app import app
from linnet.errors import DataError, ParameterError
from linnet.model.readers.tokens import read_tokens
from linnet.stream import limits
from linnet.stream import run as stream_run
from linnet.text.token_features import TokenFeatures
from linnet.text.token_vocabulary import TokenVocabulary

NOUNS, VERBS = ("dog", "cat", "bird", "plan"), ("sees", "plans", "dogs", "runs")


def sentences(n: int, seed: int = 0) -> list[list[tuple[str, str]]]:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        pair = [(f"{rng.choice(['the', 'a'])}", "D"), (str(rng.choice(NOUNS)), "N")]
        made.append([*pair, (str(rng.choice(VERBS)), "V"), *pair])
    return made


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(limits, "BLOCK", 2000)
    path = tmp_path / "corpus.conll"
    text = "\n\n".join("\n".join("\t".join(pair) for pair in one) for one in sentences(400))
    path.write_text(text + "\n")
    return path


def weights(tagger: Any) -> list[Any]:
    chain = tagger.model_.chain
    return [chain.pair_weight, chain.transition, chain.start, chain.stop]


@pytest.mark.parametrize(
    "learner",
    [
        None,
        linnet.StructuredMIRA(),
        linnet.StructuredPerceptron(pairs="all"),
        linnet.CRF(),
        linnet.CRF(order=2, transitions="observed", solver=linnet.SGD(average=True)),
    ],
    ids=str,
)
def test_a_tagger_learns_from_a_stream(learner: Any, corpus: Path, tmp_path: Path) -> None:
    tagger = linnet.fit_stream(linnet.SequenceTagger(learner), corpus, passes=2)
    new = sentences(50, seed=1)
    assert tagger.score(*_split(new)) > 0.95
    assert tagger.record_["sentences"] == 400
    assert tagger.record_["tokens"] == 2000
    assert 0.8 < tagger.record_["progressive"]["accuracy"] < 1.0
    tagger.save(tmp_path / "t.linnet")
    assert linnet.load(tmp_path / "t.linnet").predict(_split(new)[0]) == tagger.predict(
        _split(new)[0]
    )


def _split(tagged: list[list[tuple[str, str]]]) -> tuple[list[list[str]], list[list[str]]]:
    words = [[word for word, _ in one] for one in tagged]
    return words, [[tag for _, tag in one] for one in tagged]


def test_the_features_of_blocks_add_up_to_those_of_all(corpus: Path) -> None:
    words, _ = _split(sentences(400))
    whole = read_tokens(words)
    counted = TokenFeatures("pos", min_count=3).fit(list(whole.columns), whole.offset)
    vocabulary = TokenVocabulary(features="pos")
    for first in range(0, 400, 70):
        block = read_tokens(words[first : first + 70])
        vocabulary.add(list(block.columns), block.offset)
    extractor = vocabulary.extractor(3)
    assert extractor.names.tolist() == counted.extractor_.names.tolist()
    rows = extractor.rows(list(whole.columns), whole.offset, 1)
    others = counted.extractor_.rows(list(whole.columns), whole.offset, 1)
    assert np.array_equal(rows.index, others.index)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("pairs", ["observed", "all"])
def test_a_crf_takes_the_steps_of_memory(
    average: bool, pairs: str, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BLOCK", 1 << 20)  # the first rate is tried on one block
    crf = linnet.CRF(
        solver=linnet.SGD(shuffle=False, average=average), pairs=pairs, transitions="observed",
        max_iter=3, tol=1e-9, random_state=0,
    )  # fmt: skip
    streamed = linnet.fit_stream(linnet.SequenceTagger(crf), corpus, passes=3)
    whole = linnet.SequenceTagger(crf).fit(*_split(sentences(400)))
    for one, other in zip(weights(streamed), weights(whole), strict=True):
        assert np.array_equal(one, other)
    words, _ = _split(sentences(3, seed=2))
    assert np.allclose(streamed.predict_marginals(words)[0].sum(axis=1), 1.0)


@pytest.mark.parametrize("blocks", [1500, 4000])
def test_the_blocks_of_a_crf_change_no_bit_but_by_its_first_rate(
    blocks: int, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_core, "crf_sgd_rate", lambda *problem: 0.5)
    crf = linnet.CRF(transitions="observed")
    once = linnet.fit_stream(linnet.SequenceTagger(crf), corpus, passes=2)
    monkeypatch.setattr(limits, "BLOCK", blocks)
    again = linnet.fit_stream(linnet.SequenceTagger(crf, n_threads=2), corpus, passes=2)
    for one, other in zip(weights(once), weights(again), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("learner", [None, linnet.CRF(solver=linnet.SGD(average=True))], ids=str)
def test_an_interrupted_tagger_resumes_to_the_same_bits(
    learner: Any, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_run, "_SECONDS", 0.0)
    monkeypatch.setattr(stream_run, "_SHARE", 1e9)
    whole = linnet.fit_stream(linnet.SequenceTagger(learner), corpus, passes=2)
    aside = tmp_path / "run.checkpoint"
    options: dict[str, Any] = {"passes": 2, "checkpoint": aside, "resume": True}
    for blocks in (3, 6):
        with pytest.raises(Killed):
            linnet.fit_stream(
                linnet.SequenceTagger(learner), corpus, progress=killed_after(blocks), **options
            )
    resumed = linnet.fit_stream(linnet.SequenceTagger(learner), corpus, **options)
    for one, other in zip(weights(whole), weights(resumed), strict=True):
        assert np.array_equal(one, other)
    assert whole.record_ == resumed.record_


def test_a_tagger_that_needs_all_sentences_is_refused(corpus: Path) -> None:
    with pytest.raises(ParameterError, match="CRF needs all sentences at once"):
        linnet.fit_stream(linnet.SequenceTagger(linnet.CRF(solver="lbfgs")), corpus)


def test_partial_fit_of_a_tagger_goes_on_where_it_stopped() -> None:
    tagger = linnet.SequenceTagger(linnet.StructuredPerceptron(random_state=0))
    for first in range(0, 300, 100):
        tagger.partial_fit(*_split(sentences(300)[first : first + 100]))
    assert tagger.record_["sentences"] == 300
    assert tagger.score(*_split(sentences(50, seed=1))) > 0.95
    with pytest.raises(DataError, match="not among the classes of the first call"):
        tagger.partial_fit([["the", "dog"]], [["D", "X"]])
    assert tagger.score(*_split(sentences(50, seed=1))) > 0.95


def test_the_command_streams_sentences(corpus: Path, tmp_path: Path) -> None:
    model = tmp_path / "t.linnet"
    arguments = ["train", str(corpus), "--stream", "--passes", "2", "-o", str(model)]
    printed = CliRunner().invoke(app, [*arguments, "--valid", str(corpus)])
    assert printed.exit_code == 0, printed.output
    assert "trained on 2,000 tokens with 3 labels in 2 passes" in printed.output
    assert linnet.load(model).predict([["the", "dog", "runs"]]) == [["D", "N", "V"]]
    refused = CliRunner().invoke(app, [*arguments, "--learner", "crf", "--set", "solver=lbfgs"])
    assert "CRF needs all sentences at once" in refused.output


def test_bad_lines_of_sentences_are_left_out(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BLOCK", 1 << 20)  # the same block, with the line and without it
    text = corpus.read_text()
    broken = tmp_path / "broken.conll"
    broken.write_text(text.replace("\n\n", "\n\na line of\tthree\tcells\n\n", 1))
    with pytest.raises(DataError, match=r"broken\.conll:7"):
        linnet.fit_stream(linnet.SequenceTagger(), broken)
    whole = linnet.fit_stream(linnet.SequenceTagger(), corpus)
    tagger = linnet.fit_stream(linnet.SequenceTagger(), broken, skip_bad=1)
    assert tagger.record_["skipped"] == 1
    for one, other in zip(weights(tagger), weights(whole), strict=True):
        assert np.array_equal(one, other)


def test_rows_of_values_are_not_taken_for_texts(tmp_path: Path) -> None:
    rows = tmp_path / "weather.data"
    rows.write_text("sunny,30,stay\nsunny,20,go\nrain,20,stay\nrain,10,stay\nfog,15,go\n" * 5)
    arguments = ["train", str(rows), "--stream", "-o", str(tmp_path / "m.linnet")]
    assert "holds rows of values" in CliRunner().invoke(app, arguments).output
