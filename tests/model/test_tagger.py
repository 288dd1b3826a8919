"""SequenceTagger: what it predicts, explains and refuses."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet.data.sequences import read_sequences
from linnet.data.tags import illegal
from linnet.errors import DataError, DataWarning, NotFittedError, ParameterError
from linnet.learn.chain.sentences import Ragged
from linnet.model.readers.tokens import tokens_of_text

WORDS = {
    "D": ["the", "a", "this", "every"],
    "N": ["dog", "cat", "house", "run", "walk"],
    "V": ["sees", "run", "walk", "likes"],
    "P": ["in", "on", "with"],
}
PATTERNS = ["DNV", "DNVDN", "NV", "DNVPDN", "VDN", "NPDNV"]


def corpus(n: int, seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    """Return sentences of an artificial language and their tags."""
    random = np.random.default_rng(seed)
    tags = [list(PATTERNS[k]) for k in random.integers(len(PATTERNS), size=n)]
    return [[str(random.choice(WORDS[tag])) for tag in row] for row in tags], tags


def chunked(tags: list[list[str]]) -> list[list[str]]:
    """Return the tags of noun and verb phrases: D N is one, a V is one, the rest is none."""
    found = []
    for row in tags:
        names = []
        for before, tag in zip(["", *row], row, strict=False):
            mark = "I" if tag == "N" and before == "D" else "B"
            names.append({"D": "B-NP", "N": f"{mark}-NP", "V": "B-VP"}.get(tag, "O"))
        found.append(names)
    return found


SENTENCES, TAGS = corpus(60)
NEW = corpus(20, seed=1)[0]


@pytest.fixture(scope="module")
def tagger() -> linnet.SequenceTagger:
    return linnet.SequenceTagger().fit(SENTENCES, TAGS)


@pytest.fixture(scope="module")
def chunker() -> linnet.SequenceTagger:
    return linnet.SequenceTagger().fit(SENTENCES, chunked(TAGS))


@pytest.mark.spec("M-118")
def test_a_tagger_learns_an_unambiguous_grammar(tagger: linnet.SequenceTagger) -> None:
    sentences, tags = corpus(50, seed=2)
    assert tagger.score(sentences, tags) > 0.98
    assert tagger.classes_.tolist() == ["D", "N", "P", "V"]
    assert tagger.record_["learner"] == "CRF" and tagger.record_["tokens"] == sum(map(len, TAGS))


def test_it_predicts_what_its_learner_predicts_from_the_same_features() -> None:
    tagger = linnet.SequenceTagger(features=["w[0]", "w[-1]"]).fit(SENTENCES, TAGS)
    dicts = [
        [[f"w[0]={w}", *([f"w[-1]={s[t - 1]}"] if t else [])] for t, w in enumerate(s)]
        for s in SENTENCES
    ]
    crf = linnet.CRF().fit(dicts, TAGS)
    assert tagger.predict(SENTENCES) == crf.predict(dicts)
    for ours, theirs in zip(
        tagger.predict_marginals(SENTENCES), crf.predict_marginals(dicts), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=2e-5)


def test_sequences_of_a_file_and_lists_give_the_same_model(tagger: linnet.SequenceTagger) -> None:
    pairs = zip(SENTENCES, TAGS, strict=True)
    text = "\n".join("".join(f"{w}\t{t}\n" for w, t in zip(s, y, strict=True)) for s, y in pairs)
    found = read_sequences(io.BytesIO(text.encode()))
    other = linnet.SequenceTagger().fit(found)
    assert other.predict(found) == tagger.predict(SENTENCES)
    assert other.score(found) == tagger.score(SENTENCES, TAGS)
    np.testing.assert_array_equal(other.model_.chain.pair_weight, tagger.model_.chain.pair_weight)


def test_a_batch_of_one_and_any_number_of_threads_give_the_same_bits(
    tagger: linnet.SequenceTagger,
) -> None:
    whole = tagger.predict_marginals(NEW)
    for sentence, table in zip(NEW, whole, strict=True):
        np.testing.assert_array_equal(tagger.predict_marginals([sentence])[0], table)
    one = linnet.SequenceTagger(n_threads=1).fit(SENTENCES, TAGS)
    assert one.predict(NEW) == tagger.predict(NEW)
    np.testing.assert_array_equal(one.model_.chain.pair_weight, tagger.model_.chain.pair_weight)


def test_marginals_are_distributions_and_the_best_of_the_n_best_is_the_prediction(
    tagger: linnet.SequenceTagger,
) -> None:
    for table in tagger.predict_marginals(NEW):
        np.testing.assert_allclose(table.sum(axis=1), 1.0)
    ranked = tagger.predict_nbest(NEW, 3)
    assert [best[0][1] for best in ranked] == tagger.predict(NEW)
    for best in ranked:
        scores = [score for score, _ in best]
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(tags) for _, tags in best}) == len(best)


@pytest.mark.spec("M-109")
@given(
    st.lists(
        st.lists(st.text("abcdN V", min_size=1).map(lambda w: w.replace(" ", "x")), max_size=6),
        max_size=5,
    )
)
@settings(max_examples=25, deadline=None)
def test_predicted_chunk_tags_are_always_legal(sentences: list[list[str]]) -> None:
    for tags in _chunker().predict(sentences):
        assert not illegal(tags, "IOB2")
    for best in _chunker().predict_nbest(sentences, 4):
        assert not any(illegal(tags, "IOB2") for _, tags in best)


_made: list[linnet.SequenceTagger] = []


def _chunker() -> linnet.SequenceTagger:
    if not _made:
        features = ["w.suffix1[0]"]  # too little to get the transitions right by itself
        _made.append(linnet.SequenceTagger(features=features).fit(SENTENCES, chunked(TAGS)))
    return _made[0]


def test_the_scheme_is_that_of_the_training_tags(chunker: linnet.SequenceTagger) -> None:
    assert chunker.model_.scheme == "IOB2"
    broken = [["I-VP", *row[1:]] if row[0] == "O" else row for row in chunked(TAGS)]
    broken[0] = ["I-VP", "I-NP", *broken[0][2:]]
    with pytest.warns(DataWarning, match="at token 1 of sentence 1: I-VP at the start"):
        assert linnet.SequenceTagger().fit(SENTENCES, broken).model_.scheme == "IOB2"
    free = linnet.SequenceTagger(constraints=None).fit(SENTENCES, chunked(TAGS))
    assert free.model_.scheme is None
    assert free.predict(NEW, constraints="iob2") == chunker.predict(NEW)
    assert linnet.SequenceTagger().fit(SENTENCES, TAGS).model_.scheme is None


def test_a_sentence_that_no_legal_tags_fit_is_tagged_all_the_same() -> None:
    tagger = linnet.SequenceTagger().fit([["New", "York"]] * 3, [["B-X", "E-X"]] * 3)
    assert tagger.model_.scheme == "BIOES"
    sentences = [["New"], ["New", "York"], []]
    assert [len(tags) for tags in tagger.predict(sentences)] == [1, 2, 0]
    assert tagger.predict(sentences)[1] == ["B-X", "E-X"]
    assert np.isfinite(np.concatenate(tagger.predict_marginals(sentences))).all()
    assert len(tagger.predict_nbest(sentences, 2)[0][0][1]) == 1


def test_entities_have_character_offsets(chunker: linnet.SequenceTagger) -> None:
    text = "the dog sees\n\n  a  cat likes every house"
    found = chunker.entities(text)
    assert [(label, name) for _, _, label, name in found] == [
        ("NP", "the dog"), ("VP", "sees"), ("NP", "a  cat"), ("VP", "likes"), ("NP", "every house"),
    ]  # fmt: skip
    assert all(text[start:end] == name for start, end, _, name in found)
    assert chunker.entities("") == [] == chunker.entities("\n")
    with pytest.raises(DataError, match="surrogate pair at character 4"):
        chunker.entities("New \ud83d York")


def test_a_mark_that_stands_on_a_space_is_a_word_without_the_space() -> None:
    text = "The \u0337 cat"  # Unicode keeps the mark and its space together
    tokens, places = tokens_of_text(text)
    assert tokens.words() == [["The", "\u0337", "cat"]]
    assert [text[start:end] for start, end in places] == tokens.words()[0]


def test_entities_need_chunk_tags(tagger: linnet.SequenceTagger) -> None:
    with pytest.raises(DataError, match="no chunk tags"):
        tagger.entities("the dog")


@pytest.mark.parametrize("text", ["the dog sees a cat", "every cat", "xyzzy", ""])
@pytest.mark.spec("C-27")
def test_contributions_sum_to_the_loss_of_changing_one_tag(
    text: str, chunker: linnet.SequenceTagger
) -> None:
    words = text.split()
    chain, model = chunker.model_.chain, chunker.model_
    guess = chunker.predict([words])[0]
    number = {tag: k for k, tag in enumerate(model.classes_.tolist())}

    def score(tags: list[str]) -> float:
        tokens = model.reader.complete([words])
        state = chain.over(model.reader.rows(tokens, 1), tokens.offset, 1).table()
        y = [number[tag] for tag in tags]
        total = chain.start[y[0]] + chain.stop[y[-1]] + sum(state[t, k] for t, k in enumerate(y))
        return float(total + sum(chain.transition[a, b] for a, b in pairwise(y)))

    explanation = chunker.explain(text)
    assert [choice.tag for choice in explanation.tokens] == guess
    for t, choice in enumerate(explanation.tokens):
        parts = sum(part.contribution for part in (*choice.features, *choice.neighbours))
        assert choice.runner_up is not None
        changed = [*guess[:t], choice.runner_up, *guess[t + 1 :]]
        assert parts == pytest.approx(choice.margin, abs=1e-6)
        assert score(guess) - score(changed) == pytest.approx(choice.margin, abs=1e-6)
        others = [[*guess[:t], tag, *guess[t + 1 :]] for tag in number if tag != choice.tag]
        legal = [tags for tags in others if not illegal(tags, "IOB2")]
        assert score(changed) == pytest.approx(max(map(score, legal or others)))
        if legal:  # the prediction is the best of these
            assert not illegal(changed, "IOB2") and choice.margin >= -1e-9


def test_one_tag_alone_is_predicted_everywhere_and_has_no_runner_up() -> None:
    tagger = linnet.SequenceTagger().fit([["a", "b"], ["c"]], [["X", "X"], ["X"]])
    assert tagger.predict([["b", "new"], []]) == [["X", "X"], []]
    choice = tagger.explain("b").tokens[0]
    assert choice.runner_up is None and choice.features == ()


def test_empty_sentences_and_unseen_words_are_fine(tagger: linnet.SequenceTagger) -> None:
    assert tagger.predict([]) == [] and tagger.predict([[]]) == [[]]
    assert tagger.predict_nbest([[]], 2) == [[(0.0, [])]]
    assert [t.shape for t in tagger.predict_marginals([[], ["zzz"]])] == [(0, 4), (1, 4)]
    assert len(tagger.predict([["Ünseen", "日本", "🙂"]])[0]) == 3
    refit = linnet.SequenceTagger().fit([[], *SENTENCES, []], [[], *TAGS, []])
    assert refit.predict(NEW) == tagger.predict(NEW)


def test_more_columns_are_looked_at_and_supplied_where_there_are_words_only() -> None:
    pairs = [list(zip(s, t, strict=True)) for s, t in zip(SENTENCES, TAGS, strict=True)]
    tagger = linnet.SequenceTagger().fit(pairs, chunked(TAGS))
    assert tagger.model_.n_columns == 2 and len(tagger.model_.column_models) == 1
    assert tagger.score(pairs, chunked(TAGS)) == 1.0
    assert tagger.score(SENTENCES, chunked(TAGS)) > 0.95
    assert tagger.entities("the dog sees")[0] == (0, 7, "NP", "the dog")
    bare = linnet.SequenceTagger(supply_columns=False).fit(pairs, chunked(TAGS))
    with pytest.raises(DataError, match="looks at 2 columns"):
        bare.predict(SENTENCES)


def test_a_template_without_b_has_no_transitions(tmp_path: Path) -> None:
    path = tmp_path / "template"
    path.write_text("U00:%x[0,0]\nU01:%x[-1,0]\n")
    tagger = linnet.SequenceTagger(features=path).fit(SENTENCES, TAGS)
    chain = tagger.model_.chain
    assert (chain.transition == chain.start).all() and not chain.stop.any()
    assert tagger.score(SENTENCES, TAGS) > 0.9


def test_a_function_makes_features_but_no_file(tmp_path: Path) -> None:
    tagger = linnet.SequenceTagger(features=lambda tokens, i: [tokens[i]]).fit(SENTENCES, TAGS)
    assert tagger.score(SENTENCES, TAGS) > 0.8
    with pytest.raises(ParameterError, match="function"):
        tagger.save(tmp_path / "m.linnet")


def test_an_l1_penalty_keeps_the_pairs_that_matter(tagger: linnet.SequenceTagger) -> None:
    sparse = linnet.SequenceTagger(linnet.CRF(penalty="l1", C=1.0)).fit(SENTENCES, TAGS)
    assert len(sparse.model_.chain.pair_weight) < len(tagger.model_.chain.pair_weight) / 2
    assert np.count_nonzero(sparse.model_.chain.pair_weight) == len(sparse.model_.chain.pair_weight)
    assert sparse.score(SENTENCES, TAGS) > 0.95


@pytest.mark.parametrize(
    ("sentences", "tags", "message"),
    [
        (["the dog"], [["D"]], "Sentence 0 must be a list of words, got str; split"),
        ([["the"], 3], [["D"], []], "Sentence 1 must be a list of words, got int"),
        ("the dog", [["D"]], "Expected a list of sentences"),
        ([["a"], ["New York"]], [["D"], ["N"]], "Word 0 of sentence 1, 'New York', holds white"),
        ([["a", ""]], [["D", "N"]], "Word 1 of sentence 0, '', is empty"),
        ([["a", 1]], [["D", "N"]], "Token 1 of sentence 0 is 1"),
        ([["a"], [("b", "c")]], [["D"], ["N"]], "Token 0 of sentence 1 is"),
        ([[("a", "x")], [("b",)]], [["D"], ["N"]], "Token 0 of sentence 1 is"),
        ([[()]], [["D"]], "Token 0 of sentence 0 is"),
        ([["a", "b"]], [["D"]], "Sentence 0 has 2 tokens and 1 tags"),
        ([["a"]], [["D"], ["N"]], "There are 1 sentences and tags for 2"),
        ([["a"]], [[1]], "Sentence 0 has the tag 1"),
        ([["a"]], [["D D"]], "Sentence 0 has the tag 'D D'"),
        ([["a"]], None, "There are no tags"),
        ([["a"]], 3, "tags must be a list of lists"),
        ([], [], "no tokens to learn from"),
        ([[], []], [[], []], "no tokens to learn from"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(sentences: Any, tags: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        linnet.SequenceTagger().fit(sentences, tags)


@pytest.mark.parametrize(
    "options",
    [{"constraints": "iob9"}, {"constraints": "iob2"}, {"learner": 3}, {"features": "nope"},
     {"min_count": 0}, {"features": "chunking"}],
)  # fmt: skip
def test_parameters_that_cannot_work_are_refused(options: dict[str, Any]) -> None:
    tagger = linnet.SequenceTagger(**options)
    with pytest.raises(ParameterError):
        tagger.fit(SENTENCES, TAGS)
    with pytest.raises(NotFittedError):
        tagger.predict(SENTENCES)


def test_a_failed_fit_keeps_the_model_before() -> None:
    tagger = linnet.SequenceTagger().fit(SENTENCES, TAGS)
    before = tagger.predict(NEW)
    with pytest.raises(DataError):
        tagger.fit([["a b"]], [["X"]])
    assert tagger.predict(NEW) == before


def test_looking_inside(tagger: linnet.SequenceTagger) -> None:
    top = tagger.top_features(3)
    assert list(top) == ["D", "N", "P", "V"]
    assert all(rows == sorted(rows, key=lambda row: -row[1]) for rows in top.values())
    assert any("in" in name or "on" in name or "with" in name for name, _ in top["P"])
    strong = tagger.top_transitions(4)
    assert len(strong) == 4 and abs(strong[0][2]) >= abs(strong[3][2])
    assert tagger.card().startswith("A tagger of sentences: 4 tags")


@pytest.mark.parametrize("name", ["HMM", "MEMM", "LocalTagger", "StructuredPerceptron"])
def test_other_learners_tag_every_sentence_and_keep_to_legal_tags(
    name: str, tmp_path: Path
) -> None:
    tagger = linnet.SequenceTagger(getattr(linnet, name)())
    tagger.fit([["New", "York"], ["Los", "Angeles"]] * 3, [["B-X", "E-X"]] * 6)
    sentences = [["New"], ["New", "York"], [], ["a", "b", "c"], ["a", "b"]]
    tags = tagger.predict(sentences)
    assert [len(row) for row in tags] == [1, 2, 0, 3, 2]
    assert tags[1] == tags[4] == ["B-X", "E-X"]  # the others have no legal tags
    assert [tagger.predict([sentence])[0] for sentence in sentences] == tags
    best = tagger.predict_nbest(sentences, 2)
    assert [row[0][1] for row in best[1:3]] == tags[1:3] and all(best)
    tagger.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    assert loaded.predict(sentences) == tags
    if not tagger.model_.probabilistic:
        with pytest.raises(ParameterError, match="no probabilities"):
            loaded.predict_marginals(sentences)
    if name in ("HMM", "MEMM"):
        assert [choice.tag for choice in loaded.explain("New York").tokens] == ["B-X", "E-X"]


@pytest.mark.slow
def test_chunks_of_real_sentences_are_found(data_dir: Callable[[str], Path]) -> None:
    folder = data_dir("conll2000")
    train = read_sequences(folder / "train.txt.gz").take(slice(0, 700))
    test = read_sequences(folder / "test.txt.gz").take(slice(0, 300))
    tagger = linnet.SequenceTagger(
        linnet.CRF(tol=1e-2), features="crfsuite_chunking", supply_columns=False
    ).fit(train)
    report = linnet.evaluate.evaluate_sequences(test.tags or [], tagger.predict(test))
    assert report.chunks is not None and report.chunks.f1 > 0.88
    assert not any(illegal(tags, "IOB2") for tags in tagger.predict(test))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file", "least"), [
    ("ud_en_ewt", "en_ewt-ud-train.conllu.gz", 0.80),
    ("snips", "train.bio.gz", 0.75),
    ("timex_de", "train.conll.gz", 0.95),
])  # fmt: skip
def test_real_files_of_each_kind_are_learned(
    name: str, file: str, least: float, data_dir: Callable[[str], Path]
) -> None:
    with gzip.open(data_dir(name) / file) as opened:
        raw = opened.read(1_500_000 if name == "ud_en_ewt" else 300_000)
    data = read_sequences(io.BytesIO(raw[: raw.rfind(b"\n\n") + 2]))
    train, test = data.take(slice(0, 500)), data.take(slice(500, 800))
    tagger = linnet.SequenceTagger(linnet.CRF(tol=1e-2)).fit(train)
    assert tagger.score(test) > least


def test_a_model_keeps_no_feature_that_weighs_nothing() -> None:
    sentences = [["the", "dog", "runs"], ["a", "cat", "sat"], ["dogs", "run"]] * 3
    tags = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]] * 3
    tagger = linnet.SequenceTagger(linnet.StructuredPerceptron(random_state=0)).fit(sentences, tags)
    chain, extractor = tagger.model_.chain, tagger.model_.extractor
    assert chain.n_features == extractor.n_features < len(tagger.features_.extractor_.names)
    for feature in range(chain.n_features):
        assert chain.weights_of(feature).any()
    learned = tagger.features_.extractor_.names.tolist()
    assert set(extractor.names.tolist()) < set(learned)
    others = [["the", "cats", "sat"], ["dog"], []]
    rows = tagger.features_.transform(
        [[word for words in others for word in words]], np.array([0, 3, 4, 4])
    )
    X = Ragged(rows.start, rows.index, None, rows.n_features, np.array([0, 3, 4, 4]))
    assert tagger.predict(others) == tagger.learner_.predict(X)
