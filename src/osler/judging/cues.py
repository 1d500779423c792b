"""Emotional cues: a patient's words that express a feeling or a fear and are not negated."""

from __future__ import annotations

import re
from typing import Final

from osler.judging.wordings import any_of, folded

_GRAVE: Final = r"(?:cancer|serious|bad|fatal|dangerous|(?:a|another) (?:heart attack|stroke|tumou?r))"
_FEELING: Final = any_of(
    r"worr(?:y|ied|ies|ying)|scare[sd]?|scary|fright\w+|terrif\w+|afraid|anxious|panick\w+|dread(?:ing)?",
    r"nervous(?! system)|upset(?:s|ting)?(?! (?:stomach|tummy))",
    r"angry(?!,? (?:red|rash|looking)|-looking)",
    r"sad|tearful|hopeless|helpless|lonely|ashamed|embarrass\w+|guilty|furious|frustrat\w+",
    r"fed up|stressed|overwhelmed|desperate|miserable|heartbroken|grieving|depressed",
    r"wits' end|end of my (?:tether|rope)|(?:can't|cannot) (?:cope|go on|take (?:it|this|any more))",
    r"feel(?:ing)? (?:so |very |really |quite )?(?:low|down|alone|useless)",
    r"felt (?:so |very |really |quite )?(?:low|down|alone|useless)",
    r"i(?:'m|'ve| am| have| keep| can't| cannot| just)[^.?!]{0,20}\b(?:crying|cried|cry)",
    rf"(?:is|could|might|can) (?:it|this|that) (?:be )?(?:something )?{_GRAVE}",
    r"am i (?:going to die|dying|going mad|losing)|will i (?:die|be (?:ok|okay|all right))",
    r"what if it(?:'s| is)|(?:hope|pray) it(?:'s| is) (?:nothing|not)",
)
_CUE: Final = re.compile(rf"\b{_FEELING}\b")
_DENIED: Final = re.compile(
    r"\b(?:not|no|never|nothing|without|hardly|nor|(?:is|was|are|do|did|does|have|has)n't)\b(?:\s+\w+){0,2}\s*$"
)
_CLAUSE: Final = re.compile(r"[.?!;,:]|\bbut\b")
_POLITE: Final = re.compile(r" (?:not|so|i (?:(?:do|ca|could|have|did)n't|cannot|do not|have no|never))\b")


def cue(said: str) -> str | None:
    """The first feeling or fear expressed in a patient's words; `None` if there is none or it is negated.

    "I'm afraid I don't remember" is politeness, not fear.
    """
    text = folded(said)
    for found in _CUE.finditer(text):
        before = _CLAUSE.split(text[: found.start()])[-1]
        polite = found[0] == "afraid" and _POLITE.match(text, found.end())
        if not _DENIED.search(before) and not polite:
            return found[0]
    return None
