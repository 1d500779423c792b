"""Made-up questions in the published formats, with generated pictures, and the command on them."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from osler.cli.main import app
from tests.pictures.images import jpeg, png

SUBJECTS = (("Diagnosis", "Cardiovascular"), ("Treatment", "Skeletal"), ("Basic Medicine", "Nervous"))
STEMS = (
    "A man of 58 has crushing chest pain for two hours. Which artery is occluded, by this tracing?",
    "A girl of 9 fell on an outstretched hand. The film is shown. Which treatment is most appropriate?",
    "Which nerve supplies the muscle that is marked in the drawing?",
)
OPTIONS = (
    ("Right coronary artery", "Left circumflex artery", "Left anterior descending artery", "Left main stem"),
    ("Splint for three weeks", "Closed reduction and cast", "Open reduction", "Fixation with wires"),
    ("Radial nerve", "Ulnar nerve", "Median nerve", "Axillary nerve"),
)
FIFTH = ("None is occluded: pericarditis", "Analgesia and no immobilization", "Musculocutaneous nerve")


def medxpertqa(
    n: int = 12, *, pictures: int = 1, options: int = 5, listed: bool = True
) -> list[dict[str, Any]]:
    """Rows of MedXpertQA; each has other wordings, so that no two are alike."""
    rows = []
    for at in range(n):
        kind = at % len(STEMS)
        texts = [f"{one} (level {at})" for one in (*OPTIONS[kind], FIFTH[kind])]
        texts += [f"{one}, on the other side (level {at})" for one in OPTIONS[kind]] + [f"Observation {at}"]
        given = dict(zip("ABCDEFGHIJ", texts[:options], strict=False))
        choices = " ".join(f"({letter}) {text}" for letter, text in given.items())
        rows.append(
            {
                "id": f"MM-{at}",
                "question": f"{STEMS[kind]} ({at})" + (f"\nAnswer Choices: {choices}" if listed else ""),
                "options": given,
                "label": "ABCDE"[at % 5],
                "images": [f"MM-{at}-{letter}.png" for letter in "abcdefg"[:pictures]],
                "medical_task": SUBJECTS[kind][0],
                "body_system": SUBJECTS[kind][1],
                "question_type": "Reasoning" if at % 2 else "Understanding",
            }
        )
    return rows


def mmmu(n: int = 6) -> list[dict[str, Any]]:
    """Rows of MMMU with two pictures each, the second named first; every third is open, the last is art."""
    rows = [
        {
            "id": f"validation_Clinical_Medicine_{at}",
            "question": f"Compare <image 2> with <image 1>. What has changed in patient {at}?",
            "options": "[]"
            if at % 3 == 2
            else "['The effusion\\'s size', 'The \"bat wing\"', 'Nothing', 'Both lungs']",
            "answer": "4 cm" if at % 3 == 2 else "B",
            "question_type": "open" if at % 3 == 2 else "multiple-choice",
            "subfield": "Clinical Radiology",
            "image_1": f"{at}-1.png",
            "image_2": f"{at}-2.jpg",
            "image_3": None,
        }
        for at in range(n)
    ]
    other = {**rows[0], "id": "validation_Art_Theory_1"}
    return [*rows, other]


def pmc_vqa(n: int = 6) -> list[dict[str, str]]:
    """Rows of PMC-VQA."""
    choices = ("Chest radiograph", "Computed tomography", "Ultrasound", "Magnetic resonance imaging")
    return [
        {
            "Figure_path": f"PMC{at}_F1.jpg",
            "Question": f"Which modality was used for figure {at}?",
            "Answer": choices[at % 4],
            **{
                f"Choice {letter}": f" {letter}: {text} "
                for letter, text in zip("ABCD", choices, strict=True)
            },
            "Answer_label": "ABCD"[at % 4],
        }
        for at in range(n)
    ]


def write(folder: Path, rows: Sequence[Mapping[str, Any]], name: str = "questions.jsonl") -> Path:
    """Write rows as JSON lines, or as CSV by the name."""
    path = folder / name
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def paint(folder: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write the pictures that rows name into a folder beside them."""
    images = folder / "images"
    images.mkdir(exist_ok=True)
    names = [str(name) for row in rows for name in row.get("images", ())]
    names += [str(row[f"image_{at}"]) for row in rows for at in range(1, 8) if row.get(f"image_{at}")]
    names += [str(row["Figure_path"]) for row in rows if "Figure_path" in row]
    for at, name in enumerate(dict.fromkeys(names)):
        (images / name).write_bytes((png if name.endswith(".png") else jpeg)(at))
    return images


def vqa(*words: str | Path) -> Result:
    """Run the command."""
    return CliRunner().invoke(app, ["vqa", *map(str, words)])


def figures(*words: str | Path) -> dict[str, Any]:
    """The command's figures; it must succeed."""
    done = vqa(*words, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found
