"""The results that an order can mean, which the choice of an examination service is checked by."""

from __future__ import annotations

from typing import Any, Final

from osler.core.composite import AnyPlayer
from osler.core.contract import Request
from osler.knowledge.order_names import MODALITIES, SIDES, SITES, SPECIMENS, words
from osler.players.checked import Checked
from osler.protocols.consultation.players.examination import match_order
from osler.protocols.consultation.seats import EXAMINATION, ExaminationReply, FindingView, order_of

_NOTHING_BY_ITSELF: Final = SPECIMENS | frozenset(
    "additional all basic check exam examination finding general image imaging investigation laboratory "
    "level test other panel count physical result screen serology series serum set study total work".split()
)
"""Words that name no test by themselves."""
_NOT_POSSIBLE: Final = "The order does not name this."


def checked_examination(player: AnyPlayer) -> AnyPlayer:
    """An examination service whose choice of results is read: those that the order can mean are released."""
    return Checked(player, EXAMINATION, as_possible)


def as_possible(request: Request[Any], reply: ExaminationReply) -> ExaminationReply:
    """A reply with the results that the order can mean; without any, the order could not be obtained."""
    order, held = order_of(request).name, request.view.findings
    read = frozenset(match_order(order, held).findings)
    views = {finding.id: finding for finding in held}
    items = tuple(
        item
        for item in reply.findings
        if item not in views or item in read or shares_its_name(order, views[item])
    )
    changed: dict[str, object] = {"findings": items, "claimed": reply.findings}
    if reply.findings and not items:
        changed |= {"match_type": "none", "matched_test_name": None, "reason": _NOT_POSSIBLE}
    return reply.model_copy(update=changed)


def shares_its_name(order: str, finding: FindingView) -> bool:
    """Whether an order has a telling word of a finding's name, or of another name of it, and none that tells
    it from the finding: a picture by other means, the other side, or a picture where it is no picture."""
    ordered = frozenset(words(order))
    means = ordered & MODALITIES
    for name in (finding.name, *finding.aliases):
        called = frozenset(words(name))
        if means and not means & called and (called & MODALITIES or finding.kind != "image"):
            continue
        if _other_side(ordered, called):
            continue
        telling = called - _NOTHING_BY_ITSELF - SIDES - (SITES if means else frozenset())
        if telling & ordered or means & called:
            return True
    return False


def _other_side(ordered: frozenset[str], called: frozenset[str]) -> bool:
    ours, theirs = ordered & SIDES, called & SIDES
    return {"left", "right"} <= ours | theirs and not ours & theirs
