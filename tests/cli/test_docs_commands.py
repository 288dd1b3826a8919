"""The commands on the page about the command line run, in their order."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command_line.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Return every line after a prompt."""
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def test_every_command_on_the_page_runs(
    linnet_command: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(commands()) > 15
    for line in commands():
        before, _, command = line.rpartition(" | ")
        stdin = None
        if before:
            program, stdin = shlex.split(before)
            assert program in ("echo", "printf")
            stdin = stdin.replace("\\n", "\n") if program == "printf" else stdin
        command, _, target = command.partition(" > ")
        verb = shlex.split(command)
        assert verb[0] == "linnet"
        found = linnet_command(*verb[1:], stdin=stdin)
        assert found.exit_code == 0, f"{line}\n{found.output}\n{found.exception}"
        if target:
            (tmp_path / target).write_text(found.stdout, encoding="utf-8")


def test_the_page_has_a_section_for_every_verb() -> None:
    from linnet.cli.app import _VERBS

    headings = re.findall(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    for verb in _VERBS:
        assert any(verb in heading.split() for heading in headings), verb
