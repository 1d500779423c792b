"""The script of a scenario, one interface for explicit states and for packets of prose."""

from __future__ import annotations

from typing import Final, Protocol

from osler.cases.scenarios.model import Scenario
from osler.core.events import Released
from osler.protocols.scenario import rules
from osler.protocols.scenario.course import EVERYBODY, Course, Step
from osler.protocols.scenario.events import Happened, Spoke
from osler.protocols.scenario.listening import PUZZLED, SpokenOrders, listener_of, team_present
from osler.protocols.scenario.packet_course import PacketCourse
from osler.protocols.scenario.seats import ControllerReply, ExamineeMove, PatientSeatReply

NOT_DONE_YET: Final = "Nothing has been done yet."


class Script(Protocol):
    """A scenario in progress. The checks raise ValueError if a reply is not allowed now; the other methods
    return the steps to be told, and advance `minute`."""

    @property
    def minute(self) -> int: ...

    @property
    def over(self) -> bool: ...

    @property
    def tests(self) -> int: ...

    def begin(self) -> list[Step]: ...

    def hear(self, move: ExamineeMove) -> SpokenOrders: ...

    def check_patient(self, reply: PatientSeatReply) -> None: ...

    def patient_said(self, reply: PatientSeatReply) -> list[Step]: ...

    def check_controller(self, reply: ControllerReply, move: ExamineeMove) -> None: ...

    def turn(self, move: ExamineeMove, reply: ControllerReply) -> list[Step]: ...


def script_of(scenario: Scenario, *, tells_kind: bool = False) -> Script:
    """Create the script of a scenario, before its opening. `tells_kind` as in `Course`; the controller of a
    packet of prose words its own refusals."""
    return PacketScript(scenario) if scenario.packet else StatesScript(scenario, tells_kind=tells_kind)


class StatesScript:
    """A script of explicit states: the engine works out the course, and in-world words are the script's."""

    def __init__(self, scenario: Scenario, *, tells_kind: bool = False) -> None:
        self._scenario, self._course = scenario, Course(scenario, tells_kind)
        self._listener = listener_of(scenario)
        self._heard: list[str] = []
        self._now = self._before = SpokenOrders()
        self._released: set[str] = set()

    @property
    def minute(self) -> int:
        """Simulated minutes since the beginning."""
        return self._course.minute

    @property
    def over(self) -> bool:
        """Whether the scenario has come to its end."""
        return self._course.over

    @property
    def tests(self) -> int:
        """The number of declared tests that have been done."""
        return self._course.tests

    def begin(self) -> list[Step]:
        """Return the steps of the opening."""
        return self._course.begin()

    def hear(self, move: ExamineeMove) -> SpokenOrders:
        """Record the examinee's words, on which some facts depend, and read the orders in them."""
        if move.speak.strip():
            self._heard.append(move.speak)
        state = self._course.state
        typed = {each.act for act in move.actions for each in self._listener.read(act, state)}
        self._before = self._now
        now = self._listener.listen(move.speak, state, asked=self._before.asked, done_too=typed)
        # Where nobody of the team is there, whoever is there answers.
        there = next(team_present(self._scenario, self._course.here), None)
        self._now = now if there else now._replace(to_team=())
        return self._now

    def check_patient(self, reply: PatientSeatReply) -> None:
        """See `rules.check_patient_seat`."""
        rules.check_patient_seat(reply, self._scenario, self._course, self._heard)

    def patient_said(self, reply: PatientSeatReply) -> list[Step]:
        """Return the steps of their words, and a ledger entry for every fact told for the first time."""
        people = self._scenario.people_by_id
        told = {knows.id: knows.told for knows in self._scenario.knows}
        steps = [_spoke(self.minute, "patient", people[one.who].name, one.words) for one in reply.speak]
        for item in dict.fromkeys(reply.revealed_facts):
            if item not in self._released:
                self._released.add(item)
                gate = "volunteered" if told[item] == "volunteered" else "asked"
                steps.append(Step(self.minute, Released, (), {"item": item, "gate": gate}))
        return steps

    def check_controller(self, reply: ControllerReply, move: ExamineeMove) -> None:
        """See `rules.check_controller`."""
        rules.check_assessments(reply.action_assessments, move.actions)
        after = self._course.copy()
        after.turn(move, reply.action_assessments)
        rules.check_controller(reply, self._scenario, self._course, after)

    def turn(self, move: ExamineeMove, reply: ControllerReply) -> list[Step]:
        """Return the script's own steps, then what the controller adds where the script has nothing."""
        steps = self._course.turn(move, reply.action_assessments)
        people = self._scenario.people_by_id
        for text in (*reply.feedback, *reply.events):
            what = {"text": text, "source": "controller"}
            steps.append(Step(self.minute, Happened, ("examinee",), what))
        steps += [_spoke(self.minute, "controller", people[one.who].name, one.words) for one in reply.team]
        return [*steps, *self._read_back()]

    def _read_back(self) -> list[Step]:
        """Return the steps that ask about half-understood orders, through a team member if one is present."""
        questions = [one.question for one in self._now.asked]
        if self._now.puzzled:
            questions = [PUZZLED]
        if not questions or self.over:
            return []
        who = next(team_present(self._scenario, self._course.here), None)
        if who is not None:
            return [_spoke(self.minute, "controller", who.name, " ".join(questions))]
        text = NOT_DONE_YET if self._now.puzzled else f"{NOT_DONE_YET} Is this meant: {' '.join(questions)}"
        return [Step(self.minute, Happened, ("examinee",), {"text": text, "source": "state"})]


