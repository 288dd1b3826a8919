"""Words that say little about the topic of an English text."""

from __future__ import annotations

from collections.abc import Iterable

from linnet.errors import ParameterError

__all__ = ["ENGLISH_STOP_WORDS", "stop_words_named"]

# The closed classes of English: articles, pronouns, prepositions, conjunctions, auxiliaries.
# Negations and comparisons are not among them, since they matter for sentiment.
_ENGLISH = """
    a an the this that these those
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what whoever whatever
    about above across after against along among around as at before behind below beneath beside
    besides between beyond by concerning down during for from in inside into near of off on onto
    out outside over past per since through throughout till to toward towards under until up upon
    via with within
    and or if because although though while whereas whether unless than
    am is are was were be been being do does did doing done have has had having
    can could may might must shall should will would ought
    here there where when why how then thus hence therefore
    also again already always ever just once soon still yet
    all any both each either every few many most much other others same several some such
    one ones own
"""
ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())


def stop_words_named(chosen: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return stop words, sorted: none, the English ones, or the user's own.

    Examples
    --------
    >>> stop_words_named(["the", "of"])
    ('of', 'the')
    """
    if chosen is None:
        return ()
    if isinstance(chosen, str):
        if chosen == "english":
            return tuple(sorted(ENGLISH_STOP_WORDS))
        raise ParameterError(f"stop_words must be 'english' or a list of words, got {chosen!r}.")
    try:
        words = {word.encode().decode() for word in chosen}
    except (AttributeError, TypeError, UnicodeError):
        raise ParameterError("stop_words must be 'english' or a list of words (str).") from None
    return tuple(sorted(words))
