"""The plan of a scenario's oracle: moves that show every item, found by a search through the script.

The oracle is privileged: it does not measure how well anyone plays, but shows that a scenario can be played
and that a perfect examinee scores 100 %. In each state it says and does what the items of that state name,
then takes one of the ways out; of the paths through the states, the one that shows most is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from osler.cases.scenarios.model import RubricLine, Scenario, State
from osler.core.events import Event, TurnBegan
from osler.errors import BadInput
from osler.protocols.scenario.course import Course, Step
from osler.protocols.scenario.events import Spoke
from osler.protocols.scenario.judge.keyed import items_shown
from osler.protocols.scenario.listening import listener_of
from osler.protocols.scenario.players.oracle import ScenarioPlan
from osler.protocols.scenario.seats import Assessment, ExamineeMove

_SPLITS: Final = (1, 2, 3, 4)
"""Numbers of moves to try for the items of one state: as few as possible, as time passes with each move."""
_TRIES: Final = 400
_NEVER: Final = 10_000


def scenario_plan(scenario: Scenario) -> ScenarioPlan:
    """Return the moves of a perfect examinee. Raises BadInput if the rubric does not declare its evidence."""
    if not (scenario.states and scenario.rubric):
        raise BadInput(
            "the oracle needs a scenario with states whose rubric declares its evidence",
            where=scenario.id,
            hint="name another examinee",
        )
    return _kept(_Once(scenario))


class _Once:
    """A scenario as a cache key, compared by its content hash."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Once) and other.scenario.content_hash == self.scenario.content_hash

    def __hash__(self) -> int:
        return hash(self.scenario.content_hash)


class _Way(NamedTuple):
    """A search state: the course so far, its events, the moves, and the rubric lines already tried."""

    course: Course
    events: tuple[Event, ...]
    moves: tuple[ExamineeMove, ...]
    tried: frozenset[int]


@lru_cache(maxsize=256)
def _kept(once: _Once) -> ScenarioPlan:
    scenario = once.scenario
    best: tuple[ExamineeMove, ...] = ()
    most = float("-inf")
    for moves_a_state in _SPLITS:
        for way in _ways(scenario, moves_a_state):
            value = _value(scenario, way)
            if value > most:
                best, most = way.moves, value
            if most >= _perfect(scenario):
                return ScenarioPlan(moves=best)
    return ScenarioPlan(moves=best)


def _ways(scenario: Scenario, moves_a_state: int) -> Iterator[_Way]:
    """Yield ways to play to an end, depth first, at most `_TRIES` steps."""
    course = Course(scenario)
    open_ways = [_Way(course, _told(course.begin()), (), frozenset())]
    for _ in range(_TRIES):
        if not open_ways:
            return
        way = open_ways.pop()
        if way.course.over or len(way.moves) >= scenario.max_turns:
            yield way
        else:
            open_ways.extend(reversed(list(_onward(scenario, way, moves_a_state))))


