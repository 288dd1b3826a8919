"""The page of results and the README's figures."""

from __future__ import annotations

import re
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


def part(*runs: str) -> str:
    return "\n\n".join(["`python …`", *(f"```text\n{run}\n```" for run in runs)])


@pytest.mark.parametrize("name", ["README.md", "RESULTS.md"])
def test_every_figure_shown_is_one_that_a_benchmark_printed(results, name):
    [target] = [path for path in results.TEMPLATES if path.name == name]
    page = results.RESULTS.read_text(encoding="utf-8")
    assert results.renewed(target, page) == target.read_text(encoding="utf-8")


def test_names_in_braces_are_all_known(results):
    for template in results.TEMPLATES.values():
        asked = re.findall(r"\{(\w+)\}", template.read_text(encoding="utf-8"))
        assert asked and set(asked) <= set(results.FIGURES)


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
    page = results.put("", "solvers_imdb", part(said))
    shown = "{imdb_hinge_0} {imdb_hinge_1} {imdb_hinge_liblinear_3} {imdb_hinge_liblinear_5}"
    assert results.rendered(shown, page) == "0.101 0.113 1.9 1.8"
    with pytest.raises(SystemExit):  # not that of the objective after it
        results.rendered("{imdb_logistic_liblinear_5}", page)


def test_of_several_runs_the_first_is_shown_or_lowest_and_highest(results):
    runs = (f"{name} of it (wanted < 3, reached)" for name in ("2.10", "1.90", "12.00"))
    page = results.put("", "text", part(*runs))
    assert results.rendered("{start_share}", page) == "2.10"
    assert results.rendered("{start_share}", page, spread=True) == "1.90–12.00"
    same = results.put("", "text", part(*["1.90 of it (wanted < 3, reached)"] * 3))
    assert results.rendered("{start_share}", same, spread=True) == "1.90"
    lost = results.put("", "text", part("1.90 of it (wanted < 3, reached)", "nothing"))
    with pytest.raises(SystemExit, match="does not say start_share"):
        results.rendered("{start_share}", lost, spread=True)


def test_every_run_of_a_benchmark_is_kept(results, monkeypatch):
    told = iter(["first", "second"])
    monkeypatch.setattr(results, "printed", lambda *_: next(told))
    assert results.runs_of(results.measured("kernels", 2)) == ["first", "second"]


def test_epochs_small_data_and_cells_of_a_table_are_found(results):
    cells = ["brown", "459", "1045507", "9", "crf", "120", "456.6", "8", "3", "1", "1e-4", "97.03"]
    table = f"| tags | labels |\n|---|---|\n| {' | '.join(cells)} | 7 |"
    page = results.put("", "labels", part(table))
    shown = "{brown_passes} {brown_seconds} {brown_accuracy}"
    assert results.rendered(shown, page) == "120 456.6 97.03"
    said = "\n".join(
        [
            "amazon_books              L2-loss             to 1e-03   ratio    to 1e-05   ratio",
            "  linnet L2-loss                   0.001 s             0.002 s",
            "  LIBLINEAR -s 1                   0.002 s    1.3x     0.002 s    1.2x",
            "",
            "amazon_books: one epoch, accuracy after six",
            "  Perceptron averaged            0.0002 s  test accuracy 0.8000     1.0x (wanted 1x)",
            "  SVM by SGD                     0.0003 s  test accuracy 0.8750     1.4x (wanted 1x)",
        ]
    )
    page = results.put("", "solvers_amazon_books", part(said))
    shown = "{small_hinge_3} {small_hinge_5} {amazon_books_svm_epoch}"
    assert results.rendered(shown, page) == "1.3 1.2 1.4"
