"""The tokens that model seats of a scenario are sent, against prompting as the source's code does it.

A scenario of our library is written out as prose for each role, which gives a packet of realistic length,
and played by model seats whose replies are fixed beforehand, for 4, 8 and 12 turns. Four characters are a
token, so shares of tokens are shares of characters.

- `fresh_over_sent`: what is not in the common prefix with the same seat's previous request, over all that is
  sent to the three seats. The first request of a seat is all fresh, so over 4 turns it cannot be below a
  quarter.
- `sent_over_original`: all that is sent, our judge's calls with it, over what the source's prompting sends
  for the same packet and the same replies (`scenario_original.py`). Where a packet has to go with every call
  on both sides, it is most of what is sent: see `packet_share`. Ours asks the controller and the actor of a
  packet once more, for the opening, which the source never shows.
- `states_over_original`: the same where ours plays the scenario from its explicit states, as we play our own
  scenarios: the controller needs the declared acts and not the materials.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from prefixes import in_common
from scenario_original import original_prompts
from scenario_script import Turn, fixed_turns

from osler.cases.personas import persona
from osler.cases.rubrics.model import Rubric
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.prose import packet_of
from osler.cases.scenarios.sources import open_scenarios
from osler.core.events import Seat
from osler.core.judge import PORTION
from osler.core.trace import Trace
from osler.judging.lines import as_examined, lines_of
from osler.judging.model.engine import portions
from osler.judging.model.template import template
from osler.judging.rubric.by_model import TEMPLATE, asked_about, slots_of
from osler.models.types import Completion, CompletionRequest, Message, Validate
from osler.protocols.scenario.config import ScenarioEpisode
from osler.protocols.scenario.model.players import ModelController, ModelExaminee, ModelPatientSeat
from osler.protocols.scenario.protocol import PROTOCOL as SCENARIO
from osler.protocols.scenario.settings import ScenarioSettings

TURNS: Final = (4, 8, 12)
CASE: Final = "st01"
AIMS: Final = {"fresh_over_sent": 0.25, "sent_over_original": 0.6}


class Sent(NamedTuple):
    """The prompts that were sent, in characters: by seat in their order, and to the judge."""

    by_seat: Mapping[str, list[str]]
    judge: list[str]

    @property
    def all(self) -> int:
        """Everything, in characters."""
        return sum(map(len, self.judge)) + self.seats

    @property
    def seats(self) -> int:
        """What went to the seats, in characters."""
        return sum(len(prompt) for prompts in self.by_seat.values() for prompt in prompts)

    @property
    def fresh(self) -> int:
        """What of it was not in the common prefix with the seat's previous request."""
        found = 0
        for prompts in self.by_seat.values():
            for before, now in zip(("", *prompts), prompts, strict=False):
                found += len(now) - in_common(before, now)
        return found

    @property
    def calls(self) -> int:
        """How many requests there were to the seats."""
        return sum(map(len, self.by_seat.values()))


@dataclass
class Fixed:
    """A model whose replies are fixed: the next of its seat's list. Keeps every prompt."""

    replies: Mapping[str, Sequence[Mapping[str, Any]]]
    prompts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """The seat's next reply."""
        said = self.replies[request.seat][len(self.prompts[request.seat])]
        self.prompts[request.seat].append(written(request.messages))
        return Completion(text=json.dumps(said), parsed=validate(said) if validate else said)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Nobody asks for it."""
        raise NotImplementedError


def written(messages: Sequence[Message]) -> str:
    """A prompt as a chat template would write it out."""
    return "".join(f"<|{message.role}|>\n{message.text}\n" for message in messages)


def library_case(name: str = CASE) -> Scenario:
    """A scenario of our library."""
    return next(each for each in open_scenarios("library") if each.case_id == name)


def as_packet(scenario: Scenario) -> Scenario:
    """The same scenario as a packet of prose."""
    return Scenario(
        case_id=scenario.case_id,
        instructions=scenario.instructions,
        max_turns=scenario.max_turns,
        packet=packet_of(scenario),
        frozen_rubric=scenario.items,
        provenance=scenario.provenance,
    )


def opening(turn: Turn) -> Turn:
    """What a packet's controller and actor answer before the first turn: how it looks, and who is there."""
    return turn._replace(answers=(), acts=())


def ours(scenario: Scenario, turns: Sequence[Turn]) -> Sent:
    """What our model seats and our model judge are sent over these turns."""
    packet = scenario.packet is not None
    first = [opening(turns[0])] if packet else []
    client = Fixed(
        {
            "examinee": [turn.examinee(packet=packet) for turn in turns],
            "patient": [
                *[each.patient(packet=packet) for each in first],
                *[turn.patient(packet=packet) for turn in turns],
            ],
            "controller": [
                *[each.controller(packet=packet) for each in first],
                *[turn.controller(packet=packet) for turn in turns],
            ],
        }
    )
    cast: dict[Seat, Any] = {
        "examinee": ModelExaminee(client, "fixed"),
        "patient": ModelPatientSeat(client, "fixed"),
        "controller": ModelController(client, "fixed"),
    }
    settings = ScenarioSettings(max_turns=len(turns))
    episode = ScenarioEpisode(0, scenario, persona("plain"), settings, "0")
    trace = asyncio.run(episode.play(cast))
    if trace.outcome.counts["turns"] != len(turns):
        raise SystemExit(f"the fixed replies did not last: {trace.outcome.status} {trace.outcome.reason}")
    return Sent(dict(client.prompts), _judged(scenario.items, trace))


def _judged(rubric: Rubric | None, trace: Trace) -> list[str]:
    lines = lines_of(trace, SCENARIO, as_examined)
    items = asked_about(rubric.items if rubric else (), lines)
    return [written(sent) for _, sent in portions(template(TEMPLATE), slots_of(lines), items, PORTION)]


def measured() -> dict[str, Any]:
    """The figures at 4, 8 and 12 turns, and those of 12 turns by themselves."""
    scenario = library_case()
    packet = as_packet(scenario)
    by_turns = {str(number): _figures(scenario, packet, number) for number in TURNS}
    return {**by_turns[str(TURNS[-1])], "by_turns": by_turns, "aims": AIMS}


def _figures(scenario: Scenario, packet: Scenario, number: int) -> dict[str, float]:
    turns = fixed_turns(scenario, number)
    mine, states = ours(packet, turns), ours(scenario, turns)
    original = sum(map(len, original_prompts(packet, turns)))
    assert packet.packet is not None
    roles = (packet.packet.examinee, packet.packet.sp_actor, packet.packet.environment_controller)
    return {
        "fresh_over_sent": round(mine.fresh / mine.seats, 3),
        "sent_over_original": round(mine.all / original, 3),
        "states_over_original": round(states.all / original, 3),
        "packet_share": round(number * sum(map(len, roles)) / original, 3),
        "calls_per_turn": mine.calls / number,
        "characters_sent": mine.all,
        "characters_original": original,
    }
