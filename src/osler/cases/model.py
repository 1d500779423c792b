"""The case: the truth about one patient, frozen and content-hashed, never handed to a player.

Every leaf of a source has one holder: the opening (heard by everyone), the patient (a fact), the examination
service (a finding), or no seat at all (`withheld`, the diagnosis, management, teaching plan, answer). A
section that the source lacks is `None`, and whatever depends on it is left unscored as `not_in_case`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, Concatenate, Final, Literal, ParamSpec, Self, TypeVar

from pydantic import Field, model_validator

from osler.cases.reviews import Review
from osler.cases.shelf import Shelf
from osler.core.events import Frozen
from osler.core.pictures import Picture
from osler.knowledge.vocabulary import FindingKind, Identity, Told, Topic

SCHEMA_VERSION: Final = 1

Holder = Literal["opening", "patient", "examination", "withheld"]

Sex = Literal["female", "male"]


def _absent(value: object) -> bool:
    """Whether a field is left out of the JSON, so that a case without it keeps its hash."""
    return value is None


class Task(Frozen):
    """The case's own question. `answer` is an option's key for `choice`, else the words of the answer.

    `accepts` lists other wordings that are right. `accepted_why` gives, by wording, the author's reason for
    one that says less than the answer.
    """

    kind: Literal["diagnosis", "choice", "open"]
    question: str
    options: dict[str, str] | None = None
    answer: str
    accepts: tuple[str, ...] = ()
    # Left out where there is none, so that a case without one keeps its hash.
    accepted_why: dict[str, str] = Field(default_factory=dict, exclude_if=lambda why: not why)

    @model_validator(mode="after")
    def _choice_has_its_answer(self) -> Self:
        if self.kind == "choice" and (not self.options or self.answer not in self.options):
            raise ValueError("a choice task needs options, and its answer must be one of their keys")
        return self


class Opening(Frozen):
    """The opening, known before the first question: the note on the door and the patient's first words."""

    door_note: str
    words: str
    sources: tuple[str, ...] = ()


class Fact(Frozen):
    """A fact that the patient or another speaker knows and can tell.

    `text` states it plainly in the third person; `spoken` is how the speaker would say it, in lay words and
    the first person (or a carer's). `believed_truly` is false where the speaker is mistaken. `absent` marks
    an explicit negative. `key` facts are those a sound history must elicit.
    """

    id: str
    topic: Topic
    text: str
    spoken: str | None = None
    known_by: Literal["patient", "parent", "carer", "witness", "record"] = "patient"
    believed_truly: bool = True
    told: Told = "asked"
    absent: bool = False
    key: bool = False
    source: str | None = None


class Finding(Frozen):
    """A result that can be obtained: an examination, a test or an image.

    `name` and `aliases` are what it can be ordered by. `minutes` overrides the formulary's turnaround and
    `cost` its tariff points. `abnormal` is `None` where the source does not say. `result` reports what a
    `picture` shows.
    """

    id: str
    kind: FindingKind
    name: str
    aliases: tuple[str, ...] = ()
    result: str
    picture: Picture | None = None
    abnormal: bool | None = None
    key: bool = False
    minutes: int | None = Field(default=None, ge=0)
    cost: int | None = Field(default=None, ge=0)
    source: str | None = None


class Contraindicated(Frozen):
    """An order, drug or act that should not be, and why. `terms` are the words that name it.

    `class_` is `harmful` where it puts this patient at risk or delays what is urgent (a needle, a dangerous
    drug, a scan before theatre), `unnecessary` where it only answers no question.
    """

    name: str
    terms: tuple[str, ...]
    why: str
    # Left out where it is the usual one, so that a case written before there were two keeps its hash.
    class_: Literal["harmful", "unnecessary"] = Field(
        default="harmful", exclude_if=lambda kind: kind == "harmful"
    )


class Workup(Frozen):
    """The gold-standard workup: each required group is met by any one of its finding ids."""

    required: tuple[tuple[str, ...], ...]
    useful: tuple[str, ...] = ()
    contraindicated: tuple[Contraindicated, ...] = ()


class Alternative(Frozen):
    """A differential diagnosis. `discriminators` are ids of facts or findings that tell it apart."""

    name: str
    synonyms: tuple[str, ...] = ()
    why_less_likely: str
    must_not_miss: bool = False
    discriminators: tuple[str, ...] = ()


