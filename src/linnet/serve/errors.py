"""Errors as clients see them: problem documents (RFC 9457), one shape for every refusal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from linnet.errors import LinnetError

__all__ = ["PROBLEM_JSON", "Problem", "problem_of"]

PROBLEM_JSON = "application/problem+json"
_RETRY_SECONDS = "1"
_RETRIABLE = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


class Problem(Exception):
    """A request that is refused.

    Parameters
    ----------
    status : int
    detail : str
        What was wrong and what to do.
    pointer : str, optional
        Which part of the request, as a JSON pointer.
    headers : mapping, optional
        More headers of the answer.

    Examples
    --------
    >>> print(Problem(422, "top must be at least 1", pointer="/top").body().decode())
    {"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"top must be ...
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        pointer: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.pointer = int(status), detail, pointer
        self.headers = dict(headers or {})
        if status in _RETRIABLE:
            self.headers.setdefault("retry-after", _RETRY_SECONDS)

    def to_dict(self) -> dict[str, Any]:
        """Return the document as plain values."""
        title = _PHRASES.get(self.status) or HTTPStatus(self.status).phrase
        document = {
            "type": "about:blank",
            "title": title,
            "status": self.status,
            "detail": self.detail,
        }
        return document if self.pointer is None else {**document, "pointer": self.pointer}

    def body(self) -> bytes:
        """Return the document as JSON; halves of surrogate pairs in it are replaced."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


# Names that HTTP has changed since; an older Python says what it was called before.
_PHRASES = {413: "Content Too Large", 422: "Unprocessable Content"}


def problem_of(error: BaseException) -> Problem:
    """Return the refusal that an error stands for; what is unforeseen tells nothing of itself.

    Examples
    --------
    >>> problem_of(KeyError("secret")).status
    500
    """
    if isinstance(error, Problem):
        return error
    if isinstance(error, LinnetError):
        return Problem(422, str(error))
    if isinstance(error, MemoryError):
        return Problem(503, "there is not enough memory for this request now; send less at once")
    return Problem(500, "the service failed at this request; its log says more")
