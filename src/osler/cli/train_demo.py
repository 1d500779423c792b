"""`osler train demo`: one moment of a ward round, its turn, the reward of that, and turns that try to cheat.

Everything is played in a temporary folder by built-in players; nothing is asked of a model or a network.
"""

from __future__ import annotations

import asyncio
import math
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import shorten, wrap
from typing import Annotated, Final

import typer
from rich.table import Table
from rich.text import Text

from osler.cli.options import AsJson, Seed
from osler.cli.output import add_row, command, plain, result, say
from osler.errors import BadInput
from osler.protocols.ward_round.config import RoundConfig
from osler.runs import run as runs
from osler.store.store import open_store
from osler.text.hostile import safe
from osler.training.reward.opening import controlled, of_turns, open_reward
from osler.training.reward.probes import PLAIN, Probed, run_probes
from osler.training.reward.score import Reward, Score
from osler.training.reward.stored import Stored, turns_of
from osler.training.state import State, text_of
from osler.training.task import trained_seat

_CASE: Final = "cardiology-01"
_WIDTH: Final = 96
_INDENT: Final = "  "
_PARTS: Final[Mapping[str, tuple[str, str]]] = {
    "IS-1": ("structure", "the form: every tag, in order"),
    "IS-2": ("structure", "leads to the right next step"),
    "IS-3": ("structure", "an open question to the group"),
    "AQ-1": ("analysis", "understands each student"),
    "AQ-2": ("analysis", "understands the group"),
    "AQ-3": ("analysis", "what the images show"),
    "CS-1": ("safety", "says nothing wrong"),
    "CS-2": ("safety", "safe, kind and private"),
}
_NEXT: Final = (
    "osler round generated:220:1 --students 1 --max-rounds 2",
    "osler dataset build last --out data",
    "osler train tiny base --data data",
)


@command
def demo(
    case: Annotated[str, typer.Option(metavar="ID", help="A case of the library.")] = _CASE,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Show what a tutor is trained on: one moment of a ward round, the turn, its reward, and cheap turns.

    Built-in players play one case of the library. Nothing is kept, and no model is needed.
    """
    say("One ward round by built-in players; rules stand in for the judge. For education and research only.")
    turn = _turn(case, seed)
    reward = of_turns(open_reward(trained_seat("ward_round")))
    score, probed = asyncio.run(_scored(reward, turn))
    plain_turn = next(one for one in probed if one.name == PLAIN)
    worst = max((one for one in probed if one.name != PLAIN), key=_height)
    value = {
        "case": case,
        "state": turn.state.id,
        "turn": turn.text,
        "reward": {
            "name": reward.name,
            "total": score.total,
            "vetoed": score.vetoed,
            "axes": dict(score.axes),
            "items": dict(score.items),
        },
        "plain": plain_turn.total,
        "probes": [{"name": one.name, "total": one.total} for one in probed if one.name != PLAIN],
        "worst": worst.name,
    }
    given, said = _lines(_given(turn.state, case)), _lines(_said(turn.text))
    after = map(plain, _after(worst, plain_turn))
    result(as_json, value, *given, *said, *_marks(score), *_probes(probed, worst), *after)


def _turn(case: str, seed: int) -> Stored:
    """The second turn of the tutor in a round of a case, or the only one. Raises BadInput."""
    config = RoundConfig(cases="library", only=case, seed=seed)
    with (
        tempfile.TemporaryDirectory(prefix="osler-demo-") as folder,
        open_store(Path(folder) / "demo.db") as store,
    ):
        source = runs.opened(config)
        run = runs.begin(config, store, source=source)
        runs.play(run, store, source=source)
        turns = turns_of(run, store, trained_seat("ward_round"), limit=2).turns
    if not turns:
        raise BadInput("the tutor was never asked", where=case, hint="name another case with --case")
    return turns[-1]


async def _scored(reward: Reward, turn: Stored) -> tuple[Score, list[Probed]]:
    known = controlled(reward)
    assert known is not None, "a tutor's first reward has probes"
    score = await reward.score(turn.state, turn.text)
    return score, await run_probes(reward, [turn.state], known.probing)


def _given(state: State, case: str) -> Iterator[str]:
    """The moment, cut to fit."""
    texts = [text_of(one) for one in state.messages]
    yield f"1. What the tutor is given ({case}, round {state.turn + 1}; {sum(map(len, texts)):,} characters)"
    rules = texts[0].count("\n") - 1
    yield f"{_INDENT}{_cut(texts[0].partition(chr(10))[0])}"
    yield f"{_INDENT}[... {rules} lines: rules, the form of an answer, the case, its chart]"
    steps = state.context.get("steps")
    yield f"{_INDENT}For the tutor alone: the answer, {state.context.get('answer')},"
    yield f"{_INDENT}and {len(steps) if isinstance(steps, list) else 0} steps that lead there"
    for line in texts[-1].splitlines():
        yield f"{_INDENT}{_cut(_untagged(line))}"
    yield ""


def _said(text: str) -> Iterator[str]:
    """The turn: its private thought cut to fit, its words whole."""
    yield "2. What the tutor answered: a private thought in tags, then its words to the group"
    thought, _, words = text.rpartition("\n\n")
    for line in thought.splitlines():
        yield f"{_INDENT}{_cut(line)}"
    for line in wrap(words, _WIDTH):
        yield f"{_INDENT}{line}"
    yield ""


def _marks(score: Score) -> Iterator[Text | Table]:
    most = 2 * len(score.items)
    vetoed = ", vetoed" if score.vetoed else ""
    yield _heading(f"3. Its reward: {_number(score.total)} of at most {most}{vetoed}")
    table = Table("axis", "sum", "item", "mark, -2 to 2", "asks for")
    for axis, total in score.axes.items():
        first = (axis, _number(total))
        for item, mark in score.items.items():
            of, words = _PARTS.get(item, (axis, ""))
            if of == axis:
                add_row(table, *first, item, f"{mark:+d}" if mark else "0", words)
                first = ("", "")
    yield table
    yield plain("")


def _probes(probed: Sequence[Probed], worst: Probed) -> Iterator[Text | Table]:
    yield _heading("4. The plain turn, which just does the work, and probes that try to do without")
    table = Table("turn at the same moment", "reward", "")
    for one in probed:
        note = "vetoed" if one.vetoed else "the worst probe" if one is worst else ""
        add_row(table, one.name, _number(one.total), note)
    yield table


def _heading(text: str) -> Text:
    return Text(safe(text), style="bold")


def _lines(texts: Iterable[str]) -> list[Text]:
    """A heading and the lines below it."""
    heading, *lines = texts
    return [_heading(heading), *map(plain, lines)]


def _height(one: Probed) -> float:
    return -math.inf if one.total is None else one.total


def _after(worst: Probed, plain_turn: Probed) -> Iterator[str]:
    gap = (plain_turn.total or 0.0) - (worst.total or 0.0)
    if worst.beats:
        text = f"{_number(-gap)} above the plain turn, and a policy will find it"
    else:
        text = f"{_number(gap)} below the plain turn" if gap else "level with the plain turn, not above it"
    yield f"The worst probe, {worst.name!r}, is {text}."
    yield "A policy learns whatever the reward pays for: read this list before you train on one."
    yield ""
    yield "Next, in an empty folder (docs/training.md goes on from there):"
    for line in _NEXT:
        yield f"{_INDENT}{line}"


def _untagged(line: str) -> str:
    return re.sub(r"</?[a-z_]+>", "", line)


def _cut(line: str) -> str:
    return shorten(line, _WIDTH, placeholder=" ...")


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"
