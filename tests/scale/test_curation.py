"""Curation: rules, the best share, scores beside ids, and what a filter removes of each group."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app
from linnet.errors import DataError, ParameterError
from linnet.scale import filter_parts
from linnet.scale.filtering.score_sketch import ScoreSketch
from linnet.scale.filtering.scores import parse_top, score_at


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(part) for part in arguments])


def rows_of(folder: Path) -> list[dict[str, Any]]:
    lines = [line for path in sorted(folder.iterdir()) for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def scores_of(model: str, files: list[Path]) -> dict[str, float]:
    """Return the probability of hq of every row, by its id, as the model itself gives it."""
    rows = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    p = linnet.load(model).predict_proba([row["text"] for row in rows])[:, 0]
    return {row["id"]: score for row, score in zip(rows, p.tolist(), strict=True)}


@pytest.mark.parametrize(
    "top, client", [("10%", None), ("33.3%", None), ("7", None), ("100%", None), ("10%", "cluster")]
)
def test_the_best_share_is_exact_over_all_files(
    top: str, client: str | None, quality: str, crawl: list[Path], tmp_path: Path, request: Any
) -> None:
    where = None if client is None else request.getfixturevalue("cluster")
    done = filter_parts(quality, crawl, tmp_path / "o", keep_top=top, score="hq", client=where)
    scores = scores_of(quality, crawl)
    wanted = parse_top(top).of(len(scores))
    threshold = sorted(scores.values(), reverse=True)[wanted - 1]
    assert done.threshold == threshold
    kept = [row["id"] for row in rows_of(tmp_path / "o")]
    assert kept == [name for name, score in scores.items() if score >= threshold]
    assert done.total.rows[1] == len(kept) >= wanted
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == [p.name for p in crawl]


def test_the_best_share_goes_on_where_it_was_stopped(
    quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    def stop(file: str, rows: int) -> None:
        if file.endswith("part-5.jsonl"):
            raise KeyboardInterrupt

    settings: Any = {"keep_top": "25%", "score": "hq"}
    with pytest.raises(KeyboardInterrupt):
        filter_parts(quality, crawl, tmp_path / "out", watch=stop, **settings)
    filter_parts(quality, crawl, tmp_path / "out", resume=True, **settings)
    filter_parts(quality, crawl, tmp_path / "whole", **settings)
    assert rows_of(tmp_path / "out") == rows_of(tmp_path / "whole")
    assert len(list((tmp_path / "out").iterdir())) == len(crawl)


@given(
    st.lists(st.floats(0, 1) | st.sampled_from([0.0, -0.0, 0.5, 1.0, 5e-324]), min_size=1),
    st.data(),
)
def test_the_score_of_a_rank_is_that_of_sorting(scores: list[float], data: st.DataObject) -> None:
    from tempfile import TemporaryDirectory

    rank = data.draw(st.integers(1, len(scores)))
    cut = data.draw(st.integers(0, len(scores)))
    with TemporaryDirectory() as folder:
        files = [Path(folder, "a"), Path(folder, "b")]
        for file, part in zip(files, (scores[:cut], scores[cut:]), strict=True):
            pq.write_table(pa.table({"score": pa.array(part, pa.float64())}), file)
        assert score_at(files, rank) == sorted(scores, reverse=True)[rank - 1]


@given(
    st.lists(st.floats(0, 1) | st.sampled_from([0.0, -0.0, 0.5, 1.0, 5e-324]), min_size=1),
    st.data(),
)
def test_a_sketch_reaches_a_rank_with_few_too_many_and_counts_them(
    scores: list[float], data: st.DataObject
) -> None:
    rank = data.draw(st.integers(1, len(scores)))
    cut = data.draw(st.integers(0, len(scores)))
    sketch, other = ScoreSketch(), ScoreSketch()
    sketch.add(np.array(scores[:cut]))
    other.add(np.array(scores[cut:]))
    sketch.merge(other)
    exact = sorted(scores, reverse=True)[rank - 1]
    score, kept = sketch.reach(rank)
    assert kept == sum(one >= score for one in scores) == sketch.reaching(score) >= rank
    near = [max(min(p, 1 - p), 2.0**-64) for p in (score, exact)]
    assert score <= exact and max(near) <= min(near) * (1 + 2**-10)  # of one stretch


@pytest.mark.parametrize("client", [None, "cluster"])
def test_a_dry_run_of_the_best_share_is_an_estimate_that_says_so(
    client: str | None, quality: str, crawl: list[Path], tmp_path: Path, request: Any
) -> None:
    where = None if client is None else request.getfixturevalue("cluster")
    settings: Any = {"keep_top": "30%", "score": "hq", "client": where}
    guess = filter_parts(quality, crawl, tmp_path / "none", dry_run=True, **settings)
    exact = filter_parts(quality, crawl, tmp_path / "best", **settings)
    assert not (tmp_path / "none").exists() and exact.wanted is None
    assert guess.wanted == parse_top("30%").of(sum(guess.total.rows)) <= guess.total.rows[1]
    assert guess.threshold <= exact.threshold <= guess.threshold * (1 + 2**-9)
    rule = f"hq>={guess.threshold!r}"
    kept = filter_parts(quality, crawl, tmp_path / "kept", keep=[rule], client=where)
    assert [p.tally.rows for p in kept.parts] == [p.tally.rows for p in guess.parts]


def test_the_command_line_says_that_it_estimates(
    quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    wish = ("-o", tmp_path / "none", "--keep-top", "30%", "--score", "hq", "--dry-run")
    found = run("filter", quality, *crawl, *wish)
    assert found.exit_code == 0 and "an estimate of one pass" in found.stderr
    answer = json.loads(run("filter", quality, *crawl, *wish, "--json").stdout)
    assert answer["threshold_is"] == "estimate" and answer["kept"] >= answer["wanted"]
    assert f"--keep 'hq>={answer['threshold']!r}'" in found.stderr.replace("\n", " ")
    refused = run("filter", quality, *crawl, *wish, "--audit-by", "source")
    assert refused.exit_code != 0 and "--audit-by" in refused.stderr


def test_score_files_have_a_row_for_every_row_with_its_id(
    quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    out = tmp_path / "scores"
    arguments = ("--scores-only", "--score", "hq", "--ids", "id", "--keep", "hq>=0.5", "--json")
    found = run("filter", quality, *crawl, "-o", out, *arguments)
    assert found.exit_code == 0, found.output
    names = [f"{path.name}.scores.parquet" for path in crawl]
    assert sorted(path.name for path in out.iterdir()) == names
    table = pa.concat_tables([pq.read_table(out / name) for name in names])
    scores = scores_of(quality, crawl)
    assert dict(zip(table["id"].to_pylist(), table["score"].to_pylist(), strict=True)) == scores
    assert table["id"].to_pylist() == list(scores)
    keep = np.array(list(scores.values())) >= 0.5
    assert table["keep"].to_pylist() == keep.tolist()
    assert json.loads(found.stdout)["kept"] == int(keep.sum())


def test_rows_that_a_rule_drops_are_dropped_whatever_is_kept(
    quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    scores = scores_of(quality, crawl)
    arguments = ("--keep", "hq>=0.4", "--drop", "hq>0.8", "--drop", "lq>=0.55")
    assert run("filter", quality, *crawl, "-o", tmp_path / "o", *arguments).exit_code == 0
    kept = [row["id"] for row in rows_of(tmp_path / "o")]
    assert kept == [name for name, p in scores.items() if 0.4 <= p <= 0.8 and 1 - p < 0.55]
    assert 0 < len(kept) < len(scores)


def test_scores_are_added_to_json_lines_and_parquet(
    quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    scores = scores_of(quality, crawl)
    done = filter_parts(quality, crawl, tmp_path / "o", keep=["hq>=0.5"], add_score="quality")
    rows = rows_of(tmp_path / "o")
    assert done.score == "hq"
    assert {row["id"]: row["quality"] for row in rows} == {
        name: p for name, p in scores.items() if p >= 0.5
    }
    table = pa.table({"id": list(scores), "text": ["fine page"] * len(scores)})
    pq.write_table(table, tmp_path / "a.parquet")
    settings: Any = {"keep": ["hq"], "reading": {"text": "text"}}
    filter_parts(quality, [tmp_path / "a.parquet"], tmp_path / "p", add_score="quality", **settings)
    out = pq.read_table(tmp_path / "p" / "a.parquet")
    assert (
        out.column_names == ["id", "text", "quality"] and len(set(out["quality"].to_pylist())) == 1
    )
    with pytest.raises(DataError, match="'source' already"):
        filter_parts(quality, crawl, tmp_path / "q", keep=["hq"], add_score="source")
    with pytest.raises(DataError, match="'id' already"):
        filter_parts(quality, [tmp_path / "a.parquet"], tmp_path / "q", add_score="id", **settings)


def test_an_audit_counts_what_is_kept_of_every_group(
    quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    rows = [json.loads(line) for path in crawl for line in path.read_text().splitlines()]
    kept = {name for name, p in scores_of(quality, crawl).items() if p >= 0.5}
    arguments = ("--keep", "hq>=0.5", "--audit-by", "source", "--audit-by", "length")
    found = run("filter", quality, *crawl, "-o", tmp_path / "o", *arguments, "--json")
    audit = json.loads(found.stdout)["audit"]
    for row in audit["source"]:
        group = [one["id"] for one in rows if one["source"] == row["group"]]
        assert (row["rows"], row["kept"]) == (len(group), len(kept & set(group)))
        assert row["removed"] == row["rows"] - row["kept"]
        overall = len(kept) / len(rows)
        assert row["ratio"] == pytest.approx(row["kept"] / row["rows"] / overall, abs=5e-4)
    assert sum(row["rows"] for row in audit["length"]) == len(rows)
    shown = run("filter", quality, *crawl, "-o", tmp_path / "o", *arguments, "--force").stdout
    assert "against all" in shown and "book" in shown and "under 100 B" in shown


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet"])
def test_groups_come_from_a_column_of_any_table(format: str, quality: str, tmp_path: Path) -> None:
    texts, langs = ["fine page", "poor page", "fine fine"], ["en", "de", "en"]
    path = tmp_path / f"a.{format}"
    if format == "parquet":
        pq.write_table(pa.table({"text": texts, "lang": ["en", None, "en"]}), path)
    else:
        mark = {"csv": ",", "tsv": "\t"}[format]
        rows = [("text", "lang"), *zip(texts, langs, strict=True)]
        path.write_text("".join(f"{a}{mark}{b}\n" for a, b in rows))
    settings: Any = {"reading": {"text": "text"}, "dry_run": True, "audit_by": ["lang"]}
    done = filter_parts(quality, [path], tmp_path / "o", keep=["hq"], **settings)
    other = "(none)" if format == "parquet" else "de"
    assert done.total.groups == {"lang": {"en": [0, 2], other: [1, 0]}}
    with pytest.raises(DataError, match="nothing"):
        settings["audit_by"] = ["nothing"]
        filter_parts(quality, [path], tmp_path / "o", keep=["hq"], **settings)


def test_a_missing_key_is_a_group_of_its_own_and_left_out_rows_are_in_none(
    quality: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "fine", "lang": "en"}\n\nno json\n{"text": "fine"}\n')
    settings: Any = {"keep": ["hq"], "audit_by": ["lang"], "skip_bad": 1}
    done = filter_parts(quality, [path], tmp_path / "o", **settings)
    assert done.total.groups == {"lang": {"en": [0, 1], "(none)": [0, 1]}}
    assert len(done.bad) == 1


@pytest.mark.parametrize(
    "wishes, says",
    [
        ({}, "say which rows are kept"),
        ({"keep_top": "10%"}, "--score LABEL"),
        ({"keep_top": "0%", "score": "hq"}, "--keep-top '0%'"),
        ({"keep_top": "most", "score": "hq"}, "--keep-top 'most'"),
        ({"keep_top": "10%", "score": "hq", "keep": ["hq"]}, "leave --keep and --drop out"),
        ({"keep_top": "10%", "score": "hq", "dry_run": True, "audit_by": ["length"]}, "--audit-by"),
        ({"keep": ["hq"], "ids": "id"}, "--scores-only"),
        ({"scores_only": True, "score": "hq", "add_score": "s"}, "score files hold every row"),
        ({"keep": ["hq"], "score": "good"}, "no label 'good'"),
        ({"drop": ["hq>=x"]}, "--drop 'hq>=x' is no rule"),
    ],
)
def test_wishes_that_contradict_each_other_are_refused(
    wishes: dict[str, Any], says: str, quality: str, crawl: list[Path], tmp_path: Path
) -> None:
    with pytest.raises(ParameterError, match=says):
        filter_parts(quality, crawl, tmp_path / "out", **wishes)
    assert not (tmp_path / "out").exists()
