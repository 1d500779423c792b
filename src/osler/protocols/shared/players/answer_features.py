"""The features of a fact as an answer to a question: what both name, and what the encoder makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp
from typing import Final, NamedTuple

from osler.protocols.shared.players.evidence import evidence, rarity_of
from osler.protocols.shared.players.question_bank import Bank, Reading, bank
from osler.protocols.shared.players.sought import (
    ALONE,
    TOLD_UNDER,
    VIEWS,
    WHOLE,
    as_a_whole,
    asks_whether,
    named_by,
    sides_of,
    story_of,
)
from osler.protocols.shared.players.weighing import BODILY, Heard, Known
from osler.text.asked import instances
from osler.text.topics import QUALIFIERS

_UNHEARD: Final = 3.0
_LONG: Final = 14
_TIE: Final = 0.1
_LIKENESSES: Final = ("cosine", "own", "near", "alike")


class Candidates(NamedTuple):
    """The features of each fact, in the order of the case, and those of none of them being an answer."""

    facts: tuple[Mapping[str, float], ...]
    none: Mapping[str, float]


@lru_cache(maxsize=4096)
def candidates_of(heard: Heard, facts: tuple[Known, ...], leans: bool) -> Candidates:
    """The features of every fact of a case as an answer to a question, by the bank that Osler ships."""
    return candidates_by(bank(), heard, facts, leans)


def candidates_by(by: Bank, heard: Heard, facts: tuple[Known, ...], leans: bool) -> Candidates:
    """The features of every fact as an answer to a question; `leans`: it took its subject from an earlier
    one."""
    reading = by.reading(heard.text, heard.earlier, facts)
    asked = _asked(heard, facts, leans)
    most = max(asked.scores.values(), default=0.0)
    rows = tuple(
        {
            **_named(asked, fact),
            **_asked_before(reading, at),
            "first": float(asked.scores.get(fact.id) == most),
        }
        for at, fact in enumerate(facts)
    )
    return Candidates(rows, _of_none(reading, rows, leans))


def _asked_before(reading: Reading, at: int) -> dict[str, float]:
    """The features of a fact by the encoder, with the lead of each likeness over the next fact's."""
    found = {"chance": reading.chance[at], "likely": exp(reading.chance[at])}
    for name in _LIKENESSES:
        values: tuple[float, ...] = getattr(reading, name)
        found[name] = values[at]
        found[f"{name}_ahead"] = values[at] - max(
            (one for n, one in enumerate(values) if n != at), default=0.0
        )
    return found


def _of_none(reading: Reading, rows: Sequence[Mapping[str, float]], leans: bool) -> dict[str, float]:
    def most(name: str) -> float:
        return max((row[name] for row in rows), default=0.0)

    return {
        "none": 1.0,
        "none_chance": reading.none,
        "none_likely": exp(reading.none),
        **{f"none_{name}": most(name) for name in _LIKENESSES},
        "none_first": most("first"),
        "none_score": most("score"),
        "none_leans": float(leans),
        "none_unexplained": min((row["unexplained"] for row in rows), default=0.0),
        "none_lacks_named": min((row["lacks_named"] for row in rows), default=0.0),
    }


class _Asked(NamedTuple):
    """A question before the facts of a case: what it names, and the evidence of each fact, by id."""

    heard: Heard
    facts: tuple[Known, ...]
    leans: bool
    scores: Mapping[str, float]
    named: frozenset[str]
    sides: frozenset[str]
    rarity: Mapping[str, float]
    whole: bool


def _asked(heard: Heard, facts: tuple[Known, ...], leans: bool) -> _Asked:
    story = story_of(facts)
    return _Asked(
        heard,
        facts,
        leans,
        {name: each.score for name, each in evidence(heard, facts).items()},
        named_by(heard, story),
        sides_of(heard),
        rarity_of(facts),
        as_a_whole(heard, story),
    )


def _named(asked: _Asked, fact: Known) -> dict[str, float]:
    """The features of what a question and a fact name."""
    heard, named, sides, rarity = asked.heard, asked.named, asked.sides, asked.rarity
    own = asked.scores.get(fact.id, 0.0)
    most = max((score for name, score in asked.scores.items() if name != fact.id), default=0.0)
    there = fact.things | fact.findings
    held = {
        name for name in named if name in there or WHOLE.get(name) == fact.topic or instances(name) & there
    }
    first = heard.topics[:1] == (fact.topic,) or (heard.topics[:1] == ("complaint",) and fact.volunteered)
    tagged = fact.topic in heard.topics
    bodily = BODILY.issuperset(heard.topics)
    missing = heard.rest - fact.words
    shared = heard.words & fact.words
    weight = sum(rarity.get(word, _UNHEARD) for word in heard.words)
    suited = sum(fact.topic in TOLD_UNDER.get(side, ())[:2] for side in sides & fact.aspects)
    apart = heard.sure and not tagged and heard.topics != () and heard.topics[0] in ALONE
    return {
        "other_than_the_matter": float(apart),
        "by_topic_alone": float(bool(missing) and not held and not sides & fact.aspects),
        "names_what_it_lacks": float(bool(named) and not held),
        "tie": float(own - most < _TIE),
        "of_story_by_side": float(bool(sides & fact.aspects) and fact.topic in BODILY and not missing),
        "topic_first_sure": float(first and heard.sure and not bodily),
        "topic_first_bodily": float(first and heard.sure and bodily),
        "topic_first_hint": float(first and not heard.sure),
        "topic_other": float(tagged and not first),
        "topic_touched": float(not tagged and bool(fact.topics.intersection(heard.topics))),
        "topics_several": float(len(set(heard.topics) - {"systems", "associated"}) > 1),
        "topic_none": float(not heard.topics),
        "topic_of_another_kind": float(bool(heard.topics) and not bodily and not tagged),
        "views": float(fact.topic in VIEWS and not tagged),
        "holds_named": len(held) / len(named) if named else 0.0,
        "lacks_named": min(2.0, len(named) - len(held)) if named else 0.0,
        "names_none": float(not named),
        "holds_sides": len(sides & fact.aspects) / len(sides) if sides else 0.0,
        "suits_sides": suited / len(sides) if sides else 0.0,
        "lacks_sides": min(2.0, len(sides - fact.aspects)),
        "unexplained": min(3.0, len(missing)),
        "unexplained_of_others": float(
            any(missing & each.words for each in asked.facts if each.id != fact.id)
        ),
        "explained": min(2.0, len(heard.rest & fact.words)),
        "shared": sum(rarity[word] for word in shared) / weight if weight else 0.0,
        "holds_people": float(bool(heard.people & fact.things)),
        "lacks_people": float(bool(heard.people) and not heard.people & fact.things),
        "holds_times": float(bool(heard.times & fact.things)),
        "lacks_times": float(bool(heard.times) and not heard.times & fact.things),
        "score": min(own, 5.0) / 5.0,
        "ahead": max(-1.0, min(1.0, own - most)),
        "behind": float(own < most - 0.01),
        "whole": float(asked.whole),
        "whether": float(asks_whether(heard)),
        "leans": float(asked.leans),
        "long": float(len(heard.text.split()) > _LONG),
        "qualifier_only": float(bool(heard.topics) and QUALIFIERS.issuperset(heard.topics)),
    }
