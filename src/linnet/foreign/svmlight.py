"""SVMlight's model file: a text of settings and, last, the support vectors.

    SVM-light Version V6.02
    0 # kernel type              0 linear, 1 polynomial, 2 radial, 3 sigmoid
    3 # kernel parameter -d      (s x.z + r)^d, exp(-g |x - z|^2), tanh(s x.z + r)
    1 # kernel parameter -g
    1 # kernel parameter -s
    1 # kernel parameter -r
    empty# kernel parameter -u
    20 # highest feature index   features 1 .. 20, our columns 0 .. 19
    100 # number of training documents
    8 # number of support vectors plus 1
    0.25 # threshold b, each following line is a SV (starting with alpha*y)
    -0.5 1:0.5 7:2 #             one line each

The score of x is the sum of alpha y K(x_i, x) minus b; above 0 the label is 1, else -1. A linear
kernel becomes a model of weights, the others one of a :class:`linnet.KernelSVM`. Models of
regression and ranking look the same; the label of a row is then the sign of its value.
"""

from __future__ import annotations

import io
import re
from typing import Any, NoReturn

import numpy as np

from linnet.errors import FormatError, ModelFileError
from linnet.model.decision import Decision
from linnet.model.model import Model
from linnet.model.readers.features import VectorReader
from linnet.model.scorers.flat import LearnerScorer, LinearScorer

__all__ = ["read"]

_START = b"SVM-light Version"
_HEAD = (
    "kernel type", "kernel parameter -d", "kernel parameter -g", "kernel parameter -s",
    "kernel parameter -r", "kernel parameter -u", "highest feature index",
    "number of training documents", "number of support vectors plus 1", "threshold b",
)  # fmt: skip
_KERNELS = ("linear", "polynomial", "gaussian", "sigmoid")
_LARGEST = 1 << 31
_WIDE, _TIMES = 1 << 24, 16  # so many features are taken from any file, and for each byte of it


def read(file: str) -> Any:
    """Return the model of a file, after checking it."""
    with open(file, "rb") as raw:
        lines = raw.read().split(b"\n")
    if len(lines) <= len(_HEAD):
        _refuse(file, "ends before its support vectors")
    head = {name: _setting(file, lines[n + 1], name) for n, name in enumerate(_HEAD)}
    kernel = _whole(file, head, "kernel type", 0, 4)
    if kernel >= len(_KERNELS):
        _refuse(file, "has a kernel of the user's own, which is not in the file")
    width = _whole(file, head, "highest feature index", 1, _LARGEST - 1)
    if width > max(_WIDE, _TIMES * sum(map(len, lines))):
        _refuse(file, f"has {width:,} features, more than its support vectors could need")
    count = _whole(file, head, "number of support vectors plus 1", 1, _LARGEST) - 1
    alpha, vectors = _support(file, b"\n".join(lines[len(_HEAD) + 1 :]), width)
    if len(alpha) != count:
        _refuse(file, f"has {len(alpha)} support vectors, where {count} belong")
    threshold = _number(file, head, "threshold b")
    scorer: Any
    if _KERNELS[kernel] == "linear":
        weights = np.asarray(vectors.T @ alpha)[:, None]
        scorer = LinearScorer(np.ascontiguousarray(weights), np.array([-threshold]))
    else:
        machine = _machine(file, head, _KERNELS[kernel], alpha, vectors, threshold)
        scorer = LearnerScorer(machine)
    return Model(
        VectorReader(width),
        scorer,
        Decision(np.array([-1, 1]), sharpness=1.0),
        {"format": "SVMlight model", "n_features": width, "n_support": count,
         "probabilities": "of scores that were never calibrated"},
    )  # fmt: skip


def _support(file: str, text: bytes, width: int) -> tuple[Any, Any]:
    """Return alpha y and the rows of the support vectors: they have the form of examples."""
    from scipy.sparse import csr_matrix

    from linnet.data.formats.svmlight import read_svmlight

    if not text.strip():
        return np.zeros(0), csr_matrix((0, width))
    try:
        vectors, alpha = read_svmlight(io.BytesIO(text), n_features=width, zero_based=False)
    except FormatError as error:
        _refuse(file, f"is damaged in its support vectors: {error}")
    return alpha.astype(np.float64), vectors


def _machine(
    file: str, head: dict[str, str], kernel: str, alpha: Any, vectors: Any, threshold: float
) -> Any:
    from linnet.learn.kernel import KernelSVM

    if not len(alpha):
        _refuse(file, "has no support vectors")
    gamma = _number(file, head, "kernel parameter -g" if kernel == "gaussian" else
                    "kernel parameter -s")  # fmt: skip
    machine = KernelSVM(
        kernel=kernel, gamma=gamma, coef0=_number(file, head, "kernel parameter -r"),
        degree=_whole(file, head, "kernel parameter -d", 1, 100),
    )  # fmt: skip
    order = np.argsort(alpha > 0, kind="stable")  # those of the label -1 first
    machine.classes_, machine.n_features_in_ = np.array([-1, 1]), vectors.shape[1]
    machine.gamma_, machine._sparse_input = gamma, True
    machine._keep_support(vectors[order], np.arange(len(alpha)))
    machine.dual_coef_ = np.ascontiguousarray(alpha[order][None, :])
    machine.n_support_ = np.bincount(alpha > 0, minlength=2)
    machine.intercept_ = np.array([-threshold])
    return machine


def _setting(file: str, line: bytes, name: str) -> str:
    value, mark, comment = line.decode("latin-1").partition("#")
    if not mark or not comment.strip().startswith(name):
        _refuse(file, f"has no line for the {name}")
    return value.strip()


def _number(file: str, head: dict[str, str], name: str) -> float:
    try:
        value = float(head[name])
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        _refuse(file, f"is damaged: the {name} cannot be {head[name][:40]!r}")
    return value


def _whole(file: str, head: dict[str, str], name: str, low: int, high: int) -> int:
    word = head[name]
    if not re.fullmatch(r"\d{1,18}", word, re.ASCII) or not low <= int(word) <= high:
        _refuse(file, f"is damaged: the {name} cannot be {word[:40]!r}")
    return int(word)


def _refuse(file: str, why: str) -> NoReturn:
    raise ModelFileError(f"this SVMlight model {why}; copy it again", file=file)
