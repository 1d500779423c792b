"""The judge's measured agreement: how it is filled in, what it says, and what it corrects."""

from __future__ import annotations

import random

import pytest

from osler.judging.diagnosis.labelled import Pairs, agreement_with
from osler.judging.diagnosis.measured import Measured, Standing
from osler.protocols.consultation import notes
from osler.protocols.consultation.judge.built_in import judge
from osler.protocols.consultation.notes import beside
from osler.protocols.consultation.seats import Finalize
from osler.runs.totals import Totals
from osler.stats.intervals import Estimate, wilson
from tests.judging.episodes import case_of, trace_with
from tests.runs.episodes import Ended, totals_over

KNOWN = Measured(judge="built-in rules", set="pairs", labelled_by="us", right=(180, 200), wrong=(190, 200))
UNKNOWN = Measured(judge="built-in rules")
# For a pulmonary embolism, without a word on its cause: the answer and its verdict.
ANSWERS = {
    "Bilateral pulmonary embolism": None,
    "Embolism": "broader",
    "Pulmonary embolism due to pancreatic cancer": "unsupported",
    "Pulmonary embolism or pericarditis": "list",
    "Pericarditis": None,
}


def _standing(measured: Measured) -> Standing:
    return Standing(measured.judge, "physician", measured)


def _totals(measured: Measured, monkeypatch: pytest.MonkeyPatch) -> Totals:
    """The totals of a run in which a doctor answered each of `ANSWERS` to one case."""
    monkeypatch.setattr(notes, "standing", lambda: _standing(measured))
    return totals_over(
        Ended(f"case {number}", judge(case_of(), trace_with(final=Finalize(diagnosis=answer)), False))
        for number, answer in enumerate(ANSWERS)
    )


@pytest.mark.parametrize(
    ("true", "right", "wrong"), [(0.3, (85, 100), (97, 100)), (0.7, (85, 100), (90, 100))]
)
def test_the_correction_finds_the_true_share_that_an_erring_judge_hides(
    true: float, right: tuple[int, int], wrong: tuple[int, int]
) -> None:
    draw = random.Random(7)
    sensitivity, specificity = right[0] / right[1], wrong[0] / wrong[1]
    n, covered, values = 400, 0, []
    for _ in range(200):
        truths = sum(draw.random() < true for _ in range(n))
        called = sum(draw.random() < sensitivity for _ in range(truths))
        called += sum(draw.random() < 1 - specificity for _ in range(n - truths))
        spots = tuple(
            sum(draw.random() < rate for _ in range(of))
            for rate, of in ((sensitivity, right[1]), (specificity, wrong[1]))
        )
        judged = Measured(judge="one", right=(spots[0], right[1]), wrong=(spots[1], wrong[1]))
        found = judged.corrected(wilson(called, n))
        values.append(found.value or 0.0)
        covered += (found.low or 0.0) <= true <= (found.high or 0.0)
    assert sum(values) / len(values) == pytest.approx(true, abs=0.02)
    assert covered >= 185
    raw = true * sensitivity + (1 - true) * (1 - specificity)
    assert abs(raw - true) > 0.02, "or nothing had to be corrected"


def test_a_judge_never_measured_or_near_chance_corrects_nothing() -> None:
    near = Measured(judge="one", right=(55, 100), wrong=(60, 100))
    for judged in (UNKNOWN, near):
        assert judged.corrected(wilson(30, 100)).value is None
    assert KNOWN.corrected(Estimate(None, None, None, 0)).value is None


def test_filling_the_figures_in_changes_the_notes_beside_a_headline(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _totals(UNKNOWN, monkeypatch)
    assert before.notes.value["accuracy_corrected"]["value"] is None
    assert "has not been measured" in " ".join(before.notes.lines)
    after = _totals(KNOWN, monkeypatch)
    assert after.measures == before.measures
    corrected = after.notes.value["accuracy_corrected"]["value"]
    assert corrected == pytest.approx((0.2 + 0.95 - 1) / (0.9 + 0.95 - 1), abs=0.01)
    assert after.notes.value["judge_agreement"]["set"] == "pairs"
    assert "it agrees with the labels of 92.5%" in " ".join(after.notes.lines)


def test_what_counts_as_wrong_is_told_apart_in_figures_and_words(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _totals(UNKNOWN, monkeypatch)
    values = {name: one.value for name, one in found.measures.items()}
    for word in ("broader", "unsupported", "list"):
        assert values[f"answered_{word}"] == pytest.approx(1 / 5)
    assert values["correct"] == pytest.approx(1 / 5)
    assert values["correct_or_unsupported"] == pytest.approx(2 / 5)
    said = " ".join(found.notes.lines)
    assert "1 broader than the reference, 1 narrower than the case bears out, 1 lists" in said


def test_the_sentences_of_a_report_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = {
        "correct": wilson(60, 100),
        "correct_or_unsupported": wilson(70, 100),
        "answered_broader": wilson(5, 100),
        "answered_unsupported": wilson(10, 100),
        "answered_list": wilson(3, 100),
    }
    monkeypatch.setattr(notes, "standing", lambda: _standing(KNOWN))
    told = " ".join(beside(shares))
    for part in (
        "92.5%",
        "5 broader",
        "10 narrower",
        "3 lists",
        "70",
        "If the judge errs here as often as on those answers: 64",
    ):
        assert part in told, part
    monkeypatch.setattr(notes, "standing", lambda: _standing(UNKNOWN))
    assert "Corrected" not in " ".join(beside(shares))
    nothing = dict.fromkeys(shares, Estimate(None, None, None, 0))
    assert beside(nothing) == ()


def test_labels_give_the_entry_that_measures_the_judge() -> None:
    items = [
        Pairs(
            reference="Stroke",
            answers=("CVA", "Left MCA stroke", "Seizure", "Migraine", "Ischemic stroke"),
            labels=("same", "different", "different", "same", "narrower"),
        )
    ]
    found = agreement_with(items)
    entry = found.measured("pairs", "us")["physician"]
    assert Measured.model_validate(entry).agreement.value == found.on_right.value == pytest.approx(3 / 5)
    assert (entry["right"], entry["wrong"]) == ([2, 3], [1, 2])
    plain = found.plain()
    assert plain["sensitivity"]["value"] == pytest.approx(2 / 3)
    assert plain["specificity"]["value"] == pytest.approx(1 / 2)
