"""Preparing a case for teaching by a language model: generate, check, and have the model correct it.

Faults go back to the model as messages at the end, a bounded number of times; a preparation that never passes
is refused with the reasons and not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from osler.authoring.draft import Text, Texts
from osler.authoring.preparing.checks import (
    FEWEST_STEPS,
    MOST_STEPS,
    source_of,
    wrong_with_plan,
    wrong_with_script,
)
from osler.authoring.preparing.script import FactBase, Perception, Script
from osler.cases.answers import answer_of
from osler.cases.model import Case, Sibling, SocraticStep, TeachingPlan
from osler.errors import BadCase, in_words
from osler.models.ask_until_valid import ask_until_valid
from osler.models.types import CompletionRequest, Message, ModelClient, Output
from osler.prompts import prompt

SEAT: Final = "author"
TEMPLATE: Final = "osler.authoring:prompts/prepare.jinja"
MAX_ATTEMPTS: Final = 4
SIBLINGS: Final = 2
_AGAIN: Final = "This cannot be used yet:\n{}\nWrite all of it again."


class _Forgiving(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Step(_Forgiving):
    key_question: Text
    step_summary: Text
    associated_image_id: Text | None = None


class _Options(_Forgiving):
    A: Text
    B: Text
    C: Text
    D: Text


class _Sibling(_Forgiving):
    stem: Text
    options: _Options
    answer: Literal["A", "B", "C", "D"]
    step: int


class _Perception(_Forgiving):
    image_id: Text
    patient_perception: Text


class _Script(_Forgiving):
    chief_complaint: Text
    history_of_present_illness: Text
    symptom_details: Text
    patient_concerns: Text
    related_images: list[_Perception]


class _Answer(_Forgiving):
    steps: list[_Step]
    siblings: list[_Sibling]
    script: _Script
    tags: Texts


OUTPUT: Final = Output.of(TypeAdapter(_Answer), "preparation")


class Prepared(NamedTuple):
    """A checked plan and script. `attempts` lists each attempt's faults; the last list is empty."""

    plan: TeachingPlan
    script: Script
    attempts: tuple[tuple[str, ...], ...]


def images_of(case: Case) -> tuple[str, ...]:
    """The ids of a case's pictures."""
    return tuple(f.id for f in case.findings if f.kind == "image" or f.picture is not None)


def messages_of(case: Case) -> tuple[Message, ...]:
    """The initial messages: the same for the same case."""
    told = f"{source_of(case)}\nThe right answer: {answer_of(case)}"
    values = {"fewest": FEWEST_STEPS, "most": MOST_STEPS, "images": images_of(case), "case": told}
    rules, _, last = prompt(TEMPLATE).render(values).partition("\n\n<case>")
    return Message(role="system", text=rules), Message(role="user", text=f"<case>{last}")


async def prepare(client: ModelClient, case: Case, seed: int = 0) -> Prepared:
    """Prepare a plan and a script for a case.

    Raises BadCase where no attempt of `MAX_ATTEMPTS` passes the checks, and InfrastructureFault where the
    endpoint cannot be used.
    """
    request = CompletionRequest(messages=messages_of(case), seed=seed, output=OUTPUT, seat=SEAT)
    attempts = await ask_until_valid(
        client, request, lambda answer: checked(answer.parsed, case), most=MAX_ATTEMPTS, again=_AGAIN
    )
    if attempts.failed:
        raise BadCase(f"the model gave no preparation: {attempts.failed}", where=case.id)
    if attempts.sound is None:
        wrong = "; ".join(attempts.wrong[-1][:3])
        what = f"no sound preparation in {MAX_ATTEMPTS} attempts; the last: {wrong}"
        raise BadCase(what, where=case.id, hint="try another seed or another model")
    return Prepared(*attempts.sound, attempts.wrong)


def checked(parsed: object, case: Case) -> tuple[tuple[TeachingPlan, Script] | None, tuple[str, ...]]:
    """The plan and script in an answer, if any, and their faults, one line each."""
    try:
        answer = _Answer.model_validate(parsed)
    except ValidationError as error:
        return None, (in_words(error, "answer"),)
    wrong = [*_misplaced(answer, case)]
    plan = TeachingPlan(
        objectives=(),
        steps=tuple(
            SocraticStep(
                key_question=step.key_question, summary=step.step_summary, image=step.associated_image_id
            )
            for step in answer.steps
        ),
        siblings=tuple(
            Sibling(stem=s.stem, options=s.options.model_dump(), answer=s.answer, step=s.step - 1)
            for s in answer.siblings
            if 1 <= s.step <= len(answer.steps)
        ),
    )
    script = Script(
        case_id=f"{case.id}_fact_base",
        age_years=case.age_years,
        sex=case.sex,
        tags=tuple(answer.tags[:4]),
        facts=FactBase(
            **answer.script.model_dump(exclude={"related_images"}),
            related_images=tuple(
                Perception(**perception.model_dump()) for perception in answer.script.related_images
            ),
        ),
    )
    wrong += [*wrong_with_plan(plan, case), *wrong_with_script(script, plan, case)]
    return (plan, script), tuple(wrong)


def _misplaced(answer: _Answer, case: Case) -> Iterator[str]:
    """Faulty references to pictures and steps, and siblings that cannot be used."""
    images = images_of(case)
    named: Mapping[str, object] = {
        **{f"step {n}": step.associated_image_id for n, step in enumerate(answer.steps, 1)},
        **{f"script picture {n}": one.image_id for n, one in enumerate(answer.script.related_images, 1)},
    }
    for place, image in named.items():
        if image is not None and image not in images:
            yield f"{place}: there is no such picture; there are: {', '.join(images) or 'none'}"
    if len(answer.siblings) != SIBLINGS:
        yield f"siblings: {len(answer.siblings)} of them; {SIBLINGS} are wanted"
    for n, sibling in enumerate(answer.siblings, 1):
        options = sibling.options.model_dump()
        if not 1 <= sibling.step <= len(answer.steps):
            yield f"sibling {n}: there is no step {sibling.step}"
        if len({text.casefold() for text in options.values()}) < len(options):
            yield f"sibling {n}: two options are the same"
        elif max(options, key=lambda letter: len(options[letter])) == sibling.answer:
            yield f"sibling {n}: the right option is the longest"
