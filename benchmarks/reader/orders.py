"""What the reader of orders learned: `python -m reader.orders --imported DIR` writes `reading/orders.npz`.

It learns from the lines of `tests/fixtures/reading/learn/orders.jsonl` and the wordings of
`reader/order_wordings.yaml`.
Every figure is by cross-validation, five folds of lines; the shipped weights are fitted on all lines.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import yaml
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack

from osler.cli.reading_sets import hasty, imported, library
from osler.protocols.consultation.players.examination import items_of
from osler.protocols.consultation.players.order_match import FEATURES, OrderBank, asked_for, units
from osler.protocols.consultation.views import examination_view
from osler.reading import ordering
from osler.reading.encoder import hash_of, vector
from osler.reading.order_bank import Bank
from osler.reading.order_parts import OrderPart, part_of
from reader.lines import FIXTURES, LEARNED

HERE: Final = Path(ordering.__file__).parent
FOLDS: Final = 5
RARE: Final = 3  # times that a phrase is met at least
RIDGE: Final = 1.0, 0.3
QUESTIONS: Final = 250
LIGHT: Final = 0.4
"""The weight of a line that was not said as an order of a consultation."""
Vector = npt.NDArray[np.float64]


class Line(NamedTuple):
    """A labelled line before its case, sentence by sentence, with its fold."""

    record: dict[str, Any]
    parts: tuple[OrderPart, ...]
    held: OrderBank
    fold: int

    @property
    def wanted(self) -> npt.NDArray[np.bool_]:
        return np.array([item.id in self.record.get("findings", ()) for item in self.held.items])

    @property
    def optional(self) -> npt.NDArray[np.bool_]:
        return np.array([item.id in self.record.get("optional", ()) for item in self.held.items])


class Sentence(NamedTuple):
    """A sentence to learn talk from orders by: its line (-1 for those of other sets), label and weight."""

    line: int
    part: OrderPart
    order: bool
    weight: float = 1.0


def lines(folder: Path) -> list[Line]:
    """The learned lines whose cases are here."""
    cases = {**library(), **imported(folder)}
    records = [json.loads(one) for one in (LEARNED / "orders.jsonl").read_text("utf-8").splitlines()]
    dice = np.random.default_rng(0).integers(0, FOLDS, len(records))
    nothing = Bank(["nothing"], ["nothing"], np.zeros((1, 384), dtype=np.int8))
    held: dict[str, OrderBank] = {}
    found = []
    for record, fold in zip(records, dice, strict=True):
        case = record["case"]
        if case in cases:
            held.setdefault(case, OrderBank(items_of(examination_view(cases[case]).findings), nothing))
            own = frozenset[str]().union(*(item.keys for item in held[case].items))
            found.append(Line(record, ordering.sentences(record["say"], own), held[case], int(fold)))
    return found


def other_sentences() -> Iterator[Sentence]:
    """Orders among a team, and questions to patients, which order nothing."""
    for one in (FIXTURES / "spoken_orders.jsonl").read_text("utf-8").splitlines():
        record = json.loads(one)
        yield Sentence(-1, part_of(record["say"].lower(), frozenset()), record["order"], LIGHT)
    asked = [
        row["question"]
        for file in sorted((FIXTURES / "questions").glob("*.yaml"))
        for row in yaml.safe_load(file.read_text("utf-8"))
        if "question" in row
    ]
    for question in np.random.default_rng(1).permutation(asked)[:QUESTIONS]:
        yield Sentence(-1, part_of(str(question).lower(), frozenset()), False, LIGHT)


def logistic(
    rows: Any, label: Vector, weight: Vector, ridge: float, start: Vector | None = None, bias: bool = True
) -> Vector:
    """The weights of a penalised logistic regression, the bias, if any, last."""

    def loss(by: Vector) -> tuple[float, Vector]:
        score = np.clip(rows @ by[:-1] + by[-1], -30, 30)
        chance = 1 / (1 + np.exp(-score))
        likely = label * np.log(chance + 1e-9) + (1 - label) * np.log(1 - chance + 1e-9)
        off = weight * (chance - label)
        slope = np.append(rows.T @ off + ridge * by[:-1], off.sum() * bias)
        return float(ridge / 2 * (by[:-1] @ by[:-1]) - (weight * likely).sum()), slope

    begin = np.zeros(rows.shape[1] + 1) if start is None else start
    found: Vector = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": 150}).x
    return found


class Stance:
    """The model of sentences: phrases met often enough, and the encoder's vectors."""

    def __init__(
        self,
        said: Sequence[Sentence],
        of: npt.NDArray[np.int_],
        bank: Bank,
        folds: npt.NDArray[np.int_],
    ) -> None:
        self.said = said
        self.phrases = [ordering.phrases(one.part) for one in said]
        self.vectors = ordering.VECTOR * np.array(
            [
                ordering.dense(one.part, bank, folds == fold) if fold >= 0 else ordering.dense(one.part, bank)
                for one, fold in zip(said, of, strict=True)
            ]
        )

    def fitted(self, among: npt.NDArray[np.bool_]) -> tuple[list[str], Vector, Vector]:
        """The phrases and weights by some of the sentences, and the score of every sentence.

        Of a line of several sentences that orders something, the one most like an order counts as one.
        """
        counts = Counter(phrase for at in np.flatnonzero(among) for phrase in self.phrases[at])
        known = sorted(phrase for phrase, count in counts.items() if count >= RARE)
        rows = self._rows(known)
        label = np.array([float(one.order) for one in self.said])
        weight = np.array([one.weight for one in self.said])
        several = Counter(one.line for one in self.said if one.weight == 1)
        sure = np.array([not one.order or one.weight < 1 or several[one.line] == 1 for one in self.said])
        by: Vector | None = None
        for again in (False, True):
            use = among & sure
            if again and by is not None:
                score, best = rows @ by[:-1] + by[-1], dict[int, int]()
                for at in np.flatnonzero(among & ~sure).tolist():
                    line = self.said[at].line
                    if line not in best or score[at] > score[best[line]]:
                        best[line] = at
                use[list(best.values())] = True
            by = logistic(rows[use], label[use], weight[use], RIDGE[0], by)
        assert by is not None
        return known, by, rows @ by[:-1] + by[-1]

    def _rows(self, known: Sequence[str]) -> Any:
        column = {phrase: at for at, phrase in enumerate(known)}
        there = [[column[phrase] for phrase in sorted(said) if phrase in column] for said in self.phrases]
        data = [ordering.PHRASES / np.sqrt(len(row)) for row in there for _ in row]
        at = [n for n, row in enumerate(there) for _ in row]
        columns = [one for row in there for one in row]
        table = csr_matrix((data, (at, columns)), shape=(len(there), len(known)))
        return hstack([csr_matrix(self.vectors.astype(float)), table]).tocsr()


