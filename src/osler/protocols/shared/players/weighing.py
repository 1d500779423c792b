"""What a question asks for and what a fact holds, read alike: topics, things, aspects, findings and words."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from typing import Final, NamedTuple

import yaml

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.patient import PatientFact
from osler.text.asked import aspects_asked, aspects_held, things_asked, things_held
from osler.text.findings_in_text import finding, findings, mentions
from osler.text.lay_terms import workings
from osler.text.phrases import words
from osler.text.tokens import lowered
from osler.text.topics import QUALIFIERS, Clause, topics_touched, words_of_topics

SYMPTOMS: Final[frozenset[Topic]] = frozenset({"systems", "associated", "complaint"})
BODILY: Final[frozenset[Topic]] = SYMPTOMS | QUALIFIERS
# A question about other people is never answered with the patient's own symptoms, nor one about a symptom
# with what the patient believes.
APART: Final[frozenset[Topic]] = frozenset(
    {"family", "exposure", "allergies", "ideas", "concerns", "expectations"}
)
# A question about self-harm is about nothing else, whatever mood it mentions.
SELF_HARM: Final = "self_harm"
SUICIDAL: Final = "suicidal"

# Findings that stand for several things at once; things.yaml tells those apart.
_COARSE: Final = frozenset(
    """
    atopy bruising injury anxiety low_mood insomnia lumps_nodes pain_sudden symptoms_resolved
    episodes_relapsing rash_flexural travel_malarial weak_stream eyes_prominent visual_aura
    pain_relieved_leaning_forward visual_loss pain_meal_related pain_fatty_food bone_pain_night
    failure_to_thrive skin_mole_changed urinary_frequency polyuria_polydipsia joint_pain photophobia
    pregnant
    """.split()
)


_DRUNK: Final = frozenset({"caffeine", "fluids", "thirst", "water_supply"})
_NO_ALCOHOL: Final = re.compile(
    r"\b(?:water|milk|juice|fluids?|liquids?)\b(?!.{0,30}\b(?:alcohol|beer|wine)\b)"
)
# Said of what was taken for the complaint, not of regular medicines.
_FOR_IT: Final = re.compile(
    r"\b(?:before (?:coming|you came)|for (?:it|this|that|the (?:pain|headache|cough|fever))"
    r"|so far|to help|at home)\b"
)


class Heard(NamedTuple):
    """A parsed question: its topics, and the things, people, circumstances (`times`), aspects, findings and
    bodily functions (`workings`) it names.

    `plain` marks one of our own canonical questions about a single finding. `rest` are its content words
    that no thing explains. `earlier` are the doctor's words just before, if it leans on them.
    """

    text: str
    topics: tuple[Topic, ...]
    sure: bool
    words: frozenset[str]
    findings: tuple[str, ...]
    workings: frozenset[str]
    plain: bool
    things: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    aspects: frozenset[str] = frozenset()
    rest: frozenset[str] = frozenset()
    earlier: str = ""


class Known(NamedTuple):
    """A fact indexed for retrieval; `topics` are all it touches. A volunteered fact belongs to the
    complaint. `things` hold people and circumstances, too; `spoken` are those of the speaker's own words."""

    id: str
    topic: Topic
    volunteered: bool
    absent: bool
    words: frozenset[str]
    findings: frozenset[str]
    workings: frozenset[str]
    topics: frozenset[Topic]
    things: frozenset[str]
    spoken: frozenset[str]
    aspects: frozenset[str]
    text: str


@lru_cache(maxsize=20_000)
def hear(clause: Clause) -> Heard:
    """Parse a clause into everything that retrieval needs to know about the question."""
    text = clause.text
    plain = plain_questions().get(text)
    named, bodily = plain or tuple(mentions(text)), workings(text)
    if SELF_HARM in bodily and not plain:
        named, bodily = tuple({SUICIDAL}.intersection(named)), frozenset({SELF_HARM})
    implied = {other for name in named for other in finding(name).implies}
    asked, sides = things_asked(text), aspects_asked(text)
    if "radiate" in sides:
        asked = asked._replace(things=asked.things - {"travel_where"}, times=frozenset())
    topics = _topics(clause, sides)
    if asked.things & _DRUNK or ("alcohol" in topics and _NO_ALCOHOL.search(text)):
        # "How much coffee do you drink?"
        asked = asked._replace(things=asked.things - {"alcohol"})
        topics = tuple(topic for topic in topics if topic != "alcohol")
    content = telling(text)
    return Heard(
        text,
        topics,
        clause.sure,
        content,
        tuple(name for name in named if name not in implied and (plain or not name.startswith("onset_"))),
        bodily,
        plain is not None,
        asked.things,
        asked.people,
        asked.times,
        sides,
        content - asked.words - words_of_topics(text),
    )


def _topics(clause: Clause, sides: frozenset[str]) -> tuple[Topic, ...]:
    """The topics of a clause; a pain that "goes anywhere" does not travel."""
    if "tried" in sides and _FOR_IT.search(clause.text):
        return tuple(dict.fromkeys(("modifiers", *clause.topics)))
    if "onset" in sides and {"course", "concerns"} <= set(clause.topics):
        # "Since when has it been worrying you?" asks for the time.
        return tuple(topic for topic in clause.topics if topic != "concerns")
    if "radiate" in sides and "travel" in clause.topics:
        return tuple(dict.fromkeys(("character", *(topic for topic in clause.topics if topic != "travel"))))
    return clause.topics


def distinct(names: tuple[str, ...] | frozenset[str]) -> frozenset[str]:
    """The findings that tell one symptom from another."""
    return frozenset(name for name in names if name not in _COARSE and finding(name).kind == "symptom")


@lru_cache(maxsize=20_000)
def telling(text: str) -> frozenset[str]:
    """The content words of `text`, normalised, without stop words."""
    return frozenset(words(text)) - _common()


def known(fact: PatientFact) -> Known:
    """Index a fact for retrieval."""
    return _read(fact.id, fact.topic, fact.told == "volunteered", fact.absent, fact.text, fact.spoken or "")


@lru_cache(maxsize=20_000)
def _read(name: str, topic: Topic, volunteered: bool, absent: bool, text: str, spoken: str) -> Known:
    both = f"{text} . {spoken}" if spoken else text
    held = things_held(both, topic)
    return Known(
        name,
        topic,
        volunteered,
        absent,
        telling(both),
        frozenset(mentions(text)).union(mentions(spoken)),
        workings(both),
        topics_touched(text),
        held.things | held.people | held.times,
        things_held(spoken, topic).things if spoken else held.things,
        aspects_held(both),
        lowered(both),
    )


@cache
def _common() -> frozenset[str]:
    """The words, in normal form, that do not tell what a question asks."""
    text = resources.files("osler.knowledge").joinpath("common_words.yaml").read_text(encoding="utf-8")
    return frozenset(words(yaml.safe_load(text)["common"]))


@cache
def plain_questions() -> dict[str, tuple[str, ...]]:
    """Our canonical questions, normalised like clauses, with the finding that each is about."""
    return {bare(item.ask): (item.id,) for item in findings() if item.ask}


def bare(said: str) -> str:
    """Normalise an utterance like a clause: lower case, without outer punctuation."""
    return said.lower().strip(" .?!;\n")
