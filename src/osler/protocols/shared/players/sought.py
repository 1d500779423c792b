"""The content of a question: what it names beyond the presenting complaint, the sides it asks for, and the
facts that may answer it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.players.weighing import APART, BODILY, SYMPTOMS, Heard, Known, distinct
from osler.text.asked import of_group

# The topics under which each side of a complaint is told, the likeliest first.
TOLD_UNDER: Final[Mapping[str, tuple[Topic, ...]]] = {
    "onset": ("course", "complaint", "character"),
    "doing": ("course", "complaint", "character"),
    "sudden": ("course", "character", "complaint"),
    "pattern": ("course", "character", "complaint"),
    "lasting": ("course", "character", "complaint"),
    "often": ("course", "complaint", "character", "associated"),
    "progress": ("course", "complaint", "character"),
    "before": ("course", "past_medical", "character", "complaint"),
    "site": ("complaint", "character", "course"),
    "radiate": ("character", "course", "complaint"),
    "quality": ("character", "complaint", "course"),
    "severity": ("character", "complaint", "course"),
    "worse": ("modifiers", "character", "course"),
    "better": ("modifiers", "character", "course"),
    "size": ("character", "complaint", "course"),
    "began": ("course", "complaint", "character"),
    "daytime": ("modifiers", "course", "character", "associated", "complaint"),
    "distance": ("character", "complaint", "course", "travel"),
    "how_happened": ("course", "complaint", "character"),
    "other_side": ("character", "complaint", "associated", "systems"),
    "tried": ("modifiers", "medications", "character"),
}
# Things that are a topic by themselves.
WHOLE: Final[Mapping[str, Topic]] = {
    "cigarettes": "tobacco",
    "alcohol": "alcohol",
    "job": "occupation",
    "travel_where": "travel",
    "vaccine": "immunization",
    "period": "gynaecological",
}
# What a patient thinks, fears and hopes.
VIEWS: Final[frozenset[Topic]] = frozenset({"ideas", "concerns", "expectations"})
# Topics that answer no question but their own.
ALONE: Final[frozenset[Topic]] = frozenset(
    {"medications", "allergies", "alcohol", "tobacco", "drugs", "past_surgical", "immunization", "family"}
)
# Topics of which every fact is told when the topic is asked for as a whole.
_LISTS: Final[frozenset[Topic]] = frozenset(
    {"past_medical", "past_surgical", "medications", "family", "associated", "systems", "allergies", "other"}
)
_NEIGHBOURS: Final[Mapping[Topic, tuple[Topic, ...]]] = {
    "complaint": ("course", "character"),
    "associated": ("systems",),
    "systems": ("associated",),
}
_SYMPTOM_LIKE: Final = frozenset(
    {"pain", "headache", "chest_pain", "belly_pain", "back_pain", "cough", "breathless"}
)
# The sides that a habit or a medicine has as well as a symptom.
_OF_ANYTHING: Final = frozenset(
    {"onset", "often", "lasting", "number", "stopped", "reason", "who", "missed", "progress", "before"}
)
# Things that are circumstances of other symptoms, too: "when you cough".
_TWINS: Final = frozenset(
    {"appetite", "cough", "exercise", "lie_flat", "swallow", "light", "stairs_ability", "walk_far"}
)
_OTHER: Final = re.compile(r"\bother\b")
_WHEN: Final = re.compile(r"\b(?:when|while|after|on|if|during)\b")
_ASKS_WHETHER: Final = re.compile(
    r"^\W*(?:(?:and|so|but|ok|okay|well|now|also|or)\W+)*"
    r"(?:do|does|did|have|has|had|is|are|was|were|any|can|could|would|will|ever|been|got|you|he|she|they)\b"
)


class Story(NamedTuple):
    """The things of the presenting complaint: "the pain" is about it, whatever fact tells of it."""

    things: frozenset[str]
    findings: frozenset[str]
    words: frozenset[str]


@lru_cache(maxsize=1024)
def story_of(facts: tuple[Known, ...]) -> Story:
    """The things and findings named by the presenting complaint."""
    told = [fact for fact in facts if fact.topic == "complaint" or fact.volunteered] or [
        fact for fact in facts if fact.topic in ("character", "course")
    ][:1]
    return Story(
        frozenset[str]().union(*(fact.things for fact in told)),
        frozenset[str]().union(*(fact.findings for fact in told)),
        frozenset[str]().union(*(fact.words for fact in told)),
    )


def asks_whether(heard: Heard) -> bool:
    """Whether a question can be answered by yes or no."""
    return _ASKS_WHETHER.match(heard.text) is not None


def sides_of(heard: Heard) -> frozenset[str]:
    """The aspects a question asks about: of a habit or a medicine, only how much, how long and the like."""
    if heard.sure and heard.topics and heard.topics[0] not in BODILY and not heard.things & _SYMPTOM_LIKE:
        return heard.aspects & _OF_ANYTHING
    return heard.aspects


@lru_cache(maxsize=4096)
def named_by(heard: Heard, story: Story) -> frozenset[str]:
    """The things and distinct findings that a question names beyond the presenting complaint."""
    if heard.plain:
        return frozenset(heard.findings) | heard.things
    sides = sides_of(heard)
    of_story = bool(sides & TOLD_UNDER.keys() or heard.times) and not APART.intersection(heard.topics)
    of_story = of_story and _OTHER.search(heard.text) is None
    if not heard.things:
        named = distinct(heard.findings)
        return named - story.findings if of_story else named
    things = heard.things - (story.things & of_group("symptoms")) - {"pain"} if of_story else heard.things
    if all(WHOLE.get(name) in heard.topics for name in things):
        return frozenset()
    if heard.times and ((things - _TWINS and _WHEN.search(heard.text)) or sides & {"worse", "better"}):
        things -= _TWINS
    if heard.topics[:1] == ("complaint",) and heard.sure:
        things &= of_group("symptoms")
    return things - story.things if VIEWS.intersection(heard.topics) else things


def as_a_whole(heard: Heard, story: Story) -> bool:
    """Whether a question is about a topic that is told as a list, and about nothing single in it."""
    listed = heard.topics[:1] != () and heard.topics[0] in _LISTS
    single = heard.aspects - {"number", "before"} or heard.people or named_by(heard, story)
    return listed and not single


def to_the_point(heard: Heard, facts: Sequence[Known], story: Story) -> Heard:
    """A question without what does not tell its answers apart: the occasion of the visit in a question for
    the complaint, or of a medicine, habit or view ("which tablets do you take for the pain?")."""
    if heard.topics[:1] == ("complaint",) and heard.sure:
        return heard._replace(people=frozenset(), times=frozenset())
    if not heard.sure or not heard.topics or heard.topics[0] not in ALONE | VIEWS:
        return heard
    of_topic = [fact for fact in facts if heard.topics[0] in (fact.topic, *fact.topics)]
    told = frozenset[str]().union(*(fact.things for fact in of_topic))
    named = named_by(heard, story)
    idle = named & of_group("symptoms") - told
    if not idle or (named == idle and asks_whether(heard)):
        return heard
    return heard._replace(things=heard.things - idle, findings=())


def candidates(heard: Heard, facts: Sequence[Known]) -> list[Known]:
    """The facts that may answer: never someone else's symptom, a drug's effect, or a belief for a symptom."""
    asked = frozenset(heard.topics)
    if heard.plain:
        return [fact for fact in facts if fact.topic != "allergies" or fact.topic in asked]
    if "family" in asked and heard.people and not heard.things and not heard.rest:
        return [fact for fact in facts if fact.topic not in VIEWS]
    if "family" in asked:
        tagged = [fact for fact in facts if fact.topic == "family"]
        return tagged or [fact for fact in facts if "family" in fact.topics and fact.topic not in VIEWS]
    if asked & VIEWS:
        return [fact for fact in facts if fact.topic in (VIEWS if heard.things else asked)]
    apart = APART - asked
    if heard.things or not asked:
        apart -= {"exposure"}
    return [fact for fact in facts if fact.topic not in apart]


def belonging(heard: Heard, facts: Sequence[Known]) -> dict[str, float]:
    """The share of each fact in the topics of a question, by id, from 0 to 1."""
    found = dict.fromkeys((fact.id for fact in facts), 0.0)
    for rank, topic in enumerate(heard.topics):
        weight = 1.0 if topic in SYMPTOMS else max(0.7, 1.0 - 0.15 * rank)
        tagged = {fact.id for fact in facts if fact.topic == topic}
        if topic == "complaint":
            tagged.update(fact.id for fact in facts if fact.volunteered)
        near = () if tagged else _NEIGHBOURS.get(topic, ())
        for fact in facts:
            share = 0.0
            if fact.id in tagged:
                share = weight
            elif topic in fact.topics:
                share = weight * (0.5 if tagged else 0.8)
            elif fact.topic in near:
                share = weight * 0.5
            found[fact.id] = max(found[fact.id], share)
    return found
