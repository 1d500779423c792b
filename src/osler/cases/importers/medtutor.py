"""Importer of MedTutor's exam vignettes, text and multimodal.

The source is the prose of `question` and what the patient script adds in the patient's own words. Socratic
steps become the teaching plan; images are attached under neutral names. A case title may contain the answer:
it is kept for educators and no seat sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from osler.cases.importers.images import FIGURE, Images, SourceImage, neutral, texts_in
from osler.cases.importers.json_paths import below, children, clean, leaves_of, words_of
from osler.cases.importers.reading import each_record
from osler.cases.importers.report import Rejected
from osler.cases.importers.sentences import sentences, shortened
from osler.cases.importers.vignette.case import cases
from osler.cases.importers.vignette.clauses import cut
from osler.cases.importers.vignette.orderable import result_named
from osler.cases.importers.vignette.pieces import Image, Spoken, Vignette, names, prose_of
from osler.cases.importers.vignette.question import Question, asked_of, asks_for_diagnosis, options_of
from osler.cases.importers.vignette.roles import asks, measured
from osler.cases.model import Case, SocraticStep, TeachingPlan
from osler.errors import BadCase
from osler.knowledge.vocabulary import Topic
from osler.text.topics import topic_of_statement

NAME: Final = "medtutor"
LOOKS_LIKE: Final = re.compile(rb'"(?:patient_script|question_steps|medical_task|persona_id)"')
_STEPS: Final = ("question_steps", "model_response")
_COMPLAINT: Final = "chief_complaint"
_IMAGES: Final = "related_images"
_PERCEIVED: Final = "patient_perception"
_LONGEST_TAG: Final = 80
# What a patient says of having been pictured, such as "They took an X-ray": it is no symptom.
_TEST: Final = re.compile(
    r"\b(?:images?|pictures?|x-?rays?|scans?|scanned|mri|ct|tests?|charts?|graphs?|tracings?|results?|ecg|ekg"
    r"|ultrasounds?|slides?|samples?|biops\w+|microscope"
    r"|(?:they|doctors?) (?:took|did|showed|checked|looked))\b",
    re.IGNORECASE,
)
_TOPICS: Final[dict[str, Topic]] = {
    "history_of_present_illness": "course",
    "symptom_details": "character",
    "patient_concerns": "concerns",
    _IMAGES: "character",
}
_CHOICES: Final = re.compile(r"\b(?:answer )?choices:", re.IGNORECASE)
_KEYED: Final = re.compile(r"\(([A-Z])\)\s*([^()]{0,400}(?:\([^()A-Z]{0,80}\)[^()]{0,400}){0,3})")


def read(path: Path, prefix: str, images: Images | None = None) -> Iterator[Case | Rejected]:
    """Read each record of a file as a case, or reject it with a reason."""
    return cases(vignettes(path, images), path.name, prefix)


def vignettes(path: Path, images: Images | None = None) -> Iterator[Vignette | Rejected]:
    """Read each record of a file as a vignette, not yet split."""
    source = images or Images(without=True)
    return each_record(path, lambda record: vignette_of(record.value, record.number, source))


def vignette_of(record: Mapping[str, object], number: int, images: Images | None = None) -> Vignette:
    """Read one record as a vignette. Raises BadCase with the reason it cannot be one."""
    if "persona_id" in record and "question" not in record:
        raise BadCase("it is a patient persona, not a case")
    text = record.get("question")
    if not isinstance(text, str) or not words_of(text):
        raise BadCase("it has no question")
    listed = tuple(texts_in(record.get("images")))
    source = images or Images(without=True)
    source_images, unseen = source.named(listed)
    record = neutral(dict(record), source.labels(listed, source_images))
    text = str(record["question"])
    prose, leaves = prose_of(text, "question"), tuple(leaves_of(record))
    script = record.get("patient_script")
    base, meta = _part(script, "patient_fact_base"), _part(script, "metadata")
    question = _asked(record, text)
    words = words_of(base.get(_COMPLAINT))
    told = words and not measured(words)
    teaching = _teaching(record)
    remarks = [
        *unseen,
        *(() if base else ["note: it has no patient script"]),
        *(() if teaching else ["note: it has no steps to teach by"]),
    ]
    return Vignette(
        record=number,
        prose=prose,
        leaves=leaves,
        asked=question,
        about=_about(meta.get("demographics")),
        words=words if told else "",
        words_source=f"patient_script.patient_fact_base.{_COMPLAINT}" if told else "",
        spoken=tuple(_spoken(base, question)),
        images=tuple(_images(source_images, text, _part(meta, "case_attributes"))),
        title=words_of(meta.get("case_title")) or None,
        specialty=words_of(record.get("body_system")) or None,
        persona_tags=tuple(_tags(_part(meta, "case_attributes"))),
        teaching=teaching,
        whole=text,
        remarks=tuple(remarks),
    )


def _part(value: object, key: str) -> Mapping[str, object]:
    result = value.get(key) if isinstance(value, Mapping) else None
    return result if isinstance(result, Mapping) else {}


def _asked(record: Mapping[str, object], text: str) -> Question:
    """The case's own question; its choices are in `options`, or only in the text."""
    question = " ".join(clean(unit.text) for unit in cut(text) if asks(unit.text))
    before, _, after = text.partition(match[0]) if (match := _CHOICES.search(text)) else (text, "", "")
    options = options_of(record.get("options")) or options_of(dict(_KEYED.findall(after)))
    label = words_of(record.get("label")) or words_of(record.get("answer_idx"))
    asked = asked_of("", options, label, "", for_diagnosis=asks_for_diagnosis(_CHOICES.split(question)[0]))
    if _CHOICES.split(question)[0].strip():
        return asked
    # No sentence looks like a question, so the last one is taken as the question.
    *_, last = [said for said in sentences(before) if said.strip()] or ["What is the best answer?"]
    return asked._replace(question=clean(last))


