"""Elements of a summary, each compared with the facts: finding, side, time, number, rate and denial.

What a fact contradicts is wrong; what the facts hold is right; what names something that could be checked and
that no fact holds is unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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


def elements(text: str) -> list[str]:
    """The single statements of a summary."""
    return [part for raw in _SPLIT.split(text) if (part := raw.strip(" .,;:?!"))]


def judged(element: str, facts: Sequence[PatientFact], idle: frozenset[str]) -> Element | None:
    """The verdict on one element; `None` where it says nothing (`idle` are words that only check)."""
    words = telling(element) - idle
    said = amounts(element)
    if not (words or said.spans or things_asked(element).things or topics_of_question(element)):
        return None
    related = _related(element, words, facts)
    wrong = (
        _other_onset(element, facts)
        or _finding(element, facts)
        or _denied(element, facts)
        or _other_side(element, words, facts)
        or _other_rate(element, related)
        or _other_time(element, related, facts)
    )
    if wrong:
        return Element("wrong", wrong)
    claimed = mentions(element)
    held = [mentions(f"{fact.text} . {fact.spoken or ''}") for fact in facts]
    supported = sum(any(each.get(name) == present for each in held) for name, present in claimed.items())
    if supported < len(claimed) or _number_unsupported(element, related) or _side_unsupported(element, facts):
        return Element("unsupported")
    there = frozenset[str]().union(*(known(fact).words for fact in related[:_CLOSEST]))
    named = things_asked(element).things
    things = named & frozenset[str]().union(*(known(fact).things for fact in facts))
    shared = len(words & there)
    if named - things and not claimed and shared < 0.6 * len(words):
        return Element("unsupported")
    if DENIES.search(element) and not claimed:
        return Element("right" if _nothing_held(words, named, facts) else "unsupported")
    if _turned(element, words, related[:_CLOSEST]):
        return Element("open")
    enough = shared >= _ENOUGH * len(words) and (shared > 1 or claimed or things)
    return Element("right" if enough else "open")


def _turned(element: str, words: frozenset[str], closest: Sequence[PatientFact]) -> bool:
    """Whether an element may say the opposite of the closest facts: a word that turns its sense is not in
    them, or they deny or end in the sentence that shares its words what the element affirms."""
    texts = [f"{fact.text} . {fact.spoken or ''}".lower() for fact in closest]
    turning = set(re.findall(r"[a-z]+", element)) & _TURNING
    if any(not re.search(rf"\b{word}", text) for word in turning for text in texts[:1]):
        return True
    if DENIES.search(element) or _ENDED.search(element):
        return False
    for text in texts:
        for sentence in re.split(r"[.;]", text):
            shared = words & telling(sentence)
            if shared and (DENIES.search(sentence) or _ENDED.search(sentence)):
                return True
    return False


def _nothing_held(words: frozenset[str], named: frozenset[str], facts: Sequence[PatientFact]) -> bool:
    """Whether a fact denies what a denial is of, and no other fact affirms it."""

    def much(fact: PatientFact) -> bool:
        return bool(words) and len(words & known(fact).words) >= 0.6 * len(words)

    denying = [fact for fact in facts if _says_none(fact) or fact.absent]
    affirmed = any(much(fact) or named & known(fact).things for fact in facts if fact not in denying)
    return not affirmed and any(much(fact) or bool(named & known(fact).things) for fact in denying)


def _other_onset(element: str, facts: Sequence[PatientFact]) -> PatientFact | None:
    """The fact on the onset, where the element says sudden for gradual or the other way round."""
    for said, other in ((_SUDDEN, _GRADUAL), (_GRADUAL, _SUDDEN)):
        if not said.search(element) or other.search(element):
            continue
        onset = [fact for fact in facts if fact.topic in ("complaint", "course")]
        texts = [(f"{fact.text} . {fact.spoken or ''}".lower(), fact) for fact in onset]
        if not any(said.search(text) for text, _ in texts):
            return next((fact for text, fact in texts if other.search(text)), None)
    return None


def _related(element: str, words: frozenset[str], facts: Sequence[PatientFact]) -> list[PatientFact]:
    """The facts on the same matter, best first."""
    claimed, named = frozenset(mentions(element)), things_asked(element).things
    weight = {
        fact.id: 2 * len(claimed & _findings(fact))
        + 2 * len(named & known(fact).things)
        + len(words & known(fact).words)
        for fact in facts
    }
    best = sorted((fact for fact in facts if weight[fact.id]), key=lambda fact: -weight[fact.id])
    return best[:4]


def _findings(fact: PatientFact) -> frozenset[str]:
    return frozenset(mentions(fact.text)).union(mentions(fact.spoken or ""))


def _finding(element: str, facts: Sequence[PatientFact]) -> PatientFact | None:
    against = contradicted(element, [stated(fact) for fact in facts])
    return next((fact for fact in facts if fact.id == against), None)


def _denied(element: str, facts: Sequence[PatientFact]) -> PatientFact | None:
    """The fact that says yes where the element says no to a drug or a habit, or the other way round."""
    denies, named = DENIES.search(element) is not None, things_asked(element).things
    for fact in facts if denies and not _KIN.search(element) else ():
        if fact.topic in _WHOLE and not fact.absent and _same_drug(named, fact):
            text = fact.text.lower()
            if not DENIES.search(text.split(",")[0]):
                return fact
    topics = topics_of_question(element)
    if not topics or topics[0] not in _WHOLE or len(element.split()) > 9 or _KIN.search(element):
        return None
    of_it = [fact for fact in facts if fact.topic == topics[0]]
    if denies:
        present = [fact for fact in of_it if not fact.absent and not DENIES.match(fact.text.lower())]
        whole = not named or re.search(r"\b(?:any|no|nothing|never|none)\b", element)
        first = next((fact for fact in present if not _says_none(fact)), None)
        return (
            first
            if whole and not any(fact.absent for fact in of_it) and not _specific(element, named)
            else None
        )
    return of_it[0] if len(of_it) == 1 and of_it[0].absent and not _KIN.search(of_it[0].text) else None


def _says_none(fact: PatientFact) -> bool:
    return re.match(r"(?:\w+ ){0,3}(?:no|none|never|nothing|not)\b", fact.text.lower()) is not None


def _specific(element: str, named: frozenset[str]) -> bool:
    """Whether a denial is of something smaller than the whole topic ("no allergy to latex")."""
    return re.search(r"\b(?:to|for|except|apart|other than|more|else)\b", element) is not None


def _same_drug(named: frozenset[str], fact: PatientFact) -> bool:
    return bool(named & known(fact).things & _DRUGS)


_DRUGS: Final = frozenset({"painkiller"})


def _sides(text: str) -> set[str]:
    return set(_SIDE.findall(_AS_YES.sub(" ", text.lower())))


def _grouped(words: frozenset[str]) -> frozenset[str]:
    return words.union(*(group for group in _GROUPS if group & words))


def _other_side(element: str, words: frozenset[str], facts: Sequence[PatientFact]) -> PatientFact | None:
    """The fact on the same part of the body that names only the other side, where none names this one."""
    sides = _sides(element)
    if len(sides) != 1:
        return None
    plain = frozenset(re.findall(r"[a-z]+", element)) - {"left", "right", "side", "the", "your", "it", "is"}
    spoken = _grouped(plain & frozenset().union(*_GROUPS))
    scored = []
    for fact in facts:
        text = f"{fact.text} . {fact.spoken or ''}".lower()
        if not (there := _sides(text)):
            continue
        body = spoken & frozenset(re.findall(r"[a-z]+", text))
        about = len(words & known(fact).words) + 2 * bool(body)
        if not spoken and fact.topic in ("complaint", "course", "character"):
            about += 1
        if about:
            scored.append((about, there, fact))
    if not scored:
        return None
    most = max(about for about, _, _ in scored)
    best = [(there, fact) for about, there, fact in scored if about >= most]
    return best[0][1] if not any(sides & there for there, _ in best) else None


def _side_unsupported(element: str, facts: Sequence[PatientFact]) -> bool:
    sides = _sides(element)
    return bool(sides) and not any(sides & _sides(f"{fact.text} . {fact.spoken or ''}") for fact in facts)


def _rates(text: str) -> list[float]:
    found = []
    for number, unit in _RATE.findall(text.lower()):
        value = float(number) if number.isdigit() else _WORDS.get(number)
        if value is not None:
            found.append(value * _IN_A_MONTH[unit])
    return found


def _other_rate(element: str, related: Sequence[PatientFact]) -> PatientFact | None:
    said = _rates(element)
    for fact in related[:2] if said else ():
        held = _rates(f"{fact.text} . {fact.spoken or ''}")
        if held and not any(max(one, other) <= 2 * min(one, other) for one in said for other in held):
            return fact
    return None


def _other_time(
    element: str, related: Sequence[PatientFact], facts: Sequence[PatientFact]
) -> PatientFact | None:
    """The best related fact that gives a time or a number of times, where the element gives another."""
    said = amounts(element).spans if not _rates(element) else ()
    times = _counted(element)
    for fact in related[:2]:
        text = f"{fact.text} . {fact.spoken or ''}"
        spans = amounts(text).spans
        if said and spans and not any(_near(one, other, _WRONG_BY) for one in said for other in spans):
            others = [
                span for each in related[:2] for span in amounts(f"{each.text} . {each.spoken or ''}").spans
            ]
            if not any(_near(one, other, _NEAR) for one in said for other in others):
                return fact
        if (
            times
            and (held := _counted(text))
            and not times & held
            and mentions(element).keys() & mentions(text).keys()
        ):
            return fact
    course = [fact for fact in facts if fact.topic in ("complaint", "course")]
    about = [(fact, amounts(f"{fact.text} . {fact.spoken or ''}").spans) for fact in (*course, *related)]
    if (
        not said
        or not _BEGAN.search(element)
        or not {"course", "complaint"}.intersection(topics_of_question(element))
    ):
        return None
    if any(_near(one, other, 2) for one in said for _, spans in about for other in spans):
        return None
    return next((fact for fact, spans in about if spans and fact in course), None)


def _counted(text: str) -> frozenset[float]:
    found = set[float]()
    for word in _TIMES.findall(_RATE.sub(" ", text.lower())):
        first = word.split()[0]
        value = float(first) if first.isdigit() else _WORDS.get(first)
        if value is not None:
            found.add(value)
    return frozenset(found)


def _number_unsupported(element: str, related: Sequence[PatientFact]) -> bool:
    said = amounts(element)
    texts = [f"{fact.text} . {fact.spoken or ''}" for fact in related]
    spans = [span for text in texts for span in amounts(text).spans]
    counts = {count for text in texts for count in (*amounts(text).counts, *_counted(text))}
    near = all(any(_near(one, other, _NEAR) for other in spans) for one in said.spans)
    return not near or not (said.numbers | _counted(element)) <= counts | {1.0}


def _near(one: tuple[float, float], other: tuple[float, float], factor: float) -> bool:
    """Whether two ranges of time overlap, give or take a factor."""
    return one[0] <= other[1] * factor and other[0] <= one[1] * factor
