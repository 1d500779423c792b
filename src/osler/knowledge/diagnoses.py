"""Whether two players mean the same diagnosis: one key for its names, for players to count votes by.

A judge's rule is finer (`osler.judging.diagnosis`) and knows the answer; players have only what is packaged
for them: the names and synonyms of known conditions, and beyond those the words themselves.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.knowledge.conditions import knowledge, name_key

_BRACKETS: Final = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")
_SURENESS: Final = re.compile(
    r"^\W*(?:(?:most|very|highly|the|a|an|likely|probabl[ey]|possibl[ey]|presumed|suspected|provisional|working"
    r"|diagnosis|is|of|:)\W+)+",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def diagnosis_key(name: str) -> str:
    """A key that two names share where they mean the same diagnosis: an equivalence, so votes can be counted.

    A known condition's names and synonyms share one; another name is compared by its words, in their order.
    """
    readings = [name, _SURENESS.sub("", name)]
    readings += [_BRACKETS.sub(" ", text) for text in readings]
    for text in readings:
        row = knowledge().find(text)
        if row is not None:
            return f"condition {knowledge().conditions[row].id}"
    return f"words {name_key(readings[-1]) or readings[-1].strip().casefold()}"
