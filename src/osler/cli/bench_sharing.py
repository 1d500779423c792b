"""`osler bench submit` and `osler bench verify`: runs shared with all that their figures rest on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import ValidationError
from rich.table import Table as Shown

from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import NOTHING_DONE, add_row, command, plain, result, say
from osler.errors import BadInput, in_words
from osler.models.config import configured
from osler.models.prices import Prices, prices_in
from osler.runs.endpoints import ENDPOINTS
from osler.store.records import RunInfo
from osler.store.store import open_store
from osler.studies.bench.exports import Board, export_eval_results, export_every_eval_ever
from osler.studies.bench.run_card import Statement
from osler.studies.bench.submission import submit
from osler.studies.bench.verify import verify

_SHOWN = 20


@command
def bench_submit(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ended runs, or `last`.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The new folder.")],
    submitter: Annotated[str, typer.Option(help="Who made the runs.")],
    relation: Annotated[
        Literal["first-party", "third-party"],
        typer.Option(help="first-party: you made the model under test; third-party: others did."),
    ] = "third-party",
    cutoff: Annotated[
        str | None,
        typer.Option(
            help="The date to which the model under test was trained, as its maker says, or unknown.",
            show_default=False,
        ),
    ] = None,
    trained_on: Annotated[
        Literal["no", "yes", "unknown"] | None,
        typer.Option(
            help="Whether it was trained on these cases, or on encounters played with them.",
            show_default=False,
        ),
    ] = None,
    notes: Annotated[str, typer.Option(help="What else a reader should know.")] = "",
    with_cases: Annotated[
        bool,
        typer.Option("--with-cases/--without-cases", help="Share the cases, so that all can be checked."),
    ] = True,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The osler.toml with the prices.", show_default=False),
    ] = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Write a folder from which everybody can compute the figures of these runs again.

    It holds the encounters, the calls to models without what they were sent, the cases, and a card. What you
    say of yourself and of the training stands on the card as your statement.
    """
    with open_store(store, create=False) as opened:
        found = [opened.run(name) for name in runs]
        played_on = max((run.created_at for run in found), default=datetime.now(UTC)).date()
        stated = {"cutoff": cutoff, "trained_on": trained_on}
        statement = _statement(
            submitter=submitter,
            relation=relation,
            made_on=played_on,
            notes=notes,
            **{name: value for name, value in stated.items() if value is not None},
        )
        card = submit(found, opened, out, statement, _prices(found, config), with_cases=with_cases)
    grid = Shown("run", "player", "standing", "headline", "95 %", "n", "unscored")
    for run in card["runs"]:
        one = run["measures"][run["headline"]]
        reach = "-" if one["low"] is None else f"{one['low']:.3g} to {one['high']:.3g}"
        value = "-" if one["value"] is None else f"{one['value']:.3g}"
        add_row(
            grid,
            run["run"],
            run["player"],
            run["standing"],
            value,
            reach,
            str(one["n"]),
            str(one["unscored"]),
        )
    result(as_json, {"folder": str(out), "card": card}, grid)
    say(f"Card {card['hash']}: {out}. Check it: osler bench verify {out}")


def _statement(**fields: Any) -> Statement:
    """The submitter's statement. Raises BadInput, naming the field."""
    try:
        return Statement(**fields)
    except ValidationError as error:
        raise BadInput(in_words(error), where="the statement") from None


def _prices(runs: list[RunInfo], file: Path | None) -> dict[str, Prices]:
    """The prices of the runs' endpoints: those that a run was begun with, else those that the configuration
    gives. Raises BadInput if runs were played at different prices: a card has one for each endpoint."""
    names = {name for run in runs for name in run.manifest.get(ENDPOINTS, {})}
    if not names:
        return {}
    usual = {
        name: Prices(price_in=one.price_in, price_out=one.price_out, price_cached=one.price_cached)
        for name, one in configured(file).endpoints.items()
        if one.price_in is not None and one.price_out is not None
    }
    result: dict[str, Prices | None] = {}
    for run in runs:
        begun_at = prices_in(run.manifest)
        for name in run.manifest.get(ENDPOINTS, {}):
            prices = begun_at.get(name) or usual.get(name)
            if result.setdefault(name, prices) != prices:
                raise BadInput(f"{name} had other prices", where=run.name, hint="share these runs apart")
    return {name: prices for name, prices in sorted(result.items()) if prices is not None}


@command
def bench_verify(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of osler bench submit.")],
    as_json: AsJson = False,
) -> None:
    """Compute every figure of a shared folder again, from it alone, and play its encounters once more.

    Exits with 1 if anything is not as it says. Nothing that the folder names is opened, imported or asked.
    """
    found = verify(folder)
    checked = ", ".join(f"{count:,} {what}" for what, count in sorted(found.checked.items()))
    verdict = "As it says" if found.ok else "NOT as it says"
    if found.ok and found.unchecked:
        verdict = "As it says, as far as it could be checked"
    lines = [f"{verdict}. Checked: {checked or 'nothing'}."]
    lines += [f"Not checked: {line}." for line in found.unchecked]
    for one in found.failures[:_SHOWN]:
        lines.append(f"- {one.what} at {one.where}: it says {one.said}, and it is {one.found}")
    if len(found.failures) > _SHOWN:
        lines.append(f"... and {len(found.failures) - _SHOWN} more; --json has up to 500.")
    result(as_json, found.as_json(), plain("\n".join(lines)))
    if not found.ok:
        raise typer.Exit(NOTHING_DONE)


@command
def bench_export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of osler bench submit.")],
    form: Annotated[
        Literal["every-eval-ever", "eval-results"],
        typer.Option(
            "--format", help="every-eval-ever: schema 0.2.2; eval-results: for .eval_results/ on the Hub."
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The new folder.")],
    dataset: Annotated[
        str, typer.Option(metavar="OWNER/NAME", help="eval-results: the benchmark's data set on the Hub.")
    ] = "",
    task: Annotated[str, typer.Option(help="eval-results: the task, as its eval.yaml calls it.")] = "",
    revision: Annotated[str, typer.Option(help="eval-results: the revision of the data set.")] = "",
    source: Annotated[
        str, typer.Option(metavar="URL", help="eval-results: the address at which others find these runs.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Write a shared folder's runs with a model under test for a catalogue of results.

    The folder is verified before. An export says nothing that the card does not.
    """
    if form == "eval-results":
        names = export_eval_results(folder, out, Board(dataset, task, revision, source))
    else:
        names = export_every_eval_ever(folder, out)
    files = [str(out / name) for name in names]
    result(as_json, {"format": form, "files": files}, plain("\n".join(files)))
