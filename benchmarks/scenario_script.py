"""Fixed replies for every seat, made from a scenario of our library: what its items would have said and done,
spread evenly over so many turns, and answered from its facts and results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from osler.cases.scenarios.model import Scenario
from osler.knowledge.vocabulary import VOICED_BY_PATIENT

FACTS_A_TURN = 2
STATES_EVERY = 4
_PLAIN = ("volunteered", "asked")


class Turn(NamedTuple):
    """What everybody says and does in one turn. `acts` are (wording, id of the action, what it shows)."""

    number: int
    speak: str
    acts: tuple[tuple[str, str, str], ...]
    answers: tuple[tuple[str, str], ...]
    status: str
    eos: bool

    def examinee(self, *, packet: bool) -> dict[str, Any]:
        """As the examinee's model writes it. Explicit states could come to their end, so none is ended."""
        actions = [act for act, _, _ in self.acts]
        return {"speak": self.speak, "actions": actions, "eos": self.eos and packet}

    def patient(self, *, packet: bool) -> dict[str, Any]:
        """As the patient's model writes it."""
        speak = [{"who": "patient" if packet else who, "words": words} for who, words in self.answers]
        return {"speak": speak, "actors_present" if packet else "revealed_facts": []}

    def controller(self, *, packet: bool) -> dict[str, Any]:
        """As the controller's model writes it."""
        assessments: list[dict[str, Any]] = [
            {"act": n, "part": "", "interpreted_action": ident, "status": "executed"}
            for n, (_, ident, _) in enumerate(self.acts, start=1)
        ]
        if not packet:
            return {"assessments": assessments, "feedback": [], "team": []}
        for each in assessments:
            each["rationale"] = "It is in the materials."
        return {
            "assessments": assessments,
            "feedback": [shows for _, _, shows in self.acts if shows],
            "events": [],
            "patient_status": self.status,
            "progress_index": self.state,
            "state_label": f"state {self.state}" if self.state else "",
            "should_end": False,
            "completion_reason": "",
            "actors_present": [],
            "team": [],
        }

    @property
    def state(self) -> int:
        """Where a packet's course stands after this turn."""
        return self.number // STATES_EVERY


def fixed_turns(scenario: Scenario, number: int) -> list[Turn]:
    """So many turns. The same scenario and number give the same turns."""
    say = [item.say for item in scenario.rubric if item.say]
    do = list(dict.fromkeys(ident for item in scenario.rubric for ident in item.do))
    facts = [
        (known.who, known.spoken or known.text)
        for known in scenario.knows
        if known.told in _PLAIN and not known.states and _here(scenario, known.who)
    ]
    return list(_turns(scenario, say, do, facts, number))


def _here(scenario: Scenario, who: str) -> bool:
    person = scenario.people_by_id[who]
    return person.here and person.speaks and person.role in VOICED_BY_PATIENT


def _turns(
    scenario: Scenario, say: list[str], do: list[str], facts: list[tuple[str, str]], number: int
) -> Iterator[Turn]:
    for at in range(number):
        ids = do[at * len(do) // number : (at + 1) * len(do) // number]
        actions = [scenario.actions_by_id[ident] for ident in ids]
        words = say[at * len(say) // number : (at + 1) * len(say) // number]
        told = [facts[(at * FACTS_A_TURN + k) % len(facts)] for k in range(FACTS_A_TURN)]
        yield Turn(
            number=at + 1,
            speak=" ".join(words) or "How are you now?",
            acts=tuple((action.what, action.id, action.result) for action in actions),
            answers=tuple(told),
            status=scenario.states[min((at + 1) // STATES_EVERY, len(scenario.states) - 1)].status,
            eos=(at + 1) % STATES_EVERY == 0,
        )
