"""Stock phrases: what templates write for unrelated cases ties none of them; what cases copy does."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from osler.training.likeness import runs
from osler.training.splits import case_text, ties
from osler.training.stock import stock_runs

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "stock_phrases.py"
NORMAL = "Respiratory examination: chest clear with equal air entry, percussion normal, no expiratory wheeze."
OWN = "He kept eleven geese behind the mill and slept beside them through the whole of the long winter."


def test_a_stock_phrase_is_in_no_case_and_other_words_are() -> None:
    assert case_text("a", "A", [NORMAL]).runs == frozenset()
    assert case_text("a", "A", [OWN]).runs == runs([OWN])


def test_cases_are_tied_by_what_they_copy_and_by_no_template() -> None:
    assert not list(ties([case_text("a", "A", [NORMAL]), case_text("b", "B", [NORMAL])]))
    tied = ties([case_text("a", "A", [OWN]), case_text("b", "B", [f"{NORMAL} {OWN}"])])
    assert {(tie.one, tie.other) for tie in tied} == {("a", "b")}


def test_a_phrase_is_stock_from_three_answers_on_whatever_its_numbers() -> None:
    phrases_of = runpy.run_path(str(BENCHMARK))["phrases_of"]
    text = "on the ward round the pulse was counted as {} beats a minute by the nurse"
    two = [("gout", [text.format(61)]), ("croup", [text.format(72)])]
    assert phrases_of(two) == []
    assert phrases_of([*two, ("gout", [text.format(90)])]) == []
    assert phrases_of([*two, ("mumps", [text.format(90)])]) == [text.format("#")]


def test_a_passage_that_very_many_share_still_ties_all_of_them() -> None:
    cases = [case_text(f"{n:03}", str(n), [f"{OWN} {n}"]) for n in range(150)]
    reached = {"000"}
    for tie in ties(cases):
        if tie.one in reached or tie.other in reached:
            reached |= {tie.one, tie.other}
    assert len(reached) == 150


@pytest.mark.slow
def test_the_list_is_what_the_generator_gives() -> None:
    done = subprocess.run([sys.executable, BENCHMARK, "--check"], check=False)
    assert done.returncode == 0, "write it again, with another VERSION: python benchmarks/stock_phrases.py"
    assert len(stock_runs()) > 100
