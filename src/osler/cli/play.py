"""`osler play`: play the doctor or the patient of one case yourself."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from osler.cases.lint import for_machines
from osler.cases.made_up import NOT_FOR_LEARNERS
from osler.cases.scenarios.sources import is_library_scenario, open_scenarios
from osler.cli.case_files import find_case
from osler.cli.continuing import store_flag
from osler.cli.field_options import Fields, configured, takes_fields
from osler.cli.model_options import takes_models
from osler.cli.options import AsJson, ImageFiles, StoreUrl
from osler.cli.output import command, say
from osler.cli.playing import play_all, sit, tell
from osler.cli.processes import PlayOptions
from osler.cli.terminal import Terminal
from osler.core.role import PERSON
from osler.errors import BadInput
from osler.knowledge.help_lines import help_lines
from osler.protocols.consultation.config import TESTS_OF_A_PERSON, TURNS_OF_A_PERSON, RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.runs import run as runs
from osler.runs.judging import JudgeOptions
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import open_store

# No detail before the case: it would give away what the learner has to find out.
DISTRESSING = "This case may be distressing. /pause steps out of it at any time, and is never scored."
AFTERWARDS = "If this case has touched something of your own, talk to somebody you trust, or to one of these:"


_FIELDS = (
    *("doctor", "patient", "consultant", "persona", "ground", "second_reader", "settings.opening"),
    *("settings.limits.max_turns", "settings.limits.max_tests_per_visit"),
    *("seed", "format", "images", "without_images"),
)


@command
@takes_fields(
    RunConfig,
    *_FIELDS,
    usual={
        "consultant": "baseline",
        "settings.limits.max_turns": TURNS_OF_A_PERSON,
        "settings.limits.max_tests_per_visit": TESTS_OF_A_PERSON,
    },
)
@takes_models()
def play(
    case: Annotated[
        str,
        typer.Argument(
            metavar="CASE",
            help="The id of a library case or scenario, or FILE#ID; FILE alone if it holds a single case.",
        ),
    ],
    seat: Annotated[Literal["doctor", "patient"], typer.Option("--as", help="The seat you take.")] = "doctor",
    *,
    fields: Fields,
    modelling: ModelOptions,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Play one case, or one station, yourself; at the end, see what you did and what to do next time."""
    if is_library_scenario(case):
        if seat != "doctor":
            raise BadInput("a station is played by its examinee", where="--as", hint="omit --as")
        _station(case, fields, modelling, store, as_json)
        return
    pictured = ImageFiles(fields.get("images"), fields.get("without_images", False))
    cases, result = find_case(case, fields.get("format", "auto"), pictured)
    own = {"cases": cases, "only": result.id, seat: PERSON, "ground": True}
    if not (fields.get("ground") or fields.get("second_reader")):
        del own["ground"]
    config, _ = configured(RunConfig, {**fields, **own}, {}, [])
    limits = config.settings.limits
    config = config.practised(limits.max_turns, limits.max_tests_per_visit)
    say("For education and research only. Not medical advice; no real patient's data, please.")
    if for_machines(result):
        say(NOT_FOR_LEARNERS)
    hard = bool(result.provenance.content_warnings)
    if hard:
        say(DISTRESSING)
    seated = open_cast(config, modelling, channel=Terminal())
    with open_store(store) as opened:
        run = runs.begin(seated.config, opened, seated.more, about=seated.about)
        figures = sit(run, opened, seated, PlayOptions(modelling, store=store), as_json=as_json)
        flag = store_flag(opened, store)
    tell([figures], as_json, None, flag)
    if hard:
        say("\n".join([AFTERWARDS, *help_lines()]))


def _station(
    name: str,
    fields: Fields,
    modelling: ModelOptions,
    store: str | None,
    as_json: bool,
) -> None:
    """Play a scenario of the library as its examinee, judged by its rubric."""
    shared = {field: fields[field] for field in ("patient", "persona", "seed") if field in fields}
    config = ScenarioConfig(cases=name, examinee=PERSON, **shared)
    (result,) = open_scenarios(name)
    hard = bool(result.provenance.content_warnings)
    if hard:
        say(DISTRESSING)
    judging = JudgeOptions("keyed", models=modelling)
    play_all([config.practised()], PlayOptions(modelling, store=store), as_json, judging=judging)
    if hard:
        say("\n".join([AFTERWARDS, *help_lines()]))
