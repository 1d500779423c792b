"""`osler author`: standardized-patient scenarios made from a folder of source material."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from osler.authoring.scenarios.inventory import DRAFTS
from osler.authoring.scenarios.layout import case_id_of
from osler.cli.model_options import MaxMoney, TokenBudget
from osler.cli.options import AsJson, ConfigFile, StoreUrl
from osler.cli.output import NOTHING_DONE, command, plain, result, say, some
from osler.errors import BadInput
from osler.models.config import Config, configured

if TYPE_CHECKING:
    from osler.authoring.scenarios.asking import Seat
    from osler.authoring.scenarios.pipeline import PipelineRequest

app = typer.Typer(no_args_is_help=True, help="Make scenarios from source material.")


@app.callback()
def about() -> None:
    """Make scenarios from source material."""


@app.command("scenario")
@command
def scenario(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder with the source files of one case.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The folder to work in.  [default: FOLDER/osler-draft for the draft, ./FOLDER-scenarios for "
            "what is released]",
            show_default=False,
        ),
    ] = None,
    play: Annotated[
        bool, typer.Option("--play", help="Play the draft at once, judge it, and print the debriefing.")
    ] = False,
    examinee: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="With --play, as in `osler scenario play`.  [default: person at a terminal, else baseline]",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write the draft anew even if you have edited it.")
    ] = False,
    store: StoreUrl = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="An endpoint of osler.toml for all steps, or for one: triage=NAME, packets=NAME, "
            "rubric=NAME, audit=NAME. May be given several times.",
        ),
    ] = None,
    case_id: Annotated[
        str | None, typer.Option(help="The case's id; derived from the folder's name if omitted.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Only show the current state.")] = False,
    token_budget: TokenBudget = None,
    max_money: MaxMoney = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Make scenarios from documents: a draft to play by rule, or with a model packets of four roles.

    Without --model, headings and role folders tell the parts, and the draft is written with everything to be
    checked; --play plays it at once. With --model: read, sort, write the four roles, audit, extract the
    rubric. Running the command again does only what changed or is pending, and keeps what you have edited.
    Exits 1 if a serious audit finding holds a packet back.
    """
    # Imported here because these are slow to import, and `osler --help` needs none of them.
    from osler.authoring.scenarios.pipeline import in_role_folders, shown  # noqa: PLC0415 - import time
    from osler.cli.author_draft import drafted, lines_of_draft, played  # noqa: PLC0415 - import time

    if play and (model or show):
        raise BadInput(
            "plays the draft that is made without a model",
            where="--play",
            hint="leave out --model and --show",
        )
    name = folder.resolve().name
    id_ = case_id_of(case_id, name)
    if show:
        request = _shown(folder, out, id_)
        state: dict[str, Any] = shown(request)
        result(as_json, state, plain("\n".join(_lines(state, request))))
    else:
        found = configured(config)
        seats = _seats(model or ())
        alone = not seats and not in_role_folders(folder)
        request = _wanted(folder, out, id_, alone=alone)
        state = asyncio.run(_made(request, seats, found, token_budget, max_money))
        say("Scenarios made here are drafts for clinicians to review: for education and research only.")
        made = None if seats else drafted(request, out or folder / DRAFTS, force=force)
        lines = _lines({**state, "steps": []} if alone and made else state, request)
        shown_: list[Any] = [plain("\n".join(lines))]
        if not seats:
            state["draft"] = made and made.value
            shown_.append(plain("\n".join(lines_of_draft(made))))
        if play:
            if made is None:
                raise BadInput(
                    "holds nothing to play: no actor's brief and no mark sheet were found",
                    where=str(folder),
                    hint='head them "Candidate instructions", "Actor brief", "Findings", "Mark scheme"',
                )
            if not as_json:
                result(False, {}, *shown_)
            draft_play = played(made, examinee, store, as_json=as_json)
            state["play"], shown_ = draft_play.value, draft_play.shown
        result(as_json, state, *shown_)
    if any(one["blocking"] for one in state["scenarios"]):
        raise typer.Exit(NOTHING_DONE)


def _wanted(folder: Path, out: Path | None, case_id: str, *, alone: bool) -> PipelineRequest:
    """The request; a draft `alone` is worked on in its own folder."""
    from osler.authoring.scenarios.pipeline import PipelineRequest  # noqa: PLC0415 - import time

    place = folder / DRAFTS if alone else Path(f"{folder.resolve().name}-scenarios")
    return PipelineRequest(folder, out or place, case_id)


def _shown(folder: Path, out: Path | None, case_id: str) -> PipelineRequest:
    """The request whose state is shown: what is released before a draft."""
    released = _wanted(folder, out, case_id, alone=False)
    alone = not released.out.exists() and (folder / DRAFTS).exists()
    return _wanted(folder, out, case_id, alone=alone)


def _seats(models: list[str] | tuple[str, ...]) -> dict[Seat, str]:
    """The endpoint for each step: a name for all steps, overridden by those named for one step."""
    from osler.authoring.scenarios.asking import SEATS  # noqa: PLC0415 - import time

    every = [name for name in models if "=" not in name]
    if len(every) > 1:
        raise BadInput(
            f"{' and '.join(every[:2])} are both given for all steps",
            where="--model",
            hint="name the step: --model audit=NAME",
        )
    seats: dict[Seat, str] = dict.fromkeys(SEATS, every[0]) if every else {}
    for model in models:
        step, said, name = model.partition("=")
        if said:
            seat = next((one for one in SEATS if one == step), None)
            if seat is None or not name:
                hint = f"{', '.join(SEATS)}"
                raise BadInput(f"there is no step {step!r}", where="--model", hint=f"one of {hint}")
            seats[seat] = name
    return seats


