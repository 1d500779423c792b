"""The evidence that a fact answers a question: what the question names must be in the fact.

A question that names something (a symptom, an illness, a drug, a person) is answered only by a fact that
holds it, or by one that closes its topic ("no other operation"). A question about a side of the complaint
needs a fact that tells of that side. Only a question about a topic as a whole is answered by topic alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from math import log
from typing import Final, NamedTuple

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.players.sought import (
    ALONE,
    TOLD_UNDER,
    WHOLE,
    Story,
    asks_whether,
    belonging,
    candidates,
    named_by,
    sides_of,
    story_of,
    to_the_point,
)
from osler.protocols.shared.players.weighing import BODILY, SYMPTOMS, Heard, Known
from osler.text.asked import instances, of_group
from osler.text.topics import QUALIFIERS

# The least evidence of an answer.
_LEAST: Final = 0.8
# The rarity assumed for a word that no fact contains.
_UNHEARD: Final = 3.0
_STORY: Final[frozenset[Topic]] = frozenset({"complaint", "course", "character", "modifiers"})
# Words that close a topic: what is not mentioned is not there.
_CLOSES: Final = re.compile(
    r"\b(?:only|never|nothing|no other|none|that's (?:it|all|the sum|my lot)|just|always been healthy"
    r"|not allergic|no allergies|no long-term|don't take anything|not on anything|any other|otherwise"
    r"|nobody|no one|anything else|had the lot|no operations|no drugs|no interest)\b"
)
_CLOSED: Final[frozenset[Topic]] = ALONE - {"family"} | {"travel"}
# So does good health, for every illness.
_HEALTHY: Final = re.compile(
    r"\b(?:always been (?:well|healthy)|(?:never|not) (?:been )?ill\b"
    r"|no (?:long-term|other|past|significant|chronic|known) (?:\w+ )?"
    r"(?:illness\w*|problems?|conditions?|disease|history)"
    r"|had nothing|nothing,? really|nothing else|otherwise (?:well|healthy)|non-?contributory|unremarkable)"
)
# The topic of a habit is one thing: any question about it is answered by its fact.
_HABITS: Final[frozenset[Topic]] = frozenset({"allergies", "tobacco", "alcohol", "immunization", "identity"})
# Topics that are about the people they name.
_OF_PEOPLE: Final[frozenset[Topic]] = frozenset(
    {"family", "home", "exposure", "sexual", "occupation", "other"}
)
# Topics whose facts mention a symptom besides: they answer a question about it where no other fact does.
_ASIDE: Final[frozenset[Topic]] = frozenset(
    {"past_medical", "course", "modifiers", "home", "occupation", "medications"}
)
_NOBODY: Final = re.compile(r"\b(?:nobody|no one|no-one|none|anyone|anybody|family)\b")
_PREVIOUS: Final = re.compile(r"\b(?:previous|past|before|history of)\b")
_AND: Final = re.compile(r"\b(?:and|or)\b|[,/]")
# "How far", "how high": an open question whose side is not understood.
_HOW_ELSE: Final = re.compile(
    r"^\W*(?:(?:and|so|but|ok|okay|well|now|also)\W+)*"
    r"(?:how (?!is|are|was|were|has|have|do|does|did|about|'s)|which|where|when|why)\w*\b"
)


class Evidence(NamedTuple):
    """The support for a fact as an answer (`score`), and the parts of the question that it `covers`."""

    score: float
    covers: frozenset[str]


class _Sought(NamedTuple):
    """A question before the facts of a case. `there` are the things and findings that any fact holds;
    `with_people`: some fact holds what the question names of the people it names."""

    heard: Heard
    story: Story
    named: frozenset[str]
    sides: frozenset[str]
    there: frozenset[str]
    with_people: bool
    rarity: Mapping[str, float]


class _Overlap(NamedTuple):
    """What a question and a fact share. `nearly` are general things of which the fact holds a single one;
    `suits` says how well the topic of the fact suits the sides it tells of; `closed`: the fact closes its
    topic; `share` is the fact's share in the topics asked for."""

    held: frozenset[str]
    nearly: frozenset[str]
    rest: frozenset[str]
    sides: frozenset[str]
    suits: float
    times: frozenset[str]
    people: frozenset[str]
    closed: bool
    share: float


