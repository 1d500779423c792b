"""The voice of a built-in student: a point in a learner's own words, hedged by level, without the answer.

A plan's summaries are written by and for teachers. A learner gives the gist: clauses in another order,
shorter words, a hedge. The gist still makes the point by `osler.text.key_points`, by which tutors hear it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import Final

from osler.protocols.ward_round.seats import Level
from osler.text.key_points import SAID, says, share

# Summaries of data sets describe the lesson ("In this step, the student must ..."), not the point.
_ABOUT_THE_LESSON: Final = re.compile(
    r"^(?:here,? |finally,? )?(?:(?:in|at|for) )?"
    r"(?:this|the) (?:\w+ ){0,2}?(?:step|task|goal|aim|purpose)\b(?: of this step)?,?\s*"
    r"(?:(?:also )?(?:involves|requires|focuses on|is about|is to|is|aims at|asks for|means)\s+)?"
    r"(?:(?:the|a) (?:students?|learners?) (?:must|should|needs? to|has to|have to|can|will)\s+)?"
    r"|^(?:(?:the|a) )?(?:students?|learners?) (?:must|should|needs? to|has to|have to|can|will)\s+",
    re.IGNORECASE,
)
_CLAUSES: Final = re.compile(r"(?<=[.!?;])\s+|,\s+(?=(?:so|because|but|while|whereas|which)\b)")
_JOINING: Final = re.compile(
    r"^(?:and|so|but|while|whereas|because|which|therefore|thus|hence)\b[\s,]*", re.I
)
# A learner's shorter words for a teacher's.
_SHORTER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "electrocardiogram": "ECG",
        "blood pressure": "BP",
        "respiratory rate": "resp rate",
        "intravenous": "IV",
        "computed tomography": "CT",
        "chest radiograph": "chest X-ray",
        "indicates": "means",
        "suggests": "points to",
        "immediately": "right away",
        "at once": "straight away",
        "administer": "give",
        "requires": "needs",
        "exclude": "rule out",
        "therefore": "so",
        "commence": "start",
        "in order to": "to",
        "prior to": "before",
        "does not": "doesn't",
        "do not": "don't",
        "cannot": "can't",
        "it is": "it's",
        "is not": "isn't",
        "are not": "aren't",
    }
)
# After these any clause can stand, be it a sentence, a fragment or an instruction.
_OPENINGS: Final[Mapping[Level, tuple[str, ...]]] = MappingProxyType(
    {
        "beginner": ("Um, ", "I'm not sure: ", "Maybe this: ", "Is it this: "),
        "intermediate": ("I think it is this: ", "If I remember right: ", "So, ", "From what I know: "),
        "advanced": ("I would put it this way: ", "For me the point is this: ", "Putting it together: "),
    }
)
_DOUBTS: Final = ("", " Is that right?", " Or am I mixing something up?")
_KEEPS_CAPITAL: Final = re.compile(r"^(?:[A-Z]{2,}|[A-Z]\w*[A-Z0-9]|I\b|[A-Z]\.)")


@lru_cache(maxsize=4096)
def gist(point: str) -> tuple[str, ...]:
    """The clauses of a point, without talk about the lesson, and without the words that join them."""
    bare = _ABOUT_THE_LESSON.sub("", point.strip(), count=1)
    result = (_JOINING.sub("", clause.strip()).strip(" .;:!?") for clause in _CLAUSES.split(bare))
    return tuple(clause for clause in result if clause)


def in_own_words(point: str, level: Level, dice: Random, hide: Sequence[str] = ()) -> str:
    """A point as a learner of a level says it, with `hide` (the answer's names) left unsaid; "" if nothing is
    left to say then."""
    clauses = [clause for each in gist(point) if (clause := _hidden(each, hide))]
    clauses = [clause for clause in clauses if len(clause.split()) > 1] or clauses * (not hide)
    if not clauses:
        return ""
    text = f"{dice.choice(_OPENINGS[level])}{_small('. And '.join(_enough(clauses, point)))}."
    doubt = dice.choice(_DOUBTS) if level == "beginner" else ""
    return _shortened(text, point) + doubt


def _enough(clauses: Sequence[str], point: str) -> list[str]:
    """The fewest clauses that make a point, those with most of its words first, in their order."""
    kept: list[str] = []
    for clause in sorted(clauses, key=lambda each: -share(each, point)):
        kept.append(clause)
        if says(" ".join(kept), point):
            break
    chosen = [_listed_otherwise(clause) for clause in clauses if clause in kept]
    return [chosen[0], *map(_small, chosen[1:])]


def _listed_otherwise(clause: str) -> str:
    """A clause with the inner items of its list in another order."""
    first, *inner, last = clause.split(", ") if clause.count(", ") > 2 else (clause, "")
    if not inner or not re.match(r"(?:and|or)\b", last):
        return clause
    return ", ".join((first, *reversed(inner), last))


def _shortened(said: str, point: str) -> str:
    """The words with a learner's shorter ones, as far as the point is still made."""
    least = min(SAID, share(said, point))
    for long, short in _SHORTER.items():
        shorter = re.sub(rf"\b{long}\b", short, said, flags=re.IGNORECASE)
        if shorter != said and share(shorter, point) >= least:
            said = shorter
    return said


def _hidden(clause: str, names: Sequence[str]) -> str:
    for name in names:
        clause = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "that", clause, flags=re.IGNORECASE)
    return "" if clause.casefold() in ("that", "a that", "the that") else clause


def _small(clause: str) -> str:
    """A clause to stand inside a sentence; names and abbreviations keep their capitals."""
    return clause if _KEEPS_CAPITAL.match(clause) else clause[:1].lower() + clause[1:]