def _about(demographics: object) -> str:
    if not isinstance(demographics, Mapping):
        return ""
    age, gender = words_of(demographics.get("age")), words_of(demographics.get("gender"))
    years = f"{age} years old" if re.fullmatch(r"\d{1,3}(?:\.\d+)?", age) else age
    return f"{years}; {gender}"


def _spoken(base: Mapping[str, object], question: Question) -> Iterator[Spoken]:
    """The script's additions, sentence by sentence.

    A part that recites a result or names the diagnosis is not told, and so it is withheld.
    """
    for key, value in base.items():
        if key == _COMPLAINT:
            continue
        for leaf in leaves_of(value, below("patient_script.patient_fact_base", key)):
            if key == _IMAGES and not leaf.path.endswith(_PERCEIVED):
                continue
            parts = [part for text in sentences(words_of(leaf.value)) for part in shortened(text)]
            if any(measured(text) or (question.for_diagnosis and names(question, text)) for text in parts):
                continue
            heading = _TOPICS.get(key, "other")
            if key == _IMAGES and any(_TEST.search(text) for text in parts):
                yield Spoken(" ".join(parts), "other", leaf.path)
                continue
            for text in parts:
                topic = heading if heading == "concerns" else topic_of_statement(text, heading)
                yield Spoken(text, topic, leaf.path)


def _tags(attributes: Mapping[str, object]) -> Iterator[str]:
    """The kinds of patient that a script suits."""
    for leaf in leaves_of(attributes.get("compatible_persona_tags")):
        if tag := words_of(leaf.value)[:_LONGEST_TAG]:
            yield tag


def _images(images: Sequence[SourceImage], text: str, attributes: Mapping[str, object]) -> Iterator[Image]:
    """The images that a record names, titled as the prose or the script describes them."""
    told = " ".join(unit.text for unit in cut(text) if FIGURE.search(unit.text) and not asks(unit.text))
    modality, part = words_of(attributes.get("modality")), words_of(attributes.get("body_part"))
    name = f"{modality} of the {part.lower()}" if modality and part else modality
    if not name:
        result_name = result_named(told)
        name = result_name.name if result_name.kind == "image" else "Clinical image"
    for image in images:
        yield Image(image.label, name, below("images", image.place), image.picture)


def _teaching(record: Mapping[str, object]) -> TeachingPlan | None:
    """The teaching plan from the steps, which are under one of two names."""
    result = next((record[name] for name in _STEPS if isinstance(record.get(name), list)), None)
    steps = [
        SocraticStep(
            key_question=words_of(step.get("key_question")),
            summary=words_of(step.get("step_summary")),
            image=words_of(step.get("associated_image_id")) or None,
        )
        for _, step in children(result)
        if isinstance(step, Mapping) and words_of(step.get("key_question"))
    ]
    return TeachingPlan(objectives=(), steps=tuple(steps)) if steps else None
