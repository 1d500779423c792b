"""`osler trial`: a real model in every seat for some minutes; figures and a redacted trace to send back."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

import osler
from osler.cli.collector import collect_seldom
from osler.cli.continuing import sigterm_as_ctrl_c
from osler.cli.model_options import MaxMoney
from osler.cli.options import AsJson, ConfigFile
from osler.cli.output import INTERRUPTED, NOTHING_DONE, PAUSED, command, plain, result, say
from osler.cli.trial_check import TrialCheck
from osler.cli.trial_page import page
from osler.cli.trial_parts import TrialPart, Work, parts
from osler.errors import BadInput, InfrastructureFault, OslerError
from osler.files import write_whole
from osler.models.config import ANSWER_LIMITS, Endpoint
from osler.models.config import Config as Endpoints
from osler.models.overhearing import overhearing
from osler.models.redaction import Redaction
from osler.models.settings import Setting
from osler.runs import run as runs
from osler.runs.dry_run import forecast
from osler.runs.judging import JudgeOptions, judge_by_name, judging_forecast
from osler.runs.rejudging import spoken
from osler.runs.seating import ModelOptions, open_cast
from osler.runs.trial_figures import Call, all_calls, endings, lost_calls, seats_of, spent
from osler.runs.trial_plan import Load, Plan, Speed, Step, planned, share
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.text.hostile import safe

AT_ONCE: Final = 2
CHECK: Final = "check"
_CLOSING: Final = 0.02
"""The share of the time that is kept for what needs no model, such as writing the files."""
STORE: Final = "osler.db"
_LEFT_OUT: Final = ("endpoint", "host")
_EXIT: Final = {"interrupted": INTERRUPTED, "failed": NOTHING_DONE, "paused": PAUSED, "not begun": PAUSED}
"""The exit code for each status of a step that is not "done", the weightiest first."""


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
        # After each step, so that whatever ends the trial leaves what came before.
        tried.play(lambda: _write(tried, redaction, folder))
        figures = _write(tried, redaction, folder)
    result(as_json, figures, plain(page(figures)))
    say(
        f"Read figures.md and trace.jsonl in {safe(str(folder))} before you send them: keys, addresses,"
        " folders and user names are struck out, but nobody has looked. Then send these two and figures.json."
        + (f" {STORE} is for you alone: it is not redacted." if store else "")
    )
    statuses = {step["status"] for step in figures["steps"]}
    if bad := [code for status, code in _EXIT.items() if status in statuses]:
        raise typer.Exit(bad[0])


def _write(tried: Trial, redaction: Redaction, folder: Path) -> dict[str, Any]:
    """Write the three files of what has come so far. Returns the redacted figures."""
    figures: dict[str, Any] = redaction.value(tried.figures())
    lines = [json.dumps(redaction.value(one)) + "\n" for one in tried.trace()]
    write_whole(folder / "trace.jsonl", "".join(lines))
    write_whole(folder / "figures.json", json.dumps(figures, indent=1) + "\n")
    write_whole(folder / "figures.md", page(figures))
    return figures


def estimated(endpoint: Endpoint) -> dict[str, Any]:
    """The estimated calls, tokens and cost of the players of a trial; check and judges come on top."""
    endpoints = Endpoints(endpoints={endpoint.name: endpoint})
    result = [
        one
        for part in parts(f"model:{endpoint.name}")
        for one in forecast(part.config, endpoints)[1].values()
    ]
    costs = [one.cost for one in result]
    return {
        "calls": sum(one.calls for one in result),
        "prompt_tokens": sum(one.prompt_tokens for one in result),
        "completion_tokens": sum(one.completion_tokens for one in result),
        "cost": None if None in costs else round(sum(one or 0.0 for one in costs), 4),
    }


class Trial:
    """A trial under way. Each step ends in a record of it, whatever happens in it."""

    def __init__(self, endpoint: Endpoint, store: Store, options: ModelOptions, seconds: float) -> None:
        self._endpoint, self._store, self._options = endpoint, store, options
        self._began, self._seconds = time.monotonic(), seconds * (1 - _CLOSING)
        self._work = Work(endpoint)
        self._check = TrialCheck(endpoint, self._work, self._left_s, options.max_money)
        self._runs: dict[str, RunInfo] = {}
        self._overheard: dict[str, list[Call]] = {}
        self._steps: list[dict[str, Any]] = []

    def play(self, on_step: Callable[[], object] = lambda: None) -> None:
        """Check the endpoint, then play and judge each part; `on_step` is told when a step has ended."""
        self._step(CHECK, self._check.run)
        on_step()
        for part in self._work.parts:
            self._step(part.name, partial(self._played, part))
            on_step()
            self._step(part.judging, partial(self._judged, part))
            on_step()

    def figures(self) -> dict[str, Any]:
        """The figures, as JSON; not redacted."""
        lost = {run.id: self._lost(name) for name, run in self._runs.items()}
        return {
            "osler": osler.__version__,
            "model": self._endpoint.model,
            "settings": self._endpoint.settings,
            "capabilities": self._endpoint.capabilities.model_dump(),
            "seconds": round(time.monotonic() - self._began, 1),
            "cost": None if self._endpoint.price_in is None else round(self._spent(), 6),
            "speed": None if (speed := self._check.speed) is None else _rounded(speed),
            "left_out": self._left_out(),
            "steps": self._steps,
            "check": [one.model_dump() for one in self._check.checks],
            "seats": seats_of(self._store, [*self._runs.values()], self._endpoint, self._check.tried, lost),
        }

    def trace(self) -> Iterator[dict[str, Any]]:
        """Every call to the model with its messages, raw answer and reasoning; not redacted. The place of a
        call that no exchange or judgement came of is not known."""
        for n, one in enumerate(self._check.tried, start=1):
            for call in one.calls:
                yield {"part": CHECK, "ordinal": None, "n": n, "call": 0, **_shown(call)}
        for name, run in self._runs.items():
            for row in all_calls(self._store, run):
                yield {"part": name, "ordinal": row.ordinal, "n": row.n, "call": row.call, **_shown(row.body)}
            for call in self._lost(name):
                yield {"part": name, "ordinal": None, "n": None, "call": None, **_shown(call)}

    def _lost(self, part: str) -> list[Call]:
        return lost_calls(self._store, self._runs[part], self._overheard.get(part, ()))

    def _left_out(self) -> list[str]:
        """List in words what the trial did not try, or tried on a smaller scale."""
        result = list(self._check.left_out)
        full, plan = planned(self._work.turn_steps, None, 0), self._check.plan
        if short := sum(plan.get(name, 0) < size for name, size in full.items()) if plan else 0:
            result.append(f"longer prompts in {short} of {len(full)} turns of the check")
        for step in self._steps[1:]:
            if step["status"] == "not begun":
                result.append(f"{step['step']}: {step['why']}")
            elif step.get("size") != step.get("full_size"):
                result.append(f"{step['step']}: {step['size']}, not {step['full_size']}")
        return result

    def _step(self, name: str, body: Callable[[], dict[str, Any]]) -> None:
        began = time.monotonic()
        if why := self._over():
            result = {"status": "not begun", "why": why}
        else:
            say(f"{name} ...")
            try:
                result = body()
            except KeyboardInterrupt:
                result = {"status": "interrupted", "why": "stopped by hand"}
            except InfrastructureFault as error:
                result = {"status": "paused", "why": str(error)}
            except OslerError as error:
                result = {"status": "failed", "why": str(error)}
            except Exception as error:  # a fault of Osler is a finding too: the other parts go on
                result = {"status": "failed", "why": f"a fault of Osler: {type(error).__name__}: {error}"}
        self._steps.append({"step": name, **result, "seconds": round(time.monotonic() - began, 1)})

    def _over(self) -> str:
        """The reason to begin nothing more, "" if there is none."""
        if any(step["status"] == "interrupted" for step in self._steps):
            return "stopped by hand"
        if self._left_s() <= 0:
            return "the minutes are over"
        if self._steps and not self._check.answers:
            return "the endpoint does not answer"
        limit = self._options.max_money
        return "the money is used up" if limit is not None and self._spent() >= limit else ""

    def _left_s(self) -> float:
        return self._seconds - (time.monotonic() - self._began)

    def _spent(self) -> float:
        checked = (call for one in self._check.tried for call in one.calls)
        lost = (call for name in self._runs for call in self._lost(name))
        return spent(self._store, self._runs.values(), self._endpoint, [*checked, *lost])

    def _remaining(self, load: Load, ahead: Sequence[Step], plan: Plan) -> tuple[ModelOptions, int | None]:
        """The options of a step, with its share of the time and what is left of the money; and the limit of
        its answers. `ahead` are the steps after it."""
        money, speed, result = self._options.max_money, self._check.speed, self._options
        result = result._replace(max_money=None if money is None else max(0.0, money - self._spent()))
        left_s = self._left_s()
        if speed is None or not self._check.slow:
            return result._replace(seconds=left_s), None
        seconds = share(
            [load, *(one.sizes[plan[one.name]] for one in ahead if one.name in plan)], speed, left_s
        )
        most, own = load.most_tokens(speed, seconds), self._endpoint.max_answer_tokens
        if most is not None and not ANSWER_LIMITS & self._endpoint.extra.keys():
            most = min(most, own or most)
            limit = Setting(self._endpoint.name, "max_answer_tokens", most)
            result = result._replace(settings=(*result.settings, limit))
        return result._replace(seconds=seconds, timeout_s=seconds), most

    def _ahead(self, name: str) -> list[Step]:
        """A step and those after it."""
        steps = self._work.part_steps
        return steps[next(at for at, step in enumerate(steps) if step.name == name) :]

    def _played(self, part: TrialPart) -> dict[str, Any]:
        step, *ahead = self._ahead(part.name)
        plan = planned([step, *ahead], self._check.speed, self._left_s())
        if part.name not in plan:
            return {"status": "not begun", "why": _too_long(step.sizes[0], self._check.speed, self._left_s())}
        size = part.sizes[plan[part.name]]
        options, most = self._remaining(step.sizes[plan[part.name]], ahead, plan)
        seated = open_cast(size.config, options)
        run = runs.begin(seated.config, self._store, seated.more, about=seated.about)
        self._runs[part.name] = run
        collect_seldom()
        at_once = 1 if self._check.slow else AT_ONCE
        with self._overhearing(part):
            sat = runs.play(run, self._store, concurrency=at_once, more=seated.more, around=seated.around)
        told = {"planned": run.planned, "episodes": endings(self._store, run)}
        sizes = {"size": size.words, "full_size": part.sizes[-1].words, "answer_limit": most}
        return {"status": sat.status, "why": sat.why, **told, **sizes}

    def _judged(self, part: TrialPart) -> dict[str, Any]:
        run = self._runs.get(part.name)
        if run is None or not endings(self._store, run):
            return {"status": "not begun", "why": "no episode has ended"}
        name, ahead = f"model:{self._endpoint.name}", self._ahead(part.judging)[1:]
        options = JudgeOptions(name, same_endpoint_allowed=True, models=self._options)
        weighed = judging_forecast(run, self._store, options)[1]
        load = Load(weighed.calls, weighed.prompt_tokens, weighed.prompt_tokens)
        speed, left_s = self._check.speed, self._left_s()
        if speed is not None and load.seconds(speed) > left_s:
            return {"status": "not begun", "why": _too_long(load, speed, left_s)}
        models, most = self._remaining(load, ahead, planned(ahead, speed, left_s))
        with self._overhearing(part):
            result = judge_by_name(run, self._store, options._replace(models=models))
        said = spoken(run, self._store, result.judge)
        told = {"judged": result.judged, "unscored_because": said.unscored_because, "answer_limit": most}
        return {"status": "done", "why": "", **told}

    @contextmanager
    def _overhearing(self, part: TrialPart) -> Iterator[None]:
        with overhearing() as calls:
            try:
                yield
            finally:
                self._overheard.setdefault(part.name, []).extend(calls)


def _shown(call: Call) -> Call:
    return {key: one for key, one in call.items() if key not in _LEFT_OUT}


def _rounded(speed: Speed) -> dict[str, Any]:
    return {
        "reads_per_s": round(speed.reads, 1),
        "writes_per_s": round(speed.writes, 1),
        "keeps": speed.keeps,
    }


def _too_long(load: Load, speed: Speed | None, left_s: float) -> str:
    needs = load.seconds(speed) if speed is not None else 0.0
    return (
        f"left out: it needs some {needs:.0f} s, and {max(0.0, left_s):.0f} s are left for all that remains"
    )


@contextmanager
def _stored(folder: Path | None) -> Iterator[Store]:
    """A new store in a folder, or in one that is deleted at the end."""
    with (
        tempfile.TemporaryDirectory() as passing,
        open_store(os.path.join(folder or passing, STORE)) as opened,
    ):
        yield opened
