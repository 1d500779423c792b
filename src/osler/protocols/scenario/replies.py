"""The wrappers' settings for an examinee's moves: their rendering and their similarity."""

from __future__ import annotations

from typing import Final

from osler.players.wrappers.asking import AGREE, Replies, common_words
from osler.protocols.scenario.seats import EXAMINEE, ExamineeMove
from osler.text.act_rules import stems

ONE_ACT: Final = 0.6
"""The minimum share of common words at which two acts count as the same: "stop glucose" is not "give
glucose"."""
_VERBS: Final = frozenset(
    stem
    for word in "give start put check measure take ask order obtain do get and of to with for".split()
    for stem in stems(word)
)


def shown(move: ExamineeMove) -> str:
    """Render a move for critics and experts."""
    lines = [f"Says: {move.speak}" if move.speak else "Says nothing."]
    lines += [f"Does: {act}" for act in move.actions] or ["Does nothing."]
    lines.append("Ends the state." if move.eos else "Does not end the state.")
    return "\n".join(lines)


def alike(one: ExamineeMove, other: ExamineeMove) -> tuple[bool, float]:
    """Compare two moves: whether they agree, and their similarity from 0 to 1, that is, the share of acts in
    common, or of words for moves without acts. They agree if that is high enough and both or neither end the
    state."""
    share = _likeness(one, other)
    return share >= AGREE and one.eos is other.eos, share


EXAMINEES: Final = Replies(
    seat="examinee",
    form=lambda view, weighty: EXAMINEE.reply,
    shown=shown,
    alike=alike,
    limits=f"{ONE_ACT} {AGREE}",
)
"""The wrapper settings of an examinee's moves."""


def _likeness(one: ExamineeMove, other: ExamineeMove) -> float:
    if not (one.actions or other.actions):
        return common_words(one.speak, other.speak, _telling)
    left = list(other.actions)
    both = 0
    for act in one.actions:
        nearest = max(left, key=lambda each: common_words(act, each, _telling), default=None)
        if nearest is not None and common_words(act, nearest, _telling) >= ONE_ACT:
            left.remove(nearest)
            both += 1
    return 2 * both / (len(one.actions) + len(other.actions))


def _telling(text: str) -> frozenset[str]:
    """The stems that distinguish acts, without numbers and common verbs: "give 15 L/min of oxygen" is about
    oxygen."""
    result = frozenset(stem for stem in stems(text) if not stem.isdigit())
    return result - _VERBS or result