def _onward(scenario: Scenario, way: _Way, moves_a_state: int) -> Iterator[_Way]:
    """Yield successors: the state's items shown, then each way out: ending the state, its acts, waiting."""
    state = scenario.states_by_id[way.course.state]
    due = [n for n, line in enumerate(scenario.rubric) if _is_due(line, state) and n not in way.tried]
    size = -(-len(due) // moves_a_state) or 1
    groups = [[scenario.rubric[n] for n in due[at : at + size]] for at in range(0, len(due), size)] or [[]]
    pairs: set[tuple[ExamineeMove, ...]] = set()
    for last_acts, eos, leaving_last in product(_last_acts(state, way.course), (True, False), (False, True)):
        result = way._replace(tried=way.tried | set(due))
        for lines in groups:
            if result.course.over or len(result.moves) >= scenario.max_turns:
                break
            last = lines is groups[-1]
            acts = _acts(scenario, state, result.course, lines, leaving_last=leaving_last)
            acts += [act for act in last_acts if last and act not in acts]
            result = _moved(scenario, result, lines, acts, eos=eos and last)
        if result.moves not in pairs:
            pairs.add(result.moves)
            yield result


def _is_due(line: RubricLine, state: State) -> bool:
    return line.when == state.id and not line.traits.negative and bool(line.say or line.do)


def _last_acts(state: State, course: Course) -> list[tuple[str, ...]]:
    """Return the acts that open each way out of a state, and the empty choice."""
    ways = [tuple(act for act in way.did if act not in course.done) for way in state.transitions]
    return list(dict.fromkeys([(), *ways]))


def _acts(
    scenario: Scenario, state: State, course: Course, lines: Iterable[RubricLine], *, leaving_last: bool
) -> list[str]:
    """Return the acts of the lines, most urgent first, each after its prerequisites; with `leaving_last`,
    acts that leave the state come last."""
    acts = [act for line in lines for act in line.do]
    leaving = {act for way in state.transitions for act in way.did} if leaving_last else set[str]()
    first = {
        evidence.before: evidence.did
        for line in scenario.rubric
        for evidence in line.shown_by
        if evidence.before and not line.traits.negative
    }
    placed: dict[str, None] = {}

    def place(act: str, inside: frozenset[str]) -> None:
        if act in placed or act in inside:
            return
        for need in scenario.actions_by_id[act].needs:
            if need not in course.done:
                place(need, inside | {act})
        for before in first.get(act, ()):
            if before in acts:
                place(before, inside | {act})
        placed[act] = None

    for act in sorted(acts, key=lambda act: (act in leaving, _deadline(scenario, act))):
        place(act, frozenset())
    return list(placed)


def _deadline(scenario: Scenario, act: str) -> int:
    minutes = [
        evidence.within
        for line in scenario.rubric
        for evidence in line.shown_by
        if evidence.within is not None and act in evidence.did and not line.traits.negative
    ]
    return min(minutes, default=_NEVER)


def _moved(
    scenario: Scenario, way: _Way, lines: Iterable[RubricLine], acts: Sequence[str], *, eos: bool
) -> _Way:
    """Return the search state after one more move, with the script's response."""
    speech = " ".join(dict.fromkeys(line.say for line in lines if line.say))
    whats = [scenario.actions_by_id[act].what for act in acts]
    move = ExamineeMove(speak=speech, actions=tuple(whats), eos=eos)
    course, turn = way.course.copy(), len(way.moves) + 1
    now = course.minute
    told: list[Event] = [TurnBegan(minute=now, turn=turn, turns_left=scenario.max_turns - turn)]
    if speech:
        told.append(Spoke(minute=now, by="examinee", who="examinee", text=speech))
    orders = listener_of(scenario).listen(speech, course.state, done_too=acts).orders
    pairs = ((order.action, order.words) for order in orders)
    assessed = [
        Assessment(raw=what, interpreted_action=act, status="executed")
        for act, what in (*pairs, *zip(acts, whats, strict=True))
    ]
    steps = course.turn(move, assessed)
    return way._replace(course=course, events=(*way.events, *told, *_told(steps)), moves=(*way.moves, move))


def _told(steps: Iterable[Step]) -> tuple[Event, ...]:
    return tuple(kind(minute=minute, to=to, **what) for minute, kind, to, what in steps)


def _value(scenario: Scenario, way: _Way) -> float:
    """Return the weight of the items shown, less that of negative items; reaching an end is worth a bonus."""
    shown = items_shown(scenario, way.events)
    total = 0.0
    for line, quotes in zip(scenario.rubric, shown, strict=True):
        if quotes is not None:
            total += -line.traits.weight if line.traits.negative else line.traits.weight
    return total if way.course.over else total - 0.5


def _perfect(scenario: Scenario) -> float:
    return sum(line.traits.weight for line in scenario.rubric if not line.traits.negative)
