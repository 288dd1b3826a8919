"""Vectorisers of scikit-learn as readers of texts."""

from __future__ import annotations

from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import LinnetError
from linnet.foreign.scikit_learn.fields import Fields, fields_of
from linnet.foreign.scikit_learn.reader import Part, VectoriserReader
from linnet.foreign.scikit_learn.weighing import Weighing
from linnet.text.extractor import Extractor
from linnet.text.names import Names
from linnet.text.settings import Settings

__all__ = ["VECTORISERS", "reader_of", "weighing_of"]

Floats = NDArray[np.float64]
VECTORISERS = ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer", "FeatureUnion")
_WORDS = (r"(?u)\b\w\w+\b", r"\b\w\w+\b")
_LONGEST = 1000
_NORMS = (None, "l1", "l2")


def reader_of(vectoriser: Fields) -> VectoriserReader:
    """Return the reader of a vectoriser, or of several side by side."""
    if vectoriser.cls != "FeatureUnion":
        return VectoriserReader((_part(vectoriser, 1.0),))
    weights = vectoriser.value("transformer_weights", None) or {}
    parts = []
    for item in vectoriser.listed("transformer_list"):
        if not isinstance(item, tuple) or len(item) != 2:
            vectoriser.refuse("has a part that is no pair of name and vectoriser")
        name, inner = item
        factor = weights.get(name, 1.0) if isinstance(weights, dict) else None
        if not isinstance(factor, (int, float)) or not abs(factor) < 1e6:
            vectoriser.refuse("has weights of its parts that are no numbers")
        parts.append(_part(fields_of(inner, vectoriser.file, "a part of FeatureUnion"), factor))
    return VectoriserReader(tuple(parts))


def weighing_of(transformer: Fields, columns: int) -> Weighing:
    """Return what a TfidfTransformer does."""
    idf = None
    if transformer.value("use_idf"):
        idf = _idf(transformer)
        if len(idf) != columns:
            transformer.refuse(f"has {len(idf)} factors for {columns} columns")
    norm = transformer.choice("norm", _NORMS)
    return Weighing(sublinear=bool(transformer.value("sublinear_tf")), norm=norm or "none", idf=idf)


def _idf(transformer: Fields) -> Floats:
    if transformer.has("idf_"):
        return transformer.numbers("idf_").reshape(-1)
    return transformer.inner("_idf_diag").numbers("data").reshape(-1)  # a diagonal, until 1.4


def _part(vectoriser: Fields, factor: float) -> Part:
    if vectoriser.cls == "Pipeline":
        return _pipeline_part(vectoriser, factor)
    if vectoriser.cls not in VECTORISERS[:3]:
        vectoriser.refuse(f"is no vectoriser of texts; linnet reads {', '.join(VECTORISERS)}")
    settings = _settings(vectoriser)
    steps = []
    if vectoriser.value("binary"):
        steps.append(Weighing(binary=True))
    try:
        settings.to_config()  # refuses patterns that search without end
        if settings.buckets:
            extractor = Extractor(settings)
        else:
            extractor = Extractor.with_names(settings, _names(vectoriser))
    except LinnetError as error:
        vectoriser.refuse(f"cannot be read: {error}")
    if vectoriser.cls == "HashingVectorizer":
        norm = vectoriser.choice("norm", _NORMS)
        steps += [Weighing(norm=norm)] if norm else []
    if vectoriser.cls == "TfidfVectorizer":
        steps.append(weighing_of(vectoriser.inner("_tfidf"), extractor.n_features))
    return Part(extractor, tuple(steps), float(factor))


def _pipeline_part(pipeline: Fields, factor: float) -> Part:
    """Return a vectoriser and its TfidfTransformer, in a pipeline of their own."""
    objects = [pair[1] for pair in pipeline.listed("steps") if isinstance(pair, tuple)]
    first, *others = [fields_of(one, pipeline.file, "a step of a pipeline") for one in objects]
    part = _part(first, factor)
    if any(other.cls != "TfidfTransformer" for other in others):
        pipeline.refuse("within a FeatureUnion may hold a vectoriser and a TfidfTransformer")
    more = tuple(weighing_of(other, part.extractor.n_features) for other in others)
    return Part(part.extractor, part.steps + more, part.factor)


