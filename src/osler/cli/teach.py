"""`osler teach prepare`: give cases Socratic steps, sibling questions and a patient script."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from osler.cases.importers import write_case
from osler.cases.model import Case, TeachingPlan
from osler.cli.case_files import Format, opened, say_rejected
from osler.cli.options import AsJson, ConfigFile, ImageFiles, Limit, takes_images
from osler.cli.output import NOTHING_DONE, command, plain, result, say, some
from osler.errors import BadCase, BadInput, InfrastructureFault
from osler.files import write_whole
from osler.models.config import configured

AT_ONCE = 8
app = typer.Typer(help="Teaching: prepare cases for ward rounds.", no_args_is_help=True)


class _One(NamedTuple):
    """The outcome for one case: prepared, with remaining problems, or refused with a reason."""

    case: Case
    script: dict[str, Any] | None = None
    problems: tuple[str, ...] = ()
    refused: str = ""


@app.command("prepare")
@command
@takes_images
def prepare(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, generated:N:SEED, a file or folder.")
    ],
    out: Annotated[Path, typer.Option(help="The folder to write to, one YAML file per case.")],
    scripts: Annotated[
        Path | None, typer.Option(help="A folder for the patient scripts, in the published format.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Let this endpoint of osler.toml write them.")
    ] = None,
    limit: Limit = None,
    seed: Annotated[int, typer.Option(help="The model's random seed.")] = 0,
    config: ConfigFile = None,
    *,
    pictured: ImageFiles,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Prepare cases for teaching: steps, sibling questions and a patient script, each of them checked.

    Without a model, steps are derived from the structured case, and an existing plan is kept. Running the
    same command again keeps the cases already written.
    """
    source = opened(cases, format, pictured)
    wanted = [case for case in islice(source, limit) if not (out / f"{case.id}.yaml").exists()]
    kept = sum((out / f"{case.id}.yaml").exists() for case in islice(source, limit))
    unread = say_rejected(source)
    used: dict[str, Any] = {}
    done: list[_One] = []
    stopped = ""
    try:
        if model is None:
            done += map(_keeping(out, scripts), _built_in(wanted))
        else:
            say("Steps and scripts written by a language model are unreviewed.")
            stopped = _by_model(wanted, model, config, seed, _keeping(out, scripts), done, used)
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror or error}", where=str(out)) from None
    _tell(done, kept, unread, stopped, used, as_json)


def _built_in(cases: list[Case]) -> Iterator[_One]:
    from osler.authoring.preparing.checks import wrong_with_plan, wrong_with_script  # noqa: PLC0415 - import time
    from osler.authoring.preparing.script import published, script_of  # noqa: PLC0415 - import time
    from osler.authoring.preparing.siblings import NONE_TO_ASK  # noqa: PLC0415 - import time
    from osler.authoring.preparing.steps import plan_of  # noqa: PLC0415 - import time

    for case in cases:
        plan, script = plan_of(case), script_of(case)
        # An author's own plan may teach more than the case holds; one made here or imported may not.
        ours = case.teaching is not None and case.provenance.author is not None
        wrong = (*(() if ours else wrong_with_plan(plan, case)), *wrong_with_script(script, plan, case))
        notes = () if plan.siblings else (f"note: teaching: {NONE_TO_ASK}",)
        yield _One(_with(case, plan, wrong, *notes), published(script), wrong)


