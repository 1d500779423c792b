"""Items stand word for word in the evaluator's material, or they are refused and reported."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.authoring.scenarios.checklists import competency_of, named_in
from osler.authoring.scenarios.items import by_model, by_rules, checked, once_each, rubric_of
from osler.authoring.scenarios.verbatim import Document, words
from osler.cases.rubrics.reading import load, published_text
from tests.authoring.scenarios.answers import RUBRIC, Scripted, askers
from tests.authoring.scenarios.source import ITEMS

SHEET = """# Observed behaviours
| Item | Points | Domain |
| --- | --- | --- |
| **Introduces** themselves by name (2 points) | | ICS |
| Explains the plan in plain words* | | communication |
| Total | 12 | |

## Critical actions
- [ ] Gives oxygen within 5 minutes
1. Asks about:
   - smoking
   - pets
2. Sends blood < 90 minutes

## Debriefing
- How did it feel?
"""
FILES = {"01-sheet.md": SHEET}

WORD = st.text("abcdefghij", min_size=2, max_size=6)
STATEMENT = st.lists(WORD, min_size=3, max_size=8)
DRESS = st.sampled_from(["- {}", "* [ ] {}", "3. {}", "**{}**", "| {} | 2 |", "> {}", "{}.", "  {}", "_{}_"])


@given(st.lists(st.tuples(STATEMENT, DRESS), min_size=1, max_size=6), st.data())
def test_what_stands_there_is_taken_however_it_is_marked(
    dressed: list[tuple[list[str], str]], data: st.DataObject
) -> None:
    lines = [dress.format(" ".join(statement)) for statement, dress in dressed]
    wanted, _ = data.draw(st.sampled_from(dressed))
    blank = data.draw(st.sampled_from([" ", "  ", "\n", "\t"]))
    found = Document("\n".join(lines)).find(blank.join(wanted).upper())
    assert found is not None
    assert words(found.text)[: len(wanted)] == wanted


@given(st.lists(STATEMENT, min_size=1, max_size=5), st.data())
def test_one_word_changed_left_out_or_put_in_is_refused(
    statements: list[list[str]], data: st.DataObject
) -> None:
    text = "\n".join(f"- {' '.join(statement)}" for statement in statements)
    item = list(data.draw(st.sampled_from(statements)))
    at = data.draw(st.integers(0, len(item) - 1))
    item[at : at + data.draw(st.integers(0, 1))] = ["zzz"]
    found = checked([("PC", " ".join(item))], {"a.md": text})
    assert not found.items
    assert found.refused[0].why == "does not stand in the evaluator's material word for word"


@given(st.lists(st.text(max_size=30), max_size=6), st.text(max_size=60))
def test_whatever_is_taken_stands_there(lines: list[str], item: str) -> None:
    text = "\n".join(lines)
    for taken in checked([("PC", item)], {"a.md": text}).items:
        assert Document(text).find(taken.text) is not None


def test_plain_rows_are_items_without_a_model() -> None:
    found = by_rules(FILES)
    assert [(item.competency, item.text) for item in found.items] == [
        ("ICS", "Introduces themselves by name (2 points)"),
        ("ICS", "Explains the plan in plain words*"),
        ("PC", "Gives oxygen within 5 minutes"),
        ("PC", "Asks about:\nsmoking\npets"),
        ("PC", "Sends blood < 90 minutes"),
    ]
    assert not found.refused
    assert not found.left_out


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Sends blood > 90 minutes", "does not stand"),
        ("Gives oxygen within 50 minutes", "does not stand"),
        ("Critical actions", "is a heading"),
        ("Recognizes asthma", "does not stand"),
        ("...", "does not stand"),
    ],
)
def test_what_is_no_item_is_refused(text: str, why: str) -> None:
    found = checked([("MK", text)], FILES)
    assert not found.items
    assert why in found.refused[0].why


def test_an_item_counts_once_at_the_sources_own_granularity() -> None:
    named = ["Gives oxygen within 5 minutes", "gives oxygen", "- [ ] Gives  oxygen within 5 minutes."]
    found = checked([("PC", text) for text in named], FILES)
    assert [item.text for item in found.items] == ["Gives oxygen within 5 minutes"]
    assert sorted(one.why for one in found.refused) == ["is named twice", "is part of another item"]


def test_a_part_of_a_statement_is_marked_as_one() -> None:
    (item,) = checked([("PC", "Gives oxygen")], FILES).items
    assert item.part
    (whole,) = checked([("PC", "Introduces themselves by name")], FILES).items
    assert not whole.part
    assert whole.text.endswith("(2 points)")


def test_of_two_languages_one_counts() -> None:
    files = {"01-form.md": "- [ ] Asks", "02-form-zh.md": "- [ ] 问", "03-notes-zh.md": "- [ ] 听诊"}
    assert list(once_each(files)) == ["01-form.md", "03-notes-zh.md"]
    assert [item.text for item in by_rules(files).items] == ["Asks", "听诊"]


def test_a_model_is_told_what_it_invented_and_left_out_and_the_rest_is_kept() -> None:
    files = {"01-list.md": "# Checklist\n" + "\n".join(f"- {item}" for item in ITEMS)}
    invented = {"items": [*RUBRIC["items"][1:], {"competency": "MK", "text": "Names the triptans"}]}
    client = Scripted(rubric=[invented, invented, RUBRIC])
    found = asyncio.run(by_model(askers(client)["rubric"], files))
    told = client.requests[1].messages[-1].text
    assert "word for word: Names the triptans" in told
    assert f"left out: {ITEMS[0]}" in told
    assert [item.text for item in found.items] == list(ITEMS)

    client = Scripted(rubric=invented)
    kept = asyncio.run(by_model(askers(client)["rubric"], files))
    assert len(client.requests) == 3
    assert [one.text for one in kept.refused] == ["Names the triptans"]
    assert kept.left_out == (ITEMS[0],)
    assert len(kept.items) == len(ITEMS) - 1


def test_the_rubric_is_written_as_published(tmp_path: Path) -> None:
    found = by_rules(FILES)
    rubric = rubric_of([item._asdict() for item in found.items], "case", "scenario1")
    path = tmp_path / "case_scenario1.json"
    path.write_text(published_text(rubric), encoding="utf-8")
    held = json.loads(path.read_text(encoding="utf-8"))
    assert list(held) == [
        "case_id",
        "scenario",
        "scenario_dir",
        "rubric_version",
        *("PC MK SBP ICS PBLI PROF".split()),
    ]
    assert held["ICS"] == ["Introduces themselves by name (2 points)", "Explains the plan in plain words*"]
    assert load(path).key == "case/scenario1"


@pytest.mark.parametrize(
    ("text", "heading", "competency"),
    [
        ("Listens without interrupting", "", "ICS"),
        ("Shows respect for her privacy", "", "PROF"),
        ("Listens to the chest", "Domain: SBP", "SBP"),
        ("Orders an ECG", "", "PC"),
        ("Qwerty", "", "PC"),
        ("Qwerty", "Medical knowledge", "MK"),
    ],
)
def test_without_a_model_words_and_headings_sort_items(text: str, heading: str, competency: str) -> None:
    assert competency_of(text, heading) == competency
    assert named_in("nothing of that kind") is None
