"""What the linter says of scenarios and packets: each rule by a scenario that breaks it and no other."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from osler.cases.importers.osler_yaml import made_from
from osler.cases.lint_problem import Problem
from osler.cases.scenarios.lint import lint, lint_together
from osler.cases.scenarios.lint_items import earliest_minutes
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.packets import packets_of
from osler.cases.scenarios.sources import open_scenarios
from osler.cli.main import app
from tests.protocols.scenario.packets import CASES, SMALL, put_packet, put_rubric

Spoil = Callable[[dict[str, Any]], object]


@cache
def written() -> dict[str, Any]:
    read: dict[str, Any] = yaml.load(SMALL.read_text(), Loader=yaml.CSafeLoader)
    # The small scenario has too short a rubric, and one rule of it is met by vague words.
    read["rubric"][3]["shown_by"] = [{"said": ["my name is dr | my name is doctor | dr lane"]}]
    read["shelf"] = {
        "title": "A man who is hard to wake",
        "complaint": "drowsiness",
        "system": "general",
        "level": "foundation",
        "minutes": 10,
        "skills": ["examination"],
        "objectives": ["Find a cause that can be treated at once."],
    }
    read["states"][1]["vitals"] = {"heart rate": "140/min"}
    read["shelf"] = {
        "title": "A patient who has become muddled",
        "complaint": "being muddled",
        "system": "general",
        "level": "foundation",
        "minutes": 20,
        "skills": ["examination", "explanation"],
        "objectives": ["Assess in a sound order.", "Treat in time.", "Explain what happened."],
    }
    for number in range(6):
        read["rubric"].append(
            {
                "competency": "SBP",
                "text": f"Names the ward that he goes to, in way {number}",
                "shown_by": [{"said": [f"ward | unit & number{number}"]}],
                "when": "awake",
                "say": f"You go to the ward, number{number}.",
            }
        )
    return read


def spoilt(spoil: Spoil) -> Scenario:
    data = copy.deepcopy(written())
    spoil(data)
    return made_from(Scenario, data)


def found(scenario: Scenario, *, strict: bool = True) -> dict[str, Problem]:
    return {problem.code: problem for problem in lint(scenario, strict=strict)}


def test_a_sound_scenario_has_no_problem() -> None:
    assert found(spoilt(lambda s: None)) == {}


def state(s: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in s["states"] if one["id"] == name)


def action(s: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in s["actions"] if one["id"] == name)


def more(s: dict[str, Any], **fields: object) -> None:
    s["actions"].append({"id": "more", "what": "Looks at feet", "terms": ["foot"], "kind": "test"} | fields)


def _nobody_is_the_patient(s: dict[str, Any]) -> None:
    s["people"][0].update(id="mr_hale")
    for one in (*s["knows"], *(line for state in s["states"] for line in state.get("lines", []))):
        if one["who"] == "patient":
            one["who"] = "mr_hale"
    state(s, "fitting").update(silent=["mr_hale"])


def _within(minutes: int) -> dict[str, Any]:
    return {"did": ["check_glucose"], "within": minutes}


def _lonely(s: dict[str, Any]) -> None:
    """The nurse comes in a state that nobody comes to."""
    s["people"][2].update(enters={"states": ["lonely"]})
    s["states"].append({**state(s, "awake"), "id": "lonely", "lines": []})


def _like(s: dict[str, Any], number: int) -> dict[str, Any]:
    return {**s["rubric"][4], "text": f"Explains what happened in plain words, part {number}"}


BROKEN: list[tuple[str, Spoil]] = [
    # the course
    ("unreachable", lambda s: s["states"].append({**state(s, "awake"), "id": "apart"})),
    (
        "no-way-on",
        lambda s: state(s, "fitting").update(transitions=[{"to": "awake", "did": ["give_glucose"]}]),
    ),
    ("no-end", lambda s: state(s, "awake").update(ends="no", transitions=[{"to": "awake", "eos": True}])),
    ("never-taken", lambda s: state(s, "fitting")["transitions"].append({"to": "drowsy", "eos": True})),
    ("no-patient", _nobody_is_the_patient),
    ("never-enters", lambda s: s["people"][2].pop("enters")),
    ("never-enters", _lonely),
    ("cannot-speak", lambda s: s["people"][1].update(speaks=False) or s.update(knows=s["knows"][:1])),
    ("cannot-speak", lambda s: state(s, "fitting").update(silent=["wife"])),
    ("may-be-absent", lambda s: state(s, "awake")["lines"].append({"who": "nurse", "words": "Well done."})),
    ("never-told", lambda s: s["knows"][1].update(who="nurse")),
    ("no-refusal", lambda s: more(s, needs=["call_help"], result="Both feet are warm.")),
    ("never-done", lambda s: more(s, needs=["more"], refused="No.", result="Both feet are warm.")),
    ("no-result", lambda s: more(s)),
    ("no-vitals", lambda s: state(s, "fitting").update(vitals={})),
    # words
    ("not-recognized", lambda s: action(s, "call_help").update(what="Shouts loudly")),
    (
        "ambiguous",
        lambda s: more(s, terms=["glucose & measure"], what="Measures glucose", result="It is low."),
    ),
    ("vague", lambda s: s["rubric"][3]["shown_by"][0].update(said=["hello | my name is"])),
    # items
    ("items", lambda s: s.update(rubric=s["rubric"][:11])),
    ("items", lambda s: s.update(rubric=[*s["rubric"], *(_like(s, n) for n in range(29))])),
    ("no-critical", lambda s: [one.get("traits", {}).update(critical=False) for one in s["rubric"][:2]]),
    ("competencies", lambda s: [one.update(competency="PC") for one in s["rubric"]]),
    ("left-undone", lambda s: s["rubric"][2].update(text="Fails to stop the insulin")),
    ("not-shown", lambda s: s["rubric"][4].update(say="You were unwell.")),
    ("not-shown", lambda s: s["rubric"][4].update(when="drowsy")),
    ("not-shown", lambda s: s["rubric"][0].update(do=["call_help"])),
    ("not-shown", lambda s: s["rubric"][0]["shown_by"][0].update(within=0)),
    ("not-shown", lambda s: s["rubric"][0].update(when="fitting", shown_by=[_within(1)])),
    ("no-when", lambda s: s["rubric"][4].pop("when")),
    ("no-model-answer", lambda s: s["rubric"][4].pop("say")),
    ("not-there", lambda s: action(s, "check_glucose").update(states=["awake"], refused="Not now.")),
    ("needs", lambda s: action(s, "check_glucose").update(needs=["call_help"], refused="Not yet.")),
    ("harmful", lambda s: action(s, "give_glucose").update(harmful=True)),
    ("harm-unjudged", lambda s: action(s, "call_help").update(harmful=True)),
    ("negative-answer", lambda s: s["rubric"][2].update(do=["give_insulin"], when="drowsy")),
    ("told-against", lambda s: s["rubric"][2]["shown_by"][0].update(did=[], said=["sugar & low"])),
    ("told-against", lambda s: s["rubric"][2]["shown_by"][0].update(did=["give_glucose"])),
    # what is seen
    ("given-away", lambda s: s.update(opening="His wife says that he takes gliclazide for his diabetes.")),
    ("given-away", lambda s: state(s, "drowsy").update(status="Capillary glucose 1.9 mmol/L (34 mg/dL).")),
    ("visible-id", lambda s: action(s, "call_help").update(result="call_help is done.")),
    ("visible-id", lambda s: s.update(instructions="This is small-one.")),
    ("visible-id", lambda s: s.update(instructions="You are in scenario 1.")),
    ("visible-label", lambda s: s.update(setting="Seizure from untreated hypoglycaemia: a cubicle.")),
    ("hints", lambda s: s.update(opening="He is here with hypoglycaemia.")),
    # where it comes from
    ("no-sources", lambda s: s["provenance"].update(sources=[])),
    ("no-date", lambda s: s["provenance"].update(written=None)),
    ("no-author", lambda s: s["provenance"].update(author=None)),
    ("no-debrief", lambda s: s.update(debrief=[])),
    ("not-said", lambda s: s.update(urgency=None)),
    ("duplicate", lambda s: s["rubric"][7].update(text=s["rubric"][6]["text"])),
    ("short", lambda s: s["rubric"][7].update(text="Listens")),
    ("long", lambda s: s["rubric"][7].update(text="Says " + "and again " * 40)),
]


@pytest.mark.parametrize(("code", "spoil"), BROKEN)
def test_each_rule_finds_what_breaks_it(code: str, spoil: Spoil) -> None:
    assert code in found(spoilt(spoil))


def test_an_imported_scenario_is_held_more_gently_than_the_library() -> None:
    scenario = spoilt(lambda s: s["provenance"].update(sources=[]))
    assert found(scenario)["no-sources"].level == "error"
    assert found(scenario, strict=False)["no-sources"].level == "warning"


def test_the_earliest_minute_goes_by_the_quickest_way() -> None:
    assert earliest_minutes(spoilt(lambda s: None)) == {"drowsy": 0, "fitting": 1, "awake": 2}
    slow = spoilt(lambda s: [one.update(transitions=one["transitions"][:2]) for one in s["states"][:1]])
    assert earliest_minutes(slow) == {"drowsy": 0, "awake": 3, "fitting": 12}


def test_every_scenario_of_our_library_is_sound() -> None:
    source = open_scenarios("library")
    wrong = [
        (scenario.id, *problem)
        for scenario in source
        for problem in lint(scenario, strict=True)
        if problem.level == "error"
    ]
    assert wrong == []
    assert source.report is not None
    assert not source.report.rejected


# Packets


def packet(
    tmp_path: Path, texts: dict[str, str], items: dict[str, list[str]] | None = None
) -> dict[str, Problem]:
    folder = put_packet(tmp_path / "cases", "mep-99-1-s001")
    for role, text in texts.items():
        (folder / role / "text.md").write_text(text)
    if items is not None:
        put_rubric(tmp_path / "rubrics", "mep-99-1-s001", "scenario1", items)
    return found(open_scenarios(str(tmp_path / "cases")).get(0))


ITEMS = {"PC": ["Measures the peak flow twice"], "ICS": ["Asks how the cat came home"]}
BRIEF = "You see a young woman who coughs at night. You have a quarter of an hour."


def test_a_sound_packet_has_no_problem(tmp_path: Path) -> None:
    assert packet(tmp_path, {"examinee": BRIEF}, ITEMS) == {}


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("given-away", {"examinee": f"{BRIEF} She asks how the cat came home."}),
        (
            "given-away",
            {"examinee": f"{BRIEF} Asthma, as it is.", "evaluator": "**Final diagnosis:** Asthma\n"},
        ),
        ("visible-id", {"examinee": f"{BRIEF} From mep-99-1-s001."}),
        ("visible-id", {"examinee": f"{BRIEF} MedEdPORTAL."}),
        ("visible-id", {"examinee": f"{BRIEF} This is Scenario 4."}),
        ("as-evaluator", {"examinee": BRIEF, "evaluator": f"A long list follows here for you.\n{BRIEF}"}),
        ("short", {"examinee": "See her."}),
        ("long", {"environment_controller": "The room is quiet. " * 6000}),
        ("note", {"examinee": f"{BRIEF} ~~Nothing.~~"}),
    ],
)
def test_each_rule_for_packets_finds_what_breaks_it(code: str, texts: dict[str, str], tmp_path: Path) -> None:
    assert code in packet(tmp_path, texts, ITEMS)


@pytest.mark.parametrize(
    ("code", "items"),
    [
        ("empty", {}),
        ("negative", {"PC": ["Fails to wash hands before touching the patient"]}),
        ("level", {"PC": ["Poor: says nothing", "Good: says everything"]}),
        ("finding", {"PC": ["The patient has a temperature of 39.2 °C"]}),
        ("duplicate", {"PC": ["Washes the hands", "Washes the hands"]}),
        ("short", {"PC": ["Listens"]}),
        ("long", {"PC": ["Explains " + "and once more " * 30]}),
    ],
)
def test_items_of_a_packets_rubric_are_looked_over(
    code: str, items: dict[str, list[str]], tmp_path: Path
) -> None:
    problem = packet(tmp_path, {"examinee": BRIEF}, items)[code]
    assert problem.level == ("error" if code == "empty" else "warning")


def test_rubrics_of_one_case_are_named() -> None:
    held = {one.id: one.items for one in open_scenarios(str(CASES)) if one.items is not None}
    assert [(name, problem.code) for name, problem in lint_together(held)] == [
        ("mededportal_90001/scenario2", "same_case"),
        ("mededportal_90001/scenario10", "same_case"),
    ]


def test_a_packet_without_a_rubric_cannot_be_judged(tmp_path: Path) -> None:
    assert packet(tmp_path, {"examinee": BRIEF})["no-rubric"].level == "error"


@pytest.mark.parametrize(
    ("path", "code", "errors", "rejected"),
    [(str(SMALL), 0, 0, 0), (str(CASES), 1, 1, 3)],
)
def test_the_command_says_errors_and_warnings_apart(path: str, code: int, errors: int, rejected: int) -> None:
    done = CliRunner().invoke(app, ["scenario", "lint", path, "--json"])
    value = json.loads(done.stdout)
    assert (done.exit_code, value["errors"], value["rejected"]) == (code, errors, rejected)
    assert value["errors"] + value["warnings"] == len(value["problems"]) == sum(value["counts"].values())


def test_folders_that_are_no_packets_are_listed_too() -> None:
    assert len(packets_of(CASES)) == 6
