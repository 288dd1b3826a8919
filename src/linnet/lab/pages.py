"""Pages of the documentation as the lab shows them: the Markdown of docs/, its links kept.

They lie beside the package in a wheel (``linnet/docs``), or in the checkout that it runs from. What
reads Markdown comes with rich, which the command line needs anyway.
"""

from __future__ import annotations

import html
from pathlib import Path, PurePosixPath

from linnet.errors import ParameterError

__all__ = ["POLICY", "page"]

_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDERS = (_PACKAGE.parents[1] / "docs", _PACKAGE / "docs")
_PARTS = (".", "exercises", "specification")
_STYLE = """
:root { color-scheme: light dark; }
body { font: 17px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  --faint: color-mix(in srgb, currentColor 7%, transparent); }
pre { overflow-x: auto; padding: .8rem 1rem; background: var(--faint); border-radius: .4rem; }
code { font: .88em/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { padding: .25rem .6rem; border-bottom: 1px solid; text-align: left; }
h1, h2, h3 { line-height: 1.2; }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(name: str) -> str:
    """Return a page of the documentation, or an exercise, as HTML.

    Parameters
    ----------
    name : str
        The path of a file in docs/, as ``perceptron.md`` or ``exercises/x04_perceptron.py``.
    """
    path = PurePosixPath(name)
    if str(path.parent) in _PARTS and path.suffix in (".md", ".py"):
        for folder in _FOLDERS:
            if (folder / path).is_file():
                return _document(path.name, (folder / path).read_text(encoding="utf-8"))
    raise ParameterError(f"the documentation has no page {name[:100]!r} here")


def _document(name: str, text: str) -> str:
    if name.endswith(".py"):
        body = (
            f"<h1>{html.escape(name)}</h1><pre tabindex='0'><code>{html.escape(text)}</code></pre>"
        )
    else:
        from markdown_it import MarkdownIt

        body = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    title = html.escape(name.rpartition(".")[0])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><main>{body}</main></body></html>"
    )
