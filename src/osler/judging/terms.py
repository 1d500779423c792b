"""Finding named acts in what a doctor wrote or said: whole words, quoted, and not where they are refused.

"Give aspirin" names aspirin; "avoid aspirin", "aspirin is contraindicated" and "no aspirin or nitrates" do
not. A refusal reaches to the end of its clause, or to a verb that orders something after it; a verb that it
governs ("do not give aspirin") is part of it. "Amoxicillin allergy" and "a rash with amoxicillin" name a
reaction, not the act.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

QUOTE: Final = 200
_LONGEST: Final = 20_000
_MOST_SEEN: Final = 256
_WORD: Final = re.compile(r"[^\W_]+")

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
# Naming what somebody reacted to is not giving it.
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


class Terms:
    """Terms of several labels, compiled once; `named` says which labels a text names, with quotes.

    Short texts are remembered: orders and plans repeat from episode to episode.
    """

    def __init__(self, labels: Mapping[str, Iterable[str]]) -> None:
        owners: dict[str, set[str]] = {}
        for label, terms in labels.items():
            for term in terms:
                if words := " ".join(_WORD.findall(term.lower())):
                    owners.setdefault(words, set()).add(label)
        self._owners = {
            term: sorted({o for other, names in owners.items() if f" {other} " in f" {term} " for o in names})
            for term in owners
        }
        longest = sorted(owners, key=lambda term: (-len(term), term))
        alternatives = "|".join(r"[\W_]{1,3}".join(map(re.escape, term.split())) for term in longest)
        self._starts = tuple({term.split()[0] for term in owners})
        self._pattern = re.compile(rf"(?<!\w)({alternatives})(?:e?s)?(?!\w)")
        self._seen: dict[str, dict[str, str]] = {}

    def named(self, texts: Iterable[str]) -> dict[str, str]:
        """Each label that some text names, with the first quote."""
        found: dict[str, str] = {}
        for text in texts:
            names = self._seen.get(text)
            if names is None:
                names = self._in_one(text[:_LONGEST])
                if len(text) <= QUOTE:
                    if len(self._seen) >= _MOST_SEEN:
                        self._seen.clear()
                    self._seen[text] = names
            for label, quote in names.items():
                found.setdefault(label, quote)
        return found

    def _in_one(self, text: str) -> dict[str, str]:
        low = text.lower()
        found: dict[str, str] = {}
        if not any(start in low for start in self._starts):
            return found
        for match in self._pattern.finditer(low):
            new = [o for o in self._owners[" ".join(_WORD.findall(match[1]))] if o not in found]
            if new and not refused(low, match.start(), match.end()):
                found.update(dict.fromkeys(new, _around(text, match.start(), match.end())))
        return found


def refused(text: str, start: int, end: int) -> bool:
    """Whether the words between `start` and `end` of a lower-case text are refused rather than ordered."""
    before = text[max(0, start - QUOTE) : start]
    clause = before[max((stop.end() for stop in _CLAUSE_END.finditer(before)), default=0) :]
    refusals = [match.end() for match in _REFUSAL.finditer(clause)]
    if refusals and not _ORDER.search(clause, refusals[-1]):
        return True
    if _REFUSED_AFTER.match(text[end : end + 80]):
        return True
    # A term such as "allergic" is itself about reactions: "any allergic reaction?" asks for it.
    about_reactions = "allerg" in text[start:end]
    return not about_reactions and bool(_REACTION_AFTER.match(text, end) or _REACTION_BEFORE.search(clause))


def _around(text: str, start: int, end: int) -> str:
    """The text, or the part of it around a match, no longer than a quote."""
    if len(text) <= QUOTE:
        return text
    room = (QUOTE - (end - start)) // 2
    first = max(0, start - room)
    return text[first : first + QUOTE]
