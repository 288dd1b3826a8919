"""Write unicode_tables.inc, the character tables of the C++ core.

Everything but the word breaks comes from the running Python's own character data, through the very
methods that the core must agree with (str.lower, str.isalnum, unicodedata.normalize ...). The word
breaks come from the package regex. Run it again to move to a newer version of Unicode:

    pip install regex
    python core/text/build_unicode_tables.py
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

CODE_POINTS = 0x110000
BLOCK_BITS = 7
HANGUL = range(0xAC00, 0xD7A4)  # decomposed by arithmetic
DOTTED_CAPITAL_I = 0x130  # the only character with a lower case of two

WORD_BREAKS = (  # the order of enum class WordBreak in word_break.hpp, after `other`
    "CR",
    "LF",
    "Newline",
    "Extend",
    "ZWJ",
    "Format",
    "Regional_Indicator",
    "Katakana",
    "Hebrew_Letter",
    "ALetter",
    "Single_Quote",
    "Double_Quote",
    "MidNumLet",
    "MidLetter",
    "MidNum",
    "Numeric",
    "ExtendNumLet",
    "WSegSpace",
)
PICTOGRAPHIC = 32


def properties(char: str) -> int:
    """Return the bits of enum Property."""
    # Python does not publish Cased and Case_Ignorable, but its rule for the final sigma shows them:
    # it skips what is ignorable and asks whether the character before that is cased.
    final_after = (char + "Σ").lower().endswith("ς")
    final_through = ("A" + char + "Σ").lower().endswith("ς")
    bits = (
        char.isalnum() or char == "_",
        char.isspace(),
        final_after,
        final_through and not final_after,
        char.isdecimal(),
        unicodedata.combining(char) != 0,
        unicodedata.category(char)[0] in "PS",
    )
    return sum(1 << i for i, bit in enumerate(bits) if bit)


def word_breaks() -> list[int]:
    """Return the Word_Break property of every code point, with the pictographic bit."""
    import regex

    everything = "".join(map(chr, range(CODE_POINTS)))
    found = [0] * CODE_POINTS
    for value, name in enumerate(WORD_BREAKS, 1):
        for match in regex.finditer(rf"\p{{Word_Break={name}}}", everything):
            found[ord(match[0])] = value
    for match in regex.finditer(r"\p{Extended_Pictographic}", everything):
        found[ord(match[0])] |= PICTOGRAPHIC
    return found


def lower_difference(code: int) -> int:
    """Return the lower case of a code point minus the code point."""
    low = chr(code).lower()
    if len(low) != 1 and code != DOTTED_CAPITAL_I:
        raise SystemExit(f"U+{code:04X} has a lower case of {len(low)}: teach it to lower()")
    return ord(low[0]) - code


def stripped(code: int) -> str | None:
    """Return a character without accents, or None where it stays as it is or is Hangul."""
    if code in HANGUL:
        return None
    char = chr(code)
    bare = "".join(c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c))
    return None if bare == char else bare


def ranks(items: Iterable[T]) -> dict[T, int]:
    """Number the distinct items, the commonest first: short numbers make a short file."""
    return {item: i for i, (item, _) in enumerate(Counter(items).most_common())}


def trie(values: Sequence[T]) -> tuple[list[int], list[T]]:
    """Cut into blocks; return the block of each stretch, and the distinct blocks end to end."""
    size = 1 << BLOCK_BITS
    blocks = [tuple(values[i : i + size]) for i in range(0, len(values), size)]
    number = {blocks[0]: 0}  # ASCII is block 0, which a lookup may take for granted
    for block in ranks(blocks):
        number.setdefault(block, len(number))
    return [number[block] for block in blocks], [value for block in number for value in block]


def array(kind: str, name: str, items: Iterable[object]) -> str:
    """Return the C++ definition of one array, as tight as lines of 100 columns allow."""
    text = re.sub(r"(.{1,99},)(?=.)", r"\1\n", ",".join(map(str, items)))
    return f"const {kind} {name}[] = {{\n{text}}};\n"


def pool(strings: Iterable[str]) -> tuple[dict[str, int], list[int]]:
    """Lay distinct strings out as length and characters; return where each begins, and all."""
    begin: dict[str, int] = {}
    cells = [0]  # so that no string begins at 0, which means: unchanged
    for string in strings:
        begin[string] = len(cells)
        cells += [len(string), *map(ord, string)]
    return begin, cells


def render() -> str:
    """Return the whole file."""
    import regex

    breaks = word_breaks()
    records = [(properties(chr(c)), breaks[c], lower_difference(c)) for c in range(CODE_POINTS)]
    record_block, record_cells = trie(records)
    number = ranks(record_cells)

    bare = [stripped(c) for c in range(CODE_POINTS)]
    begin, cells = pool(ranks(string for string in bare if string is not None))
    strip_block, strip_index = trie([0 if s is None else begin[s] for s in bare])
    if len(number) > 256 or len(cells) > 65536 or max(map(len, begin)) > 18:
        raise SystemExit("the tables have outgrown their types: widen them in unicode.hpp")

    parts = [
        "// Written by build_unicode_tables.py; do not edit.\n"
        f"// Unicode {unicodedata.unidata_version}; word breaks from regex {regex.__version__}.\n\n"
        f'const char* const kUnicodeVersion = "{unicodedata.unidata_version}";\n\n'
        "namespace table {\n\n"
        f'static_assert(kBlockBits == {BLOCK_BITS}, "the tables have blocks of this size");\n',
        array("Record", "kRecords", (f"{{{p},{w},{d}}}" for p, w, d in number)),
        array("std::uint16_t", "kRecordBlock", record_block),
        array("std::uint8_t", "kRecordIndex", (number[cell] for cell in record_cells)),
        array("std::uint16_t", "kStripBlock", strip_block),
        array("std::uint16_t", "kStripIndex", strip_index),
        array("char32_t", "kStripped", cells),
        "}  // namespace table\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    target = Path(__file__).with_name("unicode_tables.inc")
    target.write_text(render(), encoding="utf-8")
    print(f"{target.name}: {target.stat().st_size} bytes, Unicode {unicodedata.unidata_version}")