class Diagnosis(Frozen):
    """The diagnosis and its differential. `icd10` is given only where it is certain."""

    name: str
    synonyms: tuple[str, ...] = ()
    icd10: str | None = None
    alternatives: tuple[Alternative, ...] = ()


class StepPart(Frozen):
    """A part of a management step, met by any of its `terms`."""

    what: str
    terms: tuple[str, ...] = Field(min_length=1)


class KeyFeature(Frozen):
    """A decisive management step, met by any of its `terms`; `dose` where one matters.

    A step with `parts` is met in full only when each of them is named, perhaps in different lines of the
    plan, and otherwise in part. Its `terms` are then those of all its parts.
    """

    id: str
    what: str
    terms: tuple[str, ...]
    parts: tuple[StepPart, ...] = Field(default=(), exclude_if=lambda parts: not parts)
    dose: str | None = None
    critical: bool = False

    @model_validator(mode="before")
    @classmethod
    def _terms_of_its_parts(cls, data: Any) -> Any:
        parts = data.get("parts") if isinstance(data, Mapping) and not data.get("terms") else None
        if not isinstance(parts, list | tuple):
            return data
        held = [part["terms"] for part in parts if isinstance(part, Mapping) and "terms" in part]
        terms = [term for one in held if isinstance(one, list | tuple) for term in one]
        return {**data, "terms": list(dict.fromkeys(map(str, terms)))}


class Management(Frozen):
    """The management: what must and must not be done, the disposition, and the safety-net advice."""

    key_features: tuple[KeyFeature, ...]
    contraindicated: tuple[Contraindicated, ...] = ()
    disposition: str
    safety_net: tuple[str, ...]
    guideline: str
    year: int
    jurisdiction: str


class SafetyAction(Frozen):
    """A safety action: consent, a chaperone, capacity, parental responsibility, safeguarding."""

    id: str
    what: str
    terms: tuple[str, ...]
    why: str


class SocraticStep(Frozen):
    """A step of Socratic reasoning.

    It holds the question to lead with, what the learner should be able to say, and the picture it is about (a
    finding's id, or the name of an imported image).
    """

    key_question: str
    summary: str
    image: str | None = Field(default=None, exclude_if=_absent)


class Sibling(Frozen):
    """An unseen item on the same point, for measuring learning gain. `step` is an index into the steps."""

    stem: str
    options: dict[str, str]
    answer: str
    step: int

    @model_validator(mode="after")
    def _answer_is_an_option(self) -> Self:
        if self.answer not in self.options:
            raise ValueError("a sibling's answer must be one of its options")
        return self


class TeachingPlan(Frozen):
    """A teaching plan in steps, with sibling questions."""

    objectives: tuple[str, ...]
    steps: tuple[SocraticStep, ...]
    siblings: tuple[Sibling, ...] = ()


class Source(Frozen):
    """A textbook or guideline, by title and year; `updated` is the year of its last amendment, where known.

    `checked` is the day (YYYY-MM-DD) on which somebody read the text itself against the case, and `passage`
    what they read: both, or neither.
    """

    title: str
    year: int
    updated: int | None = Field(default=None, exclude_if=_absent)
    checked: str | None = Field(default=None, pattern=r"^\d{4}-\d\d-\d\d$", exclude_if=_absent)
    passage: str | None = Field(default=None, min_length=1, exclude_if=_absent)

    @model_validator(mode="after")
    def _checked_is_a_passage_read(self) -> Self:
        if (self.checked is None) != (self.passage is None):
            raise ValueError("a source was checked only where its passage is named: give both, or neither")
        if self.checked is not None:
            date.fromisoformat(self.checked)
        return self

    def told(self) -> str:
        """The source in one line: title, years, and whether its text was checked."""
        updated = f", updated {self.updated}" if self.updated else ""
        read = f"checked {self.checked}: {self.passage}" if self.checked else "text not checked"
        return f"{self.title} ({self.year}{updated}; {read})"


class Provenance(Frozen):
    """The provenance of a case. `flags` are warnings from the importer or a reviewer; `prose`, which no seat
    sees, is the source's text before it was cut up."""

    origin: str
    record: str
    author: str | None = None
    licence: str | None = None
    written: str | None = None
    sources: tuple[Source, ...] = ()
    reviewed_by: str | None = None
    reviews: tuple[Review, ...] = Field(default=(), exclude_if=lambda reviews: not reviews)
    content_warnings: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    prose: str = Field(default="", exclude_if=lambda prose: not prose)


CARD: Final = "[card]"
"""The end of the source of a role card, whose statements are facts as far as they could be turned safely."""


