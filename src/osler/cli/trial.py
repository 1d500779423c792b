"""`osler trial`: a real model in every seat for some minutes; figures and a redacted trace to send back."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

import osler
from osler.cli.check_endpoint import check_endpoints
from osler.cli.check_turns import EVERY, chosen
from osler.cli.collector import collect_seldom
from osler.cli.continuing import sigterm_as_ctrl_c
from osler.cli.model_options import MaxMoney
from osler.cli.options import AsJson, ConfigFile
from osler.cli.output import INTERRUPTED, NOTHING_DONE, PAUSED, command, plain, result, say
from osler.cli.trial_page import page
from osler.core.config import Config
from osler.errors import BadInput, InfrastructureFault, OslerError
from osler.files import write_whole
from osler.models.config import Config as Endpoints
from osler.models.config import Endpoint
from osler.models.redaction import Redaction
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.rules import Limits
from osler.protocols.consultation.story import Settings
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.story import ScenarioSettings
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.story import RoundSettings
from osler.runs import run as runs
from osler.runs.dry_run import forecast
from osler.runs.judging import JudgeOptions, judge_by_name
from osler.runs.rejudging import spoken
from osler.runs.seating import ModelOptions, open_cast
from osler.runs.trial_figures import all_calls, endings, seats_of, spent
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.text.hostile import safe

AT_ONCE: Final = 2
CHECK: Final = "check"
STORE: Final = "osler.db"
_LEFT_OUT: Final = ("endpoint", "host")
_EXIT: Final = {"interrupted": INTERRUPTED, "failed": NOTHING_DONE, "paused": PAUSED, "not begun": PAUSED}
"""The exit code for each status of a step that is not "done", the weightiest first."""


class Part(NamedTuple):
    """A part of the trial: its name, and the run to play and judge."""

    name: str
    config: Config


@command
def trial(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The endpoint of osler.toml to try.")],
    out: Annotated[
        Path | None, typer.Option(help="A new folder for the results.  [default: trial-NAME]")
    ] = None,
    minutes: Annotated[
        float, typer.Option(min=0.1, max=600, help="Time limit: no request is begun after these minutes.")
    ] = 15.0,
    max_money: MaxMoney = None,
    store: Annotated[
        bool, typer.Option("--store/--no-store", help="Keep the runs themselves too, which are not redacted.")
    ] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only estimate tokens and cost; no model is asked.")
    ] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Try a model in every seat: check, consultations, a ward round, a scenario, each judged.

    Writes figures.md, figures.json and trace.jsonl, without keys, addresses, folders and user names. Exits 0
    if every part was played, 3 if the endpoint, the time or the money did not suffice; what came is written.
    """
    options = ModelOptions(config, max_money=max_money, keep_prompts=True)
    endpoint = options.endpoints().endpoint(name)
    if max_money is not None and endpoint.price_in is None:
        hint = "set price_in and price_out"
        raise BadInput("a money limit needs prices", where=f"endpoint {name}", hint=hint)
    if dry_run:
        value = estimated(endpoint)
        result(as_json, value, plain("\n".join(f"{key}: {one}" for key, one in value.items())))
        return
    redaction, folder = Redaction(endpoint), out or Path(f"trial-{name}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput("is there already", where=str(folder), hint="name a new folder with --out")
    folder.mkdir(parents=True, exist_ok=True)
    with _stored(folder if store else None) as opened, sigterm_as_ctrl_c():
        tried = Trial(endpoint, opened, options, minutes * 60)
        tried.play()
        figures = redaction.value(tried.figures())
        lines = [json.dumps(redaction.value(one)) + "\n" for one in tried.trace()]
    write_whole(folder / "trace.jsonl", "".join(lines))
    write_whole(folder / "figures.json", json.dumps(figures, indent=1) + "\n")
    write_whole(folder / "figures.md", text := page(figures))
    result(as_json, figures, plain(text))
    say(
        f"Read figures.md and trace.jsonl in {safe(str(folder))} before you send them: keys, addresses,"
        " folders and user names are struck out, but nobody has looked. Then send these two and figures.json."
        + (f" {STORE} is for you alone: it is not redacted." if store else "")
    )
    statuses = {step["status"] for step in figures["steps"]}
    if bad := [code for status, code in _EXIT.items() if status in statuses]:
        raise typer.Exit(bad[0])


def parts(name: str) -> list[Part]:
    """The runs of a trial of an endpoint: small ones, the model in every seat of one of them at least."""
    model, short = f"model:{name}", Limits(max_turns=12)
    return [
        Part("doctor", RunConfig(limit=2, doctor=model, settings=Settings(limits=short))),
        Part(
            "patient, examination and consultant",
            RunConfig(
                limit=1,
                patient=model,
                examination=model,
                consultant=model,
                settings=Settings(limits=short, mdt_every=4),
            ),
        ),
        Part(
            "ward round",
            RoundConfig(
                limit=1,
                tutor=model,
                students=2,
                student=(model,),
                patient=model,
                specialist=model,
                supervisor=model,
                expert=model,
                settings=RoundSettings(max_rounds=2, max_drafts=2),
            ),
        ),
        Part(
            "scenario",
            ScenarioConfig(
                limit=1,
                examinee=model,
                patient=model,
                controller=model,
                settings=ScenarioSettings(max_turns=8),
            ),
        ),
    ]


def estimated(endpoint: Endpoint) -> dict[str, Any]:
    """The estimated calls, tokens and cost of the players of a trial; check and judges come on top."""
    endpoints = Endpoints(endpoints={endpoint.name: endpoint})
    found = [one for part in parts(endpoint.name) for one in forecast(part.config, endpoints)[1].values()]
    costs = [one.cost for one in found]
    return {
        "calls": sum(one.calls for one in found),
        "prompt_tokens": sum(one.prompt_tokens for one in found),
        "completion_tokens": sum(one.completion_tokens for one in found),
        "cost": None if None in costs else round(sum(one or 0.0 for one in costs), 4),
    }


class Trial:
    """A trial under way. Each step ends in a record of it, whatever happens in it."""

    def __init__(self, endpoint: Endpoint, store: Store, options: ModelOptions, seconds: float) -> None:
        self._endpoint, self._store, self._options = endpoint, store, options
        self._began, self._seconds = time.monotonic(), seconds
        self._runs: dict[str, RunInfo] = {}
        self._checks: list[dict[str, Any]] = []
        self._steps: list[dict[str, Any]] = []

    def play(self) -> None:
        """Check the endpoint, then play and judge each part."""
        self._step(CHECK, self._check)
        for part in parts(self._endpoint.name):
            self._step(part.name, partial(self._played, part))
            self._step(f"{part.name}: judge", partial(self._judged, part))

    def figures(self) -> dict[str, Any]:
        """The figures, as JSON; not redacted."""
        return {
            "osler": osler.__version__,
            "model": self._endpoint.model,
            "settings": self._endpoint.settings,
            "capabilities": self._endpoint.capabilities.model_dump(),
            "seconds": round(time.monotonic() - self._began, 1),
            "cost": None if self._endpoint.price_in is None else round(self._spent(), 6),
            "steps": self._steps,
            "check": self._checks,
            "seats": seats_of(self._store, [*self._runs.values()], self._endpoint),
        }

    def trace(self) -> Iterator[dict[str, Any]]:
        """Every call to the model with its messages, raw answer and reasoning; not redacted."""
        for name, run in self._runs.items():
            for row in all_calls(self._store, run):
                place = {"part": name, "ordinal": row.ordinal, "n": row.n, "call": row.call}
                yield place | {key: one for key, one in row.body.items() if key not in _LEFT_OUT}

    def _step(self, name: str, body: Callable[[], dict[str, Any]]) -> None:
        began = time.monotonic()
        if why := self._over():
            found = {"status": "not begun", "why": why}
        else:
            say(f"{name} ...")
            try:
                found = body()
            except KeyboardInterrupt:
                found = {"status": "interrupted", "why": "stopped by hand"}
            except InfrastructureFault as error:
                found = {"status": "paused", "why": str(error)}
            except OslerError as error:
                found = {"status": "failed", "why": str(error)}
            except Exception as error:  # a fault of Osler is a finding too: the other parts go on
                found = {"status": "failed", "why": f"a fault of Osler: {type(error).__name__}: {error}"}
        self._steps.append({"step": name, **found, "seconds": round(time.monotonic() - began, 1)})

    def _over(self) -> str:
        """The reason to begin nothing more, "" if there is none."""
        if any(step["status"] == "interrupted" for step in self._steps):
            return "stopped by hand"
        if self._left_s() <= 0:
            return "the minutes are over"
        if self._steps and not any(one["ok"] for one in self._checks if one["name"] == "answers"):
            return "the endpoint does not answer"
        limit = self._options.max_money
        return "the money is used up" if limit is not None and self._spent() >= limit else ""

    def _left_s(self) -> float:
        return self._seconds - (time.monotonic() - self._began)

    def _spent(self) -> float:
        return spent(self._store, self._runs.values(), self._endpoint)

    def _remaining(self) -> ModelOptions:
        money = self._options.max_money
        left = None if money is None else max(0.0, money - self._spent())
        return self._options._replace(max_money=left, seconds=self._left_s())

    def _check(self) -> dict[str, Any]:
        only = Endpoints(endpoints={self._endpoint.name: self._endpoint})
        prefix = f"endpoint {self._endpoint.name}: "
        for one in check_endpoints(only, online=True, turns=chosen(EVERY)):
            self._checks.append({**one.model_dump(), "name": one.name.removeprefix(prefix)})
        bad = [one["name"] for one in self._checks if not one["ok"]]
        answers = any(one["ok"] for one in self._checks if one["name"] == "answers")
        why = f"not as it should be: {', '.join(bad)}" if bad else ""
        return {"status": "done" if answers else "paused", "why": why}

    def _played(self, part: Part) -> dict[str, Any]:
        seated = open_cast(part.config, self._remaining())
        run = runs.begin(seated.config, self._store, seated.more, about=seated.about)
        self._runs[part.name] = run
        collect_seldom()
        sat = runs.play(run, self._store, concurrency=AT_ONCE, more=seated.more, around=seated.around)
        told = {"planned": run.planned, "episodes": endings(self._store, run)}
        return {"status": sat.status, "why": sat.why, **told}

    def _judged(self, part: Part) -> dict[str, Any]:
        run = self._runs.get(part.name)
        if run is None or not endings(self._store, run):
            return {"status": "not begun", "why": "no episode has ended"}
        name = f"model:{self._endpoint.name}"
        options = JudgeOptions(name, same_endpoint_allowed=True, models=self._remaining())
        found = judge_by_name(run, self._store, options)
        said = spoken(run, self._store, found.judge)
        told = {"judged": found.judged, "unscored_because": said.unscored_because}
        return {"status": "done", "why": "", **told}


@contextmanager
def _stored(folder: Path | None) -> Iterator[Store]:
    """A new store in a folder, or in one that is deleted at the end."""
    with (
        tempfile.TemporaryDirectory() as passing,
        open_store(os.path.join(folder or passing, STORE)) as opened,
    ):
        yield opened
