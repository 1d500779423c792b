"""Pictures of played encounters: one exchange, the seats, the order of a ward round, a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

import osler
from docs.pictures.canvas import Canvas, columns, wrapped
from osler.core.registry import protocol_named

WIDTH: Final = 860
COMPARED: Final = ("always-conclude", "repeat-everything", "baseline")
CASES: Final = 12


def plain(name: str) -> str:
    """A name of the code in words: "DoctorView", "door_note", "RequestTest"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def exchange(store: Path) -> Canvas:
    """One order of a consultation: request, reply, the events that follow, and at last the result."""
    trace = next(osler.run(limit=1, store=store).traces())
    told: dict[int, list[Any]] = {at: [*events] for at, events in trace.told()}
    rows = {row.n: row for row in trace.rows}
    n = next(n for n, row in rows.items() if "REQUEST_TEST" in row.reply)
    asked, served = from_json(rows[n].reply), from_json(rows[n + 1].reply)
    taken = next(one for one in told[n + 1] if one.kind == "taken")
    later = next((at, one) for at, events in told.items() for one in events if _is_result(one, taken.order))
    released = [one.kind for one in told[later[0]] if one.kind == "released"]
    doctor, table, service = 120.0, 430.0, 740.0
    result = Canvas(
        WIDTH,
        "One exchange: a request, a reply and the events that follow",
        "The table asks the doctor with a view and the events since the last request. The doctor orders a"
        " test. The table checks and records the reply, asks the examination service, and tells the doctor"
        " that the test was taken. When the result is ready, it is released and told.",
    )
    bottom = 500.0
    for x, name, style in (
        (doctor, "Doctor", "seat"),
        (table, "Table", "table"),
        (service, "Examination", "seat"),
    ):
        result.box(x - 95, 16, 190, 44, style=style, title=name)
        result.arrow((x, 60), (x, bottom), style="thin")
    seen = sorted({plain(one["kind"]) for one in from_json(rows[n].events)})
    y = _step(
        result, table, doctor, 92, f"request {n}: the doctor's view, and the events since: {', '.join(seen)}"
    )
    y = _step(result, doctor, table, y, f"reply: {plain(asked['action'])}, {asked['test_name']}")
    y = _note(result, table, y, f"checked by contract and rules, recorded as exchange {n}")
    y = _step(result, table, service, y, f"request {n + 1}: the findings of the case, and the order")
    y = _step(
        result, service, table, y, f"reply: {served['match_type']} match, {served['matched_test_name']}"
    )
    y = _note(result, table, y, f"recorded as exchange {n + 1}")
    event = f"event, minute {taken.minute}: {taken.kind}, ready at minute {taken.ready_minute}"
    y = _step(result, table, doctor, y, event)
    gate = f"minute {later[1].minute}: {' and '.join(released[:1])} into the ledger by the gate"
    y = _note(result, table, y, gate)
    _step(
        result, table, doctor, y, f"event, minute {later[1].minute}: {later[1].kind} of the {later[1].name}"
    )
    return result


def _is_result(event: Any, order: int) -> bool:
    return event.kind == "result" and event.order == order and bool(event.returned)


def _step(on: Canvas, start: float, end: float, y: float, text: str) -> float:
    """An arrow between two lifelines with its words above; the place of the next."""
    lines = wrapped(text, abs(end - start) - 30)
    after = on.lines((start + end) / 2, y, lines)
    direction = 1 if end > start else -1
    on.arrow((start + 4 * direction, after - 8), (end - 4 * direction, after - 8))
    return after + 18


def _note(on: Canvas, x: float, y: float, text: str) -> float:
    on.box(x - 130, y - 16, 260, 40, style="table", text=text)
    return y + 46


def seats() -> Canvas:
    """The seats of a consultation: what each is shown before it begins, and what it may reply."""
    result = Canvas(
        WIDTH,
        "The seats of a consultation, and the view of each",
        "The case is never handed to a player. Each seat has a view: the doctor sees the door note and the"
        " limits, the patient its own facts, the examination service the findings, and the consultant the"
        " opening as the doctor saw it.",
    )
    result.box(20, 16, WIDTH - 40, 46, style="table", title="Case: handed to no seat; each sees a view of it")
    chosen = [role for role in protocol_named("consultation").roles if role.contracts[0].view.model_fields][
        :4
    ]
    places = columns(WIDTH, len(chosen), 14)
    views = [[plain(name) for name in role.contracts[0].view.model_fields] for role in chosen]
    high = 70 + max(map(len, views)) * 17
    for role, names, (x, w) in zip(chosen, views, places, strict=True):
        result.arrow((x + w / 2, 62), (x + w / 2, 94))
        result.box(x, 96, w, high, style="seat")
        result.lines(x + w / 2, 120, [plain(role.name).capitalize()], style="b")
        result.lines(x + w / 2, 142, ["sees"], style="small b")
        result.lines(x + w / 2, 160, names)
        replies = _replies(role.contracts[0].reply)
        result.box(x, 96 + high + 40, w, 34 + 17 * len(replies), title="", text="")
        result.arrow((x + w / 2, 96 + high), (x + w / 2, 96 + high + 38))
        y = result.lines(x + w / 2, 96 + high + 58, ["may reply"], style="small b")
        result.lines(x + w / 2, y, replies)
    legend = "Fields of the views and kinds of reply, as the contracts of the seats name them."
    result.lines(20, 96 + high + 40 + 34 + 17 * 5 + 26, [legend], anchor="start")
    return result