@lru_cache(maxsize=4096)
def evidence(heard: Heard, facts: tuple[Known, ...]) -> Mapping[str, Evidence]:
    """The evidence of each fact that answers a question, by id; a fact without enough is left out."""
    if heard.plain:
        holding = [fact for fact in candidates(heard, facts) if fact.findings.intersection(heard.findings)]
        if holding:
            return {fact.id: _plainly(heard, fact) for fact in holding}
        heard = heard._replace(plain=False)
    story = story_of(facts)
    near = candidates(heard, facts)
    heard = to_the_point(heard, near, story)
    there = frozenset[str]().union(*(fact.things | fact.findings for fact in near))
    named = named_by(heard, story)
    with_people = any(named & fact.things and heard.people & fact.things for fact in near)
    sought = _Sought(heard, story, named, sides_of(heard), there, with_people, rarity_of(facts))
    shares = belonging(heard, facts)
    found: dict[str, Evidence] = {}
    for fact in near:
        over = _overlap(sought, fact, shares[fact.id])
        if _may_answer(sought, fact, over) and (score := _score(sought, fact, over)) >= _LEAST:
            covers = over.held | over.nearly | over.rest | over.sides | over.times | over.people
            found[fact.id] = Evidence(score, covers)
    return found


@lru_cache(maxsize=1024)
def rarity_of(facts: tuple[Known, ...]) -> Mapping[str, float]:
    """The inverse document frequency of each word over the facts."""
    spread = Counter(word for fact in facts for word in fact.words)
    return {word: log(1 + len(facts) / count) for word, count in spread.items()}


def _plainly(heard: Heard, fact: Known) -> Evidence:
    """The evidence for a canonical question about one finding: that the fact holds it."""
    tagged = 0.5 if fact.topic in heard.topics else 0.0
    return Evidence(3.0 + tagged, frozenset(heard.findings))


def _overlap(sought: _Sought, fact: Known, share: float) -> _Overlap:
    heard, named = sought.heard, sought.named
    there = fact.things | fact.findings
    held = frozenset(name for name in named if name in there or WHOLE.get(name) == fact.topic)
    sides = sought.sides & fact.aspects
    return _Overlap(
        held,
        frozenset(name for name in named - held if instances(name) & fact.things),
        heard.rest & fact.words,
        sides,
        max((_suits(side, fact) for side in sides), default=0.0),
        heard.times & fact.things,
        frozenset(one for one in heard.people if one in fact.things or instances(one) & fact.things),
        fact.topic in heard.topics and _closes(heard, fact),
        share,
    )


def _closes(heard: Heard, fact: Known) -> bool:
    """Whether a fact says that there is nothing of its topic but what it mentions."""
    if fact.topic == "past_medical":
        return bool(heard.things & of_group("illnesses")) and _HEALTHY.search(fact.text) is not None
    if fact.topic not in _CLOSED:
        return False
    return fact.topic in _HABITS or fact.absent or _CLOSES.search(fact.text) is not None


def _suits(side: str, fact: Known) -> float:
    """How well the topic of a fact suits a side of the complaint."""
    under = TOLD_UNDER.get(side, ())
    topic: Topic = "complaint" if fact.volunteered and fact.topic not in under else fact.topic
    return 0.9 - 0.3 * under.index(topic) if topic in under else 0.0


def _may_answer(sought: _Sought, fact: Known, over: _Overlap) -> bool:
    """Whether a fact holds what a question cannot be answered without."""
    heard, bodily = sought.heard, BODILY.issuperset(sought.heard.topics)
    if not (_holds_named(sought, fact, over) if sought.named else _holds_rest(sought, fact, over)):
        return False
    if sought.sides and bodily:
        if not (over.sides or over.held or over.nearly or over.times):
            return False
        elsewhere = fact.topic not in _STORY and fact.topic not in heard.topics
        return bool(sought.named or over.suits or over.times) or not elsewhere
    if sought.named:
        return True
    if bodily and not sought.sides and not over.rest and _HOW_ELSE.match(heard.text):
        return False
    if QUALIFIERS.intersection(heard.topics[:1]) and not (sought.sides or over.times or over.rest):
        return False
    return bool(heard.people or over.share) or (bool(over.rest) and _enough_words(heard, over))


