"""The card of shared runs: what was measured, on what, by whom, at what price, and how far to believe it.

    {"schema", "submitter", "contamination", "osler", "knowledge", "prompts", "use",
     "runs": [{"run", "player", "seat", "protocol", "standing", "differs", "models", "seats", "cases", ...
               "episodes", "planned", "ended", "causes",
               "measures": {NAME: {words, value, low, high, n, unscored}}, "unscored_because",
               "headline_bounds", "role", "spent", "judges", "kinship", "export"}],
     "hash"}

Every figure is a function of the shared files, so anybody can compute the card again (`osler bench verify`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

import osler
from osler.core.config import Config
from osler.core.events import Frozen
from osler.core.protocol import Protocol
from osler.core.summary import LABEL
from osler.files import sha256_of
from osler.judging.grader_notes import agreement_of
from osler.judging.model.kinship import kinships
from osler.knowledge import fingerprint
from osler.models.prices import Prices
from osler.runs.endpoints import ENDPOINTS
from osler.runs.run import config_of, protocol_of
from osler.runs.totals import Totals, totals
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.bench.shared_run import SharedRun, calls_in
from osler.studies.bench.spending import spending
from osler.studies.bench.tables import NOTHING, conditions, packaged

SCHEMA: Final = 1
CUSTOM: Final = "custom"
STANDARD: Final = "standard"
_NOT_COMPARED: Final = frozenset({"models"})
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
    cutoff: str = Field(default="unknown", max_length=100)
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
        "knowledge": fingerprint(),
        "prompts": prompts_hash(),
        "use": LABEL,
        "runs": [_run(run, shared, store, folder, prices) for run, shared in runs],
    }
    for one in card["runs"]:
        one["beside"] = _beside(one, card["runs"])
    return {**card, "hash": card_hash(card)}


def card_hash(card: Mapping[str, Any]) -> str:
    """The hash of a card, 32 hex digits over all that it says but the hash."""
    body = {name: value for name, value in card.items() if name != "hash"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def prompts_hash() -> str:
    """A hash, 32 hex digits, of every prompt that this version of Osler puts to models."""
    digest = blake2b(digest_size=16)
    for name, text in sorted(_prompts(files("osler"), "")):
        digest.update(f"{name}\x1f{text}\x1e".encode())
    return digest.hexdigest()


def _prompts(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _prompts(entry, f"{path}/{entry.name}")
        elif entry.name.endswith(".jinja"):
            yield f"{path}/{entry.name}", entry.read_text("utf-8")


def _run(run: RunInfo, shared: SharedRun, store: Store, folder: Path, prices: Mapping[str, Prices]) -> Json:
    configuration, protocol, config = run.manifest["configuration"], protocol_of(run), config_of(run)
    whole = totals(run, store)
    standing, differs = standing_of(config)
    seats = config.players()
    player = str(seats.get(protocol.under_test, ""))
    return {
        "run": run.name,
        "player": player,
        "role": _role(protocol, player),
        "seat": protocol.under_test,
        "seats": seats,
        "protocol": config.protocol,
        "standing": standing,
        "differs": differs,
        "configuration": blake2b(_canonical(configuration).encode(), digest_size=16).hexdigest(),
        "limits": configuration.get("settings", {}),
        **{name: configuration.get(name) for name in ("cases", "cases_fingerprint", "seed", "repeats")},
        "osler": configuration.get("osler"),
        "knowledge": configuration.get("knowledge"),
        "models": _models(run, store),
        "cases_played": _cases_played(run, store),
        **_figures(run, protocol, whole),
        "spent": {
            seat: {name: one._asdict() for name, one in endpoints.items()}
            for seat, endpoints in spending(calls_in(store, run), prices).items()
        },
        "judges": _judges(run, store),
        "kinship": [one.words for one in kinships(models_by_seat(run, config, store))],
        "export": sha256_of(folder / shared.export),
    }


def _figures(run: RunInfo, protocol: Protocol, whole: Totals) -> Json:
    words = {one.name: one.words for one in protocol.measures}
    return {
        "episodes": whole.episodes,
        "planned": run.planned,
        "clusters": whole.clusters,
        "ended": {str(status): count for status, count in whole.ended.items()},
        "causes": whole.causes,
        "headline": protocol.measures[0].name,
        "headline_bounds": list(whole.headline_bounds) if whole.headline_bounds else None,
        "measures": {
            name: {"words": words.get(name, name), **asdict(figure)}
            for name, figure in sorted(whole.measures.items())
        },
        "unscored_because": {name: dict(reasons) for name, reasons in whole.unscored_because.items()},
    }


def _cases_played(run: RunInfo, store: Store) -> str:
    """A hash, 32 hex digits, of the cases that a run played and how often it played each."""
    played = sorted(Counter(row.case_hash for row in store.episodes(run.id)).items())
    return blake2b(_canonical(played).encode(), digest_size=16).hexdigest()


def _role(protocol: Protocol, player: str) -> str:
    """The part of a player in a comparison: trivial, baseline, oracle, or under test."""
    role = protocol.role(protocol.under_test)
    if player in role.privileged:
        return "oracle"
    if protocol.probes.get(player) == NOTHING:
        return "trivial"
    return "baseline" if player == role.default else "under test"


def _beside(one: Json, others: Sequence[Json]) -> Json:
    """The headline of the trivial players and of the oracle that played the same cases, by player."""
    same = ("protocol", "cases_played", "seed", "limits")
    alike = [each for each in others if all(each[name] == one[name] for name in same)]
    return {
        part: {
            f"{each['player']}, {each['run']}": each["measures"][each["headline"]]["value"]
            for each in alike
            if each["role"] == role
        }
        for part, role in (("floors", "trivial"), ("oracle", "oracle"))
    }


def _models(run: RunInfo, store: Store) -> Json:
    """Each endpoint's model with its settings, the sampling that was sent, and what it said that it is."""
    result: Json = {}
    for name, record in run.manifest.get(ENDPOINTS, {}).items():
        result[name] = {"model": record.get("model"), "settings": record.get("settings", {})}
    for _, call in calls_in(store, run):
        held = result.setdefault(str(call.get("endpoint", "")), {"model": None, "settings": {}})
        for kind, value in (("sampling", call.get("sampling")), ("reported", call.get("model"))):
            if value is not None and value not in (listed := held.setdefault(kind, [])):
                listed.append(value)
    for held in result.values():
        for kind in ("sampling", "reported"):
            held[kind] = sorted(held.get(kind, ()), key=_canonical)
    return dict(sorted(result.items()))


