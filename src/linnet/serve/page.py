"""The page to try the models in a browser: one file, which loads nothing from elsewhere."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

__all__ = ["page", "with_policy"]

_INLINE = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)


async def page(request: Request) -> Response:
    """Show the page."""
    return with_policy(_page())


@cache
def _page() -> str:
    return Path(__file__).with_name("page.html").read_text(encoding="utf-8")


def with_policy(html: str) -> Response:
    """Return a page that a browser lets run its own style and script, and no other."""
    allowed: dict[str, str] = {}
    for kind, content in _INLINE.findall(html):
        allowed[kind] = b64encode(hashlib.sha256(content.encode()).digest()).decode()
    policy = "; ".join(
        [
            "default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'", *(f"{k}-src 'sha256-{h}'" for k, h in allowed.items()),
        ]
    )  # fmt: skip
    headers = {
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }
    return Response(html, headers=headers, media_type="text/html")
