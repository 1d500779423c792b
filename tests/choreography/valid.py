"""The rules that every choreography keeps, whatever the log it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from osler.choreography.cues import ViewedEvent
from osler.choreography.plan import Plan, our_plan
from osler.choreography.scene import Choreography
from osler.text.hostile import safe
from tests.choreography.instant import Timeline


def check(made: Choreography, items: Sequence[ViewedEvent], plan: Plan | None = None) -> None:
    """Assert every rule."""
    one_place_each_and_no_wall(made, plan or our_plan())
    spans_follow_each_other(made)
    every_line_is_shown(made, items)
    no_result_before_its_release(made, items)
    known_only(made, items)
    nothing_but_what_the_view_holds(made, items)


def one_place_each_and_no_wall(made: Choreography, plan: Plan) -> None:
    for actor in made.actors.values():
        at, since = actor.start, actor.t0
        assert at in plan.room_at
        for walk in actor.walks:
            assert since <= walk.t0 < walk.t1 <= made.end
            assert walk.points[0] == at
            assert all(plan.joined(a, b) for a, b in pairwise(walk.points))
            at, since = walk.points[-1], walk.t1
        assert actor.poses[0].t == actor.t0
        assert all(before.t <= after.t for before, after in pairwise(actor.poses))
    ends = [actor.walks[-1].points[-1] if actor.walks else actor.start for actor in made.actors.values()]
    assert len(set(ends)) == len(ends), "two people on one chair"


def spans_follow_each_other(made: Choreography) -> None:
    assert all(scene.t0 <= scene.t1 and scene.since <= scene.minute for scene in made.scenes)
    for before, after in pairwise(made.scenes):
        assert before.t1 == after.t0
        assert before.minute == after.since
        assert before.exchange <= after.exchange
    if made.scenes:
        assert made.scenes[0].t0 == 0
        assert made.scenes[-1].t1 == made.end
    for bubble in made.bubbles:
        assert 0 <= bubble.t0 < bubble.t1 <= made.end
        walks = made.actors[bubble.who].walks
        assert not any(walk.t0 <= bubble.t0 < walk.t1 for walk in walks), "nobody speaks on the way"
    assert all(one.t1 <= other.t0 for one, other in pairwise(made.bubbles)), "one at a time"


def every_line_is_shown(made: Choreography, items: Sequence[ViewedEvent]) -> None:
    said = [safe(line.text) for item in items for line in item.lines if line.kind == "said" and line.by]
    assert [one.text for one in made.bubbles if one.kind == "said"] == said
    scenes = {scene.id: scene.what for scene in made.scenes}
    for item in items:
        for line in item.lines:
            assert safe(line.text) in scenes[item.id], "the log is complete without the picture"
        if item.event is not None:
            assert scenes[item.id]


def no_result_before_its_release(made: Choreography, items: Sequence[ViewedEvent]) -> None:
    at = {item.id: item for item in items}
    due = {(slip.order, slip.name): slip.due for slip in made.slips if slip.due is not None}
    for card in made.cards:
        assert card.minute == at[card.id].minute
        if card.kind == "result":
            assert card.minute >= due.get((card.order, card.title), 0)
    for slip in made.slips:
        assert slip.t1 is None or slip.t0 <= slip.t1


def known_only(made: Choreography, items: Sequence[ViewedEvent]) -> None:
    timeline = Timeline(made)
    for scene in made.scenes:
        seen = timeline.at(scene.t1)
        assert set(scene.who) <= set(seen.people)
    for t in range(0, made.end + 1, max(1, made.end // 40)):
        for standing in timeline.at(t).people.values():
            assert 0 <= standing.x < our_plan().size[0]
            assert 0 <= standing.y < our_plan().size[1]
    assert len(timeline.at(made.end).bubbles) == 0


def nothing_but_what_the_view_holds(made: Choreography, items: Sequence[ViewedEvent]) -> None:
    """Words on the screen stand in the item they belong to."""
    own = {"from memory", "The last turn"}
    texts = {item.id: "\n".join(_strings([item.event, item.reply, item.lines])) for item in items}
    shown = [(one.id, text) for one in made.bubbles for text in one.text.split("\n")]
    shown += [
        (one.id, text) for one in made.cards if one.kind != "evidence" for text in (one.title, one.text)
    ]
    shown += [(one.id, one.text) for one in made.captions if one.kind != "time"]
    shown += [(one.id, one.name) for one in made.slips]
    shown += [(one.id, value) for one in made.monitors for value in one.vitals.values()]
    for id_, text in shown:
        label, _, rest = text.partition(": ")
        assert text in own or safe(text) in safe(texts[id_]) or rest in safe(texts[id_]), (id_, text, label)


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for pair in value.items() for part in pair for text in _strings(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in _strings(part)]
    return []
