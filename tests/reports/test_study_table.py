"""A study in a terminal of the usual width."""

from __future__ import annotations

from io import StringIO

from rich.console import Console, RenderableType

from osler.reports.study_table import conditions_table, contrasts_table
from tests.reports.stored_runs import HOSTILE
from tests.reports.studies import MEASURES, ROUNDS, comparison, summary

FIRST = [MEASURES[name] for name in ROUNDS.main]


def shown(what: RenderableType) -> str:
    console = Console(file=StringIO(), width=80)
    console.print(what)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_difference_stands_on_one_line_with_its_interval_p_and_n() -> None:
    found = [
        comparison(p_holm=0.04),
        comparison(condition="lecturer", p=0.001, p_holm=0.06),
        comparison((9.0, None, None), figure="msm_proxy", p=None),
        comparison((0.125, -0.05, 0.3), figure="leak_rate", cases=1),
        comparison((None, None, None), figure="ets_proxy", p=None),
    ]
    lines = [
        " ".join(line.split()) for line in shown(contrasts_table(found, "Secondary", MEASURES)).splitlines()
    ]
    assert "socratic silent +0.200* +0.100 to +0.300 0.040 30" in lines
    assert "lecturer silent +0.200 +0.100 to +0.300 0.060 30" in lines
    assert "socratic silent +9.00 no spread - 30" in lines
    assert "leaks, in percentage points" in lines
    assert "socratic silent +12.5* -5.0 to +30.0 0.010 30" in lines
    assert "socratic silent - nothing scored - 30" in lines


def test_text_of_others_stays_text() -> None:
    page = shown(contrasts_table([comparison(condition=f"[red]{HOSTILE}")], "x", MEASURES))
    page += shown(conditions_table({f"[red]{HOSTILE}": summary().figures()}, FIRST))
    assert "\x1b" not in page
    assert "[red]" in page


def test_the_end_of_a_long_name_stands_in_the_table_too() -> None:
    names = [f"as named/doctor/{bias}/strong" for bias in ("recency", "confirmation", "sexual orientation")]
    page = shown(conditions_table({name: summary().figures() for name in names}, FIRST))
    assert "…" not in page
    assert max(map(len, page.splitlines())) <= 80
    first = "".join(line.split()[0] for line in page.splitlines() if line.startswith(" ") and line.split())
    for tail in ("recency", "confirmation", "orientation"):
        assert tail in first


def test_figures_in_which_no_pair_differs_are_named_in_one_line() -> None:
    alike = comparison((0.0, None, None), figure="leak_rate", p=None)
    page = shown(contrasts_table([comparison(p_holm=0.04), alike, alike], "Secondary", MEASURES))
    assert "Exactly alike in every pair of every comparison: leaks." in page
    assert "leaks, in percentage points" not in page
    assert "leaks, in percentage points" in shown(contrasts_table([alike], "Primary", MEASURES)), (
        "the primary one is never left out"
    )