def wordings(found: Sequence[Line]) -> tuple[list[str], list[str], npt.NDArray[np.int_]]:
    """The wordings of the bank, the tests that they mean, and the folds of those that are labelled lines."""
    own = yaml.safe_load(Path(__file__).with_name("order_wordings.yaml").read_text("utf-8"))
    rows = [(text.lower(), name, -1) for name, texts in own.items() for text in texts]
    for line in found:
        items = line.held.items
        item = next((one for one in items if [one.id] == line.record.get("findings")), None)
        named = any(asked_for(name.text, items)[1] for part in line.parts for name in part.named)
        if item is not None and not named:
            name = item.named.test.name if item.named.test else item.name
            rows += [(part.text, name, line.fold) for part in line.parts]
    texts, names, folds = zip(*rows, strict=True)
    return list(texts), list(names), np.array(folds)


class Matching:
    """The model of findings: every line's units, with what its own fold has in the bank left out."""

    def __init__(self, found: Sequence[Line], bank: Bank, folds: npt.NDArray[np.int_]) -> None:
        held = {id(line.held): OrderBank(line.held.items, bank) for line in found}
        self.found = found
        self.units = [
            [
                [unit.rows for unit in units(part, held[id(line.held)], folds == line.fold)]
                for part in line.parts
            ]
            for line in found
        ]

    def fitted(self, lines: Sequence[int]) -> Vector:
        """The weights by some lines that order something: of each finding, its best unit counts."""
        start = {"own": 4, "is": 4, "contains": 3, "shows": 3, "rest": -4, "near_all": 3, "near_held": 4}
        by = np.array([float(start.get(name, 0)) for name in FEATURES])
        for _ in range(4):
            rows, label = list[Any](), list[Any]()
            for at in lines:
                line = self.found[at]
                best, score = self._best(at, by)
                use = (score > _NEVER) & ~line.optional
                rows.append(best[use])
                label.append(line.wanted[use])
            table, wanted = np.vstack(rows).astype(float), np.concatenate(label).astype(float)
            ones = np.ones(len(wanted))
            by = logistic(table, wanted, ones, RIDGE[1], np.append(by, 0), bias=False)[:-1]
        return by

    def _best(self, at: int, by: Vector) -> tuple[Any, Vector]:
        flat = [rows for part in self.units[at] for rows in part]
        size = len(self.found[at].held.items)
        if not flat:
            return np.zeros((size, len(FEATURES))), np.full(size, _NEVER)
        every = np.array(flat)
        score = np.where(every.any(2), every @ by, _NEVER)
        return every[score.argmax(0), np.arange(size)], score.max(0)

    def chosen(self, at: int, by: Vector, parts: Sequence[bool]) -> npt.NDArray[np.bool_]:
        """The findings that the sentences that order something ask for."""
        flat = [rows for part, use in zip(self.units[at], parts, strict=True) if use for rows in part]
        size = len(self.found[at].held.items)
        if not flat:
            return np.zeros(size, dtype=bool)
        every = np.array(flat)
        return np.asarray((np.where(every.any(2), every @ by, _NEVER) >= 0).any(0))


