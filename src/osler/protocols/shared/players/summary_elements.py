"""Elements of a summary, each compared with the facts: finding, side, time, number, rate and denial.

What a fact contradicts is wrong; what the facts hold is right; what names something that could be checked and
that no fact holds is unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.model.claims import amounts
from osler.protocols.shared.patient import PatientFact, stated
from osler.protocols.shared.players.fact_answers import known
from osler.reading.questions import telling, things_asked
from osler.text.contradiction import DENIES, contradicted
from osler.text.findings_in_text import mentions
from osler.text.topics import topics_of_question

Verdict = Literal["right", "wrong", "unsupported", "open"]


class Element(NamedTuple):
    """The verdict on one element of a summary, and the fact that contradicts it."""

    verdict: Verdict
    fact: PatientFact | None = None


_SPLIT: Final = re.compile(r"[,.;:?!]+\s+|\s+(?:but|also|plus)\s+|\s+and\s+(?!a half\b|a quarter\b)|\s*&\s*")
_SIDE: Final = re.compile(
    r"\b(left|right)\b(?!\s*(?:$|now|away|so\b|then|,|\?|after|before|up\b|from the start|it\b|that\b))"
)
_AS_YES: Final = re.compile(
    r"\b(?:that's|is that|is it|am i|all|i got (?:that|it)|alright|have i got it) right\b"
)
_GROUPS: Final = tuple(
    frozenset(line.split())
    for line in (
        "leg legs thigh calf foot knee ankle groin shin",
        "arm arms hand wrist elbow shoulder forearm",
        "ear ears hearing",
        "eye eyes sight vision",
        "head temple headache face jaw",
        "belly tummy abdomen stomach side low lower down abdominal",
        "chest breast rib ribs side",
        "loin back flank side",
    )
)
_RATE: Final = re.compile(
    r"\b(once|twice|thrice|[a-z]+|\d+)(?: (?:or|to) (?:twice|thrice|[a-z]+|\d+))?(?: (?:times?|nights?"
    r"|days?|episodes?|attacks?))?"
    r" (?:(?:in )?(?:a|an|each|every|one)|per|on most) (day|night|week|month|year)\b"
)
_TIMES: Final = re.compile(r"\b(once|twice|thrice|(?:[a-z]+|\d+) times)\b")
_WORDS: Final = {
    word: float(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_IN_A_MONTH: Final = {"day": 30.0, "night": 30.0, "week": 4.3, "month": 1.0, "year": 1 / 12}
# Topics of which a short statement says yes or no as a whole.
_WHOLE: Final[frozenset[Topic]] = frozenset(
    {"allergies", "medications", "tobacco", "alcohol", "drugs", "past_surgical"}
)
_KIN: Final = re.compile(
    r"\b(?:mother|mum|mom|father|dad|parents?|brother|sister|son|daughter|husband|wife|family|friend"
    r"|everyone)\b"
)
_SUDDEN: Final = re.compile(
    r"\b(?:sudden(?:ly)?|all at once|out of (?:nowhere|the blue)|abrupt(?:ly)?|instantly|in an instant)\b"
)
_GRADUAL: Final = re.compile(
    r"\b(?:gradual(?:ly)?|slowly|bit by bit|little by little|crept up|over (?:several )?(?:weeks|months"
    r"|days))\b"
)
_BEGAN: Final = re.compile(
    r"\b(?:start\w*|beg[au]n|began|came on|come on|lasted|going on|coming on|pain|this|it|problem)\b"
)
# An element is right only where nearly all its words stand in the closest facts: a false "yes" is worse.
_CLOSEST: Final = 2
_ENOUGH: Final = 0.75
_TURNING: Final = frozenset(
    """better worse always every all whole both only same normal fine clear well more less sometimes still
    since first last once twice back through front green red black many""".split()
)
_ENDED: Final = re.compile(
    r"\b(?:stopped|gave up|given up|used to|until|came off|quit|ended|missed|left off)\b"
)
_WRONG_BY: Final = 1.9
_NEAR: Final = 1.25
_SHORT: Final = 9
_ANY: Final = re.compile(r"\b(?:any|no|nothing|never|none)\b")
# A denial of something smaller than the whole topic: "no allergy to latex".
_SMALLER: Final = re.compile(r"\b(?:to|for|except|apart|other than|more|else)\b")


class _Elements(NamedTuple):
    """The content of a statement or a fact: its words, things and findings, sides of the body, spans of time,
    counts, numbers of times, and rates a month. `denies`: it says no."""

    text: str
    words: frozenset[str]
    things: frozenset[str]
    findings: Mapping[str, bool]
    sides: frozenset[str]
    spans: tuple[tuple[float, float], ...]
    counts: frozenset[float]
    times: frozenset[float]
    rates: tuple[float, ...]
    denies: bool


@lru_cache(maxsize=4096)
def _read(text: str, things: frozenset[str]) -> _Elements:
    said, lower = amounts(text), text.lower()
    times = (word.split()[0] for word in _TIMES.findall(_RATE.sub(" ", lower)))
    rates = ((_number(count), unit) for count, unit in _RATE.findall(lower))
    return _Elements(
        lower,
        telling(text),
        things,
        mentions(text),
        frozenset(_SIDE.findall(_AS_YES.sub(" ", lower))),
        said.spans,
        said.counts,
        frozenset(value for word in times if (value := _number(word)) is not None),
        tuple(value * _IN_A_MONTH[unit] for value, unit in rates if value is not None),
        DENIES.search(lower) is not None,
    )


def _number(word: str) -> float | None:
    return float(word) if word.isdigit() else _WORDS.get(word)


def _of_fact(fact: PatientFact) -> _Elements:
    return _read(f"{fact.text} . {fact.spoken or ''}", known(fact).things)


def elements(text: str) -> list[str]:
    """The single statements of a summary."""
    return [part for raw in _SPLIT.split(text) if (part := raw.strip(" .,;:?!"))]


def judged(element: str, facts: Sequence[PatientFact], idle: frozenset[str]) -> Element | None:
    """The verdict on one element; `None` where it says nothing (`idle` are words that only check)."""
    said = _read(element, things_asked(element).things)
    said = said._replace(words=said.words - idle)
    if not (said.words or said.spans or said.things or topics_of_question(element)):
        return None
    related = _related(said, facts)
    wrong = (
        _other_onset(said, facts)
        or _contradicted(element, facts)
        or _denied(element, said, facts)
        or _other_side(said, facts)
        or _other_rate(said, related)
        or _other_time(said, related)
        or _other_beginning(element, said, related, facts)
    )
    if wrong:
        return Element("wrong", wrong)
    if _unsupported(said, related, facts):
        return Element("unsupported")
    if said.denies and not said.findings:
        return Element("right" if _nothing_held(said, facts) else "unsupported")
    closest = [_of_fact(fact) for fact in related[:_CLOSEST]]
    shared = len(said.words & frozenset[str]().union(*(one.words for one in closest)))
    held = said.findings or said.things & frozenset[str]().union(*(known(fact).things for fact in facts))
    enough = shared >= _ENOUGH * len(said.words) and (shared > 1 or held)
    return Element("right" if enough and not _turned(said, closest) else "open")


def _unsupported(said: _Elements, related: Sequence[PatientFact], facts: Sequence[PatientFact]) -> bool:
    """Whether an element names something that could be checked and that no fact holds."""
    held = [_of_fact(fact) for fact in facts]
    if any(all(one.findings.get(name) != there for one in held) for name, there in said.findings.items()):
        return True
    if said.sides and not any(said.sides & one.sides for one in held):
        return True
    near = [_of_fact(fact) for fact in related]
    spans = [span for one in near for span in one.spans]
    if not all(any(_near(one, other, _NEAR) for other in spans) for one in said.spans):
        return True
    counts = frozenset({1.0}).union(*(one.counts | one.times for one in near))
    if not amounts(said.text).numbers | said.times <= counts:
        return True
    words = frozenset[str]().union(*(one.words for one in near[:_CLOSEST]))
    things = frozenset[str]().union(*(one.things for one in held))
    return (
        bool(said.things - things) and not said.findings and len(said.words & words) < 0.6 * len(said.words)
    )


def _turned(said: _Elements, closest: Sequence[_Elements]) -> bool:
    """Whether an element may say the opposite of the closest facts: a word that turns its sense is not in
    them, or they deny or end in the sentence that shares its words what the element affirms."""
    turning = set(re.findall(r"[a-z]+", said.text)) & _TURNING
    if any(not re.search(rf"\b{word}", one.text) for word in turning for one in closest[:1]):
        return True
    if said.denies or _ENDED.search(said.text):
        return False
    parts = [part for one in closest for part in re.split(r"[.;]", one.text)]
    return any(said.words & telling(part) and (DENIES.search(part) or _ENDED.search(part)) for part in parts)


def _nothing_held(said: _Elements, facts: Sequence[PatientFact]) -> bool:
    """Whether a fact denies what a denial is of, and no other fact affirms it."""

    def about(fact: PatientFact) -> bool:
        one = _of_fact(fact)
        much = bool(said.words) and len(said.words & one.words) >= 0.6 * len(said.words)
        return much or bool(said.things & one.things)

    denying = [fact for fact in facts if _says_none(fact) or fact.absent]
    return any(map(about, denying)) and not any(about(fact) for fact in facts if fact not in denying)


def _says_none(fact: PatientFact) -> bool:
    return re.match(r"(?:\w+ ){0,3}(?:no|none|never|nothing|not)\b", fact.text.lower()) is not None


def _related(said: _Elements, facts: Sequence[PatientFact]) -> list[PatientFact]:
    """The facts on the same matter, best first."""

    def weight(fact: PatientFact) -> int:
        one = _of_fact(fact)
        result = len(said.findings.keys() & one.findings.keys()) + len(said.things & one.things)
        return 2 * result + len(said.words & one.words)

    weighed = [(weight(fact), fact) for fact in facts]
    best = sorted((each for each in weighed if each[0]), key=lambda each: -each[0])
    return [fact for _, fact in best[:4]]


# What a fact contradicts


def _other_onset(said: _Elements, facts: Sequence[PatientFact]) -> PatientFact | None:
    """The fact on the onset, where the element says sudden for gradual or the other way round."""
    for one, other in ((_SUDDEN, _GRADUAL), (_GRADUAL, _SUDDEN)):
        if not one.search(said.text) or other.search(said.text):
            continue
        onset = [(_of_fact(fact).text, fact) for fact in facts if fact.topic in ("complaint", "course")]
        if not any(one.search(text) for text, _ in onset):
            return next((fact for text, fact in onset if other.search(text)), None)
    return None


def _contradicted(element: str, facts: Sequence[PatientFact]) -> PatientFact | None:
    against = contradicted(element, [stated(fact) for fact in facts])
    return next((fact for fact in facts if fact.id == against), None)


def _denied(element: str, said: _Elements, facts: Sequence[PatientFact]) -> PatientFact | None:
    """The fact that says yes where the element says no to a drug or a habit, or the other way round."""
    topics = topics_of_question(element)
    if _KIN.search(element) or not topics or topics[0] not in _WHOLE or len(element.split()) > _SHORT:
        return None
    of_it = [fact for fact in facts if fact.topic == topics[0]]
    absent = [fact for fact in of_it if fact.absent]
    if not said.denies:
        return absent[0] if len(of_it) == len(absent) == 1 and not _KIN.search(absent[0].text) else None
    whole = not said.things or _ANY.search(element)
    if absent or not whole or _SMALLER.search(element):
        return None
    return next((fact for fact in of_it if not _says_none(fact)), None)


def _other_side(said: _Elements, facts: Sequence[PatientFact]) -> PatientFact | None:
    """The fact on the same part of the body that names only the other side, where none names this one."""
    if len(said.sides) != 1:
        return None
    plain = frozenset(re.findall(r"[a-z]+", said.text))
    body = plain.union(*(group for group in _GROUPS if group & plain)) & frozenset().union(*_GROUPS)
    scored = [
        (
            len(said.words & one.words) + 2 * bool(body & frozenset(re.findall(r"[a-z]+", one.text))),
            one.sides,
            fact,
        )
        for fact in facts
        if (one := _of_fact(fact)).sides
    ]
    most = max((about for about, *_ in scored), default=0)
    best = [(sides, fact) for about, sides, fact in scored if about == most and most]
    return best[0][1] if best and not any(said.sides & sides for sides, _ in best) else None


def _other_rate(said: _Elements, related: Sequence[PatientFact]) -> PatientFact | None:
    for fact in related[:_CLOSEST] if said.rates else ():
        held = _of_fact(fact).rates
        if held and not any(max(one, other) <= 2 * min(one, other) for one in said.rates for other in held):
            return fact
    return None


def _other_time(said: _Elements, related: Sequence[PatientFact]) -> PatientFact | None:
    """The best related fact that gives a time or a number of times, where the element gives another."""
    closest = [(fact, _of_fact(fact)) for fact in related[:_CLOSEST]]
    spans = [span for _, one in closest for span in one.spans]
    near = any(_near(one, other, _NEAR) for one in said.spans for other in spans)
    for fact, one in closest:
        far = one.spans and not any(_near(a, b, _WRONG_BY) for a in said.spans for b in one.spans)
        if said.spans and not said.rates and far and not near:
            return fact
        if (
            said.times
            and one.times
            and not said.times & one.times
            and said.findings.keys() & one.findings.keys()
        ):
            return fact
    return None


def _other_beginning(
    element: str, said: _Elements, related: Sequence[PatientFact], facts: Sequence[PatientFact]
) -> PatientFact | None:
    """The fact that says since when, where the element says otherwise and no related fact agrees."""
    if not said.spans or said.rates or not _BEGAN.search(said.text):
        return None
    if not {"course", "complaint"}.intersection(topics_of_question(element)):
        return None
    course = [fact for fact in facts if fact.topic in ("complaint", "course")]
    pairs = [span for fact in (*course, *related) for span in _of_fact(fact).spans]
    if any(_near(one, other, 2) for one in said.spans for other in pairs):
        return None
    return next((fact for fact in course if _of_fact(fact).spans), None)


def _near(one: tuple[float, float], other: tuple[float, float], factor: float) -> bool:
    """Whether two ranges of time overlap, give or take a factor."""
    return one[0] <= other[1] * factor and other[0] <= one[1] * factor
