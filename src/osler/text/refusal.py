"""Negation of orders: whether a named act is ordered, refused, or mentioned as the cause of a reaction.

"Avoid aspirin", "aspirin is contraindicated" and "no aspirin or nitrates" refuse it. The scope of a refusal
ends with its clause, or at a later verb that orders something; a verb that it governs ("do not give aspirin")
is part of it. "Amoxicillin allergy" and "a rash with amoxicillin" name a reaction, not the act.
"""

from __future__ import annotations

import re
from typing import Final

_LOOKED_AT: Final = 200
_CLAUSE_END: Final = re.compile(r"[.;:!?\n]|\bbut\b|\bthen\b|\bhowever\b|\balthough\b|\binstead\b(?! of)")
_VERBS: Final = (
    "give|start|begin|administer|prescribe|continue|offer|arrange|order|commence|use|initiate|perform|refer"
)
# The verb that a refusal governs is part of it: "do not give", "no need to start", "never start or give".
_GOVERNED: Final = (
    r"(?:(?:\s+(?:need|reason|indication|necessary|recommended|safe|advisable|appropriate|wise|going|to|the|any|also"
    r"|yet|now|again|you|(?!only|merely|simply|solely)\w{2,15}ly|ever,?)|,?\s+under any circumstances,?)"
    rf"{{0,3}}\s+(?:{_VERBS})\b(?:(?:\s*[,/]\s*(?:{_VERBS})\b){{0,4}}(?=\s*,?\s+n?or\b))?)?"
)
_REFUSAL: Final = re.compile(
    r"\b(?:(?:avoid(?:s|ed|ing)?|dont|\w{2,6}n['’]t|cannot|(?<!\bif )not|never|no|without|refrain|cease"
    rf"|instead of|rather than|against){_GOVERNED}"
    r"|not|stop(?:ped|ping)?|hold|withhold|withheld|discontinue[ds]?|contraindicat\w{1,4}|allerg\w{1,3}|omit)\b"
)
# After "or" a second verb is refused with the first: "do not use nitrates or start a diuretic".
_ORDER: Final = re.compile(rf"(?<!\bor )(?<!\bnor )\b(?:{_VERBS})\b")
_REFUSED_AFTER: Final = re.compile(
    r"^[^.;:!?\n]{0,40}?\b(?:(?:is|are|was|were)\s+(?:relatively\s+|absolutely\s+)?(?:contraindicated|not\b|avoided|withheld)"
    r"|(?:should|must|to|can|will|would)\s+(?:not\b|be\s+(?:avoided|withheld|stopped|held))|not\s+(?:indicated|needed|required)"
    r"|contraindicated|unnecessary)|^[\s:(,–-]{1,4}avoid(?:ed)?\s*(?:[.;,)\n]|$)"
)
# Naming the drug a patient reacted to is not ordering it.
_REACTION: Final = (
    r"(?:allerg\w{1,3}|rash|hypersensitiv\w{1,4}|intoleran\w{1,3}|(?:adverse )?reactions?|anaphyla\w{1,6})\b"
)
_REACTION_AFTER: Final = re.compile(
    rf"[\s\-‐-–/]{{1,3}}(?:(?:drug|skin|related|induced|associated)[\s-]){{0,2}}{_REACTION}"
)
_REACTION_BEFORE: Final = re.compile(
    rf"(?:{_REACTION}\s+(?:to|from|after|on|caused by)|(?<!treat )(?<!treat the )\brash with|reacted to)"
    r"\s+(?:the |an |a |her |his |any |oral ){0,2}$|\bnon[\s-]$"
)


def refused(text: str, start: int, end: int) -> bool:
    """Whether the words between `start` and `end` of a lower-case text are refused rather than ordered."""
    before = text[max(0, start - _LOOKED_AT) : start]
    clause = before[max((stop.end() for stop in _CLAUSE_END.finditer(before)), default=0) :]
    refusals = [match.end() for match in _REFUSAL.finditer(clause)]
    if refusals and not _ORDER.search(clause, refusals[-1]):
        return True
    if _REFUSED_AFTER.match(text[end : end + 80]):
        return True
    # A term such as "allergic" is itself about reactions: "any allergic reaction?" asks for it.
    about_reactions = "allerg" in text[start:end]
    return not about_reactions and bool(_REACTION_AFTER.match(text, end) or _REACTION_BEFORE.search(clause))


def refuses(text: str) -> bool:
    """Whether a lower-case text contains a word of refusal."""
    return _REFUSAL.search(text) is not None