def _judges(run: RunInfo, store: Store) -> Json:
    judges: Json = {}
    for (grader, version), count in store.graders(run.id).items():
        one = judges.setdefault(grader, {"agreement": agreement_of(grader), "versions": {}})
        one["versions"][version] = count
    return judges


def models_by_seat(run: RunInfo, config: Config, store: Store) -> dict[str, list[str]]:
    """The models behind each seat and each judge."""
    of: Mapping[str, str] = run.manifest["configuration"].get("models", {})
    seats = {
        seat: [of.get(model.partition(":")[2], model) for model in name.models]
        for seat, name in config.names().items()
        if name.models
    }
    for seat, call in calls_in(store, run):
        if seat.startswith("judge ") and call.get("model"):
            judges = seats.setdefault(seat, [])
            if call["model"] not in judges:
                judges.append(str(call["model"]))
    return seats


def standing_of(config: Config) -> tuple[str, list[str]]:
    """Whether a run is of a table of the benchmark but for the player under test, and else by what it differs
    from the nearest one."""
    mine, seat = _flat(config.model_dump(mode="json")), config.plays.under_test
    nearest: list[str] | None = None
    for split in packaged().splits:
        for one in conditions(packaged(), split):
            if one.config.protocol != config.protocol:
                continue
            theirs = _flat(one.config.model_dump(mode="json"))
            names = {*mine, *theirs} - {seat}
            other = sorted(
                f"{name} is {_short(mine.get(name))} and not {_short(theirs.get(name))}"
                for name in names
                if mine.get(name) != theirs.get(name) and name.partition(".")[0] not in _NOT_COMPARED
            )
            if not other:
                return STANDARD, [f"{one.table.name}, split {split}"]
            nearest = other if nearest is None or len(other) < len(nearest) else nearest
    return CUSTOM, nearest or ["no table of the benchmark is of this protocol"]


def _flat(value: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, one in value.items():
        if isinstance(one, Mapping):
            flat |= _flat(one, f"{before}{name}.")
        else:
            flat[before + name] = one
    return flat


def _short(value: object) -> str:
    text = "unset" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