def _by_model(
    cases: list[Case],
    model: str,
    config: Path | None,
    seed: int,
    keep: Any,
    done: list[_One],
    used: dict[str, Any],
) -> str:
    """Prepare with a model, several concurrently; return why it stopped early, "" if it did not."""
    # Imported here because the HTTP client takes a third of a second and few commands talk to a model.
    from osler.authoring.preparing import by_model  # noqa: PLC0415 - import time
    from osler.authoring.preparing.script import published  # noqa: PLC0415 - import time
    from osler.prompts import prompt  # noqa: PLC0415 - import time
    from osler.runs.seating import open_models  # noqa: PLC0415 - import time

    opened = open_models([f"model:{model}"], configured(config))

    async def one(case: Case) -> _One:
        try:
            made = await by_model.prepare(opened.client(model), case, seed)
        except BadCase as error:
            return _One(case, refused=str(error))
        who = f"the language model of endpoint {model}, prompt {prompt(by_model.TEMPLATE).hash}"
        note = f"note: teaching plan by {who}"
        return _One(_with(case, made.plan, (), note), published(made.script))

    async def each() -> AsyncIterator[_One]:
        for at in range(0, len(cases), AT_ONCE):
            for taught in await asyncio.gather(*(one(case) for case in cases[at : at + AT_ONCE])):
                yield taught

    async def run() -> None:
        async with opened:
            async for taught in each():
                done.append(keep(taught))

    stopped = ""
    try:
        asyncio.run(run())
    except InfrastructureFault as error:
        stopped = f"{error}; run the same command again to continue"
    used |= opened.ledger.total.as_json()
    return stopped


def _with(case: Case, plan: TeachingPlan, wrong: tuple[str, ...], *notes: str) -> Case:
    """The case with its plan; problems with the plan are kept in the case as remarks."""
    remarks = (*notes, *(f"note: teaching: {line}" for line in wrong))
    provenance = case.provenance.model_copy(update={"flags": (*case.provenance.flags, *remarks)})
    return case.model_copy(update={"teaching": plan, "provenance": provenance})


def _keeping(out: Path, scripts: Path | None) -> Any:
    def keep(one: _One) -> _One:
        if not one.refused:
            write_case(one.case, out)
            if scripts is not None and one.script is not None:
                text = json.dumps(one.script, ensure_ascii=False, indent=1)
                write_whole(scripts / f"{one.case.id}.json", f"{text}\n")
        return one

    return keep


def _tell(
    done: list[_One], kept: int, unread: int, stopped: str, used: dict[str, Any], as_json: bool
) -> None:
    value = {
        **_figures(done),
        "kept": kept,
        "rejected": unread,
        "stopped": stopped or None,
        **({"usage": used} if used else {}),
    }
    lines = [f"prepared {value['prepared']}, already there {kept}, refused {value['refused']}"]
    if unread:
        lines[0] += f", not read {unread}"
    lines.append(f"{value['steps']} steps; sibling questions for {value['with_siblings']}")
    if bare := value["without_siblings"]:
        lines.append(
            f"no sibling questions for {len(bare)}, so their learning gain is unscored; --json names them"
        )
    notes = [f"  {one['case']}: {one['problem']}" for one in value["problems"]]
    notes += [f"  {one['case']}: refused: {one['reason']}" for one in value["reasons"]]
    lines += some(notes)
    if stopped:
        lines.append(f"stopped: {stopped}")
    result(as_json, value, plain("\n".join(lines)))
    if stopped or not (value["prepared"] or kept):
        raise typer.Exit(NOTHING_DONE)


def _figures(done: Sequence[_One]) -> dict[str, Any]:
    """The cases that were prepared or refused, in numbers, with the problems and the reasons."""
    made = [one for one in done if not one.refused]
    plans = [one.case.teaching for one in made if one.case.teaching]
    return {
        "prepared": len(made),
        "refused": len(done) - len(made),
        "steps": sum(len(plan.steps) for plan in plans),
        "with_siblings": sum(bool(plan.siblings) for plan in plans),
        "without_siblings": [
            one.case.id for one in made if one.case.teaching and not one.case.teaching.siblings
        ],
        "with_problems": sum(bool(one.problems) for one in made),
        "problems": [{"case": one.case.id, "problem": line} for one in made for line in one.problems],
        "reasons": [{"case": one.case.id, "reason": one.refused} for one in done if one.refused],
    }
