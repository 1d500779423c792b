"""Deterioration and recovery of the patient, where a station says so plainly.

If no salbutamol is given within 5 minutes she becomes drowsy: RR 14.      untreated, with time
If oxygen is given, she improves: SpO2 96 %.                              treated
After 10 minutes the patient becomes unresponsive.                        with time alone
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from osler.authoring.stations.lines import SourceLine
from osler.text.tokens import sentences

_MINUTES: Final = r"(?:within|after|in|by|for|at)\s+(?:the first |about |around |a further )?(\d{1,2}|one|two|three|four|five|ten|fifteen)\s*(?:-\s*\d{1,2}\s*)?min(?:ute)?s?\b"
_WORDS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "fifteen": 15}
_GIVEN: Final = r"(?:given|started|administered|commenced|applied|done|performed|provided|used|called|inserted|opened|attempted)"
_END: Final = r"(?:\s*(?:,|:|;|–|—|\bthen\b)\s*|\s+(?=(?:the patient|the child|the baby|he|she|they|mr|mrs|ms|miss|his|her|their|bp|hr|rr|spo2|sats|saturations)\b))"
_UNTREATED: Final = (
    re.compile(rf"^(?:if|where|should)\s+no\s+(?P<what>[^,:;]+?)\s+(?:is|are|has been|have been|was|be)\s+{_GIVEN}\s*(?:{_MINUTES})?{_END}(?P<then>.+)$", re.IGNORECASE | re.DOTALL),
    re.compile(rf"^(?:if)\s+(?:the )?(?P<what>[^,:;]+?)\s+(?:is|are|has|have|was|were)\s?n[o']t\s+(?:been )?{_GIVEN}\s*(?:{_MINUTES})?{_END}(?P<then>.+)$", re.IGNORECASE | re.DOTALL),
    re.compile(rf"^(?:if)\s+(?:the )?(?:candidate|student|doctor|examinee|learner|team)s?\s+(?:does not|do not|doesn't|don't|fails? to|has not)\s+(?:give|start|administer|commence|apply|call|provide)n?\s+(?:for )?(?P<what>[^,:;]+?)\s*(?:{_MINUTES})?{_END}(?P<then>.+)$", re.IGNORECASE | re.DOTALL),
    re.compile(rf"^(?:without|in the absence of)\s+(?P<what>[^,:;]+?)\s*(?:{_MINUTES})?{_END}(?P<then>.+)$", re.IGNORECASE | re.DOTALL),
)  # fmt: skip
_TREATED: Final = (
    re.compile(rf"^(?:if|when|once|after)\s+(?:the )?(?P<what>[^,:;]+?)\s+(?:is|are|has been|have been|was|were)\s+{_GIVEN}[^,:;]{{0,40}}?{_END}(?P<then>.+)$", re.IGNORECASE | re.DOTALL),
    re.compile(rf"^(?:if|when|once|after)\s+(?:the )?(?:candidate|student|doctor|examinee|learner|team)s?\s+(?:gives?|starts?|administers?|commences?|applies|calls?|provides?|has given)\s+(?:for )?(?P<what>[^,:;]+?){_END}(?P<then>.+)$", re.IGNORECASE | re.DOTALL),
)  # fmt: skip
_TIMED: Final = re.compile(rf"^{_MINUTES}{_END}(?P<then>.+)$", re.IGNORECASE | re.DOTALL)
_CHANGE: Final = re.compile(
    r"\b(?:deteriorat\w+|worsen\w*|arrests?|collapses?|becomes? (?:drowsy|unconscious|unresponsive|hypotensive|hypoxic|bradycardic|agitated|confused|more)|"
    r"drops? to|falls? to|rises? to|improves?|recovers?|stabili[sz]es?|loses consciousness|stops breathing)\b",
    re.IGNORECASE,
)


class Change(NamedTuple):
    """A change of the patient: what was or was not given, after how many minutes (if said), and what follows."""

    kind: Literal["untreated", "treated", "timed"]
    what: str
    after: int | None
    then: str
    line: SourceLine


class Changes(NamedTuple):
    """The changes, and the sentences that tell of one and could not be read."""

    found: tuple[Change, ...]
    unread: tuple[SourceLine, ...]
    used: tuple[SourceLine, ...]


def changes(lines: Sequence[SourceLine]) -> Changes:
    """The changes told in the lines, in order. Pure."""
    result: list[Change] = []
    unread: list[SourceLine] = []
    source_lines: list[SourceLine] = []
    for line in lines:
        for sentence in _sentences(line.text):
            change = _change(sentence, line)
            if change is not None:
                result.append(change)
                source_lines.append(line)
            elif line.part == "course" or (
                _CHANGE.search(sentence)
                and re.search(r"\b(?:if|unless|after|when|once)\b", sentence, re.IGNORECASE)
            ):
                unread.append(line._replace(text=sentence))
    return Changes(tuple(result), tuple(unread), tuple(source_lines))


def _sentences(text: str) -> list[str]:
    return [one.strip() for one in sentences(text) if one.strip()]


def _change(sentence: str, line: SourceLine) -> Change | None:
    for pattern in _UNTREATED:
        if match := pattern.match(sentence):
            return Change("untreated", match["what"].strip(), _number(match[2]), match["then"].strip(), line)
    if match := _TIMED.match(sentence):
        return Change("timed", "", _number(match[1]), match["then"].strip(), line)
    for pattern in _TREATED:
        if match := pattern.match(sentence):
            return Change("treated", match["what"].strip(), None, match["then"].strip(), line)
    return None


def _number(text: str | None) -> int | None:
    if not text:
        return None
    return _WORDS.get(text.lower()) or int(text)