def _settings(vectoriser: Fields) -> Settings:
    for name in ("preprocessor", "tokenizer"):
        if vectoriser.value(name) is not None:
            vectoriser.refuse(f"has a {name}= of its own, which is a function and is never run")
    vectoriser.choice("input", ("content",))
    analyzer = vectoriser.choice("analyzer", ("word", "char", "char_wb"))
    tokenizer, pattern = analyzer, ""
    if analyzer == "word":
        pattern = vectoriser.value("token_pattern")
        if not isinstance(pattern, str):
            vectoriser.refuse("has no token_pattern that is a text")
        tokenizer, pattern = ("word", "") if pattern in _WORDS else ("regex", pattern)
    span = vectoriser.value("ngram_range")
    if not isinstance(span, (tuple, list)) or len(span) != 2:
        vectoriser.refuse("has no ngram_range of two numbers")
    low, high = span
    if type(low) is not int or type(high) is not int or not 1 <= low <= high <= _LONGEST:
        vectoriser.refuse(f"cannot have ngram_range={(str(low)[:9], str(high)[:9])}")
    buckets = 0
    if vectoriser.cls == "HashingVectorizer":
        buckets = vectoriser.whole("n_features", 1, (1 << 31) - 1)
    return Settings(
        tokenizer=tokenizer,
        pattern=pattern,
        ngrams=(low, high),
        lowercase=bool(vectoriser.value("lowercase")),
        accents=vectoriser.choice("strip_accents", (None, "ascii", "unicode")) or "keep",
        stop_words=_stop_words(vectoriser) if analyzer == "word" else (),
        buckets=buckets,
        signs=bool(vectoriser.value("alternate_sign", True)),
    )


def _stop_words(vectoriser: Fields) -> tuple[str, ...]:
    words: Any = vectoriser.value("stop_words")
    if words is None:
        return ()
    if isinstance(words, str) and words == "english":
        words = _english(vectoriser)
    if not isinstance(words, (list, tuple, set, frozenset)):
        vectoriser.refuse("has stop_words that are neither a list nor 'english'")
    if not all(isinstance(word, str) for word in words):
        vectoriser.refuse("has a stop word that is no text")
    return tuple(sorted(words))


def _english(vectoriser: Fields) -> Any:
    """Return scikit-learn's list, which is not in the file; without importing the whole of it."""
    package = find_spec("sklearn")
    if package is None or package.origin is None:
        vectoriser.refuse(
            "has stop_words='english', a list that is part of scikit-learn; install it"
        )
    source = Path(package.origin).parent / "feature_extraction" / "_stop_words.py"
    spec = spec_from_file_location("_stop_words", source)
    if spec is None or spec.loader is None:
        vectoriser.refuse("has stop_words='english', and scikit-learn's list was not found")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ENGLISH_STOP_WORDS


def _names(vectoriser: Fields) -> Names:
    """Return the n-grams of the vocabulary in the order of their columns."""
    vocabulary = vectoriser.value("vocabulary_")
    if not isinstance(vocabulary, (dict, _core.Vocabulary)) or not vocabulary:
        vectoriser.refuse("has no vocabulary_; it was not fitted")
    offset = np.empty(len(vocabulary) + 1, np.int64)
    if isinstance(vocabulary, _core.Vocabulary):  # it stayed in its pickle
        stored = vocabulary.names(offset)
        if stored is None:
            _unnumbered(vectoriser, len(vocabulary))
        return Names(np.frombuffer(stored, np.uint8), offset)
    raw = _core.names_by_column(vocabulary, offset)
    if raw is not None:
        return Names(np.frombuffer(raw, np.uint8), offset)
    return _names_one_by_one(vectoriser, vocabulary)


def _unnumbered(vectoriser: Fields, count: int) -> NoReturn:
    vectoriser.refuse(f"has a vocabulary_ that does not number its {count} entries")


def _names_one_by_one(vectoriser: Fields, vocabulary: dict[Any, Any]) -> Names:
    """Return the same; the core leaves to it what is not as it should be."""
    names = [""] * len(vocabulary)
    taken = bytearray(len(vocabulary))
    for name, column in vocabulary.items():
        if type(column) is not int or not 0 <= column < len(names) or taken[column]:
            _unnumbered(vectoriser, len(names))
        if not isinstance(name, str):
            vectoriser.refuse("has an entry of vocabulary_ that is no text")
        names[column], taken[column] = name, 1
    try:
        return Names.of(names)
    except UnicodeEncodeError as error:
        vectoriser.refuse(f"has an entry of vocabulary_ that cannot be written ({error})")
