"""Orders in plain speech: "can I listen to your chest?", "bloods please", "look at his eyes"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.knowledge.known_tests import is_full_name
from osler.text.order_mentions import mentions
from osler.text.order_stance import ordering
from osler.text.tokens import lowered
from osler.text.topics import clauses
from osler.text.utterance_kind import asks_leave

_LONGEST: Final = 120  # a longer line, in characters, is not an order
_BARE: Final = 4  # a line of up to this many words may be just a name
_ORDERS: Final = re.compile(
    r"\bplease\W*$|^\W*(?:order|request|send|arrange|book)\b"
    r"|^\W*(?:let's|(?:i'd like|i would like|i want|we need) to|(?:can|could|may|shall) (?:i|we)) "
    r"(?:please )?(?:do|get|have|check|order|take|run|send|arrange)\b"
)


@lru_cache(maxsize=4096)
def order_meant(said: str) -> str | None:
    """The tests and examinations that plain speech orders, in a list; `None` if it orders none."""
    line = said[:_LONGEST].strip(" .!?")
    names = [one.text for part in ordering(line) for one in mentions(part, frozenset())]
    return ", ".join(dict.fromkeys(names)) or (line if is_full_name(line) else None)


@lru_cache(maxsize=4096)
def sounds_like_an_order(said: str) -> bool:
    """Whether words to a patient sound like an order rather than a history question."""
    if len(said) > _LONGEST:
        return False
    if asks_leave(said) or _ORDERS.search(lowered(said)):
        return True
    heard = clauses(said)
    # "Pregnancy" alone is a history question, "pregnancy test" is not.
    of_history = any(clause.asks for clause in heard) or (len(said.split()) == 1 and heard and heard[0].sure)
    return len(said.split()) <= _BARE and not of_history
