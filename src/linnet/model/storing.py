"""Every model in the one model file, part by part, and the checks on the way back."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import replace
from importlib import import_module
from typing import Any

from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.model.decision import Decision
from linnet.model.model import Model
from linnet.model.scorers.flat import under
from linnet.stored import Dict, Each, Field, Label, Number, Text, check

__all__ = ["from_file", "to_file"]

Arrays = dict[str, NDArray[Any]]

#: Where the parts of a model live; sentences and rows need more than texts do. A reader has the
#: name of what it reads, unless it reads as another program does.
_READERS = {
    "text": "model.readers.features.TextReader",
    "blocks": "model.readers.blocks.BlockReader",
    "bag": "model.readers.features.BagReader",
    "vector": "model.readers.features.VectorReader",
    "row": "model.readers.rows.RowReader",
    "columns": "model.readers.columns.ColumnReader",
    "sequence": "model.readers.tokens.TokenReader",
    "fasttext": "foreign.fasttext.reader.FastTextReader",
    "items": "foreign.items.ItemReader",
    "wapiti": "foreign.wapiti.reader.WapitiReader",
    "words": "foreign.perceptron.reader.WordReader",
    "vectorisers": "foreign.scikit_learn.reader.VectoriserReader",
}
_SCORERS = {
    "linear": "model.scorers.flat.LinearScorer",
    "sparse": "model.scorers.sparse.SparseScorer",
    "learner": "model.scorers.flat.LearnerScorer",
    "chain": "model.scorers.chain.ChainScorer",
    "one-vs-rest": "foreign.linear.OneVsRestScorer",
    "fasttext": "foreign.fasttext.scorer.FastTextScorer",
    "fasttext-folded": "foreign.fasttext.folded.FoldedScorer",
    "pair-chain": "foreign.wapiti.chain.PairScorer",
    "greedy": "foreign.perceptron.greedy.GreedyScorer",
    "scikit-learn": "foreign.scikit_learn.scorers.LinkedScorer",
    "scikit-learn-calibrated": "foreign.scikit_learn.scorers.CalibratedScorer",
}
_CHAINS = ("chain", "pair-chain", "greedy")
_COUNT = Number(low=0, optional=True)
_MEASURES = ("gain_ratio", "information_gain", "chi2")

#: How a model was trained, as far as it is computed with; a record may hold more to be shown.
_RECORD: dict[str, Field] = {
    "learner": Text(optional=True),
    "features": Text(optional=True),
    **dict.fromkeys(("examples", "sentences", "tokens", "n_features", "iterations"), _COUNT),
    **dict.fromkeys(("C", "optimality", "held_out", "held_out_accuracy"), _COUNT),
    "feature_weights": Dict({name: Each(Number()) for name in _MEASURES}, optional=True),
    "text_column": Label(optional=True),
    "label_column": Label(optional=True),
}


def to_file(
    model: Model, dtype: str, max_features: int | None
) -> tuple[dict[str, Any], Arrays, dict[str, Any]]:
    """Return configuration, arrays and record of a model; parts have a prefix to their arrays."""
    if dtype not in ("float32", "float16"):
        raise ParameterError(f"dtype must be 'float32' or 'float16', got {dtype!r}.")
    if max_features is not None:
        model = _pruned(model, max_features)
    sequence = model.kind == "sequence"
    config, arrays = model.reader.to_file()
    scorer, more = model.scorer.to_file(dtype)
    config = {
        "kind": model.kind, "scorer": model.scorer.name, **config, **scorer,
        **model.decision.to_file(sequence=sequence),
    }  # fmt: skip
    arrays = arrays | more
    if sequence:
        config["columns"] = []
        for number, column in enumerate(model.column_models, 1):
            inner, more, record = to_file(column, dtype, None)
            config["columns"].append({**inner, "record": record})
            arrays |= {f"column{number}.{name}": array for name, array in more.items()}
    return config, arrays, model.record_


def _pruned(model: Model, max_features: Any) -> Model:
    """Return the model with only the features of largest weight, in any class."""
    if isinstance(max_features, bool) or not isinstance(max_features, int) or max_features < 1:
        raise ParameterError(f"max_features must be a positive integer, got {max_features!r}.")
    n_features = model.n_features
    reader, scorer = model.scorer.pruned(model.reader, min(max_features, n_features))
    if max_features >= n_features:
        return model
    small = copy(model)
    small.reader, small.scorer = reader, scorer
    small.record_ = {**model.record_, "n_features": max_features, "pruned_from": n_features}
    return small


def from_file(config: dict[str, Any], arrays: Arrays, record: Any) -> Model:
    """Check everything a file claims and return the model."""
    _check_record(record)
    sequence = config["kind"] == "sequence"
    if sequence != (config["scorer"] in _CHAINS):
        raise DataError(f"a model of kind {config['kind']!r} is not scored in that way")
    reader = _class(_READERS, config.get("reader", config["kind"])).from_file(config, arrays)
    if reader.kind != config["kind"]:
        raise DataError(f"its reader reads nothing of kind {config['kind']!r}")
    decision = Decision.from_file(config, sequence=sequence)
    scorer = _class(_SCORERS, config["scorer"]).from_file(config, arrays, reader, decision)
    model = Model(reader, scorer, decision, record)
    read = reader.keys if sequence else reader.to_file()[0]  # packing names takes its time
    known = {"kind", "scorer", "record", *scorer.keys, *decision.to_file(sequence=sequence), *read}
    unknown = config.keys() - known
    if unknown:
        raise DataError(f"{min(unknown)[:60]!r} is nothing that it stores")
    if sequence:
        model.reader = replace(reader, column_models=_column_models(config, arrays, reader))
    return model


def _class(homes: dict[str, str], name: str) -> Any:
    module, _, cls = homes[name].rpartition(".")
    return getattr(import_module(f"linnet.{module}"), cls)


def _column_models(config: dict[str, Any], arrays: Arrays, reader: Any) -> tuple[Model, ...]:
    models = []
    for number, inner in enumerate(config["columns"], 1):
        if inner["columns"] or inner["kind"] != "sequence":
            raise DataError("a tagger of a column cannot have columns of its own")
        models.append(from_file(inner, under(arrays, f"column{number}."), inner["record"]))
    if models and len(models) != reader.n_columns - 1:
        raise DataError(f"{len(models)} taggers for {reader.n_columns - 1} columns")
    if any(model.n_columns != 1 for model in models):
        raise DataError("a tagger of a column must look at words alone")
    return tuple(models)


def _check_record(record: Any) -> None:
    """Refuse a record of training with something else in the place of a number or a text."""
    if not isinstance(record, dict):
        raise DataError("the record of training is no dictionary")
    check({name: record.get(name) for name in _RECORD}, _RECORD, {})
    json.dumps(record, ensure_ascii=False).encode()  # refuses texts that nobody can write
