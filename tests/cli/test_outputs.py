"""Outputs are looked at before any work: no input is overwritten, no hour of training is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"
ROWS = "pos\ta lovely film\nneg\ta dull film\n" * 20


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.tsv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def copied_model(model: str, tmp_path: Path) -> Path:
    path = tmp_path / "m.linnet"
    path.write_bytes(Path(model).read_bytes())
    return path


def same_path(path: Path) -> Path:
    return path


def dotted(path: Path) -> Path:
    return path.parent / "." / ".." / path.parent.name / path.name


def symbolic_link(path: Path) -> Path:
    link = path.with_name("link-" + path.name)
    link.symlink_to(path)
    return link


def hard_link(path: Path) -> Path:
    link = path.with_name("hard-" + path.name)
    os.link(path, link)
    return link


COMMANDS: dict[str, tuple[str, ...]] = {
    "train": ("train", "DATA", "-o", "OUT"),
    "train with another file to measure on": ("train", "MODEL", "--valid", "DATA", "-o", "OUT"),
    "train with a template": ("train", "MODEL", "--features", "DATA", "-o", "OUT"),
    "predict": ("predict", "MODEL", "DATA", "-o", "OUT"),
    "predict over the second file": ("predict", "MODEL", "MODEL", "DATA", "-o", "OUT"),
    "predict over the model": ("predict", "DATA", "MODEL", "-o", "OUT"),
    "convert": ("convert", "DATA", "OUT"),
    "convert rows": ("convert", "DATA", "OUT", "--from", "columns", "--to", "columns"),
    "compare to JSON": ("compare", "DATA", "-o", "OUT"),
    "compare to a page": ("compare", "DATA", "--report", "OUT"),
    "compare on another file": ("compare", "MODEL", "--test", "DATA", "--report", "OUT"),
    "explain": ("explain", "DATA", "a film", "--html", "OUT"),
    "train a stream": ("train", "DATA", "--stream", "-o", "OUT"),
    "suggest": ("suggest", "MODEL", "DATA", "-o", "OUT"),
    "the lab": ("lab", "DATA", "--link", "#plane", "--export", "OUT"),
}


@pytest.mark.parametrize("spelled", [same_path, dotted, symbolic_link, hard_link])
@pytest.mark.parametrize("name", COMMANDS)
def test_an_output_that_is_an_input_is_refused(
    linnet_command: Run,
    data: Path,
    copied_model: Path,
    name: str,
    spelled: Callable[[Path], Path],
) -> None:
    if spelled is hard_link and not hasattr(os, "link"):
        pytest.skip("no hard links")
    words = {"DATA": data, "MODEL": copied_model, "OUT": spelled(data)}
    found = linnet_command(*(words.get(word, word) for word in COMMANDS[name]))
    assert found.exit_code == 1, found.output
    assert "is the input itself" in found.stderr
    assert data.read_text() == ROWS


def test_filtering_never_writes_over_another_input(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    for folder, name in (("a", "1.txt"), ("b", "2.txt")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text("a dull film\n")
    (tmp_path / "b" / "1.txt").symlink_to(tmp_path / "b" / "2.txt")
    files = (tmp_path / "a" / "1.txt", tmp_path / "b" / "2.txt")
    outputs = ("-o", tmp_path / "b", "--dropped", tmp_path / "c", "--overwrite", "--keep", "pos")
    found = linnet_command("filter", model, *files, *outputs)
    assert found.exit_code == 1
    assert "is the input itself" in found.stderr
    assert (tmp_path / "b" / "2.txt").read_text() == "a dull film\n"
    assert not (tmp_path / "c").exists(), "nothing is done before"


@pytest.mark.parametrize("spelled", [symbolic_link, hard_link])
@pytest.mark.parametrize("read", ["data", "model"])
def test_filtering_knows_its_inputs_by_any_name(
    linnet_command: Run, data: Path, copied_model: Path, tmp_path: Path, read: str,
    spelled: Callable[[Path], Path],
) -> None:  # fmt: skip
    link = spelled(data if read == "data" else copied_model)
    (tmp_path / "out").mkdir()
    link.rename(tmp_path / "out" / data.name)
    kept = copied_model.read_bytes()
    command = ("filter", copied_model, data, "-o", tmp_path / "out", "--force", "--keep", "pos")
    found = linnet_command(*command)
    assert found.exit_code == 1
    assert "is the input itself" in found.stderr
    assert data.read_text() == ROWS and copied_model.read_bytes() == kept


def test_filtering_never_writes_over_the_model(
    linnet_command: Run, copied_model: Path, tmp_path: Path
) -> None:
    source = tmp_path / "in" / "m.linnet"
    source.parent.mkdir()
    source.write_text("a dull film\n")
    arguments = (source, "-o", tmp_path, "--overwrite", "--keep", "pos")
    found = linnet_command("filter", copied_model, *arguments)
    assert found.exit_code == 1
    assert "is the input itself" in found.stderr


@pytest.mark.parametrize("mode", ["in", "out"])
def test_redirected_streams_are_looked_at_too(
    model: str, data: Path, tmp_path: Path, mode: str
) -> None:
    files = ("-", str(data)) if mode == "in" else (str(data), "-")
    with open(data, "rb" if mode == "in" else "ab") as stream:
        found = subprocess.run(
            [sys.executable, "-c", COMMAND, "convert", *files, "--to", "labelled"],
            stdin=stream if mode == "in" else subprocess.DEVNULL,
            stdout=stream if mode == "out" else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert found.returncode == 1
    assert "is the input itself" in found.stderr
    assert data.read_text() == ROWS


def test_two_outputs_need_two_files(linnet_command: Run, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    found = linnet_command("compare", data, "-o", out, "--report", out)
    assert found.exit_code == 1
    assert "outputs need two" in found.stderr


OUTPUTS: dict[str, tuple[str, ...]] = {
    "train": ("train", "no-such-data", "-o"),
    "predict": ("predict", "no-such-model", "no-such-data", "-o"),
    "convert": ("convert", "no-such-data", "--to", "jsonl", "--"),
    "compare": ("compare", "no-such-data", "-o"),
    "compare to a page": ("compare", "no-such-data", "--report"),
    "explain": ("explain", "no-such-model", "text", "--html"),
    "data make": ("data", "make", "--documents", "1", "--"),
    "data make from": ("data", "make", "--from", "iris", "--"),
    "train a stream": ("train", "no-such-data", "--stream", "-o"),
    "suggest": ("suggest", "no-such-model", "no-such-data", "-o"),
    "the lab": ("lab", "--link", "#plane", "--export"),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_place_that_takes_no_file_is_told_before_anything_is_read(
    linnet_command: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder.svm").mkdir()
    (tmp_path / "plain").write_text("")
    places = {
        "nowhere/out.svm": "there is no folder",
        "plain/out.svm": "there is no folder",
        "folder.svm": "a folder of that name",
        "loop": "symbolic links",
        "n" * 300: "name too long",
    }
    for place, says in places.items():
        found = linnet_command(*OUTPUTS[name], tmp_path / place)
        assert found.exit_code == 1, (place, found.output, found.exception)
        assert says in found.stderr.lower()
        assert "no-such" not in found.stderr


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no folder that takes no file")
@pytest.mark.parametrize("name", OUTPUTS)
def test_a_place_that_takes_no_file_whatever_the_rights_say_is_told_before(
    linnet_command: Run, name: str
) -> None:
    found = linnet_command(*OUTPUTS[name], "/proc/out.svm")
    assert found.exit_code == 1
    assert "cannot write /proc/out.svm: " in found.stderr
    assert "no-such" not in found.stderr and ".tmp" not in found.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_without_the_right_to_write_is_told_before(
    linnet_command: Run, tmp_path: Path
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    found = linnet_command("train", "no-such-data", "-o", closed / "m.linnet")
    assert found.exit_code == 1
    assert "no right to write" in found.stderr


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no devices here")
def test_a_model_is_not_written_to_a_device(linnet_command: Run) -> None:
    found = linnet_command("train", "no-such-data", "-o", "/dev/null")
    assert found.exit_code == 1
    assert "needs a file" in found.stderr


@pytest.mark.parametrize("target", ["out.xyz", "out.parquet.gz"])
def test_a_suffix_that_names_no_format_is_told_before_anything_is_read(
    linnet_command: Run, tmp_path: Path, target: str
) -> None:
    found = linnet_command("convert", "no-such-data", tmp_path / target)
    assert found.exit_code == 1
    assert "suffix" in found.stderr


NOTES = "to do: keep this\n"
WRITING: dict[str, tuple[str, ...]] = {
    "train": ("train", "DATA", "-o", "OUT"),
    "predict": ("predict", "MODEL", "DATA", "-o", "OUT"),
    "convert": ("convert", "DATA", "OUT", "--to", "jsonl"),
    "convert a model": ("convert", "MODEL", "OUT.linnet"),
    "compare to JSON": ("compare", "DATA", "-o", "OUT", "--learners", "nb"),
    "compare to a page": ("compare", "DATA", "--report", "OUT", "--learners", "nb"),
    "explain": ("explain", "MODEL", "a film", "--html", "OUT"),
    "data make": ("data", "make", "OUT.tsv", "--documents", "10"),
    "train a stream": ("train", "DATA", "--stream", "-o", "OUT"),
    "suggest": ("suggest", "MODEL", "DATA", "-o", "OUT"),
}


@pytest.mark.parametrize("name", WRITING)
def test_a_file_of_somebody_else_is_replaced_only_with_force(
    linnet_command: Run, data: Path, copied_model: Path, tmp_path: Path, name: str
) -> None:
    suffix = next((word[3:] for word in WRITING[name] if word.startswith("OUT.")), "")
    out = tmp_path / f"notes{suffix}"
    out.write_text(NOTES)
    words = {"DATA": data, "MODEL": copied_model, f"OUT{suffix}": out}
    command = [words.get(word, word) for word in WRITING[name]]
    found = linnet_command(*command)
    assert found.exit_code == 1, found.output
    assert f"{out} is already there" in found.stderr and "--force" in found.stderr
    assert out.read_text() == NOTES
    assert linnet_command(*command, "--force").exit_code == 0
    assert out.read_bytes() != NOTES.encode()


OWN = ("train", "convert a model", "compare to JSON", "compare to a page", "explain")


@pytest.mark.parametrize("name", OWN)
def test_what_linnet_wrote_itself_is_replaced_without_asking(
    linnet_command: Run, data: Path, copied_model: Path, tmp_path: Path, name: str
) -> None:
    suffix = next((word[3:] for word in WRITING[name] if word.startswith("OUT.")), "")
    words = {"DATA": data, "MODEL": copied_model, f"OUT{suffix}": tmp_path / f"o{suffix}"}
    command = [words.get(word, word) for word in WRITING[name]]
    assert [linnet_command(*command).exit_code for _ in range(2)] == [0, 0]


def test_the_lab_replaces_its_own_pages_and_no_other_file(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    page, notes = tmp_path / "page.html", tmp_path / "notes.html"
    notes.write_text("to do")
    export = ("lab", "--link", "#plane", "--export")
    for _ in range(2):
        assert linnet_command(*export, page).exit_code == 0
    refused = linnet_command(*export, notes)
    assert refused.exit_code == 1 and "--force" in refused.stderr
    assert notes.read_text() == "to do"
    assert linnet_command(*export, notes, "--force").exit_code == 0
    itself = linnet_command("lab", model, *export[1:], model, "--force")
    assert itself.exit_code == 1 and "is the input itself" in itself.stderr


def test_a_cache_is_a_folder(linnet_command: Run, reviews_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    done = linnet_command("train", reviews_file, "--cache", file, "-o", tmp_path / "m.linnet")
    assert done.exit_code == 1 and "is a file" in done.stderr


@pytest.mark.parametrize("name", ["train.tsv", "pydoc.linnet", "report.html", "boundaries.png"])
def test_the_demo_replaces_nothing_of_somebody_else(
    linnet_command: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text(NOTES)
    found = linnet_command("demo", "--output", tmp_path)
    assert found.exit_code == 1
    assert f"{tmp_path / name} is already there" in found.stderr and "--force" in found.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == [NOTES]


def test_the_demo_finds_its_own_data_again(tmp_path: Path) -> None:
    from linnet.cli.demo import _written
    from linnet.data import load_pydoc

    corpus = load_pydoc()
    first = [path.read_bytes() for path in _written(tmp_path, corpus, force=False)]
    assert [path.read_bytes() for path in _written(tmp_path, corpus, force=False)] == first
    (tmp_path / "test.tsv").write_text(NOTES)
    _written(tmp_path, corpus, force=True)
    assert (tmp_path / "test.tsv").read_bytes() == first[1]


def test_a_picture_carries_the_mark_of_linnet(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from linnet.cli.demo_tables import PLOT, _write_plot
    from linnet.cli.shared.outputs import is_ours

    _write_plot(tmp_path / PLOT)
    assert is_ours(str(tmp_path / PLOT))


def test_a_folder_that_cannot_be_made_is_told_with_the_one_above(
    linnet_command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("linnet.data.replacing.os.makedirs", refuse)
    found = linnet_command("demo", "-o", "new/plots")
    assert found.exit_code == 1
    said = "cannot make the folder new/plots: you have no right to write into ."
    assert found.stderr.splitlines()[-1] == f"linnet: error: {said}"


def test_an_explanation_is_silent_where_asked(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    page = tmp_path / "why.html"
    command = ("explain", model, "a film", "--html", page)
    assert "written to" in linnet_command(*command).stderr
    found = linnet_command(*command, "--quiet")
    assert found.exit_code == 0 and not found.stderr and "intercept" in found.stdout
