"""Sentences: a tag for every token.

Nothing here is slow to import, as ``linnet predict`` needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from linnet.cli.kinds.kind import EVERY, Inspected, Kind, Measured, largest, typed
from linnet.cli.kinds.labelled import Labelled
from linnet.cli.kinds.sentence_files import SentenceData, like_training, open_sequences, read_tagged
from linnet.cli.kinds.trainer import Trainer, apply_settings, learner_for
from linnet.cli.shared.console import count, grid, name_cell
from linnet.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from linnet.cli.kinds import Recognised
    from linnet.cli.predict import Asked
    from linnet.cli.training import Training

__all__ = ["Sentences"]

_DEFAULT = "crf"
_REASONS = 4  # of each tag


class SentencesMeasured(Measured):
    """A tag for every token, and chunks where the tags are of chunks."""

    tokens = True

    def __init__(
        self, model: Any, data: Labelled, truth: list[Any], guess: list[Any], words: list[Any]
    ) -> None:
        from linnet.evaluate.chunks import evaluate_sequences

        self.model, self.data, self.truth, self.guess = model, data, truth, guess
        known = model.known_words or None  # the models of other programs do not say
        self.report = evaluate_sequences(truth, guess, words=words, known=known)

    @cached_property
    def _marginals(self) -> Any:
        return self.model.predict_marginals(self.data.X)

    def probabilities(self) -> Any | None:
        """Return the marginals of every sentence; None if the model has none."""
        return self._marginals if self.model.probabilistic else None

    @cached_property
    def _spans(self) -> Any | None:
        from linnet.evaluate import span_scores

        return None if self.report.chunks is None else span_scores(self.truth, self.guess)

    def headline(self) -> str:
        """Return the one figure that counts, its basis, and the number of tokens."""
        from linnet.cli.shared.report import sequence_headline

        return sequence_headline(self.report)

    def figures(self) -> dict[str, Any]:
        """Return accuracy, and F1 of chunks if there are any."""
        report = self.report
        chunks = {} if report.chunks is None else {"chunk_f1": report.chunks.f1}
        return {"tokens": report.n_tokens, "accuracy": report.accuracy, **chunks}

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain values, chunks by length too."""
        values: dict[str, Any] = self.report.to_dict()
        chunks = self.report.chunks
        if self._spans is not None:
            spans = self._spans.to_dict()
            values |= {f"chunk_{name}": spans[name] for name in ("lengths", "mistakes")}
            names = ("f1", "precision", "recall")
            values |= {f"chunk_{name}": getattr(chunks, name) for name in names}
        return values

    def print(self, console: Console) -> None:
        """Print the whole report."""
        from linnet.cli.shared.report import print_sequence_report, print_span_scores

        print_sequence_report(self.report, console)
        if self._spans is not None:
            print_span_scores(self._spans, console)


class SentenceTrainer(Trainer):
    """Reads sentences with tags and fits a tagger."""

    def __init__(
        self, settings: Training, reading: dict[str, Any], sniffed: Any, quiet: bool
    ) -> None:
        import linnet

        parameters: dict[str, Any] = {"n_threads": settings.threads}
        if settings.features is not None:
            parameters["features"] = settings.features
        if settings.constraints is not None:
            parameters["constraints"] = (
                None if settings.constraints == "none" else settings.constraints
            )
        if settings.min_df is not None:
            parameters["min_count"] = settings.min_df
        self.estimator = linnet.SequenceTagger(_learner(settings), **parameters)
        self._reading, self._sniffed, self._quiet = reading, sniffed, quiet

    def read(self, data: str, source: Any = None) -> Labelled:
        """Read sentences with tags."""
        sniffed = self._sniffed
        if source is None:
            source, sniffed = open_sequences(data, self._reading, assume=True)
        sequences = read_tagged(data, source, sniffed, self._reading, self._quiet)
        return SentenceData(data, sequences)

    def fit(self, data: Labelled) -> Any:
        """Return a tagger that remembers how its files are read."""
        model = self.estimator.fit(data.X).model_
        for name in ("text", "label"):
            if self._reading[name] is not None:
                model.record_[f"{name}_column"] = self._reading[name]
        if self._reading["delimiter"] is not None:
            model.record_["delimiter"] = self._sniffed.delimiter
        return model

    def facts(self, model: Any, n: int) -> dict[str, Any]:
        """Return what the tagger was trained on, as plain values."""
        facts = {"sentences": n, "tokens": model.record_["tokens"], "labels": len(model.classes_)}
        return {**facts, "learner": model.record_["learner"], "scheme": model.scheme}

    def sentence(self, facts: dict[str, Any]) -> str:
        """Return what the tagger was trained on, in words."""
        n, tokens, tags = (count(facts[name]) for name in ("sentences", "tokens", "labels"))
        scheme = f" in {facts['scheme']}" if facts["scheme"] else ""
        return f"{n} sentences, {tokens} tokens, {tags} tags{scheme}"


def _learner(settings: Training) -> Any:
    """Return the learner of that name with the seed and the strength of the command line."""
    wanted = settings.learner or _DEFAULT
    learner = learner_for("sequences", wanted, {})
    known = learner.get_params(deep=False)
    if "random_state" in known:
        learner.set_params(random_state=settings.seed)
    strength = settings.parameters.get("C")
    if strength is not None:
        if strength == "auto":
            raise ParameterError("-C must be a number for sequences; auto is for texts")
        if "C" not in known:
            raise ParameterError(f"the learner {wanted} has no C; leave -C out")
        learner.set_params(C=strength)
    return apply_settings(learner, settings.learner_settings)


