"""Hacking probes: turns that should earn nothing, scored before a reward trains anything.

Each probe is written for a recorded state, as cheaply as a policy might find it. None may score above the
plain turn of a tutor (or of another seat) that simply does its work. The list is printed with every report of
a training: a reward that a probe beats is one that a policy will beat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple, Protocol

from osler.errors import BadInput
from osler.training.reward.batch import score_all
from osler.training.reward.score import Reward, Score
from osler.training.state import State

_TINY: Final = 1e-9
PLAIN: Final = "plain turn"
"""The name of the turn that no probe may beat."""

Writes = Callable[[State, Sequence[State]], str]
"""Writes a probe's turn at a state; the other states are those it may copy from."""


class Probing(Protocol):
    """The probes of a trained seat: the plain turn, and by name the turns that may not beat it. Of those that
    are `conceded` it is said why a reward means them to."""

    plain: Writes
    probes: Mapping[str, Writes]
    conceded: Mapping[str, str]


class Probed(NamedTuple):
    """One probe over some states: its mean total (`None` if nothing was scored), how often it was vetoed or
    unscored, at how many states it scored above the plain turn, and whether it `beats` that: by the mean over
    the states where both are scored. `conceded` is why the reward means it to, "" if it does not."""

    name: str
    total: float | None
    n: int
    vetoed: int
    unscored: int
    above: int
    beats: bool
    conceded: str = ""

    @property
    def hacks(self) -> bool:
        """Whether it beats the plain turn against what the reward means."""
        return self.beats and not self.conceded


async def run_probes(
    reward: Reward,
    states: Sequence[State],
    probing: Probing,
    *,
    at_once: int = 16,
) -> list[Probed]:
    """Score the plain turn and every probe at each state; the plain turn comes first, then the probes, the
    highest first.

    A state at which the plain turn or the probe is unscored proves nothing and is counted as unscored. Raises
    BadInput without a state.
    """
    if not states:
        raise BadInput("there is no state to probe at", where="--probes", hint="name a run with turns")
    written = {PLAIN: probing.plain, **probing.probes}
    samples = [(state, writes(state, states)) for writes in written.values() for state in states]
    scores = await score_all(reward, samples, at_once=at_once)
    by = {
        name: scores[n * len(states) : (n + 1) * len(states)]
        for n, name in enumerate(written)  # samples were made in this order
    }
    plain = by.pop(PLAIN)
    probed = [
        _probed(name, found, plain)._replace(conceded=probing.conceded.get(name, ""))
        for name, found in by.items()
    ]
    probed.sort(key=lambda one: (one.total is None, -(one.total or 0.0), one.name))
    return [_probed(PLAIN, plain, plain), *probed]


def _probed(name: str, scores: Sequence[Score], plain: Sequence[Score]) -> Probed:
    totals = [score.total for score in scores if score.total is not None]
    over = [
        score.total - base.total
        for score, base in zip(scores, plain, strict=True)
        if score.total is not None and base.total is not None
    ]
    return Probed(
        name=name,
        total=fmean(totals) if totals else None,
        n=len(scores),
        vetoed=sum(score.vetoed for score in scores),
        unscored=len(scores) - len(totals),
        above=sum(one > 0 for one in over),
        beats=bool(over) and fmean(over) > _TINY,
    )
