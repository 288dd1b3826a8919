"""CoNLL-U."""

from __future__ import annotations

import pytest

from linnet.errors import FormatError

from ..reading import read_sentences

CONLLU = b"""\
# sent_id = 1
# text = vamonos al mar
1-2\tvamonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\tV\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\t_
2.1\tx\tx\t_\t_\t_\t_\t_\t0:y\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tA\t_\t5\tcase\t_\t_
4\tel\tel\tDET\tD\t_\t5\tdet\t_\t_
5\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\t_
5.1\tz\tz\t_\t_\t_\t_\t_\t0:y\t_

# sent_id = 2
1\tAy\tay\tINTJ\tI\t_\t0\troot\t_\t_

"""


def test_conll_u_skips_ranges_and_empty_nodes_and_knows_both_tag_sets() -> None:
    found = read_sentences(CONLLU)
    assert (found.format, found.sentences()) == (
        "conllu",
        [["vamos", "nos", "a", "el", "mar"], ["Ay"]],
    )
    assert found.tags == [["VERB", "PRON", "ADP", "DET", "NOUN"], ["INTJ"]]
    assert read_sentences(CONLLU, tag="xpos").tags == [["V", "P", "A", "D", "N"], ["I"]]
    assert found.lines.tolist() == [4, 14]
    blind = CONLLU.replace(b"VERB", b"_").replace(b"INTJ", b"_")
    assert read_sentences(blind, format="conllu").tags is not None
    none = b"1\tAy\tay\t_\t_\t_\t_\t_\t_\t_\n"
    assert read_sentences(none, format="conllu").tags is None
    with pytest.raises(FormatError, match="token's number"):
        read_sentences(none.replace(b"1\t", b"one\t"), format="conllu")
