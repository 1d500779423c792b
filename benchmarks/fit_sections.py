"""Fit the weights by which a doctor's question is given to a section of the note, and measure them.

    python benchmarks/fit_sections.py MTS-DIALOG.csv [--out src/osler/knowledge/sections.json]

Printed is the accuracy by cross-validation over dialogues, and that of a model of two thirds of them (by a
hash of their number) on the rest; --out writes a model of all. A dialogue's `section_header` is the weak
label of its doctor's questions, the lines with a question mark. Only what several dialogues hold becomes a
feature.
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
import numpy.typing as npt

from osler.stats.intervals import ratio_interval
from osler.text.note_sections import OFF_TOPIC, Weights, features, section_of

HISTORY: Final = ("MEDICATIONS", "ALLERGY", "FAM/SOCHX", "PASTMEDICALHX", "PASTSURGICAL")
FOLDS: Final = 10
# A feature of fewer dialogues is left out; strength of the penalty; how much rare sections are raised.
LEAST: Final = 3
PENALTY: Final = 30.0
RAISED: Final = 0.25
STEPS: Final = 120
# Weights are kept as whole numbers of which this many make one.
UNITS: Final = 50
ABOUT: Final = (
    "Weights of osler.text.note_sections, in units of 1/{units}, fitted by benchmarks/fit_sections.py on "
    "{dialogues} dialogues of the MTS-Dialog training set (Ben Abacha et al. 2023, CC BY 4.0): topics and "
    "single words, no sentence. Cross-validated in {folds} parts: {crossed}. On the last third, by a model "
    "of the rest: {last}. The features were chosen on the same dialogues."
)
Answers = list[tuple[str, str | None]]


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


def fit(dialogues: Sequence[Dialogue], penalty: float = PENALTY) -> Weights:
    """Multinomial logistic regression with a quadratic penalty, by accelerated gradient descent."""
    seen, labels = [], []
    held: Counter[str] = Counter()
    for each in dialogues:
        asked = [features(question, each.questions[:i]) for i, question in enumerate(each.questions)]
        held.update({name for one in asked for name in one})
        seen += asked
        labels += [each.section] * len(asked)
    column = {name: i for i, name in enumerate(sorted(n for n, times in held.items() if times >= LEAST))}
    known = tuple(sorted(set(labels)))
    x = np.zeros((len(seen), len(column)), dtype=np.float32)
    for row, one in enumerate(seen):
        for name, value in one.items():
            if name in column:
                x[row, column[name]] = value
    y = np.array([[label == section for section in known] for label in labels], dtype=np.float32)
    times = Counter(labels)
    raised = np.array([(len(labels) / times[label]) ** RAISED for label in labels], dtype=np.float32)
    raised /= raised.mean()
    step = np.float32(1.0 / (0.5 * _steepest(x * np.sqrt(raised)[:, None]) + penalty))
    w = ahead = np.zeros((len(column), len(known)), dtype=np.float32)
    for i in range(STEPS):
        scores = x @ ahead
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        slope = x.T @ ((odds - y) * raised[:, None]) + np.float32(penalty) * ahead
        before, w = w, ahead - step * slope
        ahead = w + np.float32(i / (i + 3)) * (w - before)
    table = np.rint(UNITS * w)
    kept = [(name, i) for name, i in column.items() if table[i].any()]
    return Weights(known, {name: row for row, (name, _) in enumerate(kept)}, table[[i for _, i in kept]])


def _steepest(x: npt.NDArray[np.float32]) -> float:
    """The largest eigenvalue of x'x, a little above, by power iteration."""
    v = np.ones(x.shape[1], dtype=np.float32)
    size = 0.0
    for _ in range(30):
        v = x.T @ (x @ v)
        size = float(np.linalg.norm(v))
        v /= size
    return 1.02 * size


def measure(model: Weights, dialogues: Sequence[Dialogue], *, all_lines: bool = False) -> list[Answers]:
    """For each dialogue, the label and the answer for each question, or for each of the doctor's lines."""
    found = []
    for each in dialogues:
        asked = each.said if all_lines else each.questions
        found.append(
            [(each.section, section_of(question, asked[:i], model)) for i, question in enumerate(asked)]
        )
    return found


def cross_validated(dialogues: Sequence[Dialogue], *, all_lines: bool = False) -> list[Answers]:
    """The answers to each dialogue of a model that has not seen it."""
    found = []
    for fold in range(FOLDS):
        model = fit([each for i, each in enumerate(dialogues) if i % FOLDS != fold])
        found += measure(model, dialogues[fold::FOLDS], all_lines=all_lines)
    return found


def figures(answers: Sequence[Answers]) -> str:
    """Pooled accuracy, the same of the history, the mean over its sections, each of these, false alarms.

    Intervals of 95 % over dialogues; an answer that is missing or off topic counts as wrong.
    """
    flat = [pair for each in answers for pair in each]
    history = [[pair for pair in each if pair[0] in HISTORY] for each in answers]
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for label, answer in flat:
        right[label].append(answer == label)
    each = {name: sum(right[name]) / len(right[name]) for name in HISTORY if right[name]}
    shown = ", ".join(f"{name} {value:.2f}" for name, value in each.items())
    return (
        f"pooled {_pooled(answers)}; history pooled {_pooled(history)}, "
        f"macro {sum(each.values()) / len(each):.3f} ({shown}); "
        f"off topic {sum(answer == OFF_TOPIC for _, answer in flat)}, "
        f"none {sum(answer is None for _, answer in flat)}"
    )


def _pooled(answers: Sequence[Answers]) -> str:
    asked = [each for each in answers if each]
    hits = np.array([sum(label == answer for label, answer in each) for each in asked], dtype=float)
    counts = np.array([len(each) for each in asked], dtype=float)
    share = ratio_interval(hits, counts, proportion=True)
    return f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}] of {int(counts.sum())}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit and measure the sections of doctors' questions.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--out", type=Path, help="write a model of all dialogues here")
    given = parser.parse_args()
    dialogues = read(given.file)
    cut = 2 * len(dialogues) // 3
    crossed = figures(cross_validated(dialogues))
    print("cross-validated, questions:", crossed)
    print("cross-validated, all lines:", figures(cross_validated(dialogues, all_lines=True)))
    last = figures(measure(fit(dialogues[:cut]), dialogues[cut:]))
    print("last third by a model of the rest, questions:", last)
    if given.out:
        about = ABOUT.format(units=UNITS, dialogues=len(dialogues), folds=FOLDS, crossed=crossed, last=last)
        write(given.out, fit(dialogues), about)


def write(path: Path, model: Weights, about: str) -> None:
    """The model as JSON, one feature a line."""
    rows = ",\n".join(
        f"{json.dumps(name)}:{json.dumps(model.table[i].astype(int).tolist(), separators=(',', ':'))}"
        for name, i in model.row.items()
    )
    head = f'"about": {json.dumps(about)},\n"sections": {json.dumps(model.sections)},\n"weights":'
    path.write_text(f"{{{head} {{\n{rows}\n}}}}\n", encoding="utf-8")
    print(f"{path}: {len(model.row)} features, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
