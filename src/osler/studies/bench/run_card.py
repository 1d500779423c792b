"""The card of shared runs: what was measured, on what, by whom, at what price, and how far to believe it.

    {"schema", "submitter", "contamination", "osler", "package", "knowledge", "prompts", "use",
     "runs": [{"run", "player", "role", "seat", "seats", "models_by_seat", "patient", "protocol", "standing",
               "differs", "limits", "cases", "seed", "repeats", "worlds", "episodes", "planned", "withheld",
               "ended", "causes", "measures": {NAME: {words, means, better, least, most, value, low, high, n,
               unscored}}, "unscored_because", "headline", "headline_bounds", "beside", "models", "spent",
               "judges", "kinship", "export", "traces", ...}],
     "hash"}

Every figure is a function of the shared files, so anybody can compute the card again (`osler bench verify`).
`osler.studies.bench.card_fields` has all fields.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

import osler
from osler.core.config import Config
from osler.core.events import Frozen
from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.core.summary import LABEL
from osler.files import sha256_of
from osler.judging.model.kinship import kinships
from osler.knowledge import fingerprint
from osler.models.prices import Prices
from osler.runs.run import config_of, protocol_of
from osler.runs.totals import Totals, totals
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.bench.card_hashes import card_hash, hash_of, package_hash, prompts_hash
from osler.studies.bench.card_players import endpoints_of, judges_of, models_by_seat
from osler.studies.bench.shared_run import SharedRun, calls_in, line_hashes
from osler.studies.bench.spending import spending
from osler.studies.bench.standing import standing_of
from osler.studies.bench.tables import NOTHING

SCHEMA: Final = 2
UNDER_TEST: Final = "under test"
PATIENT: Final = "patient"
Json = dict[str, Any]  # Any: plain JSON


class Statement(Frozen):
    """A submitter's statement on a submission, which no file can prove.

    submitter   who made the runs
    relation    first-party: of those who made the model under test; third-party: of others
    made_on     the date on which the runs were played
    cutoff      the date to which the model under test was trained, as its maker says
    trained_on  whether it was trained on these cases, or on encounters played with them
    notes       what else a reader should know
    """

    submitter: str = Field(min_length=1, max_length=300)
    relation: Literal["first-party", "third-party"]
    made_on: date
    cutoff: str = Field(default="unknown", min_length=1, max_length=100)
    trained_on: Literal["no", "yes", "unknown"] = "unknown"
    notes: str = Field(default="", max_length=4000)


def card_of_runs(
    runs: Sequence[tuple[RunInfo, SharedRun]],
    store: Store,
    folder: Path,
    statement: Statement,
    prices: Mapping[str, Prices],
) -> Json:
    """The card of runs in a store, whose files stand in a folder."""
    said = statement.model_dump(mode="json")
    card: Json = {
        "schema": SCHEMA,
        "submitter": {name: said[name] for name in ("submitter", "relation", "made_on", "notes")},
        "contamination": {name: said[name] for name in ("cutoff", "trained_on")},
        "osler": osler.__version__,
        "package": package_hash(),
        "knowledge": fingerprint(),
        "prompts": prompts_hash(),
        "use": LABEL,
        "runs": [_run(run, shared, store, folder, prices) for run, shared in runs],
    }
    for one in card["runs"]:
        one["beside"] = _beside(one, card["runs"])
    return {**card, "hash": card_hash(card)}


def _run(run: RunInfo, shared: SharedRun, store: Store, folder: Path, prices: Mapping[str, Prices]) -> Json:
    configuration, protocol, config = run.manifest["configuration"], protocol_of(run), config_of(run)
    whole = totals(run, store)
    standing, differs = standing_of(config)
    seats, models = config.players(), models_by_seat(run, config, store)
    player = str(seats.get(protocol.under_test, ""))
    return {
        "run": run.name,
        "player": player,
        "role": _role(protocol, player),
        "seat": protocol.under_test,
        "seats": seats,
        "models_by_seat": models,
        "patient": {"player": str(seats.get(PATIENT, "")), "models": models.get(PATIENT, [])},
        "protocol": config.protocol,
        "standing": standing,
        "differs": differs,
        "configuration": hash_of(configuration),
        "limits": configuration.get("settings", {}),
        **{name: configuration.get(name) for name in ("cases", "cases_fingerprint", "seed", "repeats")},
        "osler": configuration.get("osler"),
        "knowledge": configuration.get("knowledge"),
        **_played(run, config, store),
        **_figures(run, protocol, whole),
        "models": endpoints_of(run, store),
        "spent": {
            seat: {name: one._asdict() for name, one in endpoints.items()}
            for seat, endpoints in spending(calls_in(store, run), prices).items()
        },
        "judges": judges_of(run, store, protocol, whole.notes.value, models),
        "kinship": [one.words for one in kinships(models)],
        "export": sha256_of(folder / shared.export),
        "traces": {str(at): value for at, value in line_hashes(folder / shared.export)},
    }


def _figures(run: RunInfo, protocol: Protocol, whole: Totals) -> Json:
    measures = {one.name: one for one in protocol.measures}
    return {
        "episodes": whole.episodes,
        "planned": run.planned,
        "withheld": run.planned - whole.episodes,
        "clusters": whole.clusters,
        "ended": {str(status): count for status, count in whole.ended.items()},
        "causes": whole.causes,
        "headline": protocol.measures[0].name,
        "headline_bounds": list(whole.headline_bounds) if whole.headline_bounds else None,
        "notes": list(whole.notes.lines),
        "measures": {
            name: {**_about(measures[name]), **asdict(figure)}
            for name, figure in sorted(whole.measures.items())
        },
        "unscored_because": {name: dict(reasons) for name, reasons in whole.unscored_because.items()},
    }


def _about(measure: Measure) -> Json:
    """The words for a measure, its better direction, and its range: `None` where it has no end."""
    ends = (one if math.isfinite(one) else None for one in (measure.least, measure.most))
    least, most = ends
    return {
        "words": measure.words,
        "means": measure.means,
        "better": measure.better,
        "least": least,
        "most": most,
    }


def _played(run: RunInfo, config: Config, store: Store) -> Json:
    """A hash of the cases that a run played and how often it played each, and the number of its worlds: of
    different cases and repeats."""
    cases, worlds = Counter[str](), set[tuple[str, int]]()
    for row in store.episodes(run.id):
        cases[row.case_hash] += 1
        worlds.add((row.case_hash, row.ordinal % config.repeats))
    return {"cases_played": hash_of(sorted(cases.items())), "worlds": len(worlds)}


def _role(protocol: Protocol, player: str) -> str:
    """The part of a player in a comparison: trivial, baseline, oracle, or under test."""
    role = protocol.role(protocol.under_test)
    if player in role.privileged:
        return "oracle"
    if protocol.probes.get(player) == NOTHING:
        return "trivial"
    return "baseline" if player == role.default else UNDER_TEST


def _beside(one: Json, others: Sequence[Json]) -> Json:
    """The headline of the trivial players and of the oracle that played the same cases, by player and run."""
    same = ("protocol", "cases_played", "seed", "limits")
    alike = [each for each in others if all(each[name] == one[name] for name in same)]
    figures = ("value", "low", "high", "n", "unscored")
    return {
        part: {
            f"{each['player']}, {each['run']}": {
                name: each["measures"][each["headline"]][name] for name in figures
            }
            for each in alike
            if each["role"] == role
        }
        for part, role in (("floors", "trivial"), ("oracle", "oracle"))
    }