class PacketScript:
    """A packet of prose: the seats know the script, and the engine enforces the loop's rules."""

    tests = 0

    def __init__(self, scenario: Scenario) -> None:
        items = scenario.items.items if scenario.items else ()
        self._scenario = scenario
        self._course = PacketCourse(secret=(scenario.case_id, *(item.text for item in items)))

    @property
    def minute(self) -> int:
        """Simulated minutes since the beginning."""
        return self._course.minute

    @property
    def over(self) -> bool:
        """Whether the scenario has come to its end."""
        return self._course.over

    def begin(self) -> list[Step]:
        """Return the steps of the opening that need no one's words."""
        return self._course.begin()

    def check_opening(self, reply: ControllerReply) -> None:
        """See `rules.check_packet_opening`."""
        rules.check_packet_opening(reply, self._scenario, self._course)

    def opening(self, reply: ControllerReply) -> list[Step]:
        """Return the steps of the opening as the controller narrates it."""
        return self._course.opening(reply) + self._of_the_team(reply)

    def hear(self, move: ExamineeMove) -> SpokenOrders:
        """Read nothing in the examinee's words: in a packet, the controller decides what they do."""
        return SpokenOrders()

    def check_patient(self, reply: PatientSeatReply) -> None:
        """See `rules.check_packet_patient`."""
        rules.check_packet_patient(reply, self._course)

    def patient_said(self, reply: PatientSeatReply) -> list[Step]:
        """Return the comings and goings among the people of the patient's seat, then their words."""
        steps = self._course.seen("patient", reply.actors_present, "patient")
        return steps + [_spoke(self.minute, "patient", one.who, one.words) for one in reply.speak]

    def check_controller(self, reply: ControllerReply, move: ExamineeMove) -> None:
        """See `rules.check_packet_controller`."""
        rules.check_assessments(reply.action_assessments, move.actions)
        rules.check_packet_controller(reply, move, self._scenario, self._course)

    def turn(self, move: ExamineeMove, reply: ControllerReply) -> list[Step]:
        """Return the steps of the turn as the controller narrates it."""
        return self._course.turn(move, reply) + self._of_the_team(reply)

    def _of_the_team(self, reply: ControllerReply) -> list[Step]:
        steps = self._course.seen("controller", reply.actors_present, "team")
        return steps + [_spoke(self.minute, "controller", one.who, one.words) for one in reply.team]


def _spoke(minute: int, by: str, who: str, words: str) -> Step:
    """A spoken line, told to every seat but the one that voices the speaker."""
    hearers = tuple(seat for seat in EVERYBODY if seat != by)
    return Step(minute, Spoke, hearers, {"by": by, "who": who, "text": words})