_NEVER: Final = -99.0


def main() -> None:
    """Fit, print the figures by cross-validation, and write what ships."""
    reads = ArgumentParser(description=__doc__)
    reads.add_argument("--imported", type=Path, required=True)
    found = lines(reads.parse_args().imported)
    said = [Sentence(at, part, line.record["order"]) for at, line in enumerate(found) for part in line.parts]
    plain = len(said)
    said += [
        Sentence(at, part_of(hasty(line.record["say"]).lower(), frozenset()), line.record["order"], 0.99)
        for at, line in enumerate(found)
    ]
    said += other_sentences()
    fold = np.array([found[one.line].fold if one.line >= 0 else -1 for one in said])
    texts, names, folds = wordings(found)
    bank = Bank(texts, names, np.array([vector(text) for text in texts]))
    stance = Stance(said, fold, bank, folds)
    matching = Matching(found, bank, folds)
    score = np.zeros(len(said))
    by = list[Vector]()
    for out in range(FOLDS):
        score[fold == out] = stance.fitted(fold != out)[2][fold == out]
        by.append(
            matching.fitted([n for n, one in enumerate(found) if one.fold != out and one.record["order"]])
        )
    scores: list[list[float]] = [[] for _ in found]
    for one, value in zip(said[:plain], score[:plain], strict=True):
        scores[one.line].append(float(value))
    measured = {}
    for least in (0.5, 0.9, 1.7, 2.1, 2.5, ordering.LEAST):
        measured[least] = _measured(found, matching, by, scores, least)
        print(least, measured[least])
    known, weights, _ = stance.fitted(np.ones(len(said), dtype=bool))
    match = matching.fitted([n for n, one in enumerate(found) if one.record["order"]])
    print({name: round(float(value), 2) for name, value in zip(FEATURES, match, strict=True)})
    size = stance.vectors.shape[1]
    np.savez_compressed(
        HERE / "orders.npz",
        phrases=_text(known),
        phrase_weights=weights[size:-1].astype(np.float32),
        vector_weights=weights[:size].astype(np.float32),
        bias=np.float32(weights[-1]),
        wordings=_text(texts),
        meant=_text(names),
        wording_vectors=np.array([vector(text) for text in texts]),
        match=match.astype(np.float32),
    )
    (HERE / "orders.yaml").write_text(
        "# orders.npz, measured by five folds of the labelled lines; all labels are by language models.\n"
        + yaml.safe_dump(
            {
                "hash": hash_of((HERE / "orders.npz").read_bytes()),
                "lines": len(found),
                "wordings": len(texts),
                **measured[ordering.LEAST],
            }
        ),
        "utf-8",
    )


def _text(rows: Sequence[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(rows).encode(), dtype=np.uint8)


def _measured(
    found: Sequence[Line],
    matching: Matching,
    by: Sequence[Vector],
    scores: Sequence[Sequence[float]],
    least: float,
) -> dict[str, float]:
    exact, acted = list[bool](), list[bool]()
    for at, line in enumerate(found):
        chosen = matching.chosen(at, by[line.fold], [score >= least for score in scores[at]])
        if line.record["order"]:
            exact.append(bool(((chosen == line.wanted) | line.optional).all()))
        else:
            acted.append(bool(chosen.any()))
    return {
        "exact": round(float(np.mean(exact)), 3),
        "orders": len(exact),
        "acted_on_talk": round(float(np.mean(acted)), 3),
        "talk": len(acted),
    }


if __name__ == "__main__":
    main()
