"""Orders in plain speech: "can I listen to your chest?", "bloods please", "look at his eyes"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.knowledge.formulary import formulary
from osler.knowledge.order_names import SITES, words
from osler.text.tokens import lowered
from osler.text.topics import clauses
from osler.text.utterance_kind import asks_leave

_LONGEST: Final = 120  # a longer line, in characters, is not an order
_BARE: Final = 4  # a line of up to this many words may be just a name
_BEFORE: Final = re.compile(
    r"^\W*(?:(?:and|so|ok|okay|right|now|then|well|first|please|let's|let\ me|let\ us"
    r"|(?:can|could|may|might|shall|should)\ (?:i|we|you)|i'?d\ like|i\ would\ like|(?:i|we)\ (?:want|need)"
    r"|we\ should|i'?ll|i'?m\ going|i\ am\ going|(?:do|would)\ you\ mind\ if\ i"
    r"|is\ it\ (?:ok|okay|all\ right|alright)\ if\ i|to|just|quickly|also|do|get|order|request"
    r"|send(?:\ off)?(?:\ for)?|arrange|book|run|have|take|perform|measure|check"
    r"|a|an|some|the|your|his|her|their)\b\W*)+",
    re.VERBOSE,
)
_ORDERS: Final = re.compile(
    r"\bplease\W*$|^\W*(?:order|request|send|arrange|book)\b"
    r"|^\W*(?:let's|(?:i'd like|i would like|i want|we need) to|(?:can|could|may|shall) (?:i|we)) "
    r"(?:please )?(?:do|get|have|check|order|take|run|send|arrange)\b"
)
_HANDS_ON: Final = re.compile(
    r"^(?:examin(?:e|ing)|listen(?:ing)?|look(?:ing)?|feel(?:ing)?|press(?:ing)?|palpat(?:e|ing)|inspect(?:ing)?|tap(?:ping)?"
    r"|check(?:ing)?|(?:a\ )?(?:look|listen|feel)|mind\ if\ i\ \w+)\b"
)
_JOINED: Final = re.compile(r",|\band\b|\s&\s|\+|\bplus\b|\bincluding\b")
# Bedside and lay names of body parts and tests.
_CALLED: Final = {
    "belly": "abdomen",
    "bruise": "skin",
    "cap": "capillary",
    "eyeball": "eye",
    "fundi": "fundoscopy",
    "fundus": "fundoscopy",
    "gland": "lymph node",
    "lung": "chest",
    "pupil": "eye",
    "rash": "skin",
    "stomach": "abdomen",
    "tummy": "abdomen",
}
_CARRY_NOTHING: Final = frozenset({"baby", "your", "his", "her", "their"})


@lru_cache(maxsize=4096)
def order_meant(said: str) -> str | None:
    """The order that plain speech means, by a name in the formulary; `None` if it names nothing there."""
    text = lowered(said[:_LONGEST]).strip(" .!?")
    text = _BEFORE.sub("", re.sub(r"\W*\bplease$", "", text)).strip()
    if not text:
        return None
    called = [_CALLED.get(word, word) for word in words(text) if word not in _CARRY_NOTHING]
    if _known(text):
        return text
    if _HANDS_ON.match(text):
        sites = dict.fromkeys(word for word in called if word in SITES or word == "lymph node")
        examinations = [f"{site} examination" for site in sites]
        if examinations and all(map(formulary().find, examinations)):
            return ", ".join(examinations)
    return name if _known(name := " ".join(called)) else None


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


def _known(name: str) -> bool:
    """Whether the formulary has `name`, or every item of a list such as "FBC and CRP"."""
    if formulary().find(name):
        return True
    pieces = [_BEFORE.sub("", piece.strip()) for piece in _JOINED.split(name)]
    return len(pieces) > 1 and all(piece and formulary().find(piece) for piece in pieces)
