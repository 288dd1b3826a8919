"""A hook of mkdocs: put the reference code of `linnet.reference` into the pages that name it.

A page says ``<!-- reference: perceptron averaging -->`` where the code belongs. The comment is
invisible wherever else the page is read; on the site each module becomes a block that opens with
a click, headed by the first line of its docstring, with the source as it is at that moment.
"""

from __future__ import annotations

import ast
import html
import re
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent / "src" / "linnet" / "reference"
ITEMS = re.compile(r" \((?:SPEC )?[A-Z]-\d+[^)]*\)")  # the code itself says them again
PLACE = re.compile(r"^<!-- reference: ([a-z_ ]+) -->$", re.MULTILINE)


def modules_of(markdown: str) -> list[str]:
    """Return the modules of the reference that a page shows, in its order."""
    return [name for names in PLACE.findall(markdown) for name in names.split()]


def block(module: str) -> str:
    """Return the source of a module as a block that can be opened."""
    source = (SOURCE / f"{module}.py").read_text(encoding="utf-8")
    about = ITEMS.sub("", (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0])
    return (
        f"<details class='reference'><summary><code>linnet.reference.{module}</code>: "
        f"{html.escape(about)}</summary>\n"
        f"<pre><code class='language-python'>{html.escape(source)}</code></pre>\n</details>\n"
    )


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the comments of a page by the code they name; mkdocs calls this for every page."""
    return PLACE.sub(lambda place: "\n".join(map(block, place[1].split())), markdown)
