"""Fit the weights by which a doctor's question is given to a section of the note, and measure them.

    python benchmarks/fit_sections.py MTS-DIALOG.csv [--out src/osler/knowledge/sections.json]

The dialogues are divided by a hash of their number: two thirds to develop on, one third held out. Printed
is the accuracy by cross-validation on the first and, with --held-out, that of a model of the first on the
second; --out writes a model of all of them. A dialogue's `section_header` is the weak label of its doctor's
questions, the lines with a question mark. Only words of several questions become features.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from osler.knowledge.sections import Weights, features, section_of

HISTORY: Final = ("MEDICATIONS", "ALLERGY", "FAM/SOCHX", "PASTMEDICALHX", "PASTSURGICAL")
FOLDS: Final = 5
# A feature of fewer questions is left out; strength of the penalty; how much rare sections are raised.
LEAST: Final = 4
PENALTY: Final = 5.0
RAISED: Final = 0.25
STEPS: Final = 300
ABOUT: Final = (
    "Tenths of the weights of osler.knowledge.sections, fitted by benchmarks/fit_sections.py on {dialogues} "
    "dialogues of the MTS-Dialog training set (Ben Abacha et al. 2023, CC BY 4.0): topics and single words, "
    "no sentence. A model of the first two thirds, {developed}; on the rest, {held_out}."
)


class Dialogue(NamedTuple):
    """A section's abbreviation, and what the doctor said in order."""

    section: str
    said: tuple[str, ...]

    @property
    def questions(self) -> tuple[str, ...]:
        return tuple(line for line in self.said if "?" in line)


def read(path: Path) -> list[Dialogue]:
    """The dialogues of an MTS-Dialog file, in the order of a hash of their number."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: blake2b(row["ID"].encode()).digest())
    return [
        Dialogue(
            row["section_header"],
            tuple(
                line.partition(":")[2].strip()
                for line in row["dialogue"].splitlines()
                if line.startswith("Doctor:")
            ),
        )
        for row in rows
    ]


def fit(dialogues: Sequence[Dialogue]) -> Weights:
    """Multinomial logistic regression with a quadratic penalty, by accelerated gradient descent."""
    seen, labels = [], []
    for each in dialogues:
        for i, question in enumerate(each.questions):
            seen.append(features(question, each.questions[:i]))
            labels.append(each.section)
    names = [name for name, times in Counter(name for one in seen for name in one).items() if times >= LEAST]
    column = {name: i for i, name in enumerate(names)}
    known = tuple(sorted(set(labels)))
    x = np.zeros((len(seen), len(names)))
    for row, one in enumerate(seen):
        for name, value in one.items():
            if name in column:
                x[row, column[name]] = value
    y = np.array([[label == section for section in known] for label in labels], dtype=float)
    times = Counter(labels)
    raised = np.array([(len(labels) / times[label]) ** RAISED for label in labels])
    raised /= raised.mean()
    step = 1.0 / (0.5 * np.linalg.norm(x * np.sqrt(raised)[:, None], 2) ** 2 + PENALTY)
    w = ahead = np.zeros((len(names), len(known)))
    for i in range(STEPS):
        scores = x @ ahead
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        slope = x.T @ ((odds - y) * raised[:, None]) + PENALTY * ahead
        before, w = w, ahead - step * slope
        ahead = w + i / (i + 3) * (w - before)
    rows = zip(names, np.rint(10 * w).astype(int).tolist(), strict=True)
    return Weights(known, {name: tuple(row) for name, row in rows if any(row)})


def measure(
    model: Weights, dialogues: Sequence[Dialogue], *, all_lines: bool = False
) -> list[tuple[str, str | None]]:
    """The label and the answer for each question, or for each of the doctor's lines."""
    answers = []
    for each in dialogues:
        asked = each.said if all_lines else each.questions
        for i, question in enumerate(asked):
            answers.append((each.section, section_of(question, asked[:i], model)))
    return answers


def figures(answers: Sequence[tuple[str, str | None]]) -> str:
    """Pooled accuracy, the mean over the sections of the history, each of these, and false alarms."""
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for label, answer in answers:
        right[label].append(answer == label)
    pooled = sum(map(sum, right.values())) / len(answers)
    each = {name: sum(right[name]) / len(right[name]) for name in HISTORY if right[name]}
    five = [one for name in HISTORY for one in right[name]]
    alarms = sum(answer == "OFF_TOPIC" for _, answer in answers)
    shown = ", ".join(f"{name} {value:.2f}" for name, value in each.items())
    return (
        f"pooled {pooled:.3f} of {len(answers)}; history pooled {sum(five) / len(five):.3f}, "
        f"macro {sum(each.values()) / len(each):.3f} ({shown}); off topic {alarms}, "
        f"none {sum(answer is None for _, answer in answers)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit and measure the sections of doctors' questions.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--held-out", action="store_true", help="measure on the held-out third too")
    parser.add_argument("--out", type=Path, help="write a model of all dialogues here")
    given = parser.parse_args()
    dialogues = read(given.file)
    cut = 2 * len(dialogues) // 3
    developed, held_out = dialogues[:cut], dialogues[cut:]
    models = [
        (fit([each for i, each in enumerate(developed) if i % FOLDS != fold]), developed[fold::FOLDS])
        for fold in range(FOLDS)
    ]
    for all_lines in (False, True):
        answers = [one for model, rest in models for one in measure(model, rest, all_lines=all_lines)]
        print("cross-validated,", "all lines:" if all_lines else "questions:", figures(answers))
    if given.held_out or given.out:
        model = fit(developed)
        for all_lines in (False, True):
            answers = measure(model, held_out, all_lines=all_lines)
            print("held out,", "all lines:" if all_lines else "questions:", figures(answers))
    if given.out:
        crossed = [one for model, rest in models for one in measure(model, rest)]
        about = ABOUT.format(
            dialogues=len(dialogues),
            developed=f"cross-validated: {figures(crossed)}",
            held_out=figures(measure(fit(developed), held_out)),
        )
        write(given.out, fit(dialogues), about)


def write(path: Path, model: Weights, about: str) -> None:
    """The model as JSON, one feature a line."""
    rows = ",\n".join(
        f"{json.dumps(name)}:{json.dumps(each, separators=(',', ':'))}"
        for name, each in sorted(model.of.items())
    )
    head = f'"about": {json.dumps(about)},\n"sections": {json.dumps(model.sections)},\n"weights":'
    path.write_text(f"{{{head} {{\n{rows}\n}}}}\n", encoding="utf-8")
    print(f"{path}: {len(model.of)} features, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
