"""The page of results and the README's figures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1] / "benchmarks"
pytestmark = pytest.mark.skipif(not HERE.is_dir(), reason="a wheel has no benchmarks")


@pytest.fixture
def results(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    sys.modules.pop("results", None)
    import results

    return results


def test_every_figure_of_the_readme_is_one_that_a_benchmark_printed(results):
    readme = results.README.read_text(encoding="utf-8")
    page = results.RESULTS.read_text(encoding="utf-8")
    assert results.renewed(readme, page) == readme


def test_a_part_measured_again_takes_the_place_of_the_old_one(results):
    page = results.put("# Results\n\nBy hand.\n", "text", "first")
    page = results.put(page, "kernels", "second")
    again = results.put(page.replace("By hand.", "Still by hand."), "text", "third")
    assert results.parts_of(again) == {"text": "third", "kernels": "second"}
    assert "Still by hand." in again


def test_a_figure_that_no_benchmark_printed_is_refused(results):
    page = results.put("", "text", "nothing that was asked for")
    with pytest.raises(SystemExit, match=r"does not say tfidf_ratio: run results\.py text"):
        results.rendered("{tfidf_ratio}", page)
    with pytest.raises(SystemExit, match="asks for no_such_figure"):
        results.rendered("{no_such_figure}", page)


def test_a_figure_is_read_from_its_own_part_and_place(results):
    said = "\n".join(
        [
            "imdb                      logistic            to 1e-03   ratio    to 1e-05   ratio",
            "  linnet newton                  0.071 s             0.112 s        ",
            "  -> 4.4x the best LIBLINEAR solver to 1e-03 (wanted 2x: reached)",
            "",
            "imdb                      L2-loss             to 1e-03   ratio    to 1e-05   ratio",
            "  linnet dual                    0.101 s             0.113 s        ",
            "  -> 1.9x the best LIBLINEAR solver to 1e-03 (wanted 2x: missed)",
            "  -> 1.8x the best LIBLINEAR solver to 1e-05 (wanted 2x: missed)",
        ]
    )
    page = results.put("", "solvers_imdb", said)
    shown = "{imdb_hinge_0} {imdb_hinge_1} {imdb_hinge_liblinear_3} {imdb_hinge_liblinear_5}"
    assert results.rendered(shown, page) == "0.101 0.113 1.9 1.8"
    with pytest.raises(SystemExit):  # not that of the objective after it
        results.rendered("{imdb_logistic_liblinear_5}", page)
