"""Submissions to be verified and tampered with: short runs, and what a forger who knows Osler would write."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from osler.cases.model import Case
from osler.cases.scenarios.model import Scenario
from osler.core.contract import Request
from osler.errors import BadInput
from osler.files import sha256_of
from osler.models.prices import Prices
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.runs import run as runs
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import Store, open_store
from osler.studies.bench.card_hashes import card_hash
from osler.studies.bench.run_card import Statement, card_of_runs
from osler.studies.bench.shared_run import CASES, line_hashes, read_back
from osler.studies.bench.submission import (
    CARD,
    PAGE,
    SUBMISSION,
    Submission,
    files_in,
    html,
    json_text,
    submission_text,
    submit,
)
from tests.endpoints import running

STATEMENT = Statement(
    submitter="A <team>",
    relation="third-party",
    made_on=date(2026, 11, 29),
    cutoff="2026-01",
    trained_on="no",
)
PRICES = {name: Prices(price_in=1.0, price_out=2.0) for name in ("fake", "ward")}
CONSULTATIONS = {
    "model": RunConfig(cases="generated:2:5", doctor="model:fake", patient="model:ward", seed=4),
    "trivial": RunConfig(cases="generated:2:5", doctor="always-conclude", seed=4),
    "oracle": RunConfig(cases="generated:2:5", doctor="oracle", seed=4),
    "faulty": RunConfig(cases="generated:1:5", doctor=f"python:{__name__}:Failing", seed=4),
}
OTHERS = {
    "round": RoundConfig(cases="library", limit=1, tutor="lecturer"),
    "station": ScenarioConfig(cases="library", limit=1, examinee="null"),
}


class Failing:
    """A doctor whose code fails."""

    name = "failing"

    async def reply(self, request: Request[Any], /) -> BaseModel:
        """Fail."""
        raise RuntimeError("this player is broken")


def played(store: Store, config: Any, name: str, options: ModelOptions = ModelOptions()) -> Any:  # noqa: B008
    """A run of a configuration, played to its end."""
    opened = open_cast(config, options)
    run = runs.begin(opened.config, store, opened.more, name=name, about=opened.about)
    return runs.play(run, store, more=opened.more, around=opened.around, max_errors=9).run


def submitted(
    folder: Path, configs: Mapping[str, Any], address: str | None = None, *, with_cases: bool = True
) -> Path:
    """A submission of runs in a store in `folder`, or at an address."""
    with running() as url, open_store(address or folder / "store.db") as store:
        toml = folder / "osler.toml"
        models = {"fake": "lab/fake-1", "ward": "other-2"}
        toml.write_text(
            "".join(
                f'[endpoints.{name}]\nbase_url = "{url}"\nmodel = "{model}"\n'
                for name, model in models.items()
            )
        )
        found = [played(store, config, name, ModelOptions(config=toml)) for name, config in configs.items()]
        submit(found, store, folder / "out", STATEMENT, PRICES, with_cases=with_cases)
    return folder / "out"


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    """Write objects as the export writes them."""
    text = (json.dumps(one, sort_keys=True, separators=(",", ":")) for one in lines)
    path.write_text("".join(f"{line}\n" for line in text))


def _computed(folder: Path) -> dict[str, Any] | None:
    """The card of what stands in a folder, as a forger would compute it; none if it cannot be."""
    told = Submission.model_validate_json((folder / SUBMISSION).read_bytes())
    cases = {}
    for line in (folder / CASES).read_text().splitlines() if (folder / CASES).exists() else ():
        for model in (Case, Scenario):
            with suppress(ValueError):
                cases[model.model_validate_json(line).content_hash] = line
    with open_store(folder.parent / "forged.db") as store, suppress(BadInput, ValueError, KeyError):
        pairs = [(read_back(one, folder, store, cases), one) for one in told.runs]
        return card_of_runs(pairs, store, folder, told.statement, told.prices)
    return None


def reseal(folder: Path, *, forge: bool) -> None:
    """Write every hash of a folder anew, and compute its card (`forge`), as somebody who knows how would."""
    card = (_computed(folder) if forge else None) or json.loads((folder / CARD).read_text())
    with suppress(OSError):
        for one in card["runs"]:
            one["export"] = sha256_of(folder / f"runs/{one['run']}.jsonl")
    card["hash"] = card_hash(card)
    if card != json.loads((folder / CARD).read_text()):
        (folder / CARD).write_text(json_text(card))
    with suppress(Exception):  # a field that the page shows may be gone
        (folder / PAGE).write_text(html(card))
    told = json.loads((folder / SUBMISSION).read_text())
    told["files"] = {path.relative_to(folder).as_posix(): sha256_of(path) for path in files_in(folder)}
    for one in told["runs"]:
        export = folder / f"runs/{one['name']}.jsonl"
        if export.exists():
            told["episodes"][one["name"]] = {str(at): value for at, value in line_hashes(export)}
    (folder / SUBMISSION).write_text(json.dumps(told))
    with suppress(ValueError):
        described = Submission.model_validate_json((folder / SUBMISSION).read_bytes())
        (folder / SUBMISSION).write_text(submission_text(described))


def copied(folder: Path, to: Path) -> Path:
    """A copy of a submission, to be tampered with."""
    return Path(shutil.copytree(folder, to / "copy"))
