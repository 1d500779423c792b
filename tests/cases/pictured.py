"""Cases with image files in the published forms: questions, patients and pictures of our own making."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.pictures.images import jpeg, other, png

_COMPLAINTS = (
    "an itchy rash on the left forearm", "a painless lump behind the ear", "a cough with rusty sputum",
    "a red, watering eye", "a swollen right knee", "a sore that does not heal", "stiff fingers",
    "a burning pain in the chest wall", "a pale toe after the cold", "a drooping eyelid",
    "a lump in the neck", "brittle nails", "a hoarse voice", "a brown patch on the cheek", "an aching jaw",
)  # fmt: skip
NEJM = len(_COMPLAINTS)


def nejm_record(number: int) -> dict[str, Any]:
    """A record of the NEJM form, whose image has the address of a file and a name that tells something."""
    complaint = _COMPLAINTS[number]
    answers = ("Contact allergy", "Infection", "Autoimmune disease", "Neoplasm", "Trauma")
    return {
        "question": f"A {30 + number}-year-old man was seen for {complaint}. What is the diagnosis?",
        "answers": [{"text": text, "correct": str(text == answers[number % 5])} for text in answers],
        "image_url": f"https://pictures.invalid/atlas/tell-tale-{number:02d}.{_ending(number)}",
        "patient_info": f"The patient is a {30 + number}-year-old man with {complaint} for two weeks.",
        "physical_exams": "Vital signs are normal. Skin: warm and dry.",
    }


def _ending(number: int) -> str:
    return ("png", "jpeg", "gif", "webp")[number % 4]


def image(number: int, ending: str) -> bytes:
    """An image of our own for a number, in the format of its ending, with metadata where there can be any."""
    if ending == "png":
        return png(number)
    return jpeg(number) if ending in ("jpeg", "jpg", "JPG") else other(number, ending.upper())


def write_nejm(folder: Path, *, left_out: tuple[int, ...] = ()) -> tuple[Path, Path]:
    """The file of records, and the folder of their images, some of them left out."""
    records, images = folder / "nejm.jsonl", folder / "images"
    images.mkdir(parents=True)
    records.write_text("".join(json.dumps(nejm_record(number)) + "\n" for number in range(NEJM)))
    for number in range(NEJM):
        if number not in left_out:
            ending = _ending(number)
            (images / f"tell-tale-{number:02d}.{ending}").write_bytes(image(number, ending))
    return records, images


def mm_record(number: int) -> dict[str, Any]:
    """A multimodal record of the MedTutor form: two images, of which a step and the script name one."""
    names = [f"XM-{700 + number}-a.jpeg", f"XM-{700 + number}-b.png"]
    return {
        "id": f"XM-{700 + number}",
        "question": (
            f"A {40 + number}-year-old woman presents with pain in the left knee after a fall. On "
            "examination the knee is swollen. A radiograph is shown in Figure A. Which one is the "
            "most likely diagnosis?\nAnswer Choices: (A) Fracture (B) Sprain (C) Gout"
        ),
        "options": {"A": "Fracture", "B": "Sprain", "C": "Gout"},
        "label": "A",
        "images": names,
        "medical_task": "Diagnosis",
        "body_system": "Skeletal",
        "question_type": "Reasoning",
        "question_steps": [
            {
                "key_question": "Which joint is it?",
                "step_summary": "It is the knee.",
                "associated_image_id": None,
            },
            {
                "key_question": f"In the radiograph ({names[0]}), what do you notice about the bone?",
                "step_summary": "There is a line through the bone.",
                "associated_image_id": names[0],
            },
        ],
        "patient_script": {
            "case_id": f"XM-{700 + number}",
            "metadata": {
                "case_title": "A fall",
                "demographics": {"age": str(40 + number), "gender": "female"},
                "case_attributes": {"modality": "X-ray", "body_part": "Knee", "compatible_persona_tags": []},
            },
            "patient_fact_base": {
                "chief_complaint": "My left knee hurts since I fell.",
                "history_of_present_illness": "I fell on the stairs yesterday.",
                "symptom_details": "It hurts more when I stand.",
                "patient_concerns": "I am afraid that it is broken.",
                "related_images": [
                    {"image_id": names[0], "patient_perception": "They took a picture of it."}
                ],
            },
        },
    }


def write_mm(folder: Path, count: int = 2, *, left_out: tuple[str, ...] = ()) -> tuple[Path, Path]:
    """The file of records, and the folder of their images."""
    records, images = folder / "mm.json", folder / "images"
    images.mkdir(parents=True)
    found = [mm_record(number) for number in range(count)]
    records.write_text(json.dumps(found))
    for number, record in enumerate(found):
        for at, name in enumerate(record["images"]):
            if name not in left_out:
                (images / name).write_bytes(image(1000 + 2 * number + at, name.rpartition(".")[2]))
    return records, images
