"""Files that appear whole or not at all, and what a killed process leaves behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from linnet.data.files import write_atomically
from linnet.data.replacing import replacing

fcntl = pytest.importorskip("fcntl")

WRITE_AND_WAIT = """
import sys, time
from linnet.data.files import write_atomically
with write_atomically(sys.argv[1]) as out:
    out.write("half")
    out.flush()
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def start_writing(start_process: Callable[..., Any]) -> Callable[[Path], Any]:
    """Return a function that starts a process which writes half a file and then waits."""

    def start(path: Path) -> Any:
        arguments = [sys.executable, "-c", WRITE_AND_WAIT, str(path)]
        process = start_process(arguments, stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        return process

    return start


@pytest.fixture
def killed(start_writing: Callable[[Path], Any], tmp_path: Path) -> Path:
    """Return an output whose writer was killed before it was done."""
    path = tmp_path / "out.txt"
    process = start_writing(path)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    return path


def test_what_a_killed_process_left_is_gone_after_the_next_write(killed: Path) -> None:
    assert not killed.exists()
    assert len(list(killed.parent.iterdir())) == 1
    with write_atomically(killed) as out:
        out.write("whole")
    assert killed.read_text() == "whole"
    assert list(killed.parent.iterdir()) == [killed]


def test_what_a_living_process_writes_is_left_alone(
    start_writing: Callable[[Path], Any], tmp_path: Path
) -> None:
    path = tmp_path / "out.txt"
    process = start_writing(path)
    with write_atomically(path) as out:
        out.write("whole")
    assert process.poll() is None
    assert len(list(tmp_path.iterdir())) == 2, "its file is still there"
    assert path.read_text() == "whole"


def test_two_writers_of_one_process_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with write_atomically(path) as one:
        one.write("one")
        with write_atomically(path) as two:
            two.write("two")
        assert path.read_text() == "two"
    assert path.read_text() == "one"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("planted", ["symbolic link", "hard link", "folder"])
def test_a_file_planted_under_the_name_beside_is_not_written_to(killed: Path, planted: str) -> None:
    (beside,) = killed.parent.iterdir()
    beside.unlink()
    precious = killed.parent / "precious"
    precious.write_text("precious")
    if planted == "folder":
        beside.mkdir()
    elif planted == "hard link":
        os.link(precious, beside)
    else:
        beside.symlink_to(precious)
    with write_atomically(killed) as out:
        out.write("whole")
    assert killed.read_text() == "whole"
    assert precious.read_text() == "precious"


@pytest.mark.parametrize("name", ["n" * 254, "n" * 255, "好" * 85])
def test_the_longest_names_can_be_written(tmp_path: Path, name: str) -> None:
    with write_atomically(tmp_path / name) as out:
        out.write("whole")
    assert (tmp_path / name).read_text() == "whole"


def test_a_private_file_stays_private_while_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("")
    path.chmod(0o600)
    with replacing(path) as out:
        out.write(b"x")
        modes = {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert modes == {0o600} == {path.stat().st_mode & 0o777}


@pytest.fixture
def small_files() -> Iterator[None]:
    """Let no file grow beyond a few bytes, as on a full disk."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_a_disk_without_room_is_told_with_the_name_of_the_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    with pytest.raises(OSError, match="too large") as caught, write_atomically(path) as out:
        out.write(random.Random(0).randbytes(200_000).hex())
    assert caught.value.filename == str(path)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_device_is_told_with_its_name() -> None:
    with (
        pytest.raises(OSError, match="No space left") as caught,
        write_atomically("/dev/full") as out,
    ):
        out.write("x")
    assert caught.value.filename == "/dev/full"


def test_a_circle_of_links_is_an_ordinary_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OSError, match="symbolic links"), write_atomically(tmp_path / "loop"):
        pass
