"""`osler play`: play the doctor or the patient of one case yourself."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.cases.door_note import Shown
from osler.cases.lint import for_machines
from osler.cases.made_up import NOT_FOR_LEARNERS
from osler.cases.scenarios.sources import is_library_scenario, open_scenarios
from osler.cli.case_files import Format, find_case
from osler.cli.continuing import store_flag
from osler.cli.model_options import takes_models
from osler.cli.options import AsJson, ImageFiles, SecondReaderName, Seed, StoreUrl, takes_images
from osler.cli.output import command, say
from osler.cli.playing import play_all, sit, tell
from osler.cli.terminal import Terminal
from osler.core.role import PERSON
from osler.errors import BadInput
from osler.knowledge.help_lines import help_lines
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.debrief import Played
from osler.protocols.consultation.practice import TESTS_OF_A_PERSON, TURNS_OF_A_PERSON, practice
from osler.protocols.consultation.settings import Settings
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.practice import practice as of_scenarios
from osler.runs import run as runs
from osler.runs.judging import JudgeOptions
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import open_store

# No detail before the case: it would give away what the learner has to find out.
DISTRESSING = "This case may be distressing. /pause steps out of it at any time, and is never scored."
AFTERWARDS = "If this case has touched something of your own, talk to somebody you trust, or to one of these:"


@command
@takes_images
@takes_models()
def play(
    case: Annotated[
        str,
        typer.Argument(
            metavar="CASE",
            help="The id of a library case or scenario, or FILE#ID; FILE alone if it holds a single case.",
        ),
    ],
    seat: Annotated[Played, typer.Option("--as", help="The seat you take.")] = "doctor",
    doctor: Annotated[
        str, typer.Option(help="The doctor, if you play the patient: baseline or model:NAME.")
    ] = "baseline",
    patient: Annotated[
        str, typer.Option(help="The patient, if you play the doctor: baseline or model:NAME.")
    ] = "baseline",
    consultant: Annotated[
        str, typer.Option(help="The consultant you can ask: none or baseline.")
    ] = "baseline",
    persona: Annotated[
        str,
        typer.Option(
            help="The patient's persona: plain, anxious, stoic, talkative, skeptical, or patient-042 etc."
        ),
    ] = "plain",
    seed: Seed = 0,
    max_turns: Annotated[
        int, typer.Option(min=1, max=1000, help="Limit on the doctor's turns over all visits.")
    ] = TURNS_OF_A_PERSON,
    max_tests: Annotated[
        int, typer.Option(min=0, help="Limit on tests per visit; examinations do not count.")
    ] = TESTS_OF_A_PERSON,
    opening: Annotated[
        Shown,
        typer.Option(
            help="What the doctor begins with: the whole note of the source, or age, sex and complaint alone."
        ),
    ] = "objective",
    ground: Annotated[
        bool,
        typer.Option("--ground", help="When you play the patient, reject replies that no fact supports."),
    ] = False,
    second_reader: SecondReaderName = None,
    *,
    modelling: ModelOptions,
    pictured: ImageFiles,
    store: StoreUrl = None,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Play one case, or one station, yourself; at the end, see what you did and what to do next time."""
    if is_library_scenario(case):
        if seat != "doctor":
            raise BadInput("a station is played by its examinee", where="--as", hint="omit --as")
        _station(case, patient, persona, seed, modelling, store, as_json)
        return
    cases, found = find_case(case, format, pictured)
    wanted = RunConfig(
        cases=cases,
        format=format,
        **pictured._asdict(),
        only=found.id,
        doctor=PERSON if seat == "doctor" else doctor,
        patient=PERSON if seat == "patient" else patient,
        consultant=consultant,
        persona=persona,
        seed=seed,
        ground=ground or second_reader is not None,
        second_reader=second_reader,
        settings=Settings(opening=opening),
    )
    wanted = practice(wanted, max_turns, max_tests)
    say("For education and research only. Not medical advice; no real patient's data, please.")
    if for_machines(found):
        say(NOT_FOR_LEARNERS)
    hard = bool(found.provenance.content_warnings)
    if hard:
        say(DISTRESSING)
    seated = open_cast(wanted, modelling, channel=Terminal())
    with open_store(store) as opened:
        run = runs.begin(seated.config, opened, seated.more, about=seated.about)
        told = sit(run, opened, seated, modelling, 1, given=store, as_json=as_json)
        flag = store_flag(opened, store)
    tell([told], as_json, None, flag)
    if hard:
        say("\n".join([AFTERWARDS, *help_lines()]))


def _station(
    name: str,
    patient: str,
    persona: str,
    seed: int,
    modelling: ModelOptions,
    store: str | None,
    as_json: bool,
) -> None:
    """Play a scenario of the library as its examinee, judged by its rubric."""
    wanted = ScenarioConfig(
        cases=name,
        examinee=PERSON,
        patient=patient,
        persona=persona,
        seed=seed,
    )
    (found,) = open_scenarios(name)
    hard = bool(found.provenance.content_warnings)
    if hard:
        say(DISTRESSING)
    judging = JudgeOptions("keyed", models=modelling)
    play_all([of_scenarios(wanted)], modelling, 1, as_json, given=store, judging=judging)
    if hard:
        say("\n".join([AFTERWARDS, *help_lines()]))
