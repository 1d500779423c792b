"""Export of a scenario's episode in the published format: transcript, turns, action history, manifest.

Our ids accompany the words of the script in the other files, but never the transcript: it holds only what
was said, done and seen, so a judge that reads it sees no state labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import osler
from osler.cases.scenarios.model import Scenario
from osler.core.events import Ended, Event, TurnBegan
from osler.core.order_events import Resulted, Taken
from osler.core.protocol import ReadLine
from osler.core.registry import protocol_named
from osler.core.trace import Trace
from osler.core.wording import wordings
from osler.errors import Status
from osler.judging.lines import Source, as_examined
from osler.protocols.scenario.events import Acted, Assessed, Happened, Observed, Present, Spoke, StateEntered
from osler.protocols.scenario.settings import PROTOCOL

TRANSCRIPT: Final = "transcript.json"
TURNS: Final = "turns.json"
ACTIONS: Final = "action_history.json"
MANIFEST: Final = "run_manifest.json"
SYSTEM_EVENT: Final = "system_event"
LAST_TURN: Final = "This is the last turn."
END_OF_STATE: Final = "The examinee has done all that is due here."
Json = dict[str, Any]  # Any: JSON
_ROLES: Final[dict[Source, str]] = {
    "examinee": "examinee",
    "action": "examinee_actions",
    "conclusion": "examinee",
    "patient": "sp",
    "environment": "environment",
}


def transcript(scenario: Scenario, trace: Trace) -> list[dict[str, str]]:
    """Return `[{role, content}]`: the examinee's instructions, then all that was said, done and seen."""
    briefing = scenario.packet.examinee if scenario.packet else scenario.instructions
    told = [briefing] if scenario.packet else [briefing, scenario.setting, scenario.opening]
    entries = [("system", "\n\n".join(part for part in told if part))]
    protocol = protocol_named(PROTOCOL)
    for event in trace.events:
        for wording in wordings(event, protocol.words):
            shown = as_examined(ReadLine(0, event.minute, event, wording), protocol.under_test)
            entries += [(_ROLES[source], text) for source, text in shown]
        entries += _engine(event)
    return [{"role": role, "content": content} for role, content in entries if content.strip()]


def turns(scenario: Scenario, trace: Trace) -> list[Json]:
    """Return what each seat said and did, turn by turn; turn 0 is the opening. Minutes are simulated."""
    result = [_turn(0, 0)]
    present: dict[str, dict[str, str]] = {"sp": {}, "environment": {}}
    for event in trace.events:
        if isinstance(event, TurnBegan):
            result.append(_turn(event.turn, event.minute, result[-1]))
        _add(result[-1], event, scenario, present)
        for side, people in present.items():
            result[-1][side]["actors_present"] = dict(people)
    return result


def action_history(scenario: Scenario, trace: Trace) -> list[Json]:
    """Return every action of the examinee with its interpretation and its outcome."""
    turn, result = 0, []
    for event in trace.events:
        if isinstance(event, TurnBegan):
            turn = event.turn
        elif isinstance(event, Assessed):
            result.append({"turn": turn, "minute": event.minute, **_assessment(event, scenario)})
    return result


def run_manifest(
    scenario: Scenario, trace: Trace, run_id: str, models: dict[str, str], score: Json | None
) -> Json:
    """Return the manifest: the scenario, the players, the outcome and the score; an unjudged episode has an
    empty `score_summary`."""
    outcome = trace.outcome
    return {
        "run_id": run_id,
        "status": str(outcome.status),
        "completed": outcome.status == Status.COMPLETED,
        "completion_reason": outcome.reason,
        "case_id": scenario.case_id,
        "scenario_id": scenario.scenario,
        "scenario_hash": scenario.content_hash,
        "models": models,
        "turns": outcome.counts.get("turns", 0),
        "simulated_minutes": outcome.minutes,
        "exchanges": outcome.exchanges,
        "score_summary": score["_score_summary"] if score else {},
        "written_by": f"osler {osler.__version__}",
    }


def _engine(event: Event) -> Iterator[tuple[str, str]]:
    """Yield the engine's own transcript entries for an event."""
    match event:
        case TurnBegan(last_chance=True):
            yield SYSTEM_EVENT, LAST_TURN
        case Acted(eos=True):
            yield SYSTEM_EVENT, END_OF_STATE
        case Ended():
            yield SYSTEM_EVENT, f"The encounter is over ({event.status})."
        case _:
            return


def _turn(number: int, minute: int, before: Json | None = None) -> Json:
    """Return a turn in which nothing has happened yet, with the state carried over from the turn before."""
    kept = ("patient_status", "vitals", "progress_index", "state_id", "state_label")
    environment = {name: before["environment"][name] if before else "" for name in kept}
    if before is None:
        environment |= {"vitals": {}, "progress_index": 0}
    return {
        "turn": number,
        "minute": minute,
        "examinee": {"speak": "", "actions": [], "eos": False},
        "sp": {"speak": [], "actors_present": {}},
        "environment": {
            "feedback": [],
            "events": [],
            "speak": [],
            "actors_present": {},
            "action_assessments": [],
            **environment,
            "should_end": False,
            "completion_reason": "",
        },
    }


def _add(turn: Json, event: Event, scenario: Scenario, present: dict[str, dict[str, str]]) -> None:
    examinee, sp, environment = turn["examinee"], turn["sp"], turn["environment"]
    match event:
        case Spoke(by="examinee"):
            examinee["speak"] = event.text
        case Spoke():
            side = sp if event.by == "patient" else environment
            side["speak"].append({"who": event.who, "words": event.text})
        case Acted():
            examinee["actions"], examinee["eos"] = list(event.actions), event.eos
        case Assessed():
            environment["action_assessments"].append(_assessment(event, scenario))
        case Resulted():
            environment["feedback"].append(f"{event.name}: {event.text}")
        case Taken():
            environment["feedback"].append(f"{event.name}: result at minute {event.ready_minute}")
        case Happened():
            environment["events"].append(event.text)
        case Observed():
            environment |= {"patient_status": event.status, "vitals": event.vitals}
        case StateEntered():
            state = scenario.states_by_id.get(event.state)
            label = state.label if state else event.state
            environment |= {"progress_index": event.progress, "state_id": event.state, "state_label": label}
        case Present():
            side_name = "sp" if event.role in ("patient", "family") else "environment"
            if event.here:
                present[side_name][event.who] = event.evidence
            else:
                present[side_name].pop(event.who, None)
        case Ended():
            over = event.status == Status.COMPLETED
            environment |= {"should_end": over, "completion_reason": event.reason}
        case _:
            pass
    turn["environment"] = environment


def _assessment(event: Assessed, scenario: Scenario) -> Json:
    action = scenario.actions_by_id.get(event.action)
    return {
        "raw": event.raw,
        "interpreted_action": action.what if action else event.action,
        "action_id": action.id if action else "",
        "status": event.status,
        "rationale": event.rationale,
    }
