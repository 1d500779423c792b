"""Build what the built-in patient has learned: the encoder, the question bank and the weights of its
confidence.

`PYTHONPATH=src:benchmarks python -m reader.build --osce DIR --imported DIR --start MODEL.onnx --pieces
VOCAB.txt` needs torch, onnx and scipy. An encoder learns from four fifths of the lines, and the weights are
fitted on the others, so that they are those of unseen lines; the one that is shipped has all lines in its
last epoch. `--encoder` and `--weights` do the one or the other half; what passes between them lies in the
folder `--work`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from osler.reading.encoder import Encoder, encoder_of, hash_of
from osler.reading.meanings import NAMES, Bank, key_of, words_of
from reader.fitting import fitted, guesses, instances, right_at
from reader.lines import LEARNED, Cases, Labelled, labelled
from reader.questions import Question, questions

SOURCE: Final = Path(__file__).parents[2] / "src/osler"
ENCODER: Final = SOURCE / "reading/encoder.npz"
BANK: Final = SOURCE / "knowledge/question_bank.npz"
CONFIDENCE: Final = SOURCE / "knowledge/confidence.yaml"
CARD: Final = SOURCE / "reading/encoder.yaml"
EPOCHS: Final = 3


def main() -> None:
    """Build both halves, or the one that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("osce", "imported", "start", "pieces"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--labels", type=Path, default=LEARNED, help="folder of osce/ and imported.jsonl")
    parser.add_argument("--work", type=Path, default=Path("/tmp"))
    parser.add_argument("--encoder", action="store_true", help="train the encoders only")
    parser.add_argument("--weights", action="store_true", help="fit the weights and build the bank only")
    given = parser.parse_args()
    found = labelled(given.osce, given.imported, given.labels)
    asked = list(questions(found.lines))
    print(f"{len(found.lines)} lines, {len(asked)} questions, {len(found.cases)} cases", flush=True)
    if not given.weights:
        train(found, asked, given.start, given.pieces, given.work / "split.npz")
    if not given.encoder:
        weigh(found, asked, encoder_of((given.work / "split.npz").read_bytes()))
        np.savez_compressed(BANK, **bank_of(asked, found.cases, encoder_of(ENCODER.read_bytes())))


def train(found: Labelled, asked: Sequence[Question], start: Path, pieces: Path, split: Path) -> None:
    """Train an encoder on four fifths of the lines and write it to `split`; write it as it is shipped, too,
    with all lines in its last epoch."""
    from reader.training import trained  # noqa: PLC0415 - torch is needed for nothing else
    from reader.weights import read, write  # noqa: PLC0415

    learned = [one for one in asked if one.line.split == "learned"]

    def after(weights: Mapping[str, Any], each: Sequence[Question], epochs: int) -> dict[str, Any]:
        return trained(
            weights, each, {one.line.case: found.cases[one.line.case] for one in each}, epochs=epochs
        )

    weights = after(read(start, pieces.read_text(encoding="utf-8").splitlines()), learned, EPOCHS - 1)
    for each, path in ((learned, split), (asked, ENCODER)):
        write(path, after(weights, each, 1))
    rewrite(CARD, {"hash": hash_of(ENCODER.read_bytes())})


def bank_of(asked: Sequence[Question], cases: Cases, by: Encoder) -> dict[str, Any]:
    """The arrays of a question bank: lines of one question that facts answer, and these cases' facts."""
    kept = [one for one in asked if one.alone and one.line.answers]
    there = [(case, fact) for case in dict.fromkeys(one.line.case for one in kept) for fact in cases[case]]
    words = {key_of(fact): words_of(fact) for _, fact in there}
    row_of = {key: row for row, key in enumerate(words)}
    row_at = {(case, fact.id): row_of[key_of(fact)] for case, fact in there}
    pairs = [
        (at, row_at[one.line.case, name]) for at, one in enumerate(kept) for name in sorted(one.line.answers)
    ]
    return {
        "asked": np.array([by.vector(one.heard.text, one.heard.earlier) for one in kept]),
        "stated": np.array([by.vector(each) for each in words.values()]),
        "keys": np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        "answers": np.array(pairs, dtype=np.uint16),
    }


def weigh(found: Labelled, asked: Sequence[Question], by: Encoder) -> None:
    """Fit the weights on the lines that were left out, print how they are answered, and write
    confidence.yaml."""
    bank = Bank(bank_of([one for one in asked if one.line.split == "learned"], found.cases, by), by)
    left_out = [one for one in asked if one.alone and one.line.asks and one.line.split != "learned"]
    every = instances(left_out, found.cases, bank)
    weights = {}
    for split, name in (("new_writer", "weights"), ("new_case", "weights_of_other_cases")):
        mine = [one for one in every if one.line.split == split]
        guessed = guesses(mine)
        weights[name] = dict(zip(NAMES, fitted(mine).tolist(), strict=True))
        for source in dict.fromkeys(one.line.source for one in mine):
            of_source = [g for g, one in zip(guessed, mine, strict=True) if one.line.source == source]
            first = sum(one.right for one in of_source) / sum(one.held for one in of_source)
            print(f"{split}, {source}: {len(of_source)} questions, first choice right {first:.3f}")
            for wrong in (0.02, 0.025, 0.03):
                right, least = right_at(of_source, wrong)
                print(f"  right {right:.3f} at most {wrong} wrong (probability {least:.3f} and above)")
    rewrite(CONFIDENCE, weights)


def rewrite(file: Path, changes: Mapping[str, Any]) -> None:
    """Write a YAML file anew with some entries changed, and its comment at the top."""
    text = file.read_text(encoding="utf-8")
    comment = "".join(f"{line}\n" for line in text.splitlines() if line.startswith("#"))
    entries = {**yaml.safe_load(text), **changes}
    file.write_text(comment + yaml.safe_dump(entries, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()