async def _made(
    request: PipelineRequest,
    seats: dict[Seat, str],
    config: Config,
    token_budget: int | None,
    max_money: float | None,
) -> dict[str, Any]:
    from osler.authoring.scenarios.asking import Asker  # noqa: PLC0415 - import time
    from osler.authoring.scenarios.pipeline import author  # noqa: PLC0415 - import time
    from osler.authoring.scenarios.steps import digest  # noqa: PLC0415 - import time
    from osler.models.budget import Limits  # noqa: PLC0415 - import time
    from osler.models.open_models import Models  # noqa: PLC0415 - import time

    async with Models(config, limits=Limits(token_budget, max_money)) as models:
        askers = {
            seat: Asker(models.client(name), f"{name} {digest(config.endpoint(name).serving.decode())[:12]}")
            for seat, name in seats.items()
        }
        state = await author(request, askers)
        return {**state, "usage": models.ledger.total.as_json()}


def _lines(state: dict[str, Any], request: PipelineRequest) -> list[str]:
    kinds = ", ".join(
        f"{name} {held['files']} ({held['read']} read)" for name, held in state["by_modality"].items()
    )
    lines = [f"case {state['case_id']}: {kinds}"]
    lines += some([f"  not read: {one['file']}: {one['reason']}" for one in state["unread"]])
    lines += _steps(state["steps"])
    if state["simulatable"] is False:
        return [*lines, f"cannot be played: {state['reason']}"]
    for one in state["scenarios"]:
        lines += ["", f"{one['scenario']}: {one['title']}", *_steps(one["steps"])]
        by = ", ".join(f"{name} {count}" for name, count in one["items_by_competency"].items())
        lines.append(f"  items: {by}")
        lines += some([f"  covers only part of a statement: {each}" for each in one["parts"]])
        lines += some([f"  refused: {each['text']} ({each['why']})" for each in one["refused"]])
        lines += some([f"  possibly omitted: {each}" for each in one["left_out"]])
        open_ = [each for each in one["findings"] if not each["accepted"]]
        lines += some([_finding(each) for each in open_])
        lines += [f"  {remark}" for remark in one["remarks"]]
        where = request.out / "packets" / state["case_id"] / one["scenario"]
        if one["released"]:
            lines.append(f"  released: {where}, with its rubric and reviewers' sheets")
        elif one["blocking"]:
            drafts = request.out / "drafts" / state["case_id"] / one["scenario"]
            lines.append(
                f"  held back: fix the files in {drafts} and run again, or accept a finding by adding"
            )
            lines.append(f'  a line "ID": reason to {request.out / "accepted.yaml"}')
    return lines


def _steps(steps: list[list[str]]) -> list[str]:
    return [f"  {step}: {state} ({what})" for step, state, what in steps]


def _finding(one: dict[str, Any]) -> str:
    quote = f' "{one["quote"][:120]}"' if one["quote"] else ""
    return f"  {one['severity']} {one['id']} {one['file']}: {one['what']}{quote} - {one['mend']}"


@app.command("review")
@command
def review_(
    sheets: Annotated[
        list[Path], typer.Argument(metavar="SHEET...", help="The completed sheets of two reviewers.")
    ],
    as_json: AsJson = False,
) -> None:
    """Inter-rater agreement of two clinicians' sheets, with intervals, and where they differ."""
    from osler.authoring.scenarios.reviewing import review  # noqa: PLC0415 - import time

    found = review(sheets)
    value = {
        **found._asdict(),
        "agreement": {
            question: {
                "share": asdict(one.share),
                "kappa": asdict(one.kappa),
                "ac1": asdict(one.ac1),
                "reason": one.reason,
            }
            for question, one in found.agreement.items()
        },
        "differences": [one._asdict() for one in found.differences],
        "refused_by_both": [one._asdict() for one in found.refused_by_both],
    }
    lines = [
        f"{' and '.join(found.reviewers)}: {found.rows} rows, {found.unfilled} not completed by both; "
        f"95 % intervals, clustered by {found.clustered_by}"
    ]
    for question, one in found.agreement.items():
        figures = [f"same {_figure(one.share)}"]
        if not one.reason or one.ac1.value is not None:
            figures += [f"kappa {_figure(one.kappa)}", f"AC1 {_figure(one.ac1)}"]
        reason = f"; {one.reason}" if one.reason else ""
        lines.append(f"  {question}: {', '.join(figures)}; n {one.share.n}{reason}")
    for each in found.differences:
        first, second = each.answers
        lines.append(f"  differ, {each.question}: {first} / {second}: {each.text[:100]}")
    lines += [f"  rejected by both: {each.text[:100]}" for each in found.refused_by_both]
    result(as_json, value, plain("\n".join(lines)))


def _figure(found: Any) -> str:
    if found.value is None:
        return "none"
    if found.low is None:
        return f"{found.value:.2f} (no interval)"
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
