r"""CRFsuite's ``lCRF`` files: a chain of attributes' weights and of transitions, 64 bits each.

    header     magic, size, FOMC, version 100, counts, where the parts lie
    FEAT       features: a weight of (attribute, label), or of (label, next label)
    CQDB       the labels, and once more the attributes: from names to numbers and back
    LFRF       for each label its transitions
    AFRF       for each attribute its features

There are no weights of starts and stops. Labels keep their numbers, so that a tie goes to the
lowest as it does there. The files of :func:`write` have such weights as two more attributes, which
a first and a last token must bring along.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ModelFileError, ParameterError
from linnet.foreign.bytes import mapped
from linnet.foreign.crfsuite_file import CrfsuiteFile, FileChain, FileNames
from linnet.foreign.crfsuite_tables import FEATURE, written_cqdb, written_references
from linnet.foreign.items import ItemReader
from linnet.model.decision import Decision
from linnet.model.model import Model
from linnet.model.scorers.chain import ChainScorer
from linnet.text.names import Names

__all__ = ["FIRST", "LAST", "items", "read", "read_bytes", "write"]

_MAGIC = b"lCRF"
#: The attributes of first and last tokens in the files written here.
FIRST, LAST = "linnet:first", "linnet:last"


def read(file: str) -> Model:
    """Return the model of a file, which is looked up where it lies."""
    return read_bytes(mapped(file), file)


def read_bytes(data: Any, file: str) -> Model:
    """Return the model of the bytes of a file."""
    source = CrfsuiteFile(data, file)
    reader = ItemReader(FileNames(source), file=source)
    record = {"format": "CRFsuite model", "learner": "CRF"}
    return Model(reader, ChainScorer(FileChain(source)), Decision(_labels(source)), record)


def _labels(source: CrfsuiteFile) -> NDArray[Any]:
    raw = source.ask(source.core.labels)
    try:
        texts = [label.decode() for label in raw]
    except UnicodeDecodeError as error:
        why = f"this CRFsuite model has a label that is not UTF-8 ({error})"
        raise ModelFileError(why, file=source.file) from None
    if "" in texts or len(set(texts)) < len(texts):
        why = "this CRFsuite model has a label twice, or an empty one; copy it again"
        raise ModelFileError(why, file=source.file)
    return np.array(texts)


def write(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a tagger of linear scores as CRFsuite reads it.

    CRFsuite knows attributes, not how they are made of words: whoever runs the file must bring the
    attributes that :func:`items` gives, among them those of first and last tokens, which carry the
    weights of starts and stops.
    """
    from linnet.data.files import write_bytes_atomically

    whole = content(model)
    if len(whole) >= 1 << 32:
        raise ModelFileError("CRFsuite's files end at 4 GB; write .linnet", file=path)
    with write_bytes_atomically(path) as out:
        out.write(whole)


def content(model: Any) -> bytes:
    """Return the bytes of the file that :func:`write` writes."""
    if getattr(model, "kind", None) != "sequence" or not model.scorer.is_linear:
        raise ParameterError(
            "CRFsuite's format holds chains of linear scores; this model is none. Train a CRF or a "
            "structured learner, or write .linnet."
        )
    chain = model.chain
    if chain.triple is not None:
        raise ParameterError(
            "CRFsuite's format holds weights of two neighbouring labels; this model has order=2. "
            "Train with order=1, or write .linnet."
        )
    names, (source, target, weight) = _state_weights(model)
    before, after = np.nonzero(chain.transition)
    features = np.empty(len(source) + len(before), FEATURE)
    features["type"] = np.repeat([0, 1], [len(source), len(before)])
    features["source"] = np.concatenate([source, before])
    features["target"] = np.concatenate([target, after])
    features["weight"] = np.concatenate([weight, chain.transition[before, after]])
    return _laid_out(model.classes_.tolist(), names, features, len(source))


def _state_weights(model: Any) -> tuple[Names, tuple[Any, Any, Any]]:
    """Return the attributes that weigh something, and their (attribute, label, weight)."""
    chain, L = model.chain, len(model.classes_)
    owner = np.repeat(np.arange(chain.n_features), np.diff(chain.pair_start))
    label, weight = chain.pair_label, chain.pair_weight
    names, n = model.extractor.names, chain.n_features
    extra = [(FIRST, chain.start), (LAST, chain.stop)]
    for name, scores in extra:
        if scores.any():
            owner = np.concatenate([owner, np.full(L, n)])
            label = np.concatenate([label, np.arange(L, dtype=np.int32)])
            weight = np.concatenate([weight, scores])
            names = _with(names, name)
            n += 1
    kept = weight != 0
    used, source = np.unique(owner[kept], return_inverse=True)
    return names.take(used), (source, label[kept], weight[kept])


def _with(names: Names, name: str) -> Names:
    raw = np.frombuffer(name.encode(), np.uint8)
    return Names(
        np.concatenate([names.data, raw]), np.append(names.offset, names.offset[-1] + len(raw))
    )


def _laid_out(labels: list[str], names: Names, features: NDArray[Any], states: int) -> bytes:
    """Return the bytes of a file."""
    parts = [b"FEAT" + np.array([12 + features.nbytes, len(features)], "<u4").tobytes()]
    parts[0] += features.tobytes()
    parts += [written_cqdb(Names.of(labels)), written_cqdb(names)]
    places = [48]
    for part in parts:
        places.append(places[-1] + len(part))
    padding = -places[-1] % 4
    places[-1] += padding
    number = np.arange(len(features))
    out = written_references(
        b"LFRF", features["source"][states:], number[states:], len(labels), 2, places[3]
    )
    places.append(places[3] + len(out))
    of = written_references(
        b"AFRF", features["source"][:states], number[:states], len(names), 0, places[4]
    )
    size = places[4] + len(of)
    counts = [100, 0, len(labels), len(names), *places]
    head = _MAGIC + np.array([size], "<u4").tobytes() + b"FOMC" + np.array(counts, "<u4").tobytes()
    return b"".join([head, *parts, bytes(padding), out, of])


def items(model: Any, sentences: Any) -> list[list[list[str]]]:
    """Return what a model sees of each token, as the attributes that CRFsuite needs of it.

    Examples
    --------
    >>> import linnet
    >>> model = linnet.SequenceTagger().fit([["a", "b"]] * 3, [["X", "Y"]] * 3).model_
    >>> [item[-1] for item in items(model, [["a", "b"]])[0]]
    ['linnet:first', 'linnet:last']
    """
    tokens = model.reader.complete(sentences)
    rows = model.reader.rows(tokens, model.n_threads)
    names, start, index = model.extractor.names, rows.start.tolist(), rows.index.tolist()
    listed = [[names[j] for j in index[start[t] : start[t + 1]]] for t in range(len(start) - 1)]
    cut: list[list[list[str]]] = tokens.cut(listed)
    for sentence in cut:
        if sentence:
            sentence[0].append(FIRST)
            sentence[-1].append(LAST)
    return cut