def _replies(adapter: Any) -> list[str]:
    """The kinds of reply that a contract allows."""
    schema = adapter.json_schema()
    mapping = schema.get("discriminator", {}).get("mapping")
    return [plain(name) for name in mapping] if mapping else [plain(schema["title"])]


class Step(NamedTuple):
    """Exchanges of one kind of seat that follow each other at once: who, how many, and the reply's type."""

    who: str
    seats: int
    reply: str

    @property
    def words(self) -> str:
        """Who takes part."""
        return f"{self.seats} {self.who}s" if self.seats > 1 else self.who


def steps_of(rows: Sequence[Any], protocol: osler.Protocol[Any, Any, Any]) -> Iterator[Step]:
    """The exchanges of a trace, those of one role with one type of reply together."""
    types = [(role, contract.reply.json_schema()) for role in protocol.roles for contract in role.contracts]

    def key(row: Any) -> tuple[str, str]:
        fields = from_json(row.reply).keys()
        of = next(
            (r.name, s["title"])
            for r, s in types
            if r.seats_of(row.seat) and fields <= s["properties"].keys()
        )
        return of[0], plain(of[1])

    for (who, reply), group in groupby(rows, key):
        words = reply.removesuffix(" reply")
        yield Step(who, len(list(group)), "reply" if words == who else words)


def ward_round(store: Path) -> Canvas:
    """The order of a ward round: the exam before, one round as it is played, and the exam after."""
    trace = next(osler.run("ward_round", limit=1, store=store).traces())
    steps = list(steps_of(trace.rows, protocol_named("ward_round")))
    begins = [n for n, step in enumerate(steps) if (step.who, step.reply) == (steps[1].who, steps[1].reply)]
    rounds = [steps[first:last] for first, last in zip(begins, [*begins[1:], len(steps) - 1], strict=True)]
    shown = max(rounds, key=len)
    result = Canvas(
        WIDTH,
        "The order of a ward round",
        "Students take an exam. In each round they analyse, the tutor drafts guidance, a specialist and a"
        " supervisor review it, the students ask or pass, and patient and expert answer. An exam follows.",
    )
    result.box(20, 16, WIDTH - 40, 46, title=f"Before: {steps[0].words}, {steps[0].reply}")
    result.arrow((WIDTH / 2, 62), (WIDTH / 2, 84))
    result.box(20, 86, WIDTH - 40, 236, style="table")
    result.lines(40, 112, [f"Round, up to {len(rounds)} times"], style="b", anchor="start")
    most = 4
    places = columns(WIDTH - 40, most, 34)
    for at, step in enumerate(shown):
        line, place = divmod(at, most)
        x, w = places[place][0] + 20, places[place][1]
        y = 128 + line * 96
        result.box(x, y, w, 68, style="seat", title=step.words.capitalize(), text=step.reply)
        if at + 1 < len(shown) and place + 1 < most:
            result.arrow((x + w + 2, y + 34), (x + w + 32, y + 34))
        elif at + 1 < len(shown):
            first = places[0]
            middle = first[0] + 20 + first[1] / 2
            result.arrow((x + w / 2, y + 68), (x + w / 2, y + 82), (middle, y + 82), (middle, y + 94))
    loop = "Guidance that a reviewer rejects is drafted again; without approval the round has none."
    result.lines(WIDTH / 2, 346, [loop])
    result.arrow((WIDTH / 2, 356), (WIDTH / 2, 378))
    result.box(20, 380, WIDTH - 40, 46, title=f"After: {steps[-1].words}, {steps[-1].reply}")
    return result


def comparison(store: Path) -> Canvas:
    """Three built-in doctors on the same cases: the headline and two measures of evidence, with intervals."""
    runs = [osler.run(seats={"doctor": name}, store=store, limit=CASES) for name in COMPARED]
    measures = [one for one in protocol_named("consultation").measures if one.name in _SHOWN]
    ordered = sorted(measures, key=lambda one: _SHOWN.index(one.name))
    result = Canvas(
        WIDTH,
        "Three built-in doctors compared on the same cases",
        f"Built-in doctors on the first {CASES} cases of the library, each score with its 95 % interval."
        " Built-in players are baselines: the figures check the instrument and say nothing of medicine.",
    )
    left, width = 250.0, (WIDTH - 290) / len(ordered) - 24
    for at, measure in enumerate(ordered):
        result.lines(left + at * (width + 24) + width / 2, 30, [measure.words], style="b")
    for line, (name, run) in enumerate(zip(COMPARED, runs, strict=True)):
        y = 66 + line * 44
        result.lines(20, y + 5, [name], style="", anchor="start")
        for at, measure in enumerate(ordered):
            x, found = left + at * (width + 24), run.totals.measures[measure.name]
            assert found.value is not None
            assert found.low is not None
            assert found.high is not None
            result.bar(x, y - 1, width, 2, "faint")
            result.bar(x + found.low * width, y - 2.5, (found.high - found.low) * width, 5)
            result.dot(x + found.value * width, y)
            result.lines(x + width / 2, y + 24, [f"{found.value:.0%} ({found.low:.0%} to {found.high:.0%})"])
    y = 66 + len(COMPARED) * 44 + 6
    result.lines(
        20,
        y,
        [f"{CASES} cases of the library, 95 % intervals; built-in players are baselines."],
        anchor="start",
    )
    return result


_SHOWN: Final = ("correct", "fact_coverage", "finding_coverage")