class Sentences(Kind):
    """Sentences, and models that tag them."""

    data_name = "sequences"
    model_name = "a tagger of sentences"
    unit = "sentences"
    contents = "linnet.cli.kinds.sentence_contents"
    measures_shrinking = False
    takes: ClassVar = {
        "train": EVERY["train"] | {"--features", "--constraints", "--min-df", "--dtype"},
        "predict": EVERY["predict"]
        | {"--nbest", "--marginals", "--constraints", "--tokens", "--text"},
        "evaluate": EVERY["evaluate"] | {"--text"},
        "explain": {"--html"},
        "inspect": {"--features"},
    }

    def trainer(
        self, settings: Training, reading: dict[str, Any], file: Recognised, quiet: bool
    ) -> Trainer:
        """Return who reads sentences and learns to tag them."""
        return SentenceTrainer(settings, reading, file.plan, quiet)

    def read(self, data: str, reading: dict[str, Any], quiet: bool) -> Labelled:
        """Read sentences with tags, like the training file."""
        record = self.model.record_
        for part in ("text", "label"):
            reading[part] = reading[part] or record.get(f"{part}_column")
        source, sniffed = open_sequences(data, like_training(reading, record), assume=True)
        sequences = read_tagged(data, source, sniffed, reading, quiet, self.model)
        return SentenceData(data, sequences)

    def read_alone(
        self, file: Recognised, reading: dict[str, Any], quiet: bool, like: Any = None
    ) -> Labelled:
        """Read sentences with tags that no model has seen."""
        sequences = read_tagged(file.data, file.source, file.plan, reading, quiet)
        return SentenceData(file.data, sequences)

    def answers(self, data: Labelled) -> tuple[Any, ...]:
        """Return true tags, the model's, and the words."""
        assert isinstance(data, SentenceData)
        return data.y or [], self.model.predict(data.X), data.words

    def measured(self, data: Any, answers: tuple[Any, ...]) -> Measured:
        """Compare tags with the truth."""
        return SentencesMeasured(self.model, data, *answers)

    def answer_format(self, asked: Asked) -> str | None:
        """Return the format that was asked for, else that of the output's name."""
        from linnet.cli.kinds.tagged import answer_format

        return answer_format(asked)

    def blocks(self, files: Sequence[str], reading: dict[str, Any], asked: Asked) -> Iterator[Any]:
        """Yield the name of the file and some of its sentences, through all files."""
        from linnet.cli.kinds.tagged import blocks

        return blocks(self.model, files, reading, asked)

    def pool(
        self, files: Sequence[str], reading: dict[str, Any], asked: Asked
    ) -> tuple[Any, list[dict[str, Any]]]:
        """Return all sentences of some files, and where each begins."""
        from linnet.model.readers.tokens import read_tokens

        sentences: list[Any] = []
        keys: list[dict[str, Any]] = []
        for file, block in self.blocks(files, reading, asked):
            if block.attributes is not None:
                sentences += block.features()
            else:
                tokens = read_tokens(block)
                columns = [tokens.strings(j) for j in range(len(tokens.columns))]
                rows = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
                sentences += tokens.cut(rows)
            start = {} if file is None else {"file": file}
            keys += [{**start, "line": int(line)} for line in block.lines]
        return sentences, keys

    def write_answers(
        self, blocks: Iterator[Any], format: str | None, asked: Asked, out: BinaryIO
    ) -> None:
        """Write the sentences with their tags."""
        from linnet.cli.kinds.tagged import lines_of

        row = 0
        for file, block in blocks:
            for line in lines_of(self.model, block, format, asked, file, row):
                out.write(line.encode("utf-8", "replace"))
            out.flush()
            row += len(block)

    def example(self, words: list[str], stdin: Callable[[], str]) -> Any:
        """Return the sentence."""
        return typed(words, stdin)

    def render(self, explanation: Any, console: Console, top: int) -> None:
        """Print why each word has its tag."""
        from linnet.explain.tags import render_tags

        render_tags(explanation, console, min(top, _REASONS))

    def inspect(self, top: int, pattern: str | None) -> Inspected:
        """Return transitions, and each tag's features of largest weight."""
        from linnet.learn.chain import LinearChain

        model = self.model
        linear = isinstance(model.chain, LinearChain)
        transitions = model.top_transitions(2 * top) if linear else []
        facts = {
            "n_features": model.n_features,
            "n_columns": model.n_columns,
            "scheme": model.scheme,
            "classes": model.classes_.tolist(),
            "top_transitions": [
                {"from": before, "to": after, "weight": weight}
                for before, after, weight in transitions
            ],
        }
        if not linear or not top:
            return _TaggerInside(facts, {}, "tags")
        if pattern is None:
            return _TaggerInside(facts, model.top_features(top), "tags")
        chain, extractor = model.scorer.linear("list of features"), model.extractor
        names = enumerate(extractor.names.tolist())
        rows = {name: chain.weights_of(j) for j, name in names if fnmatchcase(name, pattern)}
        strongest = {}
        for label, tag in enumerate(model.classes_.tolist()):
            weights = [(name, float(row[label])) for name, row in rows.items() if row[label]]
            if weights:
                strongest[tag] = largest(weights, top)
        return _TaggerInside(facts, strongest, "tags")


@dataclass(frozen=True)
class _TaggerInside(Inspected):
    """Transitions, and features of tags."""

    def print(self, console: Console, top: int) -> None:
        """Print the transitions."""
        if self.facts["top_transitions"]:
            console.print("the strongest transitions:")
            table = grid(["tag", "next"], ["weight"])
            for row in self.facts["top_transitions"]:
                before, after, weight = row.values()
                table.add_row(name_cell(before), name_cell(after), f"{weight:+.3f}")
            console.print(table)
