"""A model that keeps its learner in the one model file, and the checks on the way back."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.sniff_rows import ROW_FORMATS, RowPlan
from linnet.errors import DataError
from linnet.learn.attributes import Attributes
from linnet.model.row_reader import RowVectors, takes_rows
from linnet.stored import Array, Each, Sizes, Text, Texts, check, fields_of

if TYPE_CHECKING:
    from linnet.model.file import ModelFile
    from linnet.model.row_model import RowModel

__all__ = ["from_file", "plan_from", "plan_to", "to_file"]

Arrays = dict[str, NDArray[Any]]
_KINDS = ("row", "text", "bag", "vector")


def to_file(model: RowModel) -> tuple[dict[str, Any], Arrays, dict[str, Any]]:
    """Return configuration, arrays and record of a model; parts have a prefix to their arrays."""
    from linnet.model.file.learners import learner_to_file
    from linnet.model.file.plain import Encoder

    learner, arrays, _ = learner_to_file(model.learner_)
    arrays = {f"learner.{name}": array for name, array in arrays.items()}
    config: dict[str, Any] = {
        "kind": model.kind,
        "names": model.names,
        "kinds": model.kinds,
        "dense": model.dense,
        "sharpness": model.sharpness_,
        "abstain": model.abstain,
        "abstain_label": model.abstain_label,
        "reading": model.reading,
        "learner": {**learner, "class": type(model.learner_).__name__},
        "vectors": None,
        "features": None,
    }
    if model.vectors is not None:
        encoder = Encoder()
        config["vectors"] = encoder.encode("vectors", model.vectors.attributes)
        arrays |= encoder.arrays | {"divisor": model.vectors.divisor}
    if model.extractor is not None:
        config["features"], more = model.extractor.to_file()
        arrays |= {f"features.{name}": array for name, array in more.items()}
    return config, arrays, model.record_


def from_file(file: ModelFile) -> RowModel:
    """Check everything a file claims and return the model."""
    from linnet.model.row_model import RowModel
    from linnet.model.storing import DECISION, _classes, check_record

    config, arrays = file.config, file.arrays
    check_record(file.record)
    kind, names, kinds = config["kind"], config["names"], config["kinds"]
    if kind not in _KINDS or type(config["dense"]) is not bool:
        raise DataError(f"there is no kind {kind!r} of model")
    learner = _learner(config["learner"], _under(arrays, "learner."))
    _classes(learner.classes_.tolist(), multilabel=False)
    _check_columns(kind, names, kinds)
    decision = {name: config[name] for name in DECISION}
    check(decision, DECISION, {})
    model = RowModel(
        learner=learner,
        kind=kind,
        names=names,
        kinds=kinds,
        vectors=_vectors(config["vectors"], arrays, names),
        extractor=_extractor(config["features"], _under(arrays, "features."), kind),
        dense=config["dense"],
        **decision,
        reading=config["reading"],
        record=file.record,
    )
    if model.reading is not None:
        plan_from(model.reading, names)
    _check_parts(model)
    return model


def plan_to(plan: RowPlan) -> dict[str, Any]:
    """Return how a file was read, ready for JSON."""
    return {k: v for k, v in asdict(plan).items() if k != "decisions"}


def plan_from(reading: dict[str, Any], names: list[str]) -> RowPlan:
    """Return how files are read, after checking that it gives the columns of the model."""
    texts = [reading[key] for key in ("format", "mark", "label")]
    texts += [*reading["names"], *reading["ignored"]]
    if not all(isinstance(text, str) for text in texts) or type(reading["quoting"]) is not bool:
        raise DataError("how files are read is not described by texts")
    plan = RowPlan(
        reading["format"], reading["mark"], reading["quoting"], tuple(reading["names"]),
        reading["label"], tuple(reading["ignored"]),
    )  # fmt: skip
    if plan.format not in ROW_FORMATS or plan.mark not in (",", ";", "\t", " "):
        raise DataError(f"there is no format {plan.format!r} of rows with {plan.mark!r}")
    if plan.used != names:
        raise DataError("the columns of files are not those of the model")
    return plan


def _learner(config: dict[str, Any], arrays: Arrays) -> Any:
    from linnet.learn.base import Learner
    from linnet.model.file.learners import decode_learner, learner_class

    cls = learner_class(config["class"])
    if cls is None or not issubclass(cls, Learner) or not hasattr(cls, "predict"):
        raise DataError(f"{str(config['class'])[:40]!r} is no classifier of linnet")
    return decode_learner(cls, config, arrays, fitted=True)


def _check_columns(kind: str, names: Any, kinds: Any) -> None:
    sizes: Sizes = {}
    Texts("J").check("names", names, sizes)
    Each(Text(("symbolic", "numeric")), "J").check("kinds", kinds, sizes)
    if bool(names) != (kind == "row") or len(set(names)) != len(names):
        raise DataError("the columns do not fit the kind of model, or have one name twice")


def _vectors(node: Any, arrays: Arrays, names: list[str]) -> RowVectors | None:
    from linnet.model.file.plain import decode

    if node is None:
        return None
    attributes, divisor = decode(node, arrays), arrays["divisor"]
    if not isinstance(attributes, Attributes) or attributes.names != names:
        raise DataError("the columns of vectors are not those of the rows")
    check(vars(attributes), fields_of(Attributes), {"J": len(names)})
    attributes.check()
    Array("f8", "J", low=1e-100).check("divisor", divisor, {"J": len(names)})
    return RowVectors(attributes, divisor)


def _extractor(config: Any, arrays: Arrays, kind: str) -> Any:
    from linnet.model.storing import _extractor as checked

    if (config is None) != (kind in ("row", "vector")):
        raise DataError(f"a model of kind {kind!r} does not fit its features")
    return None if config is None else checked(config, arrays, kind)


def _check_parts(model: RowModel) -> None:
    """Refuse parts that do not fit: features of another number, or a learner that fails."""
    learner = model.learner_
    wanted = "predict_proba" if model.sharpness_ is None else "decision_function"
    if not hasattr(learner, wanted):
        raise DataError(f"{type(learner).__name__} does not have {wanted}")
    width = learner.n_features_in_
    if model.kind == "row" and takes_rows(learner) != (model.vectors is None):
        raise DataError("the learner does not take what the model reads")
    given = model.n_features if model.vectors is None else model.vectors.width
    if model.extractor is not None:
        given = model.extractor.n_features
    if given != width:
        raise DataError(f"{given} features for a learner of {width}")
    if model.kind == "row":
        row = [0.0 if kind == "numeric" else "" for kind in model.kinds]
        try:
            with np.errstate(all="ignore"):
                model.judge([row])
        except DataError:
            pass  # a row that the learner has no answer for


def _under(arrays: Arrays, prefix: str) -> Arrays:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