def _holds_named(sought: _Sought, fact: Known, over: _Overlap) -> bool:
    """Whether a fact holds what a question names: all of it, unless the question lists several things."""
    heard, held = sought.heard, over.held | over.nearly
    if not held and not over.closed and not (len(heard.words) > 1 and heard.words <= fact.words):
        return False
    if held and not over.share and _apart_from(heard):
        return False
    missing = sought.there & sought.named - held - sought.story.things
    if missing and not over.closed and _AND.search(heard.text) is None:
        return False
    asks_past = _PREVIOUS.search(heard.text) and "before" not in over.sides
    if asks_past and sought.named & sought.story.things and fact.topic in _STORY:
        return False
    of_others = heard.people and (
        sought.with_people or heard.topics[:1] in (("family",), ("exposure",), ("home",))
    )
    return not of_others or bool(over.people) or _NOBODY.search(fact.text) is not None


def _holds_rest(sought: _Sought, fact: Known, over: _Overlap) -> bool:
    """Whether a fact holds the people, or else the circumstances, or else the words that a question names."""
    heard = sought.heard
    if heard.people and (not heard.sure or _OF_PEOPLE.intersection(heard.topics[:1])):
        return bool(over.people)
    if heard.times and BODILY.issuperset(heard.topics) and heard.topics[:1] != ("complaint",):
        return bool(over.times)
    if not over.closed and _told_elsewhere(sought, fact):
        return False
    if not heard.rest or _enough_words(heard, over):
        return True
    of_story = over.sides and fact.topic in _STORY
    return bool(of_story) or (heard.sure and over.share >= 0.7 and not asks_whether(heard))


def _told_elsewhere(sought: _Sought, fact: Known) -> bool:
    """Whether a word that says what is asked stands in another fact and not in this one."""
    return bool((sought.heard.rest - fact.words - sought.story.words) & sought.rarity.keys())


def _enough_words(heard: Heard, over: _Overlap) -> bool:
    """Whether a fact has the words that say what is asked: all of them in a question about the body."""
    if over.closed:
        return True
    if BODILY.issuperset(heard.topics):
        return over.rest == heard.rest
    return 2 * len(over.rest) >= len(heard.rest)


def _apart_from(heard: Heard) -> bool:
    """Whether a question is surely about something other than the body, so that only its topic answers."""
    return heard.sure and bool(ALONE.intersection(heard.topics[:1])) and not heard.things & of_group("safety")


def _score(sought: _Sought, fact: Known, over: _Overlap) -> float:
    """The sum of the evidence: topic, words, named things, sides, circumstances and people."""
    heard, named = sought.heard, sought.named
    score = over.share + (0.45 if named else 0.6) * _shared_words(sought, fact)
    if named:
        score += _of_named(sought, fact, over)
    if sought.sides:
        score += 1.2 * len(over.sides) / len(sought.sides) * (1.0 if over.suits or named else 0.6)
        score += 0.0 if named else over.suits
    if of_story := heard.things & sought.story.things:
        score += 0.5 * len(of_story & fact.things) / len(heard.things)
        presenting = fact.volunteered or fact.topic == "complaint"
        if presenting and of_story & fact.things and not (sought.sides or asks_whether(heard)):
            score += 0.4
    if heard.times:
        score += 1.0 * len(over.times) / len(heard.times)
    if heard.people:
        score += 0.8 * len(over.people) / len(heard.people)
    if over.rest:
        score += (1.2 if sought.sides else 0.6) * len(over.rest) / len(heard.rest)
    return score + (0.5 if not heard.topics and not named else 0.0)


def _shared_words(sought: _Sought, fact: Known) -> float:
    """The share of a question's content words, by rarity, that a fact has."""
    rarity = sought.rarity
    asked = sum(rarity.get(word, _UNHEARD) for word in sought.heard.words)
    return sum(rarity[word] for word in sought.heard.words & fact.words) / asked if asked else 0.0


def _of_named(sought: _Sought, fact: Known, over: _Overlap) -> float:
    """The evidence of the things a question names; more where the speaker's own words hold them."""
    held = over.held | over.nearly
    score = 2.5 * (len(over.held) + 0.7 * len(over.nearly)) / len(sought.named)
    score += 0.15 * len(held & fact.spoken) / len(sought.named)
    if _told_elsewhere(sought, fact):
        score -= 0.5
    score += 0.15 * len(held) / len(fact.things) if fact.things else 0.0
    if fact.topic == "exposure" and not sought.named & _of_exposure():
        score -= 1.2
    if "before" in sought.sides and fact.topic == "past_medical":
        score += 0.5
    if held and SYMPTOMS.issuperset(sought.heard.topics):
        score += max(0.0, (0.1 if fact.topic in _ASIDE else 0.8) - over.share)
    return score


@cache
def _of_exposure() -> frozenset[str]:
    return of_group("exposures") | of_group("injuries") | of_group("travel")
