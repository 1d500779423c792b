"""The draft that a model writes, and its conversion to a case.

The draft is flatter than a case: no ids, references only by name, every field required, so that an endpoint
can enforce its schema and a small model can fill it in. Everything that needs judgement about identity (ids,
gold standard, provenance) is ours.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter

from osler.cases.importers.leaks import plain
from osler.cases.model import (
    Alternative,
    Case,
    Contraindicated,
    Diagnosis,
    Fact,
    Finding,
    KeyFeature,
    Management,
    Opening,
    Provenance,
    Sex,
    Task,
    Workup,
)
from osler.knowledge.vocabulary import FindingKind, Topic
from osler.models.types import Output, encodable

ORIGIN: Final = "model-made"
UNREVIEWED: Final = "made by a language model, not reviewed"
UNCHECKED: Final = "its guideline was named by a language model and not checked"
QUESTION: Final = "What is the most likely diagnosis?"
MOST_CHARS: Final = 2000
MOST_ITEMS: Final = 60


def _text(text: str) -> str:
    text = " ".join("".join(c if c.isprintable() else " " for c in encodable(text)).split())
    if len(text) > MOST_CHARS:
        raise ValueError(f"is longer than {MOST_CHARS} characters")
    return text


def _items(items: list[Any]) -> list[Any]:
    if len(items) > MOST_ITEMS:
        raise ValueError(f"has more than {MOST_ITEMS} items")
    return items


# Validators enforce the bounds, not the schema: strict modes of endpoints refuse length limits.
Text = Annotated[str, AfterValidator(_text)]
Texts = Annotated[list[Text], AfterValidator(_items)]


class _Forgiving(BaseModel):
    """Forgives fields it does not know: models without a schema mode add some."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class DraftFact(_Forgiving):
    """Something the speaker can tell."""

    topic: Topic
    fact: Text
    spoken: Text
    present: bool
    key: bool


class DraftFinding(_Forgiving):
    """Something that can be obtained."""

    kind: FindingKind
    name: Text
    aliases: Texts
    result: Text
    abnormal: bool
    key: bool


class DraftAlternative(_Forgiving):
    """Another diagnosis; `told_apart_by` are names of findings."""

    name: Text
    why_less_likely: Text
    must_not_miss: bool
    told_apart_by: Texts


class DraftStep(_Forgiving):
    """A decisive step of the management."""

    what: Text
    words: Texts
    critical: bool


class DraftHarm(_Forgiving):
    """A drug or act that would harm."""

    name: Text
    words: Texts
    why: Text


class Draft(_Forgiving):
    """A case as a model writes it: the answer first, so that the rest can follow from it."""

    diagnosis: Text
    synonyms: Texts
    title: Text
    age_years: float
    sex: Sex
    setting: Text
    speaker: Literal["patient", "parent", "carer"]
    door_note: Text
    first_words: Text
    history: Annotated[list[DraftFact], AfterValidator(_items)]
    findings: Annotated[list[DraftFinding], AfterValidator(_items)]
    alternatives: Annotated[list[DraftAlternative], AfterValidator(_items)]
    management: Annotated[list[DraftStep], AfterValidator(_items)]
    never: Annotated[list[DraftHarm], AfterValidator(_items)]
    disposition: Text
    safety_net: Texts
    guideline: Text
    guideline_year: int
    jurisdiction: Text


def _inlined(schema: Any, defs: dict[str, Any]) -> Any:
    """A schema without references, titles and docstrings, in which every object is closed."""
    if isinstance(schema, list):
        return [_inlined(item, defs) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(defs[schema["$ref"].rpartition("/")[2]], defs)
    # A property may be called title: names of properties are kept, whatever they are.
    kept = {
        name: {field: _inlined(value, defs) for field, value in part.items()}
        if name == "properties"
        else _inlined(part, defs)
        for name, part in schema.items()
        if name not in ("$defs", "title", "description")
    }
    return {**kept, "additionalProperties": False} if kept.get("type") == "object" else kept


def _output() -> Output:
    schema = TypeAdapter(Draft).json_schema()
    return Output(name="case", json_schema=_inlined(schema, schema["$defs"]), strict=True)


OUTPUT: Final = _output()


def case_of(draft: Draft, *, id: str, specialty: str | None, record: str, author: str) -> Case:
    """Build the case that a draft describes, with facts f1, f2 ... and findings x1, x2 ... in its order.

    Raises ValueError where the case model refuses it.
    """
    named = {plain(finding.name): f"x{n}" for n, finding in enumerate(draft.findings, 1)}
    return Case(
        id=id,
        title=draft.title or None,
        specialty=specialty,
        task=Task(
            kind="diagnosis", question=QUESTION, answer=draft.diagnosis, accepts=_different(draft.synonyms)
        ),
        age_years=draft.age_years,
        sex=draft.sex,
        speaker=draft.speaker,
        setting=draft.setting or None,
        opening=Opening(door_note=draft.door_note, words=draft.first_words),
        facts=_facts(draft),
        findings=_findings(draft),
        diagnosis=Diagnosis(
            name=draft.diagnosis,
            synonyms=_different(draft.synonyms),
            alternatives=tuple(_alternative(other, named) for other in draft.alternatives),
        ),
        workup=Workup(
            required=tuple((f"x{n}",) for n, f in enumerate(draft.findings, 1) if f.key),
            useful=tuple(f"x{n}" for n, f in enumerate(draft.findings, 1) if f.abnormal and not f.key),
        ),
        management=_management(draft),
        provenance=Provenance(
            origin=ORIGIN, record=record, author=author, content_warnings=(UNREVIEWED, UNCHECKED)
        ),
    )


def _facts(draft: Draft) -> tuple[Fact, ...]:
    return tuple(
        Fact(
            id=f"f{n}",
            topic=item.topic,
            text=item.fact,
            spoken=item.spoken or None,
            known_by=draft.speaker,
            absent=not item.present,
            key=item.key,
        )
        for n, item in enumerate(draft.history, 1)
    )


def _findings(draft: Draft) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            id=f"x{n}",
            kind=item.kind,
            name=item.name,
            aliases=_different([alias for alias in item.aliases if plain(alias) != plain(item.name)]),
            result=item.result,
            abnormal=item.abnormal,
            key=item.key,
        )
        for n, item in enumerate(draft.findings, 1)
    )


def _alternative(other: DraftAlternative, named: dict[str, str]) -> Alternative:
    # A name that matches no finding is dropped; an alternative left without discriminators is a linter
    # problem.
    known = (named.get(plain(name)) for name in other.told_apart_by)
    return Alternative(
        name=other.name,
        why_less_likely=other.why_less_likely,
        must_not_miss=other.must_not_miss,
        discriminators=tuple(dict.fromkeys(id for id in known if id)),
    )


def _management(draft: Draft) -> Management:
    steps = enumerate(draft.management, 1)
    return Management(
        key_features=tuple(
            KeyFeature(id=f"k{n}", what=step.what, terms=_different(step.words), critical=step.critical)
            for n, step in steps
        ),
        contraindicated=tuple(
            Contraindicated(name=harm.name, terms=_different(harm.words), why=harm.why)
            for harm in draft.never
        ),
        disposition=draft.disposition,
        safety_net=_different(draft.safety_net),
        guideline=draft.guideline,
        year=draft.guideline_year,
        jurisdiction=draft.jurisdiction,
    )


def _different(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))
