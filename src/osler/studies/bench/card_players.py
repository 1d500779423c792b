"""The models and judges of a run as its card shows them: settings, sampling, agreement and kinship."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from osler.core.config import Config
from osler.core.protocol import Protocol
from osler.judging.diagnosis.measured import standing
from osler.judging.grader_notes import agreement_of, labelled_by
from osler.judging.model.kinship import kinships
from osler.runs.endpoints import ENDPOINTS
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.bench.card_hashes import hash_of
from osler.studies.bench.shared_run import calls_in

JUDGE: Final = "judge "
"""The beginning of the seat of a judge, before its name."""
_HEADLINE_JUDGE: Final = "judge_agreement"
"""The protocol's note on the judge of its headline."""
Json = dict[str, Any]  # Any: plain JSON


def endpoints_of(run: RunInfo, store: Store) -> Json:
    """Each endpoint's model and settings, the models that its answers named, and the sampling that was sent:
    without the seeds, which differ from call to call, but with their number."""
    result: Json = {
        name: {"model": record.get("model"), "settings": record.get("settings", {}), **_no_calls()}
        for name, record in run.manifest.get(ENDPOINTS, {}).items()
    }
    samplings: dict[tuple[str, str], Json] = {}
    for _, call in calls_in(store, run):
        name = str(call.get("endpoint", ""))
        one = result.setdefault(name, {"model": None, "settings": {}, **_no_calls()})
        if (model := call.get("model")) is not None and model not in one["reported"]:
            one["reported"] = sorted([*one["reported"], model])
        if (sent := call.get("sampling")) is not None:
            _count_sampling(dict(sent), samplings, name)
    for (name, _), sampling in sorted(samplings.items()):
        result[name]["sampling"].append({**sampling, "seeds": len(sampling["seeds"])})
    return dict(sorted(result.items()))


def _no_calls() -> Json:
    return {"sampling": [], "reported": []}


def _count_sampling(sent: Json, samplings: dict[tuple[str, str], Json], endpoint: str) -> None:
    seed = sent.pop("seed", None)
    one = samplings.setdefault((endpoint, hash_of(sent)), {**sent, "calls": 0, "seeds": set()})
    one["calls"] += 1
    one["seeds"].add(str(seed))


def models_by_seat(run: RunInfo, config: Config, store: Store) -> dict[str, list[str]]:
    """The models behind each seat and each judge."""
    of: Mapping[str, str] = run.manifest["configuration"].get("models", {})
    seats = {
        seat: [of.get(model.partition(":")[2], model) for model in name.models]
        for seat, name in config.names().items()
        if name.models
    }
    for seat, call in calls_in(store, run):
        if seat.startswith(JUDGE) and call.get("model"):
            judges = seats.setdefault(seat, [])
            if call["model"] not in judges:
                judges.append(str(call["model"]))
    return seats


def judges_of(
    run: RunInfo, store: Store, protocol: Protocol, notes: Mapping[str, Any], models: Mapping[str, list[str]]
) -> Json:
    """Each judge of a run: how far it was measured and on whose labels, the number of judgements by version
    (which holds a hash of the texts that decide them), its models, and the seats that share one of them or
    its family."""
    judges: Json = {}
    for (grader, version), count in store.graders(run.id).items():
        one = judges.setdefault(
            grader,
            {
                "agreement": agreement_of(grader),
                "labelled_by": labelled_by(grader),
                "versions": {},
                "models": models.get(JUDGE + grader, []),
                "kin": [kin.words for kin in kinships(models) if JUDGE + grader in (kin.one, kin.other)],
            },
        )
        one["versions"][version] = count
    if notes.get(_HEADLINE_JUDGE):
        for grader in judges.keys() & set(protocol.graders):
            judges[grader] |= {
                "agreement": standing().words.removesuffix("."),
                "labelled_by": standing().measured.labelled_by or "nobody",
            }
    return judges
