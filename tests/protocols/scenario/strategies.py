"""Random scenarios and random players for properties: small graphs, and everybody does whatever they like."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from osler.cases.scenarios.model import Scenario
from osler.core.contract import OwnReply, Request
from osler.protocols.scenario.events import Acted
from osler.protocols.scenario.seats import Assessment, ControllerReply, ExamineeMove, PatientSeatReply, Spoken

ACTIONS = ("press", "listen", "swab", "call")
PEOPLE = ("patient", "mother", "nurse", "porter")
NAMES = {"patient": "Ms Vane", "mother": "Mrs Vane", "nurse": "Nurse Odd", "porter": "Mr Pike"}


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """A scenario of two to five states; every text that has to be earned stands nowhere else."""
    states = [f"s{n}" for n in range(draw(st.integers(2, 5)))]
    some = st.lists(st.sampled_from(ACTIONS), max_size=2, unique=True)
    there = st.lists(st.sampled_from(states), max_size=2, unique=True)
    later = st.none() | st.integers(1, 8)
    trigger = st.none() | st.fixed_dictionaries({"states": there, "did": some, "after": later})

    def way() -> dict[str, Any]:
        opened = draw(st.sampled_from(["eos", "did", "did", "after"]))
        did = st.lists(st.sampled_from(ACTIONS), min_size=opened == "did", max_size=2, unique=True)
        return {
            "to": draw(st.sampled_from(states)),
            "eos": opened == "eos",
            "did": draw(did),
            "after": draw(st.integers(1, 8)) if opened == "after" else draw(later),
            "unless": draw(st.just([]) | some),
        }

    def state(ident: str) -> dict[str, Any]:
        ways = [way() for _ in range(draw(st.integers(1, 3)))]
        return {
            "id": ident,
            "label": f"the label of {ident}",
            "status": f"how it looks in {ident}",
            "vitals": {"heart rate": f"{len(ident)} for {ident}"},
            "events": [f"what happens in {ident}"],
            "lines": [{"who": draw(st.sampled_from(PEOPLE)), "words": f"a line of {ident}"}],
            "cue": f"a cue for {ident}",
            "ends": draw(st.sampled_from(["no", "no", "eos", "entry"])) if ident != "s0" else "no",
            "transitions": ways,
        }

    def action(ident: str) -> dict[str, Any]:
        return {
            "id": ident,
            "what": f"{ident} the thing",
            "terms": [ident],
            "kind": "test",
            "minutes": draw(st.integers(0, 5)),
            "turnaround": draw(st.integers(0, 5)),
            "result": f"the result of {ident}",
            "needs": [each for each in draw(st.just([]) | some) if each != ident],
            "states": draw(st.just([]) | there),
            "refused": f"no {ident} for now",
            "monitors": draw(st.booleans()),
            "lines": [{"who": draw(st.sampled_from(PEOPLE)), "words": f"a line for {ident}"}],
        }

    roles = {"patient": "patient", "mother": "family", "nurse": "team", "porter": "other"}
    return Scenario.model_validate(
        {
            "case_id": "random",
            "instructions": "Do something.",
            "max_turns": draw(st.integers(1, 6)),
            "people": [
                {
                    "id": who,
                    "name": NAMES[who],
                    "role": role,
                    "here": draw(st.sampled_from([True, True, False])),
                    "enters": draw(trigger),
                    "leaves": draw(trigger),
                }
                for who, role in roles.items()
            ],
            "knows": [
                {"id": "k0", "topic": "complaint", "text": "the fact k0 of hers", "told": "volunteered"},
                {"id": "k1", "who": "mother", "topic": "allergies", "text": "the fact k1 of hers"},
                {"id": "k2", "topic": "alcohol", "text": "the fact k2 of hers", "told": "in_private"},
                {"id": "k3", "topic": "diet", "text": "the fact k3 of hers", "states": draw(there)},
            ],
            "states": [state(ident) for ident in states],
            "actions": [action(ident) for ident in ACTIONS],
            "provenance": {"origin": "chance"},
        }
    )


SPEECH = (
    "",
    "What is wrong?",
    "What do you eat?",
    "Mother, any allergies?",
    "May I see you alone? Do you drink alcohol?",
)
words = st.sampled_from((*ACTIONS, "press and listen", "do not press", "dance"))
acts = st.lists(words, min_size=1, max_size=4)
moves = st.builds(
    ExamineeMove,
    speak=st.sampled_from(SPEECH),
    actions=acts.map(tuple),
    eos=st.booleans(),
)


class Unruly:
    """Base of players that do whatever chance says, mostly what they should; each try is another."""

    durable = False
    name = "unruly"

    def chance(self, request: Request[Any]) -> Any:
        """Random numbers of this question and this try."""
        return request.rng("examinee", f"{type(self).__name__} {len(request.feed)}")


class UnrulyController(Unruly):
    """Interprets acts by chance, claims a course, ends, lets anybody speak, and lets out what it likes."""

    async def reply(self, request: Request[Any]) -> ControllerReply:
        rng = self.chance(request)
        acted = next(item for item in reversed(request.feed) if type(item) is Acted)
        found = []
        for act in acted.actions:
            status = rng.choice((*["executed"] * 6, "pending", "unsupported"))
            name = rng.choice(ACTIONS) if status != "unsupported" or rng.random() < 0.1 else ""
            found.append(Assessment(raw=act, interpreted_action=name, status=status))
        if found and rng.random() < 0.1:
            found.pop()
        wild = rng.random() < 0.3
        said = rng.choice(("the result of press", "the label of s1", "the fact k2 of hers", "A door shuts."))
        who = rng.choice(PEOPLE)
        return ControllerReply(
            action_assessments=tuple(found),
            feedback=(said,) if wild else (),
            team=(Spoken(who=who, words="Yes."),) if rng.random() < 0.3 else (),
            actors_present={who: "I say so"} if rng.random() < 0.1 else {},
            progress_index=rng.randrange(4) if rng.random() < 0.2 else None,
            should_end=rng.random() < 0.1,
        )


class UnrulyPatient(Unruly):
    """Lets anybody say anything, and tells facts by chance."""

    async def reply(self, request: Request[Any]) -> PatientSeatReply:
        rng = self.chance(request)
        who, fact = rng.choice((*PEOPLE, "patient", "mother")), rng.choice(("k0", "k1", "k2", "k3"))
        words = rng.choice(("Hello.", f"It is the fact {fact} of hers.", "I cannot say."))
        declared = (fact,) if rng.random() < 0.5 else ()
        return PatientSeatReply(speak=(Spoken(who=who, words=words),), revealed_facts=declared)


class Listed:
    """Plays a list of moves, then moves in which nothing is done."""

    name, durable = "listed", False

    def __init__(self, moves: list[ExamineeMove]) -> None:
        self._moves = moves

    async def reply(self, request: Request[Any]) -> ExamineeMove:
        so_far = sum(isinstance(item, OwnReply) for item in request.feed)
        return self._moves[so_far] if so_far < len(self._moves) else ExamineeMove()
