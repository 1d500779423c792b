"""Confidence that a fact answers a question: a logistic model over a few features of the evidence.

The weights are in confidence.yaml, with how they were made. A fact that falls short is not told: a patient
who asks what is meant does less harm than one who answers something else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from math import exp
from typing import Any, Final

import yaml

from osler.protocols.shared.patient import PatientFact
from osler.protocols.shared.players.evidence import evidence, rarity_of
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
from osler.protocols.shared.players.weighing import BODILY, Heard, Known, known
from osler.text.asked import instances
from osler.text.topics import QUALIFIERS

_UNHEARD: Final = 3.0
_LONG: Final = 14
_TIE: Final = 0.1
# The topic of a habit is one thing: any question about it is answered by its fact.
_HABITS: Final = frozenset({"allergies", "tobacco", "alcohol", "immunization"})
_OTHER_SYMPTOMS: Final = frozenset({"systems", "associated"})
_PARTNER: Final = "partner"
# A question about the partner's own state.
_YOUR_PARTNER: Final = re.compile(
    r"\b(?:is|was|are|has|have|does|did) (?:your|ur|the)"
    r" (?:wife|husband|missus|partner|hubby|spouse|girlfriend|boyfriend)\b"
)


@lru_cache(maxsize=20_000)
def features(heard: Heard, fact: Known, facts: tuple[Known, ...], leans: bool) -> Mapping[str, float]:
    """The features of a fact as an answer, by name, each about from 0 to 1; `facts` are all of the case's and
    `leans` says whether the question took its subject from an earlier one."""
    story, found = story_of(facts), evidence(heard, facts)
    own = found[fact.id].score if fact.id in found else 0.0
    others = [each.score for name, each in found.items() if name != fact.id]
    named, sides = named_by(heard, story), sides_of(heard)
    there = fact.things | fact.findings
    held = {
        name for name in named if name in there or WHOLE.get(name) == fact.topic or instances(name) & there
    }
    rarity = rarity_of(facts)
    first = heard.topics[:1] == (fact.topic,) or (heard.topics[:1] == ("complaint",) and fact.volunteered)
    tagged = fact.topic in heard.topics
    bodily = BODILY.issuperset(heard.topics)
    missing = heard.rest - fact.words
    shared = heard.words & fact.words
    asked = sum(rarity.get(word, _UNHEARD) for word in heard.words)
    suited = sum(fact.topic in TOLD_UNDER.get(side, ())[:2] for side in sides & fact.aspects)
    values = {
        "bias": 1.0,
        "other_than_the_matter": float(heard.sure and not tagged and ALONE.issuperset(heard.topics[:1]) and heard.topics != ()),
        "by_topic_alone": float(bool(missing) and not held and not sides & fact.aspects),
        "names_what_it_lacks": float(bool(named) and not held),
        "tie": float(own - max(others, default=0.0) < _TIE),
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
        "unexplained_of_others": float(any(missing & each.words for each in facts if each.id != fact.id)),
        "explained": min(2.0, len(heard.rest & fact.words)),
        "shared": sum(rarity[word] for word in shared) / asked if asked else 0.0,
        "holds_people": float(bool(heard.people & fact.things)),
        "lacks_people": float(bool(heard.people) and not heard.people & fact.things),
        "holds_times": float(bool(heard.times & fact.things)),
        "lacks_times": float(bool(heard.times) and not heard.times & fact.things),
        "score": min(own, 5.0) / 5.0,
        "ahead": max(-1.0, min(1.0, own - max(others, default=0.0))),
        "behind": float(own < max(others, default=0.0) - 0.01),
        "whole": float(as_a_whole(heard, story)),
        "whether": float(asks_whether(heard)),
        "leans": float(leans),
        "long": float(len(heard.text.split()) > _LONG),
        "qualifier_only": float(bool(heard.topics) and QUALIFIERS.issuperset(heard.topics)),
    }
    return values


def confidence(heard: Heard, fact: PatientFact, facts: Sequence[PatientFact], *, leans: bool) -> float:
    """The probability, by the model, that a fact answers a question; 1 for our own canonical questions."""
    read = known(fact)
    if heard.plain:
        return 1.0
    if _surely(heard, read, facts):
        return 1.0
    if _never(heard, read, facts):
        return 0.0
    values = features(heard, read, tuple([known(each) for each in facts]), leans)
    weights = _model()["weights"]
    return 1.0 / (1.0 + exp(-sum(weights.get(name, 0.0) * value for name, value in values.items())))


def _never(heard: Heard, fact: Known, facts: Sequence[PatientFact]) -> bool:
    """Whether a fact surely is no answer: it has none of the words and things that say what is asked, it is
    of a matter of its own that was not named, or it is not about the partner who was asked about."""
    story = story_of(tuple([known(each) for each in facts]))
    named, there = named_by(heard, story), fact.things | fact.findings
    held = any(name in there or WHOLE.get(name) == fact.topic or instances(name) & there for name in named)
    tagged = fact.topic in heard.topics
    if _PARTNER in heard.people and _YOUR_PARTNER.search(heard.text) and _PARTNER not in fact.things:
        return True
    if fact.topic in ALONE and not (tagged or held or fact.topics.intersection(heard.topics)):
        return True
    if held or not heard.rest or heard.rest & fact.words:
        return False
    return not (sides_of(heard) & fact.aspects) and not (tagged and heard.sure)


def _surely(heard: Heard, fact: Known, facts: Sequence[PatientFact]) -> bool:
    """Whether a fact belongs to the matter that a question surely names, with every word and thing of it."""
    tagged = fact.topic in heard.topics
    # "Trouble anywhere else, from head to toe?" names nothing single by its other words.
    nothing_single = not heard.rest or (heard.sure and heard.topics and heard.topics[0] in _OTHER_SYMPTOMS)
    if tagged and nothing_single and as_a_whole(heard, story_of(tuple([known(each) for each in facts]))):
        return True
    if not (heard.sure and heard.topics):
        return False
    if heard.topics[0] in _HABITS and heard.topics[0] in {fact.topic, *fact.topics}:
        return True
    if not tagged:
        return False
    if BODILY.issuperset(heard.topics):
        return False
    there = fact.things | fact.findings
    named = named_by(heard, story_of(tuple([known(each) for each in facts])))
    whole = all(name in there or WHOLE.get(name) == fact.topic or instances(name) & there for name in named)
    return whole and heard.rest <= fact.words and heard.people <= fact.things


def sure_of(
    heard: Heard, chosen: Sequence[PatientFact], facts: Sequence[PatientFact], *, leans: bool
) -> tuple[PatientFact, ...]:
    """The facts of an answer that are sure enough to be told: the first, and others only with it."""
    sure = [confidence(heard, fact, facts, leans=leans) for fact in chosen]
    least = float(_model()["least"])
    besides = float(_model()["besides"])
    kept = [
        fact
        for rank, (fact, chance) in enumerate(zip(chosen, sure, strict=True))
        if chance >= (least if rank == 0 or chance == max(sure) else besides)
    ]
    return tuple(kept)


@cache
def _model() -> dict[str, Any]:
    text = resources.files("osler.knowledge").joinpath("confidence.yaml").read_text(encoding="utf-8")
    model: dict[str, Any] = yaml.safe_load(text)
    return model
