"""The page of the lab as text: served with its modules beside it, or exported as one file.

The modules import each other by bare names such as ``lab/draw.js``. An import map says where they
are: in the folder that the server shows, or, in an exported page, inside the page itself. That
page also holds the answers to what its view asked, so it steps through them without a server.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from linnet.errors import ParameterError
from linnet.lab.views import TITLES, ask, spelled, state_of_link

__all__ = ["export_link", "exported", "files", "index", "policy", "reference"]

_FOLDER = Path(__file__).with_name("page")
_MAP = re.compile(r'<script type="importmap">.*?</script>')
_INLINE = re.compile(r'<script type="(?:importmap|module)">(.*?)</script>')
_STYLE = '<link rel="stylesheet" href="page/style.css">'
_DATA = '<script type="application/json" id="lab">{}</script>'
_ALONE = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' data:; img-src data:"
)


@cache
def files() -> dict[str, str]:
    """Return the modules and styles of the page by their names."""
    paths = [path for path in _FOLDER.iterdir() if path.suffix in (".js", ".css")]
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(paths)}


def index(data: Mapping[str, Any]) -> str:
    """Return the page with what the server tells it."""
    html = (_FOLDER / "index.html").read_text(encoding="utf-8")
    # "<" only stands in texts of JSON, where its escape means the same: no tag can begin there.
    told = spelled(data).replace("<", "\\u003c")
    return html.replace(_DATA.format("{}"), _DATA.format(told))


def policy(html: str) -> str:
    """Return what a browser lets the page do: its own modules, its own server, nothing else."""
    digests = (hashlib.sha256(one.encode()).digest() for one in _INLINE.findall(html))
    hashes = " ".join(f"'sha256-{b64encode(one).decode()}'" for one in digests)
    return (
        "default-src 'none'; connect-src 'self'; style-src 'self'; img-src data:; "
        f"script-src 'self' {hashes}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def exported(
    view: str,
    state: Mapping[str, Any],
    asked: Sequence[Mapping[str, Any]],
    model: Path | None = None,
) -> str:
    """Return a view as a page that stands alone.

    Parameters
    ----------
    view : str
    state : mapping
        What the page shows first.
    asked : list of settings
        What the view will ask; the answers are computed here.
    model : Path, optional

    Returns
    -------
    str
    """
    answers = [{"settings": one, "answer": ask(view, one, model)} for one in asked]
    data = {
        "views": {view: TITLES[view]},
        "model": model is not None,
        "exported": {"view": view, "state": state, "answers": answers},
    }
    others = {f"{name}.js" for name in TITLES if name != view}
    imports = {
        f"lab/{name}": f"data:text/javascript;base64,{b64encode(text.encode()).decode()}"
        for name, text in files().items()
        if name.endswith(".js") and name not in others
    }
    html = index(data).replace(_STYLE, f"<style>{files()['style.css']}</style>")
    html = _MAP.sub(
        lambda _: f'<script type="importmap">{json.dumps({"imports": imports})}</script>', html
    )
    meta = f'<meta http-equiv="content-security-policy" content="{_ALONE}">'
    ours = '<meta name="generator" content="linnet lab">'  # so that it may be written anew
    return html.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{ours}\n{meta}')


def export_link(link: str, model: Path | None = None) -> str:
    """Return what a link of the lab shows as a page that stands alone.

    Examples
    --------
    >>> page = export_link("#plane?n=20")
    >>> "http://" in page.replace("http://www.w3.org", "")
    False
    """
    view, state = state_of_link(link)
    if view not in TITLES:
        raise ParameterError(f"the link shows no view {view!r}; there are {', '.join(TITLES)}")
    return exported(view, state, [state], model)


def reference(name: str) -> str:
    """Return the text of a module of the reference.

    Examples
    --------
    >>> "def multiclass" in reference("perceptron")
    True
    """
    spec = find_spec(f"linnet.reference.{name}") if name.isidentifier() else None
    if spec is None or spec.origin is None:
        raise ParameterError(f"the reference has no page {name[:100]!r}")
    return Path(spec.origin).read_text(encoding="utf-8")
