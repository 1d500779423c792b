"""The synonym key of a diagnosis, by which players count votes for the same diagnosis.

A judge's rule is finer (`osler.judging.diagnosis`) and knows the answer; players have only the packaged names
and synonyms of known conditions, and for anything else the words themselves.
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
    """A key shared by names that mean the same diagnosis. It is an equivalence, so votes can be counted.

    The names and synonyms of a known condition share a key; any other name is compared by its words in order.
    """
    readings = [name, _SURENESS.sub("", name)]
    readings += [_BRACKETS.sub(" ", text) for text in readings]
    for text in readings:
        row = knowledge().find(text)
        if row is not None:
            return f"condition {knowledge().conditions[row].id}"
    return f"words {name_key(readings[-1]) or readings[-1].strip().casefold()}"
