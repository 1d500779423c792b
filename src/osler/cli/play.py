"""`osler play`: play the doctor or the patient of one case yourself."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.cli.case_files import Format, find_case
from osler.cli.model_options import takes_models
from osler.cli.options import AsJson, SecondReaderName, Seed, StoreUrl
from osler.cli.output import command, say
from osler.cli.playing import sit, store_flag, tell
from osler.cli.terminal import Terminal
from osler.core.role import PERSON
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.debrief import Played
from osler.protocols.consultation.rules import Limits
from osler.protocols.consultation.story import Settings
from osler.runs import run as runs
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import open_store


@command
@takes_models()
def play(
    case: Annotated[
        str,
        typer.Argument(
            metavar="CASE", help="A library case's id, or FILE#ID; FILE alone if it holds a single case."
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
    ] = 40,
    ground: Annotated[
        bool,
        typer.Option("--ground", help="When you play the patient, reject replies that no fact supports."),
    ] = False,
    second_reader: SecondReaderName = None,
    *,
    modelling: ModelOptions,
    store: StoreUrl = None,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Play one case yourself; at the end, see your score and what you asked, missed or did unsafely."""
    cases, found = find_case(case, format)
    wanted = RunConfig(
        cases=cases,
        format=format,
        only=found.id,
        doctor=PERSON if seat == "doctor" else doctor,
        patient=PERSON if seat == "patient" else patient,
        consultant=consultant,
        persona=persona,
        seed=seed,
        ground=ground or second_reader is not None,
        second_reader=second_reader,
        settings=Settings(limits=Limits(max_turns=max_turns), options="shown"),
    )
    say("For education and research only. Not medical advice; no real patient's data, please.")
    seated = open_cast(wanted, modelling, channel=Terminal())
    with open_store(store) as opened:
        run = runs.begin(seated.config, opened, seated.more, about=seated.about)
        told = sit(run, opened, seated, modelling, 1, given=store, as_json=as_json)
        flag = store_flag(opened, store)
    tell([told], as_json, None, flag)