class Withheld(Frozen):
    """A leaf of the source that no seat may see."""

    text: str
    source: str


class Case(Frozen):
    """One case: what a patient has to tell, what can be found, and what is right.

    `id` is neutral and `title` is for educators: neither is ever shown to a seat. `shelf` is its learner-safe
    label. `persona_tags` are the kinds of patient that its source says it suits.

        >>> case = osler.open_cases().get(0)
        >>> case.opening.door_note, case.sex, case.age_years
        ('Woman, 58. Emergency department. Chest ache.', 'female', 58.0)
        >>> osler.Case.model_validate_json(case.model_dump_json()) == case
        True
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,99}$")
    title: str | None = None
    specialty: str | None = None
    task: Task
    age_years: float | None = Field(default=None, ge=0, le=130)
    sex: Sex | None = None
    speaker: str = "patient"
    # Left out where there is none, so that a case without one keeps its hash.
    identity: Identity | None = Field(default=None, exclude_if=lambda identity: identity is None)
    setting: str | None = None
    language: str | None = Field(default=None, pattern=r"^[a-z]{2,3}$", exclude_if=_absent)
    """The ISO 639 code of the language it is written in, if that is not English."""
    opening: Opening
    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    diagnosis: Diagnosis | None = None
    workup: Workup | None = None
    management: Management | None = None
    safety: tuple[SafetyAction, ...] | None = None
    teaching: TeachingPlan | None = None
    withheld: tuple[Withheld, ...] = ()
    shelf: Shelf | None = Field(default=None, exclude_if=_absent)
    persona_tags: tuple[str, ...] = Field(default=(), exclude_if=lambda tags: not tags)
    provenance: Provenance

    @model_validator(mode="after")
    def _references_hold(self) -> Self:
        ids = [fact.id for fact in self.facts] + [finding.id for finding in self.findings]
        doubled = sorted(i for i, times in Counter(ids).items() if times > 1)
        if doubled:
            raise ValueError(f"ids used twice: {', '.join(doubled)}")
        known = set(ids)
        named = set[str]()
        if self.workup:
            named |= {i for group in self.workup.required for i in group} | set(self.workup.useful)
        if self.diagnosis:
            named |= {i for other in self.diagnosis.alternatives for i in other.discriminators}
        if named - known:
            raise ValueError(f"no fact or finding has the id: {', '.join(sorted(named - known))}")
        if self.teaching and any(not 0 <= s.step < len(self.teaching.steps) for s in self.teaching.siblings):
            raise ValueError("a sibling question names a step that the teaching plan does not have")
        return self

    @cached_property
    def content_hash(self) -> str:
        """32 hex digits over everything the case says (blake2b of its canonical JSON)."""
        return blake2b(self.model_dump_json().encode(), digest_size=16).hexdigest()

    @property
    def guideline(self) -> Source | None:
        """The management's guideline, as among the sources if it stands there; `None` without management."""
        if self.management is None:
            return None
        title, year = self.management.guideline, self.management.year
        source = (one for one in self.provenance.sources if (one.title, one.year) == (title, year))
        return next(source, Source(title=title, year=year))

    def leaves(self) -> Iterator[tuple[str, Holder]]:
        """Each path of the source with the one holder of its value."""
        yield from ((path, "opening") for path in self.opening.sources)
        yield from ((fact.source, "patient") for fact in self.facts if fact.source)
        yield from ((finding.source, "examination") for finding in self.findings if finding.source)
        yield from ((leaf.source, "withheld") for leaf in self.withheld)


_KEPT = 256

_P = ParamSpec("_P")

_T = TypeVar("_T")


class _ByContent:
    """A case as the key of a cache: equal to any other with the same content."""

    __slots__ = ("case",)

    def __init__(self, case: Case) -> None:
        self.case = case

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByContent) and other.case.content_hash == self.case.content_hash

    def __hash__(self) -> int:
        return hash(self.case.content_hash)


def once_a_case(
    build: Callable[Concatenate[Case, _P], _T],
) -> Callable[Concatenate[Case, _P], _T]:
    """Memoize a view builder by the case's content, so that repeats of a case share the result.

    The last few hundred results are kept (LRU); the other arguments must be hashable.
    """

    def by_content(case: _ByContent, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return build(case.case, *args, **kwargs)

    kept: Callable[..., _T] = lru_cache(maxsize=_KEPT)(by_content)

    def built(case: Case, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return kept(_ByContent(case), *args, **kwargs)

    return built
