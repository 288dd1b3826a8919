"""A model file that is replaced is taken up while the service runs, and a bad one is not."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.errors import DataError, ModelFileError, ParameterError
from linnet.serve.models import Shelf, named_files


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never happens"
        time.sleep(0.05)


def loads(running: Any, outcome: str) -> bool:
    line = f'linnet_model_loads_total{{model="reviews",outcome="{outcome}"}}'
    return line in running.get("/metrics").body.decode()


def other_model(path: Path) -> None:
    """Write a model of other labels."""
    linnet.TextClassifier().fit(["great film", "dull film"] * 9, ["+", "-"] * 9).save(path)


def test_a_replaced_file_is_taken_up_without_a_lost_request(
    start: Callable[..., Any], copied: dict[str, str]
) -> None:
    path = Path(copied["reviews"])
    with start(copied) as running:
        seen: list[tuple[int, Any]] = []
        done = threading.Event()

        def ask() -> None:
            while not done.is_set():
                reply = running.post("/predict", {"text": "a great film"})
                seen.append((reply.status, reply.json.get("label")))

        askers = [threading.Thread(target=ask) for _ in range(4)]
        for thread in askers:
            thread.start()
        before = running.get("/models/reviews").json["version"]
        other_model(path.with_suffix(".new"))
        os.replace(path.with_suffix(".new"), path)
        wait_for(lambda: any(label == "+" for _, label in seen))
        done.set()
        for thread in askers:
            thread.join()
        assert {status for status, _ in seen} == {200}
        assert {label for _, label in seen} == {"pos", "+"}
        assert running.get("/models/reviews").json["version"] != before
        assert loads(running, "taken up")


@pytest.mark.parametrize("damage", ["noise", "cut", "changed", "other kind", "learner", "empty"])
def test_a_bad_file_is_refused_and_the_old_model_stays(
    start: Callable[..., Any], copied: dict[str, str], models: dict[str, str], damage: str
) -> None:
    path = Path(copied["reviews"])
    with start(copied) as running:
        right = running.post("/predict", {"text": "a great film"}).json
        whole = path.read_bytes()
        fresh = path.with_suffix(".new")
        if damage == "other kind":
            shutil.copy(models["names"], fresh)
        elif damage == "learner":
            linnet.save(linnet.MaxEnt().fit([[0.0], [1.0]], ["a", "b"]), fresh)
        else:
            middle = len(whole) // 2
            changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
            parts = {"noise": b"no model", "cut": whole[:-9], "changed": changed, "empty": b""}
            fresh.write_bytes(parts[damage])
        os.replace(fresh, path)
        wait_for(lambda: loads(running, "refused"))
        assert running.post("/predict", {"text": "a great film"}).json == right
        fresh.write_bytes(whole)
        os.replace(fresh, path)
        wait_for(lambda: loads(running, "taken up"))
        assert running.post("/predict", {"text": "a great film"}).json == right


def test_a_file_that_is_written_into_or_removed_does_no_harm(
    start: Callable[..., Any], copied: dict[str, str]
) -> None:
    path = Path(copied["reviews"])
    with start(copied) as running:
        right = running.post("/predict", {"text": "a great film"}).json
        with path.open("r+b") as file:
            file.truncate(10)  # pages of a mapped file would be gone
        wait_for(lambda: loads(running, "refused"))
        assert running.post("/predict", {"text": "a great film"}).json == right
        path.unlink()
        time.sleep(1.5)
        assert running.post("/predict", {"text": "a great film"}).json == right


def test_workers_map_the_same_copy(copied: dict[str, str], tmp_path: Path) -> None:
    shelves = [Shelf(copied, tmp_path) for _ in range(2)]
    homes = {str(path) for path in tmp_path.rglob("*") if path.is_file()} - {copied["reviews"]}
    assert len(homes) == 1
    assert Path("/proc/self/maps").read_text().count(homes.pop()) == 2
    assert [len(list(shelf)) for shelf in shelves] == [1, 1]


def test_copies_of_old_files_are_not_kept(copied: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    shelf = Shelf(copied, folder)
    for n in range(5):
        other_model(Path(copied["reviews"]))
        os.utime(copied["reviews"], ns=(n, n))
        assert shelf.replaced() == ["reviews"]
        shelf.take_up("reviews")
        assert shelf.replaced() == []
    assert len([path for path in folder.rglob("*") if path.is_file()]) <= 2


def test_a_bad_file_at_the_start_names_the_file(tmp_path: Path) -> None:
    bad = tmp_path / "bad.linnet"
    bad.write_bytes(b"no model")
    with pytest.raises(ModelFileError, match=r"bad\.linnet: "):
        Shelf({"bad": str(bad)}, tmp_path)
    with pytest.raises(OSError, match="none"):
        Shelf({"none": str(tmp_path / "none.linnet")}, tmp_path)
    linnet.save(linnet.MaxEnt().fit([[0.0], [1.0]], ["a", "b"]), bad)
    with pytest.raises(DataError, match="learner without a reader"):
        Shelf({"bad": str(bad)}, tmp_path)


def test_names_of_models(tmp_path: Path) -> None:
    assert named_files(["a/b.linnet", "c=d"]) == {"b": "a/b.linnet", "c": "d"}
    odd = tmp_path / "x=y.linnet"
    odd.touch()
    assert named_files([str(odd)]) == {"x=y": str(odd)}
    with pytest.raises(ParameterError, match="other=b/x"):
        named_files(["a/x", "b/x"])
