"""Pictures of designs: the states of a packaged scenario, and the streams of a longitudinal study."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import osler
from docs.pictures.canvas import Canvas, Point, columns
from osler.cases.scenarios.model import Scenario, State, Transition
from osler.cli.longitudinal import CASES
from osler.protocols.consultation.longitudinal.design import ARMS, MEANT, Design
from osler.protocols.consultation.longitudinal.planning import kind_of, plan

WIDTH: Final = 860
SCENARIO: Final = "st03"
_BOX: Final = (236.0, 76.0)


def states() -> Canvas:
    """The states of a scenario: how the patient comes from one to another."""
    source = osler.open_cases(protocol="scenario", limit=None)
    scenario: Scenario = next(one for one in source if one.id.startswith(f"{SCENARIO}/"))
    result = Canvas(
        WIDTH,
        f"The states of the scenario {SCENARIO}",
        "What the examinee does, says or leaves undone, and the minutes that pass, lead from one state of the"
        " patient to another; a state with a thick border ends the scenario.",
    )
    places = _placed(scenario)
    pairs = defaultdict[tuple[str, str], list[str]](list)
    for state in scenario.states:
        for one in state.transitions:
            pairs[state.id, one.to].append(_words(one))
    for number, (start, end) in enumerate(pairs, 1):
        _way(result, places[start], places[end], number)
    for state in scenario.states:
        x, y = places[state.id]
        result.box(x, y, *_BOX, style=_style(state), title="", text=state.label)
    y = max(y for _, y in places.values()) + _BOX[1] + 34
    for number, words in enumerate(pairs.values(), 1):
        result.lines(60, y, [str(number)], style="small b", anchor="start")
        y = result.lines(82, y, ["; or ".join(dict.fromkeys(words))], anchor="start")
    return result


def _style(state: State) -> str:
    return "seat" if state.ends == "no" else "end"


def _words(one: Transition) -> str:
    """The condition of a transition, in words."""
    did = " and ".join(name.replace("_", " ") for name in one.did)
    parts = [did or ("something said" if one.said else ""), f"{one.after} min" if one.after else ""]
    parts.append("the examinee ends the state" if one.eos else "")
    without = " or ".join(name.replace("_", " ") for name in one.unless)
    return ", ".join(part for part in parts if part) + (f" without {without}" if without else "")


def _placed(scenario: Scenario) -> dict[str, Point]:
    """A place for every state: the course in which all goes well on the left, the others beside it."""
    course, state = list[str](), scenario.states[0]
    while state.id not in course:
        course.append(state.id)
        following = [one.to for one in state.transitions]
        state = next((one for one in scenario.states if one.id in following[:1]), state)
    rest = [one.id for one in scenario.states if one.id not in course]
    down = _BOX[1] + 44
    result = {name: (60.0, 20 + at * down) for at, name in enumerate(course)}
    return result | {name: (500.0, 20 + down * (1 + 2 * at)) for at, name in enumerate(rest)}


def _way(on: Canvas, start: Point, end: Point, number: int) -> None:
    """An arrow from one state to another, with its number."""
    w, h = _BOX
    if start[0] == end[0] and end[1] > start[1]:
        on.arrow((start[0] + w / 2, start[1] + h), (end[0] + w / 2, end[1] - 2))
        on.lines(start[0] + w / 2 + 14, start[1] + h + 26, [str(number)], style="b")
        return
    right = end[0] > start[0]
    x1, x2 = (start[0] + w, end[0] - 2) if right else (start[0], end[0] + w + 2)
    y1 = start[1] + h / 2 + (0 if right else 26)
    y2 = end[1] + h / 2 + (14 * ((start[1] > end[1]) - (start[1] < end[1])) if right else 26)
    on.arrow((x1, y1), (x2, y2))
    on.lines(x1 + (x2 - x1) * 0.22, y1 + (y2 - y1) * 0.22 - 6, [str(number)], style="b")


def streams() -> Canvas:
    """The streams of a longitudinal study of the usual design, and where its memories are probed."""
    design = Design(cases=CASES, by="random")
    source = osler.open_cases(CASES)
    planned = plan([kind_of(at, case) for at, case in enumerate(source)], design)
    blocks = len(planned.blocks)
    result = Canvas(
        WIDTH,
        "The streams of a longitudinal study",
        "Each stream meets the blocks of cases in an order and with a draw of its own, and writes lessons"
        " into one memory. After every block this is frozen and probed on held-out cases of all blocks.",
    )
    places = columns(WIDTH - 130, blocks, 30)
    shift = 110.0
    for at, (x, w) in enumerate(places):
        result.lines(x + shift + w / 2, 28, [f"stage {at + 1}"], style="b")
    orders = {stream.order: stream for stream in planned.streams if stream.seed == 0}
    y = 44.0
    for order, stream in orders.items():
        result.lines(20, y + 24, [f"order {order + 1}"], style="b", anchor="start")
        result.lines(20, y + 42, [f"{design.seeds} streams"], anchor="start")
        for at, (number, (x, w)) in enumerate(zip(stream.blocks, places, strict=True)):
            taught = f"{len(stream.taught[at])} cases"
            result.box(x + shift, y, w, 54, style="seat", title=f"block {'ABCDEFGHIJ'[number]}", text=taught)
            if at:
                result.arrow((x + shift - 28, y + 27), (x + shift - 2, y + 27))
        y += 72
    for x, w in places:
        result.arrow((x + shift + w / 2, y - 16), (x + shift + w / 2, y + 8))
    probes = len(planned.held_out)
    text = f"frozen memory, probed on the same {probes} held-out cases of all blocks after every stage"
    result.box(places[0][0] + shift, y + 10, WIDTH - shift - 40, 44, style="table", text=text)
    y += 84
    result.lines(20, y, ["Conditions of the probes"], style="b", anchor="start")
    for at, arm in enumerate(ARMS):
        result.lines(40, y + 20 + at * 18, [f"{arm}: {MEANT[arm]}"], anchor="start")
    return result
