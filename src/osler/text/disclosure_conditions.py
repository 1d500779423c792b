"""Disclosure conditions: the assurances in a doctor's words, and the facts they free a patient to tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from osler.knowledge.vocabulary import Told
from osler.text.tokens import lowered

_PRIVATE: Final = r"""
    \b(?:speak|talk|chat|see|meet|discuss|word|moment|minutes?|time)\b [^.?!]{0,40}
        \b(?:alone|in\ private|privately|on\ your\ own|by\ yourself
        |one.on.one|one.to.one|just\ you\ and\ me)\b
    | \b(?:step|wait|go|stay|sit)(?:ping|ing)?\ (?:out\b|outside) [^.?!]{0,40}
        \b(?:room|moment|minutes?|while)\b
    | \bjust\ the\ two\ of\ us\b(?!\ (?:know|will\ know))
    | \bwithout\ your\ (?:mother|mum|mom|father|dad|parents?|husband|wife|partner|family|boyfriend|girlfriend
        |daughter|son|carer)\b [^.?!]{0,20} \b(?:here|room|present|around)\b
"""
_COMMON: Final = r"""
    \b(?:many|most|lots?\ of|plenty\ of|a\ lot\ of|other|some)\ (?:other\ )?
        (?:people|patients|men|women|teenagers|young\ people|students|mothers|fathers|parents|folks)\b
    | \bi\ (?:always\ )?ask\ (?:this\ of\ )?(?:every(?:one|body|\ patient)|all\ (?:of\ )?(?:my\ )?patients)\b
    | \b(?:very|quite|really|so|is|are|it's|that's)\ common\b | \bnot\ (?:unusual|uncommon|alone\ in)\b
    | \bnothing\ to\ be\ (?:ashamed|embarrassed) | \broutine\ questions?\b
    | \b(?:perfectly|completely|quite)\ normal\b
    | \b(?:not\ here\ to|won't|will\ not|don't|no\ one\ will|nobody\ will)\ judge\b
    | \b(?:no|without)\ judge?ment\b | \bnon.judge?mental\b
"""
_BETWEEN_US: Final = r"""
    \bconfidential(?:ly|ity)?\b
    | \b(?:stays?|kept?|keep\ (?:it|this|that)|remains?|is|just)\ (?:strictly\ )?
        between\ (?:us|you\ and\ me|the\ two\ of\ us)\b
    | \b(?:say|tell\ me|share|discuss|here|this|that)\ (?:\w+\ ){0,3}
        (?:stays?|is|remains?|will\ (?:stay|be\ kept|remain))\ (?:completely\ |strictly\ )?
        (?:private|secret|in\ this\ room|with\ me)\b
    | \b(?:won't|will\ not)\ (?:tell|be\ told|be\ shared|share|repeat)\b
"""
_ASSURES: Final[dict[Told, re.Pattern[str]]] = {
    "in_private": re.compile(_PRIVATE, re.VERBOSE),
    "normalized": re.compile(_COMMON, re.VERBOSE),
    "confidential": re.compile(_BETWEEN_US, re.VERBOSE),
}
_NO_PROMISE: Final = re.compile(
    r"\b(?:not|never|cannot|can't|won't|isn't|unable\ to)\ (?:\w+\ ){0,4}"
    r"(?:confidential|confidentiality|private|secret|between\ us)"
)


_ALWAYS: Final[frozenset[Told]] = frozenset({"volunteered", "asked"})


@lru_cache(maxsize=20_000)
def assurances(text: str) -> frozenset[Told]:
    """The conditions of disclosure that a doctor's words meet.

    `in_private`: asks to speak alone. `normalized`: says that many people have this, or that everyone is
    asked. `confidential`: promises confidentiality; refusing to promise it ("I cannot keep this
    confidential") does not count.
    """
    said = lowered(text)
    given = {told for told, pattern in _ASSURES.items() if pattern.search(said)}
    if _NO_PROMISE.search(said):
        given.discard("confidential")
    return frozenset(given)


def may_tell(told: Told, doctor_said: Sequence[str]) -> bool:
    """Whether a fact with disclosure condition `told` may be told after all that the doctor has said so far.

    Each condition is met only by its own assurance: a promise of confidentiality does not empty the room, and
    an empty room is not a promise.
    """
    return told in _ALWAYS or told in conditions_met(doctor_said)


def conditions_met(doctor_said: Sequence[str]) -> frozenset[Told]:
    """Every disclosure condition met by all that the doctor has said; see `may_tell`."""
    return _ALWAYS.union(*map(assurances, doctor_said))
