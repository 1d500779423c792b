"""Disclosure conditions: the assurances in a doctor's words, and the facts they free a patient to tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

from osler.knowledge.vocabulary import Told
from osler.text.speech_acts import ActByRule, does_by_rule, plain
from osler.text.tokens import lowered
from osler.text.utterance_kind import classified

_COMMON: Final = r"""
    \b(?:many|most|lots?\ of|plenty\ of|a\ lot\ of|other|some)\ (?:other\ )?
        (?:my\ |our\ |the\ |of\ (?:my|our|the)\ )?
        (?:people|patients|men|women|teenagers|young\ people|students|mothers|fathers|parents|families|folks
        |mums|dads|clients|ladies|couples)\b
    | \b(?:i|we)\ (?:\w+\ ){0,3}?ask\ (?:this\ |these\ |that\ |it\ |the\ same\ |such\ )?
        (?:questions?\ |things?\ )?(?:of\ |to\ )?
        (?:every(?:one|body|\ \w+)|all\ (?:of\ )?(?:my\ |our\ |the\ )?(?:\w+\ )?
        (?:patients|parents|families|mothers|women|men|people|mums|carers|couples|teenagers))\b
    | \b(?:we|i)\ (?:\w+\ ){0,2}?ask\ (?:\w+\ ){0,3}?(?:of\ |to\ )?(?:all|everyone|everybody)\b
    | \b(?:every(?:one|body)|all\ (?:our\ |my\ )?(?:patients|women|men|parents))\ (?:\w+\ )?
        (?:gets?|is|are)\ asked\b
    | \b(?:standard|usual|normal|tick.?box|routine)\ (?:\w+\ )?(?:questions?|one|ones|thing)\b
    | \b(?:nobody|no\ one|not|isn't|aren't|i'm\ not)\ (?:\w+\ ){0,2}?(?:blam|judg)\w*
    | \bvery\ normal\b
    | \b(?:very|quite|really|so|is|are|it's|that's)\ common\b | \bnot\ (?:unusual|uncommon|alone\ in)\b
    | \bnothing\ to\ be\ (?:ashamed|embarrassed) | \broutine\ questions?\b
    | \b(?:perfectly|completely|quite)\ normal\b
    | \b(?:not\ here\ to|won't|will\ not|don't|no\ one\ will|nobody\ will)\ judge\b
    | \b(?:no|without)\ judge?ment\b | \bnon.judge?mental\b
"""
_NO_PROMISE: Final = re.compile(
    r"\b(?:not|never|cannot|can't|won't|isn't|unable\ to|don't|couldn't)\ (?:\w+\ ){0,4}"
    r"(?:confidential\w*|private|secrets?|between\ us|to\ myself|in\ confidence)\b"
    r"|\b(?:will|have\ to|need\ to|must|going\ to|might|may)\ (?:\w+\ ){0,3}"
    r"(?:tell|inform|call|report)\ (?:\w+\ ){0,2}(?:mum|mother|dad|father|parents|husband|wife|partner"
    r"|police)\b"
)
# What limits confidentiality: a risk to somebody, the law, the team that needs to know.
_LIMITS: Final = re.compile(
    r"\b(?:unless|except(?:ion)?s?|apart\ from|only\ (?:if|when|share|tell|break|reason|time|people"
    r"|those|exception)"
    r"|limits?|as\ long\ as|other\ than|with\ one|but\ if|however|though|law)\b"
    r"|\bif\b.{0,60}\b(?:risk|danger|harm\w*|hurt\w*|safe\w*|serious|worried|concerned|protect)\b"
    r"|\b(?:might|may|would|will|'d|could)\ (?:have|need)\ to\ (?:share|tell|speak|talk|involve|break"
    r"|pass|discuss)\b"
    r"|\bwithin\ (?:the|our|my|this)\ (?:\w+\ )?team\b|\bneed\ to\ know\b"
)
_FALSE_PRIVACY: Final = re.compile(
    r"\b(?:no\ need|don't\ need|not\ necessary|needn't|don't\ have\ to|can't|cannot|not\ able\ to"
    r"|unable\ to|won't)\b"
)

# The least probability of a learned class.
_SURE: Final = 0.6

Secrecy = Literal["promised", "limited"]

_COMMON_PATTERN: Final = re.compile(_COMMON, re.VERBOSE)

_ALWAYS: Final[frozenset[Told]] = frozenset({"volunteered", "asked"})


@lru_cache(maxsize=20_000)
def assurances(text: str) -> frozenset[Told]:
    """The conditions of disclosure that a doctor's words meet.

    `in_private`: asks to speak alone. `normalized`: says that many people have this, or that everyone is
    asked. `confidential`: promises confidentiality; refusing to promise it ("I cannot keep this
    confidential") does not count.
    """
    given: set[Told] = set()
    if _COMMON_PATTERN.search(lowered(text)):
        given.add("normalized")
    if _does("privacy", text) and not _FALSE_PRIVACY.search(plain(text)):
        given.add("in_private")
    if secrecy(text):
        given.add("confidential")
    return frozenset(given)


def _does(act: ActByRule, text: str) -> bool:
    """Whether an utterance does a speech act, by rule or by the learned classification."""
    if does_by_rule(act, text):
        return True
    name, chance, _ = classified(text)
    return name == act and chance >= _SURE


@lru_cache(maxsize=20_000)
def secrecy(text: str) -> Secrecy | None:
    """The confidentiality that a doctor's words offer: `promised` without a limit, or `limited`, as is right.

    `None` if they do not, or refuse it ("I cannot keep this confidential").
    """
    if not _does("confidentiality", text):
        return None
    said = plain(text)
    if _LIMITS.search(said):
        return "limited"
    return None if _NO_PROMISE.search(said) else "promised"


def may_tell(told: Told, doctor_said: Sequence[str]) -> bool:
    """Whether a fact with disclosure condition `told` may be told after all that the doctor has said so far.

    Each condition is met only by its own assurance: a promise of confidentiality does not empty the room, and
    an empty room is not a promise.
    """
    return told in _ALWAYS or told in conditions_met(doctor_said)


def conditions_met(doctor_said: Sequence[str]) -> frozenset[Told]:
    """Every disclosure condition met by all that the doctor has said; see `may_tell`."""
    return _ALWAYS.union(*map(assurances, doctor_said))
