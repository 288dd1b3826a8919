"""The container: what is written is read, by safetensors too, and no half files appear."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open

import linnet
from linnet.errors import ModelFileError
from linnet.model.file import read_model, write_model

NUMBERS = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
arrays = hnp.arrays(
    st.sampled_from(NUMBERS).map(np.dtype), hnp.array_shapes(min_dims=0, min_side=0, max_side=4)
)
quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
names = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda name: name[:2] != "__")


@quick
@given(
    config=st.dictionaries(st.text(), json_values, max_size=3),
    record=st.dictionaries(st.text(), json_values, max_size=3),
    given_arrays=st.dictionaries(names, arrays, max_size=4),
)
def test_config_record_and_arrays_are_read_back_as_they_were(
    config: dict[str, Any], record: dict[str, Any], given_arrays: Any, tmp_path: Path
) -> None:
    path = tmp_path / "m.linnet"
    write_model(path, "Some", config, given_arrays, record)
    for verify in (True, False):
        file = read_model(path, verify=verify)
        assert (file.name, file.config, file.record) == ("Some", config, record)
        assert (file.version, file.path, file.format) == (linnet.__version__, str(path), 2)
        assert file.arrays.keys() == given_arrays.keys()
        for key, value in given_arrays.items():
            array = file.arrays[key]
            assert (array.dtype, array.shape) == (value.dtype, value.shape)
            assert array.tobytes() == value.tobytes()
            assert array.flags.aligned and not array.flags.writeable
    with safe_open(path, framework="np") as stored:
        assert set(stored.keys()) == set(given_arrays)
        assert stored.metadata()["class"] == "Some"
        for key, value in given_arrays.items():
            twin = stored.get_tensor(key)
            assert twin.dtype == value.dtype and twin.tobytes() == value.tobytes()


def test_arrays_of_any_layout_are_stored_by_value(tmp_path: Path) -> None:
    grid = np.arange(12.0).reshape(3, 4)
    given = {"big": grid.astype(">f4"), "turned": grid.T, "apart": grid[:, ::2], "one": grid[1, 1]}
    write_model(tmp_path / "m", "Some", {}, given, {})
    for key, value in read_model(tmp_path / "m").arrays.items():
        np.testing.assert_array_equal(value, given[key])


def test_the_same_model_gives_the_same_bytes_and_data_start_on_a_cache_line(tmp_path: Path) -> None:
    for name in "ab":
        write_model(tmp_path / name, "Some", {"x": 1}, {"i": np.ones(3, "i1"), "f": np.ones(2)}, {})
    raw = (tmp_path / "a").read_bytes()
    assert raw == (tmp_path / "b").read_bytes()
    assert (8 + int.from_bytes(raw[:8], "little")) % 64 == 0


@pytest.mark.parametrize(
    ("config", "given", "message"),
    [
        ({"x": float("nan")}, {}, "config cannot be stored as JSON"),
        ({"x": [1.0, float("inf")]}, {}, "config cannot be stored as JSON"),
        ({"x": {1: 2}}, {}, "the key 1 is not text"),
        ({"x": object()}, {}, "config cannot be stored as JSON"),
        ({"x": "a" * (1 << 25)}, {}, "store what is long as arrays"),
        ({}, {"x": np.array(["a"])}, "array 'x' has the type <U1.*pack_strings"),
        ({}, {"x": np.ones(1, complex)}, "array 'x' has the type complex128"),
        ({}, {"x": np.ones(1, np.longdouble)}, "array 'x' has the type"),
        ({}, {"x": np.array([None])}, "array 'x' has the type object"),
        ({}, {"__metadata__": np.ones(1)}, "cannot be the name of an array"),
        ({}, {"": np.ones(1)}, "cannot be the name of an array"),
        ({}, {"\ud800": np.ones(1)}, "a name cannot be stored"),
    ],
)
def test_what_cannot_be_stored_is_refused_before_a_file_is_made(
    config: Any, given: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelFileError, match=message):
        write_model(tmp_path / "m.linnet", "Some", config, given, {})
    assert not os.listdir(tmp_path)


# --- the file system ---------------------------------------------------------------------------


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("call", ["os.fsync", "os.replace"])
def test_an_interrupted_save_leaves_the_old_file_and_nothing_else(
    error: type[BaseException], call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.linnet"
    write_model(path, "Some", {"n": 1}, {}, {})

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(call, fail)
        with pytest.raises(error):
            write_model(path, "Some", {"n": 2}, {"x": np.ones(9)}, {})
    assert read_model(path).config == {"n": 1}
    assert os.listdir(tmp_path) == ["m.linnet"]


def test_saves_at_the_same_time_leave_one_whole_file(tmp_path: Path) -> None:
    path, failures = tmp_path / "m.linnet", []
    write_model(path, "Some", {"n": 0}, {"x": np.zeros(4000)}, {})

    def work(n: int) -> None:
        try:
            for _ in range(10):
                write_model(path, "Some", {"n": n}, {"x": np.full(4000, float(n))}, {})
                file = read_model(path)
                assert (file.arrays["x"] == file.config["n"]).all()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and os.listdir(tmp_path) == ["m.linnet"]


def test_a_model_in_use_survives_its_replacement(tmp_path: Path) -> None:
    path = tmp_path / "m.linnet"
    write_model(path, "Some", {}, {"x": np.zeros(100_000)}, {})
    old = read_model(path).arrays["x"]
    write_model(path, "Some", {}, {"x": np.ones(3)}, {})
    assert not old.any() and read_model(path).arrays["x"].all()


@pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")
def test_modes_and_links_are_those_of_any_written_file(tmp_path: Path) -> None:
    path, plain = tmp_path / "m.linnet", tmp_path / "plain"
    plain.write_bytes(b"")
    write_model(path, "Some", {}, {}, {})
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    write_model(link, "Some", {"n": 2}, {}, {})
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert read_model(path).config == {"n": 2}


def test_a_place_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write_model(tmp_path / "none" / "m.linnet", "Some", {}, {}, {})
    with pytest.raises(ModelFileError, match="folder or device"):
        write_model(tmp_path, "Some", {}, {}, {})


def test_importing_and_reading_load_numpy_and_nothing_heavier(tmp_path: Path) -> None:
    write_model(tmp_path / "m", "Some", {}, {"x": np.ones(3)}, {})
    code = (
        "import sys; from linnet.model.file import read_model; read_model('m')\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(linnet.__file__).parent.parent)}
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    loaded = set(run.stdout.split())
    heavy = {"pandas", "pyarrow", "rich", "safetensors", "scipy", "sklearn", "typer"}
    assert "numpy" in loaded and not heavy & loaded, run.stderr


def test_a_model_may_have_the_longest_name_there_is(tmp_path: Path) -> None:
    path = tmp_path / ("好" * 82 + ".linnet")
    write_model(path, "MaxEnt", {}, {"w": np.ones(2)}, {})
    assert list(tmp_path.iterdir()) == [path]
