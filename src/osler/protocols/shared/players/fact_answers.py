"""The answer to one question: the facts that it means and that may be told, else a denial or ignorance by the
run's policy; never a denial of what may be there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final, Literal, NamedTuple

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.patient import AnswerKind, PatientFact, PatientView
from osler.protocols.shared.players import voice
from osler.reading.meanings import MAY_BE, Meaning, meanings
from osler.reading.questions import SYMPTOMS, ComparedFact, QuestionReading, hear, in_context, known_by
from osler.text.findings_in_text import finding, mentions
from osler.text.lay_terms import workings
from osler.text.topics import QUALIFIERS, Clause, is_canonical, topics_of_question
from osler.text.utterance_kind import asks_for_results, asks_leave

MOST: Final = 3
_STORY: Final[tuple[Topic, ...]] = ("complaint", "course", "character", "associated")
_NEIGHBOURS: Final[dict[Topic, tuple[Topic, ...]]] = {
    "complaint": ("course", "character"),
    "associated": ("systems",),
    "systems": ("associated",),
}
_AGE: Final = re.compile(r"\b(?:old|age|born|birth\w*|dob)\b")
_SELF_HARM: Final = "self_harm"
_SUICIDAL: Final = "suicidal"
_PAIN: Final = re.compile(r"\b(?:pain(?:s|ful)?|ach(?:e|es|ing|y)|hurt(?:s|ing)?|sore(?:ness)?|discomfort)\b")
_ELSEWHERE: Final = re.compile(r"\b(?:other|others|else|elsewhere|anywhere|before|ever)\b")
_NOW: Final = frozenset({"right", "moment"})
# The topics under which a presenting pain may be mentioned, in order of preference.
_TELL_OF_PAIN: Final[tuple[Topic, ...]] = (
    "complaint",
    "character",
    "course",
    "modifiers",
    "associated",
    "systems",
)
_NOT_THAT_I_KNOW: Final = "Not that I know of."
# "Anything else?", "any others?", "go on": more of the same.
_MORE: Final = re.compile(
    r"""\b(?: (?:anything|what|something|nothing|anyone|any)\ (?:else|more)
    | (?:any|some)thing\ (?:you\ would|you'd)\ like\ to\ add
    | (?:tell\ me|say)\ (?:a\ (?:bit|little)\ )?more | more\ about\ (?:that|this|it) | go\ on\b(?!\ with)
    | carry\ on | continue | and\ then | elaborate
    | what\ happened\ (?:next|then) | is\ that\ (?:all|everything)
    | keep\ going | can\ you\ expand | any\ others?\b(?=\W*$) | and\W*$ )""",
    re.VERBOSE,
)


class AnswerPart(NamedTuple):
    """The answer to one question: the facts it reveals, and a line said besides or instead.

    `kind` is given where neither the facts nor a stock line tell it; see `of_kind`.
    """

    facts: tuple[PatientFact, ...] = ()
    line: str = ""
    reason: Literal["none", "not_in_patient_view", "unclear_question"] = "none"
    kind: AnswerKind | None = None

    @property
    def of_kind(self) -> AnswerKind:
        """The kind of this answer: as given, else `fact` where it reveals any, else that of its line."""
        return self.kind or ("fact" if self.facts else voice.kind_of(self.line))


_UNCLEAR: Final = AnswerPart(line=voice.NOT_UNDERSTOOD, reason="unclear_question")


def known(fact: PatientFact) -> ComparedFact:
    """A fact as questions are compared with it."""
    spoken = fact.spoken or ""
    return known_by(fact.id, fact.topic, fact.told == "volunteered", fact.absent, fact.text, spoken)


def meant_by(reading: QuestionReading, facts: Sequence[PatientFact]) -> Meaning:
    """The chances that a question means each of a patient's facts."""
    return meanings(reading, tuple([known(fact) for fact in facts]))


def answer_to(
    clause: Clause,
    view: PatientView,
    may: Sequence[PatientFact],
    told: Collection[str],
    before: Sequence[str],
) -> AnswerPart:
    """The answer to one question: `may` are the facts that may be told, `told` the ids of those told already,
    `before` the doctor's earlier words.

    Where the fact that it means first is kept back, the patient declines.
    """
    reading = in_context(hear(clause), before)
    if carries_on(reading.text) and not reading.things and reading.topics[:1] in ((), ("complaint",)):
        return _more(_last_topics(before), may, told)
    facts = _facts_for(reading, view, may, told)
    if not facts:
        return _unknown(reading, view, may)
    if facts[0] not in may:
        return AnswerPart(
            line=voice.declined(facts[0].told, view), reason="not_in_patient_view", kind="decline"
        )
    open_ = tuple(fact for fact in facts if fact in may)
    return AnswerPart(open_, _of_the_rest(reading, open_, view))


def carries_on(question: str) -> bool:
    """Whether the doctor asks for more of the same: "anything else?", "any others?", "go on"."""
    return _MORE.search(question.lower()) is not None


def _facts_for(
    reading: QuestionReading, view: PatientView, may: Sequence[PatientFact], told: Collection[str]
) -> tuple[PatientFact, ...]:
    """The facts that a question means; those of our own canonical questions are known without doubt."""
    if is_canonical(reading.text):
        return fresh(of_topics(reading.topics, may) or of_topics(reading.topics, view.facts), told)
    if reading.finding:
        facts = (fact for fact in view.facts if fact.topic != "allergies" or "allergies" in reading.topics)
        holding = [fact for fact in facts if reading.finding in _mentioned(fact)]
        return tuple(sorted(holding, key=lambda fact: (fact.topic not in reading.topics, fact.absent))[:1])
    if _asks_if_in_pain(reading):
        return _of_pain(may)
    meaning = meant_by(reading, view.facts)
    order = [view.facts[at] for at in meaning.likeliest]
    if meaning.surely or not order:
        return tuple(order[: len(meaning.surely)])
    # "Any illnesses?": each of them says so, and none alone is the answer.
    chances = dict(zip([fact.id for fact in view.facts], meaning.chances, strict=True))
    of_topic = [fact for fact in order if fact.topic == order[0].topic]
    whole = sum(chances[fact.id] for fact in of_topic) >= meaning.least
    if whole:
        return fresh([fact for fact in of_topic if fact in may] or of_topic, told)
    return _complained_of(reading, may)


def _complained_of(reading: QuestionReading, may: Sequence[PatientFact]) -> tuple[PatientFact, ...]:
    """The complaint, where a question asks for no more than whether it is there: "any chest pain?"."""
    more = reading.aspects or reading.times or reading.people or reading.rest
    if more or not reading.things or not SYMPTOMS.issuperset(reading.topics):
        return ()
    there = (fact for fact in may if fact.topic == "complaint" and not fact.absent)
    return tuple(fact for fact in there if reading.things <= known(fact).things)[:1]


def _asks_if_in_pain(reading: QuestionReading) -> bool:
    """Whether a question is about pain without naming its place, time or kind: "are you in pain?"."""
    named = reading.sure or reading.aspects or reading.times or reading.people or reading.things - {"pain"}
    bare = not named and not reading.rest - _NOW and not workings(reading.text)
    return bare and _PAIN.search(reading.text) is not None and _ELSEWHERE.search(reading.text) is None


def _of_pain(facts: Sequence[PatientFact]) -> tuple[PatientFact, ...]:
    """The fact that mentions pain, if any: a present pain before an absent one, the complaint's first."""
    painful = [
        fact
        for fact in facts
        if fact.topic in _TELL_OF_PAIN and _PAIN.search(f"{fact.text} {fact.spoken or ''}".lower())
    ]
    return tuple(sorted(painful, key=lambda fact: (fact.absent, _TELL_OF_PAIN.index(fact.topic)))[:1])


def _mentioned(fact: PatientFact) -> frozenset[str]:
    return frozenset(mentions(fact.text)).union(mentions(fact.spoken or ""))


def of_topics(topics: Iterable[Topic], facts: Sequence[PatientFact]) -> list[PatientFact]:
    """The facts of each topic, topic by topic; else those that touch it; else those of its neighbours."""
    result = dict[str, PatientFact]()
    for topic in topics:
        tagged = [fact for fact in facts if fact.topic == topic]
        if topic == "complaint":
            tagged += [fact for fact in facts if fact.told == "volunteered" and fact.topic != topic]
        touching = tagged or [fact for fact in facts if topic in known(fact).topics]
        near = touching or [fact for fact in facts if fact.topic in _NEIGHBOURS.get(topic, ())]
        result.update((fact.id, fact) for fact in near)
    return [*result.values()]


def fresh(facts: Sequence[PatientFact], told: Collection[str]) -> tuple[PatientFact, ...]:
    """At most three facts: those not told before, or, if all were, the same ones again."""
    return tuple([fact for fact in facts if fact.id not in told] or facts)[:MOST]


def _more(topics: tuple[Topic, ...], may: Sequence[PatientFact], told: Collection[str]) -> AnswerPart:
    """More about the topics last spoken of."""
    wider = _STORY if "complaint" in topics else topics
    facts = [fact for fact in of_topics(wider, may) if fact.id not in told]
    return AnswerPart(fresh(facts, ())) if facts else AnswerPart(line=voice.NOTHING_MORE)


def _last_topics(before: Sequence[str]) -> tuple[Topic, ...]:
    """The topics of the doctor's latest words that name a subject."""
    every = (topics_of_question(text) for text in reversed(before))
    return next((topics for topics in every if not QUALIFIERS.issuperset(topics)), ("complaint",))


# What no fact answers


def _of_the_rest(reading: QuestionReading, facts: Sequence[PatientFact], view: PatientView) -> str:
    """The line about the other symptoms of a question, if the facts hold only some of them."""
    if len(reading.things) < 2 or not SYMPTOMS.issuperset(reading.topics):
        return ""
    rest = _named(reading) - frozenset[str]().union(*map(_mentioned, facts))
    held = frozenset[str]().union(*(known(fact).things for fact in facts))
    if not rest or not held & reading.things or held >= reading.things | reading.times:
        return ""
    if view.unknown == "withhold":
        return voice.WITHHELD
    if seen := rest.intersection(view.noticed):
        return voice.noticed(_names(seen))
    told = frozenset[str]().union(*map(_mentioned, view.facts))
    if rest & told or rest.intersection(view.unsure_of):
        return voice.UNSURE_OF_THE_REST
    return voice.denied(_names(rest))


def _named(reading: QuestionReading) -> frozenset[str]:
    """The findings that a question names, without those that others of them imply."""
    named = frozenset(mentions(reading.text))
    return named - {other for name in named for other in finding(name).implies} or named


def _unknown(reading: QuestionReading, view: PatientView, may: Sequence[PatientFact]) -> AnswerPart:
    """The answer by the run's policy; never a denial of what may be there."""
    if asks_leave(reading.text):
        return AnswerPart(line=voice.GO_AHEAD)
    if asks_for_results(reading.text):
        return AnswerPart(line=voice.NO_RESULTS, reason="not_in_patient_view")
    named, bodily = _named(reading), workings(reading.text)
    if not (reading.topics or named or bodily or reading.things):
        return _UNCLEAR
    if _SELF_HARM in bodily and any(mentions(fact.text).get(_SUICIDAL) for fact in may):
        return AnswerPart(line=voice.WITHHELD, reason="not_in_patient_view")
    part = _by_policy(reading, view, named, bodily)
    if reading.finding or is_canonical(reading.text) or part.of_kind not in ("denial", "dont_know"):
        return part
    if part.line == voice.UNSURE:
        return part
    if max(meant_by(reading, view.facts).chances, default=0.0) >= MAY_BE:
        return _UNCLEAR
    return part if part.of_kind == "dont_know" else _denial(part, reading, view, named)


def _denial(
    part: AnswerPart, reading: QuestionReading, view: PatientView, named: frozenset[str]
) -> AnswerPart:
    """A denial, or, where the facts hold something of the kind, ignorance."""
    if reading.rest and not named:
        return _UNCLEAR
    sought = reading.things or named
    there = map(known, view.facts)
    if any(sought & fact.things or reading.rest & fact.words for fact in there):
        return AnswerPart(line=voice.UNSURE, reason="not_in_patient_view")
    if any(named & _mentioned(fact) for fact in view.facts):
        return AnswerPart(line=voice.UNSURE, reason="not_in_patient_view")
    topic = reading.topics[0] if reading.topics else "systems"
    if topic in SYMPTOMS or part.line == voice.DENIED or not of_topics((topic,), view.facts):
        return part
    if QUALIFIERS.issuperset(reading.topics):
        return AnswerPart(line=voice.UNSURE, reason="not_in_patient_view", kind="dont_know")
    return AnswerPart(line=_NOT_THAT_I_KNOW, reason="not_in_patient_view", kind="denial")


def _by_policy(
    reading: QuestionReading, view: PatientView, named: frozenset[str], bodily: frozenset[str]
) -> AnswerPart:
    """Answer by the run's policy a question that no fact answers."""
    topic = reading.topics[0] if reading.topics else "systems"
    if topic == "identity" and view.age_years is not None:
        if _AGE.search(reading.text):
            return AnswerPart(line=voice.age(view.age_years), kind="fact")
        return AnswerPart(line=voice.IN_THE_NOTES)
    if topic == "gynaecological" and view.sex == "male":
        return AnswerPart(line=voice.DOES_NOT_APPLY)
    if topic in view.unsure_topics:
        return AnswerPart(line=voice.UNSURE, reason="not_in_patient_view", kind="dont_know")
    if topic == "complaint" and not named:
        return AnswerPart(line=view.opening, kind="fact")
    symptom = topic in ("systems", "complaint") and (named or bodily)
    line = _of_symptoms(view, named) if symptom or _SELF_HARM in bodily else ""
    return AnswerPart(line=line or _of_topic(topic, view, named), reason="not_in_patient_view")


def _of_topic(topic: Topic, view: PatientView, named: frozenset[str]) -> str:
    if view.unknown in ("standard", "synthesize") and named.intersection(view.unsure_of):
        return voice.UNSURE
    return voice.not_known(topic, view.unknown)


def _of_symptoms(view: PatientView, named: frozenset[str]) -> str:
    """The line about symptoms, or a mere bodily function, that no fact tells of.

    They are affirmed where an examination shows them, left open where the case ought to have mentioned them.
    """
    if view.unknown == "withhold":
        return voice.WITHHELD
    seen, open_ = named.intersection(view.noticed), named.intersection(view.unsure_of)
    if seen:
        return voice.NOTICED if len(named) == 1 else voice.noticed(_names(seen))
    if view.unknown != "normal" and (open_ or (view.unsure_of and not named)):
        return voice.UNSURE
    return voice.denied(_names(named)) if len(named) > 1 else voice.DENIED


def _names(ids: Iterable[str]) -> list[str]:
    return sorted({finding(id).name for id in ids})
