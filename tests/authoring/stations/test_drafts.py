"""Drafts from eight one-page stations of different styles: what is read, and what is left to people."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from osler.authoring.scenarios.checklists import rows
from osler.authoring.scenarios.office import converted
from osler.authoring.stations.draft import Draft, draft
from osler.authoring.stations.findings import vitals_in
from osler.authoring.stations.first_person import in_own_words
from osler.authoring.stations.headings import heading
from osler.authoring.stations.lines import lines_of
from osler.authoring.stations.mark_sheet import sheet
from osler.authoring.stations.written import scenario_yaml, write_draft
from osler.cases.scenarios.lint import lint
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.reading import read
from osler.cli.author_scenario import app
from osler.protocols.scenario.one_line import one_line
from tests.authoring.stations.papers import ASTHMA, write_stations, write_word

pytestmark = pytest.mark.usefixtures("one_child")

# facts, items, the sum of the marks, critical items, states, and the number of findings that can be ordered
WANTED = {
    "chest": (11, 12, 18, 1, 1, 4),
    "asthma": (6, 11, 15, 3, 3, 4),
    "consent": (7, 12, 17, 0, 1, 0),
    "news": (10, 12, 13, 0, 1, 0),
    "fever": (12, 12, 15, 0, 1, 5),
    "us": (19, 13, 13, 0, 1, 6),
    "aus": (11, 12, 12, 1, 1, 4),
    "ind": (7, 10, 10, 0, 1, 0),
}


@pytest.fixture(scope="module")
def drafts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Draft]:
    """The draft of each station, by name."""
    made = {}
    for name, folder in write_stations(tmp_path_factory.mktemp("stations")).items():
        (path,) = folder.iterdir()
        found = draft([(path.name, converted(path)["text"])], name)
        assert found is not None
        made[name] = found
    return made


@pytest.mark.parametrize("name", WANTED)
def test_facts_marks_and_findings_are_read(drafts: dict[str, Draft], name: str) -> None:
    made = drafts[name].scenario
    given = [
        one
        for one in made.actions
        if one.id.startswith(("see_", "test_")) and "papers give no" not in one.result
    ]
    found = (
        len(made.knows),
        len(made.rubric),
        sum(item.traits.weight for item in made.rubric),
        sum(item.traits.critical for item in made.rubric),
        len(made.states),
        len(given),
    )
    assert found == WANTED[name]


@pytest.mark.parametrize("name", WANTED)
def test_a_draft_has_no_errors_and_says_what_to_check_and_where(drafts: dict[str, Draft], name: str) -> None:
    made = drafts[name]
    problems = list(lint(made.scenario))
    assert [one for one in problems if one.level == "error"] == []
    told = [one for one in problems if one.code == "to-check"]
    assert len(told) == len(made.checks) > 0
    assert any(
        "station." in one.message and ", line " in one.message and "under" in one.message for one in told
    )


@pytest.mark.parametrize("name", WANTED)
def test_every_line_of_the_papers_is_somewhere(drafts: dict[str, Draft], name: str, tmp_path: Path) -> None:
    folder = write_stations(tmp_path)[name]
    (path,) = folder.iterdir()
    made = drafts[name]
    kept = f"{made.scenario.model_dump_json()} {' '.join(one.text for one in made.unplaced)}".casefold()
    for line in lines_of(path.name, converted(path)["text"]):
        if line.part in ("candidate", "findings", "course") and line.kind != "row":
            figures = [word for word in line.text.replace(",", " ").split() if word.strip(".;:()").isdigit()]
            assert all(word.strip(".;:()") in kept for word in figures), line


def test_a_change_becomes_a_state_with_its_time(drafts: dict[str, Draft]) -> None:
    made = drafts["asthma"].scenario
    start = made.states[0]
    assert [(way.to, way.after, way.did, way.unless) for way in start.transitions] == [
        ("better_2", None, ("give_oxygen", "do_salbutamol"), ()),
        ("worse_1", 5, (), ("do_salbutamol",)),
    ]
    assert made.states_by_id["worse_1"].vitals["oxygen saturation"] == "84 %"
    assert "84" not in made.states_by_id["worse_1"].status


def test_a_change_that_is_not_plain_is_left_to_the_author(tmp_path: Path) -> None:
    vague = ("p", "She may deteriorate later if things go badly.")
    paper = [vague if "salbutamol is given" in str(block[1]) else block for block in ASTHMA]
    path = write_word(tmp_path / "a.docx", paper)
    made = draft([(path.name, converted(path)["text"])], "a")
    assert made is not None
    assert any("may deteriorate later" in one.text for one in made.unplaced)
    assert any(check.where == "states" and "could not be read" in check.what for check in made.checks)


def test_a_mother_speaks_for_a_small_child(drafts: dict[str, Draft]) -> None:
    made = drafts["fever"].scenario
    assert [(one.id, one.name, one.speaks) for one in made.people] == [
        ("patient", "Arjun", False),
        ("mother", "Priya Nair", True),
    ]
    assert {known.who for known in made.knows} == {"mother"}


@pytest.mark.parametrize(
    ("name", "item", "yes", "no"),
    [
        ("chest", 4, "Do you smoke at all?", "The smoke alarm went off."),
        ("chest", 3, "Any nausea, or sweating?", "I hope you feel better soon."),
        ("consent", 6, "Are you on any blood thinners?", "There is a small risk."),
        ("news", 5, "I'm afraid I have some difficult news.", "The car park is full."),
        ("fever", 2, "Has he got a rash?", "Children get fevers."),
        ("us", 4, "When was your last period?", "Let me look at your tummy."),
    ],
)
def test_items_are_met_by_ordinary_words_and_not_by_others(
    drafts: dict[str, Draft], name: str, item: int, yes: str, no: str
) -> None:
    made = drafts[name].scenario
    assert item in one_line(made, "start", say=yes).met
    assert item not in one_line(made, "start", say=no).met


def test_dose_and_route_count(drafts: dict[str, Draft]) -> None:
    made = drafts["chest"].scenario
    assert 8 in one_line(made, "start", do="give aspirin 300 mg").met
    assert 8 not in one_line(made, "start", do="give aspirin 75 mg").met


@pytest.mark.parametrize(
    ("order", "carried_out"),
    [
        ("aspirin 300 mg", True), ("0.3 g of aspirin", True), ("three hundred milligrams of aspirin", True),
        ("aspirin 300,0 mg", True), ("aspirin 300 ml", False), ("aspirin 300 %", False), ("aspirin 3000 mg", False),
        ("aspirin 150 mg", False), ("aspirin 300 mcg", False), ("aspirin", False),
    ],
)  # fmt: skip
def test_an_act_with_a_dose_is_done_where_its_item_is_earned(
    drafts: dict[str, Draft], order: str, carried_out: bool
) -> None:
    made = drafts["chest"].scenario
    said = one_line(made, "start", say=f"Please give {order} now.")
    typed = one_line(made, "start", do=f"give {order}")
    assert ("do_aspirin" in said.acts, 8 in said.met, said.read_back is None) == (carried_out,) * 3
    assert ("do_aspirin" in typed.acts, 8 in typed.met) == (carried_out,) * 2


def test_two_doses_of_one_drug_are_two_acts() -> None:
    text = "# Mark scheme\n\n- Gives adrenaline 0.5 mg IM (2)\n- Gives adrenaline 50 micrograms IV (1)\n"
    made = draft([("a.md", text)], "a")
    assert made is not None
    for words, item in (("adrenaline 500 mcg IM", 1), ("adrenaline 0.05 mg IV", 2)):
        assert one_line(made.scenario, "start", say=f"Please give {words}.").met == (item,)
        assert one_line(made.scenario, "start", do=f"give {words}").met == (item,)
    assert one_line(made.scenario, "start", say="Please give adrenaline 0.5 mg IV.").acts == ()


def test_an_item_about_manner_is_left_to_a_person(drafts: dict[str, Draft]) -> None:
    item = drafts["consent"].scenario.rubric[-1]
    assert (item.text, item.by_ear, item.shown_by) == ("Avoids jargon", True, ())
    assert any("cannot be judged by rule" in check.what for check in drafts["consent"].checks)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Gives oxygen to keep saturations 94-98 % (2)", {}),
        ("Titrate oxygen, aiming for SpO2 of 94", {}),
        ("If the pulse is 40 she faints", {}),
        ("saturations 90 % on air", {"oxygen saturation": "90 % on air"}),
        ("Temp: 100.9°F (38.3°C)", {"temperature": "38.3 °C"}),
    ],
)
def test_a_target_is_no_measurement(text: str, wanted: dict[str, str]) -> None:
    assert vitals_in(text) == wanted


@pytest.mark.parametrize(
    "name",
    [
        "Mark scheme",
        "MARKING",
        "Assessment",
        "Checklist:",
        "Score sheet",
        "Mark sheet (20)",
        "Examiner's mark sheet",
    ],
)
def test_mark_sheets_have_many_names(name: str) -> None:
    found = heading(name)
    assert found is not None
    assert found.part == "marks"


@given(
    st.integers(1, 9),
    st.sampled_from(["({})", "[{}]", "- {} marks", "{} mark", "(0-{})", "({} points)", "/{}"]),
)
def test_marks_are_read_in_their_usual_forms(marks: int, form: str) -> None:
    text = f"# Mark scheme\n\n- Asks about fever {form.format(marks)}\n- Asks about rash (1)\n"
    first, second = sheet(lines_of("m.md", text)).items
    assert (first.text, first.marks, second.marks) == ("Asks about fever", marks, 1)


@given(
    st.text(max_size=300),
    st.sampled_from(["Actor brief", "Findings", "Mark scheme", "Candidate instructions", "Course"]),
)
def test_any_text_makes_a_draft_that_reads_back(text: str, title: str) -> None:
    made = draft([("a.md", f"# Mark scheme\n\n- Asks about fever (1)\n\n# {title}\n\n{text}\n")], "a")
    assert made is not None
    assert isinstance(made.scenario, Scenario)
    assert scenario_yaml(made).isprintable() or "\n" in scenario_yaml(made)


def test_the_actor_speaks_in_the_first_person() -> None:
    assert in_own_words("You are worried that your son told you a lie, and you've cried.") == (
        "I am worried that my son told me a lie, and I've cried."
    )


def test_an_edited_draft_is_kept(drafts: dict[str, Draft], tmp_path: Path) -> None:
    first = write_draft(drafts["chest"], tmp_path)
    assert not write_draft(drafts["chest"], tmp_path).kept
    first.scenario.write_text(first.scenario.read_text().replace("max_turns: 40", "max_turns: 30"))
    assert write_draft(drafts["chest"], tmp_path).kept
    (one,) = read(first.scenario)
    assert isinstance(one, Scenario)
    assert one.max_turns == 30
    assert not write_draft(drafts["chest"], tmp_path, force=True).kept


Run = Callable[..., Result]


@pytest.fixture
def osler_author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`osler_author("scenario", "chest", ...)` in a folder with the stations."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OSLER_CONFIG", raising=False)
    write_stations(tmp_path)
    return lambda *words, **more: CliRunner().invoke(app, words, catch_exceptions=False, **more)


@pytest.mark.parametrize("name", ["chest", "consent", "fever"])
def test_one_command_from_the_papers_to_a_debriefing(osler_author: Run, name: str) -> None:
    done = osler_author("scenario", name, "--play", "--examinee", "oracle", "--json")
    assert done.exit_code == 0, done.stderr
    (line,) = done.stdout.splitlines()
    value: dict[str, Any] = json.loads(line)
    assert Path(value["draft"]["scenario"]) == Path(name, "osler-draft", "scenario.yaml")
    for_people = value["draft"]["for_a_person"] / value["draft"]["items"]
    assert value["play"]["measures"]["net"]["value"] >= 1 - 2 * for_people
    again = osler_author("scenario", name, "--json")
    assert json.loads(again.stdout)["draft"]["items"] == value["draft"]["items"]


def test_a_person_plays_and_is_debriefed(osler_author: Run) -> None:
    typed = "Hello, my name is Sam Lane, one of the doctors. What is your name?\n\n/order an ECG\n\neos\n"
    done = osler_author("scenario", "chest", "--play", "--examinee", "person", input=typed)
    assert done.exit_code == 0, done.stderr
    assert "met: Requests an ECG" in done.stdout
    assert "ST elevation of 3 mm" in done.stderr


def test_without_a_brief_or_a_mark_sheet_there_is_nothing_to_play(osler_author: Run, tmp_path: Path) -> None:
    (tmp_path / "lecture").mkdir()
    (tmp_path / "lecture" / "notes.md").write_text("# Sodium\n\nSodium is the main cation.\n")
    done = osler_author("scenario", "lecture", "--play")
    assert done.exit_code == 1
    assert "holds nothing to play" in done.stderr


def test_role_folders_make_a_draft_too_and_a_mark_scheme_is_a_checklist() -> None:
    texts = [
        ("examinee/a.md", "You are the doctor. Ann Poe, 40, has a cough."),
        ("sp_actor/b.md", "You have coughed for two days.\n\nYou smoke."),
        ("environment_controller/c.md", "Saturations 90 % on air.\n\nDiagnosis: pneumonia"),
        (
            "evaluator/d.md",
            "# Mark scheme\n\n- Gives oxygen to keep saturations 94-98 % (2)\n- Asks about smoking (1)",
        ),
    ]
    made = draft(texts, "cough")
    assert made is not None
    assert [item.text for item in made.scenario.rubric] == [
        row.text.rpartition(" (")[0] for row in rows(texts[3][1])
    ]
    assert made.scenario.states[0].vitals == {"oxygen saturation": "90 % on air"}
    assert not any("diagnosis" in act.what.lower() for act in made.scenario.actions)
    assert any("does not judge" in check.what for check in made.checks)
