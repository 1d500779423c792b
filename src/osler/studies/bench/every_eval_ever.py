"""Every Eval Ever, schema 0.2.2: a run on a card as a record, and its encounters one a line.

The format wants a least and a greatest score, a better direction and, of each encounter, a number and whether
it is right. A measure without these is left out, and so is an encounter without a score: the record says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from osler.store.records import EpisodeRow
from osler.studies.bench.run_card import Json

SCHEMA: Final = "0.2.2"
_LEVEL: Final = 0.95
_ARGUMENTS: Final = ("temperature", "top_p")
_HEADLINE: Final = (
    *("planned", "episodes", "withheld", "ended", "causes"),
    *("beside", "standing", "differs", "notes"),
)
"""The fields of a run that stand beside its headline."""
Scored = Iterable[tuple[EpisodeRow, float | None]]


def record_of(card: Json, run: Json, lines: str, encounters: int) -> tuple[str, str]:
    """The name of a run's record (a UUID that its card decides) and its JSON text. `lines` is the text of its
    single encounters, of so many `encounters`."""
    name = str(uuid5(NAMESPACE_URL, f"osler:{card['hash']}:{run['run']}"))
    rows = lines.count("\n")
    results = list(_results(card, run))
    left_out = sorted(run["measures"].keys() - {one["evaluation_name"] for one in results})
    record: Json = {
        "schema_version": SCHEMA,
        "evaluation_id": _evaluation(card, run),
        "evaluation_timestamp": card["submitter"]["made_on"],
        "retrieved_timestamp": _stamp(card),
        "source_metadata": {
            "source_name": "Osler card",
            "source_type": "evaluation_run",
            "source_organization_name": card["submitter"]["submitter"],
            "evaluator_relationship": card["submitter"]["relation"].replace("-", "_"),
            "additional_details": _texts(
                card=card["hash"],
                notes=card["submitter"]["notes"],
                training_cutoff=card["contamination"]["cutoff"],
                trained_on_these_cases=card["contamination"]["trained_on"],
                use=card["use"],
            ),
        },
        "eval_library": {
            "name": "osler",
            "version": card["osler"],
            "additional_details": _texts(
                package=card["package"], facts=card["knowledge"], prompts=card["prompts"]
            ),
        },
        "model_info": {
            "name": run["player"],
            "id": _model(run),
            "additional_details": _texts(seat=run["seat"], reported=_reported(run)),
        },
        "evaluation_results": results,
    }
    if lines:
        record["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": f"{name}.jsonl",
            "hash_algorithm": "sha256",
            "checksum": sha256(lines.encode()).hexdigest(),
            "total_rows": rows,
            "additional_details": _texts(
                measure=run["headline"], encounters=encounters, without_a_score=encounters - rows
            ),
        }
    if left_out:
        record["source_metadata"]["additional_details"]["measures_left_out"] = ", ".join(left_out)
    return name, _text(record, indent=1) + "\n"


def per_case_lines(card: Json, run: Json, scored: Scored) -> str:
    """The encounters of a run that have a score, one a line: without their words, by the hash of their trace.
    None if the headline has no range, as the format wants it."""
    measure = run["measures"][run["headline"]]
    if not _in_range(measure):
        return ""
    best = measure["most"] if measure["better"] == "more" else measure["least"]
    lines = []
    for row, value in scored:
        if value is None:
            continue
        asked = f"case {row.case_hash}, repeat {row.ordinal % run['repeats'] + 1}, seed {run['seed']}"
        line = {
            "schema_version": f"instance_level_eval_{SCHEMA}",
            "evaluation_id": _evaluation(card, run),
            "model_id": _model(run),
            "evaluation_name": run["headline"],
            "evaluation_result_id": _result(run, run["headline"]),
            "sample_id": f"{row.case_id}/{row.ordinal % run['repeats'] + 1}",
            "sample_hash": sha256(asked.encode()).hexdigest(),
            "interaction_type": "multi_turn",
            "input": {"raw": asked, "reference": []},
            "output": None,
            "messages": [],
            "answer_attribution": [],
            "evaluation": {"score": value, "is_correct": value == best},
            "metadata": _texts(
                status=row.status,
                trace_sha256=run["traces"][str(row.ordinal)],
                is_correct=f"whether the score is the best there is, {best:g}",
            ),
        }
        lines.append(_text(line) + "\n")
    return "".join(lines)


def _results(card: Json, run: Json) -> Iterator[Json]:
    """The measures of a run that the format can tell, the headline first; how it was played stands in the
    first of them."""
    names = sorted(run["measures"], key=lambda one: (one != run["headline"], one))
    generation: Json = {"generation_config": _generation(run)}
    for name in names:
        measure = run["measures"][name]
        if _in_range(measure) and measure["value"] is not None:
            yield generation | {
                "evaluation_result_id": _result(run, name),
                "evaluation_name": name,
                "source_data": {
                    "dataset_name": f"Osler, {run['cases']}",
                    "source_type": "other",
                    "additional_details": _texts(
                        **{one: run[one] for one in ("cases_fingerprint", "cases_played", "seed", "repeats")}
                    ),
                },
                "metric_config": {
                    "evaluation_description": measure["means"],
                    "metric_id": f"osler.{_protocol(run)}.{name}",
                    "metric_name": measure["words"],
                    "lower_is_better": measure["better"] == "less",
                    "score_type": "continuous",
                    "min_score": measure["least"],
                    "max_score": measure["most"],
                    "additional_details": _texts(judges=run["judges"]),
                },
                "score_details": _score(run, name),
            }
            generation = {}


def _in_range(measure: Mapping[str, Any]) -> bool:
    """Whether a measure has what the format wants: a better direction, and two ends."""
    return measure["better"] != "neither" and None not in (measure["least"], measure["most"])


def _score(run: Json, name: str) -> Json:
    measure = run["measures"][name]
    uncertainty: Json = {"num_samples": measure["n"]}
    if measure["low"] is not None and measure["high"] is not None:
        uncertainty["confidence_interval"] = {
            "lower": measure["low"],
            "upper": measure["high"],
            "confidence_level": _LEVEL,
            "method": "clustered by case",
        }
    details = {"unscored": measure["unscored"], "because": run["unscored_because"].get(name, {})}
    if name == run["headline"]:
        details |= {one: run[one] for one in _HEADLINE}
        if ends := run["headline_bounds"]:
            details["headline_bounds"] = {"lower": ends[0], "upper": ends[1]}
    return {"score": measure["value"], "details": _texts(**details), "uncertainty": uncertainty}


def _generation(run: Json) -> Json:
    """The sampling of the seat under test, in numbers where it was one, and all else that a run was played
    with as text."""
    endpoints = run["spent"].get(run["seat"], {})
    samplings = [one for name in endpoints for one in run["models"][name]["sampling"]]
    only = samplings[0] if len(samplings) == 1 else {}
    arguments = {name: only[name] for name in _ARGUMENTS if isinstance(only.get(name), int | float)}
    names = ("models", "seats", "models_by_seat", "limits", "spent", "kinship", "configuration", "export")
    return {
        "generation_args": arguments,
        "additional_details": _texts(**{one: run[one] for one in names}),
    }


def _model(run: Json) -> str:
    return "+".join(run["models_by_seat"][run["seat"]])


def _reported(run: Json) -> Sequence[str]:
    names = run["spent"].get(run["seat"], {})
    return sorted({model for name in names for model in run["models"][name]["reported"]})


def _protocol(run: Json) -> str:
    return str(run["protocol"]).partition("/")[0]


def _evaluation(card: Json, run: Json) -> str:
    return f"osler-{_protocol(run)}-{run['run']}/{_model(run)}/{_stamp(card)}"


def _result(run: Json, measure: str) -> str:
    return f"{run['run']}/{measure}"


def _stamp(card: Json) -> str:
    """The day on which it was played as seconds since 1970: the only date on the card."""
    played = date.fromisoformat(card["submitter"]["made_on"])
    return str(int(datetime(played.year, played.month, played.day, tzinfo=UTC).timestamp()))


def _texts(**details: object) -> dict[str, str]:
    """Details as the format wants them: all values text."""
    return {name: value if isinstance(value, str) else _text(value) for name, value in details.items()}


def _text(value: object, indent: int | None = None) -> str:
    return json.dumps(value, sort_keys=True, indent=indent, allow_nan=False)
