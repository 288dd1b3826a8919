"""The HTML report: it says what the comparison found, holds any text, and loads nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.comparison import Comparison
from linnet.comparison.figures import percent
from linnet.comparison.reasons import Why
from linnet.comparison.report.confusion import confusion_of
from linnet.comparison.report.markup import short
from linnet.comparison.report.style import DARK
from linnet.comparison.report.svg import Scale, around
from linnet.explain.style import COLOURS

from .pages import Page

CORPUS = linnet.data.load_pydoc()


def made_sentences(n: int, seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    rng = np.random.default_rng(seed)
    words = ["the", "dog", "<b>", "ran", "مرحبا"]
    X = [[str(rng.choice(words)) for _ in range(int(rng.integers(2, 9)))] for _ in range(n)]
    tag = {"the": "B-NP", "dog": "I-NP", "<b>": "B-<X>", "ran": "O", "مرحبا": "O"}
    y = [[tag[word] if rng.random() > 0.1 else "O" for word in row] for row in X]
    return X, y


@pytest.fixture(scope="module")
def texts() -> Comparison:
    return linnet.compare(
        (CORPUS.train_texts[::3], CORPUS.train_labels[::3]), "nb, maxent, svm, memory",
        test=(CORPUS.test_texts[::2], CORPUS.test_labels[::2]), curve=(0.3, 1), explain=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def page(texts: Comparison) -> Page:
    return Page(texts.to_html(title="pydoc"))


@pytest.fixture(scope="module")
def tags() -> Comparison:
    return linnet.compare(
        made_sentences(60), "hmm, perceptron, memm, crf", test=made_sentences(40, 1), explain=True
    )


def test_the_answer_comes_first(texts: Comparison, page: Page) -> None:
    says = texts.verdict()
    name = says.split(":")[0]
    assert page.text.index(name) < page.text.index("Without learning") < page.text.index("Scores")
    assert says.split(": ", 1)[1].split(" (")[0] in page.text
    assert percent(texts.card["baseline"]) in page.text
    assert "linnet.compare(data, 'nb, maxent, svm, memory', test=test, seed=0" in page.text


def test_every_learner_has_its_row_and_its_panel(texts: Comparison, page: Page) -> None:
    for row in texts.rows:
        assert page.text.count(row.name) > 5
        assert percent(row.score) in page.text
    assert len(page.of_class("learner")) == len(texts.rows) == len(page.all("option"))
    strips = page.of_class("strip")
    assert len(strips) == len(texts.rows) + 1, "an interval a learner, and their axis"


def test_all_pairs_are_shown_without_need_of_colour(texts: Comparison, page: Page) -> None:
    for pair in texts.pairs:
        shown = f"{100 * pair.difference:+.2f}"
        sign, back = ("▲", "▼") if pair.significant else ("≈", "≈")
        assert f"{sign} {shown}" in page.text
        assert f"{back} {shown.replace('+', '−')}" in page.text


def test_the_page_loads_nothing_and_runs_one_script(texts: Comparison, page: Page) -> None:
    text = texts.to_html()
    assert not re.search(r"https?://|@import|url\(|\ssrc=", text)
    assert not [tag for tag, _ in page.elements if tag in ("img", "link", "iframe", "object")]
    kinds = [own.get("type") for own in page.all("script")]
    assert kinds == ["application/json", None]
    [policy] = [own["content"] for own in page.all("meta") if "http-equiv" in own]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "'sha256-" in policy


def test_the_policy_allows_the_script_that_is_there(page: Page) -> None:
    from base64 import b64encode
    from hashlib import sha256

    [policy] = [own["content"] for own in page.all("meta") if "http-equiv" in own]
    digest = b64encode(sha256(page.scripts[-1].encode()).digest()).decode()
    assert f"'sha256-{digest}'" in str(policy)


def test_ids_are_unique_and_links_lead_somewhere(page: Page) -> None:
    ids = [own["id"] for _, own in page.elements if "id" in own]
    assert len(ids) == len(set(ids))
    assert {own["href"] for own in page.all("a")} <= {f"#{key}" for key in ids}
    named = [own["aria-labelledby"] for _, own in page.elements if "aria-labelledby" in own]
    assert set(named) <= set(ids)


def test_headings_go_down_one_level_at_a_time(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_headings_of_tables_have_a_scope_and_regions_a_name(page: Page) -> None:
    assert all(own.get("scope") in ("row", "col") for own in page.all("th"))
    regions = [own["aria-label"] for _, own in page.elements if own.get("role") == "region"]
    assert len(regions) == len(set(regions)) > 5


def test_each_plot_has_its_numbers_and_marks_say_theirs(texts: Comparison, page: Page) -> None:
    plots = page.of_class("plot")
    assert len(plots) == len(page.of_class("twin")) == 4 + len(texts.rows), "one calibration each"
    marks = page.of_class("mark")
    assert len(marks) == [own.get("role") for _, own in page.elements].count("img")
    said = [own["aria-label"] for own in marks]
    first = texts.rows[0]
    assert any(first.name in str(one) and percent(first.score) in str(one) for one in said)
    for n, score in first.curve:
        assert f"{first.name}: {n:,} examples, {percent(score)}" in said


def test_learners_that_cost_the_same_do_not_hide_each_other(texts: Comparison) -> None:
    rows = tuple(replace(row, train_seconds=0.5, model_bytes=1000) for row in texts.rows)
    html = replace(texts, rows=rows).to_html()
    for title in ("What training time buys", "What a larger model buys"):
        plot = html[html.index(f"{title}</") :].partition("</figure>")[0]
        across = sorted(float(x) for x in re.findall(r'<circle cx="([\d.]+)"', plot))
        assert len(across) == len(rows)
        assert min(b - a for a, b in pairwise(across)) >= 11.9
        assert 46 < across[0] and across[-1] < 386, "within the frame"


def test_learning_curves_show_their_intervals_and_tell_them(texts: Comparison) -> None:
    html = texts.to_html()
    curves = html[html.index("Learning curves</") :].partition("</figure>")[0]
    n_points = sum(len(row.curve) for row in texts.rows)
    assert curves.count('class="interval"') == n_points > 0
    for row in texts.rows:
        for low, high in row.curve_intervals:
            assert f"{100 * low:.2f} – {100 * high:.2f}" in curves


def test_a_cell_leads_to_its_examples(texts: Comparison, page: Page) -> None:
    assert texts.answers is not None
    gold = texts.answers.gold
    for place, row in enumerate(texts.rows):
        own = texts.answers.learners[row.name]
        names = page.data["labels"][place]
        for key, examples in page.data["cells"][place].items():
            i, j = map(int, key.split(","))
            shown = {page.data["texts"][at] for at, _ in examples}
            pairs = zip(gold, own.guess, strict=True)
            rows = [n for n, pair in enumerate(pairs) if pair == (names[i], names[j])]
            assert shown <= {short(text) for text in texts.answers.examples(rows)}


def test_the_matrix_counts_every_answer_once(texts: Comparison) -> None:
    assert texts.answers is not None
    for row in texts.rows:
        found = confusion_of(texts.answers, texts.answers.learners[row.name])
        counts = found.counts()
        assert counts.sum() == len(texts.answers.gold)
        assert np.trace(counts) == round(row.accuracy * counts.sum())


def test_many_labels_are_gathered_into_others() -> None:
    labels = [f"label {i % 30:02}" for i in range(300)]
    data = ([f"word{i % 30} text" for i in range(300)], labels)
    found = linnet.compare(data, "nb", test=data, explain=True)
    assert found.answers is not None
    table = confusion_of(found.answers, found.answers.learners["MultinomialNB"])
    assert len(table.names()) == 20
    assert table.names()[-1] == "11 others"
    assert table.counts().sum() == 300
    text = Page(found.to_html()).text
    assert "and 10 more labels" in text
    assert "and 20 more" in text


def test_strong_features_and_reasons_for_mistakes_are_shown(texts: Comparison, page: Page) -> None:
    assert texts.answers is not None
    for row in texts.rows:
        why = texts.answers.learners[row.name].why
        assert why is not None
        assert bool(why.features) == (row.name != "MemoryBased"), "one without weights"
        assert why.mistakes
        for mistake in why.mistakes:
            assert mistake.truth != mistake.guess
            assert mistake.truth == texts.answers.gold[mistake.row]
            assert short(mistake.example, 240) in page.text
        for name, weight in [pair for pairs in why.features.values() for pair in pairs]:
            assert short(name, 32) in page.text
            assert weight > 0


def test_weights_are_those_against_the_mean_of_all_labels(texts: Comparison) -> None:
    assert texts.answers is not None
    [row] = [row for row in texts.rows if row.name == "MultinomialNB"]
    counts: dict[str, Any] = {"weighting": "count", "sublinear_tf": False, "norm": None}
    model = linnet.TextClassifier(linnet.MultinomialNB(**row.parameters), random_state=0, **counts)
    model.fit(CORPUS.train_texts[::3], CORPUS.train_labels[::3])
    W = model.model_.weights_.astype(np.float64)
    W -= W.mean(axis=1, keepdims=True)
    why = texts.answers.learners["MultinomialNB"].why
    assert why is not None
    for label, features in why.features.items():
        column = W[:, model.classes_.tolist().index(label)]
        assert [w for _, w in features] == pytest.approx(np.sort(column)[::-1][:10])


@pytest.mark.spec("T-01", "T-03", "T-08")
def test_the_lectures_table_stands_beside_what_was_measured(texts: Comparison) -> None:
    text = texts.to_html()
    own = text[text.index('<table class="properties">') :]
    lines = re.findall("<tr>(.*?)</tr>", own[: own.index("</table>")])
    cells = [re.findall("<t[hd].*?>(.*?)</t[hd]>", line) for line in lines]
    rows = {re.sub("<.*?>", "", row[0]): row[1:] for row in cells[1:]}
    for row in texts.rows:
        if row.properties:
            said = [str(row.properties[name]) for name in ("kind", "models", "boundary")]
            assert rows[row.name][:3] == said
            assert rows[row.name][-2] == percent(row.score)
    assert rows["MultinomialNB"][0] == "generative"


def test_without_explanations_the_page_says_so() -> None:
    data = (["good film", "bad film", "good bad"] * 20, ["p", "n", "p"] * 20)
    text = Page(linnet.compare(data, "nb, svm").to_html()).text
    assert "Explanations were not asked for" in text


def test_taggers_have_chunks_tags_and_mistakes_in_their_sentence(tags: Comparison) -> None:
    page = Page(tags.to_html())
    assert "Chunks by type" in page.text
    assert "Tag by tag" in page.text
    assert tags.answers is not None
    words = tags.answers.words()
    for row in tags.rows:
        own = tags.answers.learners[row.name]
        assert own.why is not None
        assert own.why.mistakes
        for mistake in own.why.mistakes:
            [word] = re.findall(r"\[(.+?)\]", mistake.example)
            places = [t for t, one in enumerate(words[mistake.row]) if one == word]
            pairs = [(tags.answers.gold[mistake.row][t], own.guess[mistake.row][t]) for t in places]
            assert (mistake.truth, mistake.guess) in pairs
            assert mistake.features, "HMM and MEMM explain themselves too"
    assert "[&lt;b&gt;]" in tags.to_html()


def test_a_wrong_tag_is_explained_against_the_true_one() -> None:
    X, y = made_sentences(60)
    model = linnet.SequenceTagger().fit(X, y).model_
    guess = model.predict([X[0]])[0]
    gold = ["O" if tag != "O" else "B-NP" for tag in guess]
    found = model.explain(X[0], against=gold)
    assert [choice.runner_up for choice in found.tokens] == gold
    for choice in found.tokens:
        parts = sum(part.contribution for part in choice.features + choice.neighbours)
        assert parts == pytest.approx(choice.margin)
    unknown = model.explain(X[0], against=["?"] * len(X[0]))
    assert unknown == model.explain(X[0])


def test_the_file_is_written_whole(texts: Comparison, tmp_path: Path) -> None:
    texts.report(tmp_path / "report.html", title="pydoc")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == texts.to_html(title="pydoc")
    with pytest.raises(OSError, match="nowhere"):
        texts.report(tmp_path / "nowhere" / "report.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html"]


def test_answers_stay_out_of_json(texts: Comparison) -> None:
    assert "answers" not in texts.to_dict()
    assert len(json.dumps(texts.to_dict())) < 20_000


def test_dark_colours_stand_out_from_the_ground_as_the_style_has_it() -> None:
    assert list(DARK) == list(COLOURS)

    def light(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    style = Path(linnet.__file__).parent / "comparison" / "report" / "style.css"
    ground = re.findall(r"--ground: (#\w{6});", style.read_text(encoding="utf-8"))[-1]
    for colour in DARK.values():
        assert (light(colour) + 0.05) / (light(ground) + 0.05) > 6


@pytest.mark.parametrize("values", [[0.5], [0.5, 0.5], [0.0, 1.0], [0.9999, 1.0], [0.0, 0.0]])
def test_a_scale_has_room_for_its_values_and_round_ticks(values: list[float]) -> None:
    scale = around(values, unit=True)
    assert scale.low < scale.high
    assert all(0 <= scale.at(value) <= 1 for value in values)
    assert all(scale.low - 1e-9 <= tick <= scale.high + 1e-9 for tick in scale.ticks())
    assert len(scale.ticks()) >= 2


@pytest.mark.parametrize(("low", "high"), [(0.001, 0.01), (0.02, 90.0), (2.0, 7.0), (1.0, 1e9)])
def test_a_logarithmic_scale_has_some_ticks_but_not_many(low: float, high: float) -> None:
    assert 2 <= len(Scale(low, high, log=True).ticks()) <= 6


def test_mistakes_of_taggers_show_their_tags_in_colour_gold_against_guess(tags: Comparison) -> None:
    assert tags.answers is not None
    whys = [own.why or Why({}, ()) for own in tags.answers.learners.values()]
    mistakes = [mistake for why in whys for mistake in why.mistakes]
    page = tags.to_html()
    assert page.count('class="example tagged"') == len(mistakes) > 0
    for mistake in mistakes:
        place = [k for k, (_, truth, guess) in enumerate(mistake.tagged) if truth != guess]
        assert (mistake.truth, mistake.guess) in {mistake.tagged[k][1:] for k in place}
        assert f"<s>{escape(mistake.guess)}</s> {escape(mistake.truth)}" in page
    assert "<mark style=" in page
    assert "tagged" not in mistakes[0].to_dict()
