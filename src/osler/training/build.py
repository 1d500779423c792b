"""The building of a data set: harvest, filter, cluster and split, write. The same store gives the same bytes.

Rows do not depend on the order of the runs or on the order in which their episodes ended: turns are gone
through by case, episode and turn, and rows are written by id.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from osler.core.episode import digest
from osler.core.protocol import Protocol
from osler.errors import BadInput
from osler.runs.run import protocol_of
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.training.filters import NEARLY, Rejected, nearly_the_same, refused
from osler.training.harvest import LeftOut, episodes
from osler.training.lengths import Ruler, fitted, ruler
from osler.training.likeness import Near, grams, normal
from osler.training.manifest import Figures
from osler.training.pictures import Album
from osler.training.samples import USUAL, Kind, Sample, conversation, revision, sample_of
from osler.training.splits import CaseText, Shares, case_text, clusters, splits, ties
from osler.training.spool import Spool, places
from osler.training.stock import VERSION
from osler.training.task import Replayed, TrainedSeat, trained_seat

Prefixes = Literal["none", "published"]
Weights = Literal["shared", "published"]
MOST_TOKENS: Final = 8_000
_TWO, _THREE = 2, 3
_CHANCE: Final = 0.2
"""The published share of sessions of four rounds and more whose first three rounds are a row as well."""


class Plan(NamedTuple):
    """The settings of a data set.

    With `prefixes` "published", the first two rounds of a session of three or more are a row of their own,
    and of a fifth of those of four or more, the first three. With `weights` "shared" the weights of a turn
    sum to 1 over all such rows, with "published" each of them counts whole.
    """

    kinds: tuple[Kind, ...] = USUAL
    prefixes: Prefixes = "none"
    weights: Weights = "shared"
    thinking: bool = True
    shares: Shares = Shares()
    most_tokens: int = MOST_TOKENS
    tokenizer: Path | None = None
    seat: str = ""
    licence: str = ""
    """The licence of the cases that state none."""
    least: tuple[tuple[str, float], ...] = ()
    """Scores by name that a session must reach, by whatever judge gave them: a soft filter."""

    def as_json(self, by: Ruler) -> dict[str, Any]:
        """The settings as the manifest holds them."""
        return {
            "kinds": list(self.kinds),
            "prefixes": self.prefixes,
            "weights": self.weights,
            "thinking": self.thinking,
            "shares": self.shares._asdict(),
            "most_tokens": self.most_tokens,
            "tokenizer": by.name,
            "stock_phrases": VERSION,
            "least": dict(self.least),
        }


@dataclass
class Gathered:
    """The yield of the runs: turns in a spool, the cases they are about, the pictures they show."""

    spool: Spool
    album: Album
    ruler: Ruler
    seat: TrainedSeat
    plan: Plan
    cases: dict[str, CaseText] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    conditions: set[str] = field(default_factory=set)
    """The conditions of studies whose runs these are, as `STUDY: CONDITION`."""
    figures: Figures = field(default_factory=Figures)


def seat_for(runs: Sequence[RunInfo], plan: Plan) -> tuple[Protocol, TrainedSeat]:
    """The protocol and the trained seat of some runs. Raises BadInput for runs of several protocols, for a
    protocol without such a seat, and for revisions by a seat that nobody reviews."""
    result = {protocol_of(run).name: protocol_of(run) for run in runs}
    if len(result) != 1:
        raise BadInput(
            f"these are runs of {' and '.join(sorted(result)) or 'nothing'}",
            where="RUN",
            hint="a data set is of one seat of one protocol",
        )
    protocol = next(iter(result.values()))
    seat = trained_seat(protocol, plan.seat)
    if "revision" in plan.kinds and not seat.reviewed:
        what = f"no draft of the {seat.seat} of {protocol.many} is reviewed, so none is revised"
        raise BadInput(what, where="--kind revision", hint="leave it out")
    return protocol, seat if plan.thinking else seat.without_thinking()


def gather(runs: Sequence[RunInfo], store: Store, into: Gathered) -> None:
    """Harvest runs into a spool, each turn with the first filter it fails by itself."""
    for run in sorted(runs, key=lambda run: run.name):
        scores = _scores(run, store) if into.plan.least else {}
        if about := run.manifest.get("study"):
            into.conditions.add(f"{about['name']}: {about['condition']}")
        for one in episodes(run, store, into.seat.seat):
            if isinstance(one, Replayed) and (why := _short(scores.get(one.row.ordinal, {}), into.plan)):
                one = LeftOut(run, one.row, *why)
            if isinstance(one, LeftOut):
                _left_out(one, into)
            else:
                _take(one, into)


def _scores(run: RunInfo, store: Store) -> dict[int, dict[str, float | None]]:
    """The scores of each episode by name, of all its judges."""
    result = dict[int, dict[str, float | None]]()
    for one in for_reader(store, "data set").judgements(run.id):
        scores = json.loads(one.body).get("scores") or {}
        each = result.setdefault(one.ordinal, {})
        each |= {name: score.get("value") for name, score in scores.items() if isinstance(score, dict)}
    return result


def _short(scores: Mapping[str, float | None], plan: Plan) -> tuple[str, str] | None:
    """The soft filter that a session fails, and why; `None` if it fails none."""
    for name, least in plan.least:
        value = scores.get(name)
        if value is None:
            return "unscored", f"it has no {name}"
        if value < least:
            return "below", f"{name} is {value:g}, and {least:g} is wanted"
    return None


def _left_out(one: LeftOut, into: Gathered) -> None:
    name, key = one.run.name, one.row.key
    ident = digest("session", name, str(one.row.ordinal), key)
    line = {"kind": "session", "filter": one.filter, "why": one.why, "id": ident}
    line |= {"run": name, "episode": key, "case_id": one.row.case_id}
    into.figures.episodes += 1
    into.figures.rejected[one.filter] += 1
    into.spool.reject(ident, "", line)


def _take(replay: Replayed, into: Gathered) -> None:
    seat, run, row = into.seat, replay.run, replay.row
    into.figures.episodes += 1
    session = places((row.key, run.name, f"{row.ordinal:09d}"))
    pairs = list[tuple[str, Sample, Rejected | None]]()
    try:
        for turn in seat.turns(replay):
            state = seat.state(turn, into.album.keep)
            sample = _licensed(sample_of(turn, seat, state), into.plan.licence)
            if "revision" in into.plan.kinds:
                sample = sample.model_copy(update={"refused_drafts": turn.refused_drafts})
            place = places((state.case_hash, session, f"{turn.put.row.n:09d}"))
            pairs.append((place, sample, refused(turn, sample, seat)))
    except BadInput as error:  # an image of the case is not at hand: the case is refused by name
        into.figures.episodes -= 1
        _left_out(LeftOut(run, row, "image_missing", f"{row.case_id}: {error}"), into)
        return
    for place, sample, why in pairs:
        into.spool.add(place, session, sample, why)
    pictures = {image.sha256 for _, sample, _ in pairs for image in sample.images}
    case = replay.case
    if case.content_hash not in into.cases:
        texts = seat.case_texts(case)
        into.cases[case.content_hash] = case_text(case.content_hash, row.case_id, texts, pictures)
        into.spool.case(case.content_hash, {"case_id": row.case_id, "texts": list(texts)})
        if protocol_of(run).clusters is not None:
            into.known[case.content_hash] = case


def _licensed(sample: Sample, licence: str) -> Sample:
    """The row with the licence given for cases that state none."""
    if not licence or sample.provenance.get("licence"):
        return sample
    return sample.model_copy(update={"provenance": {**sample.provenance, "licence": licence}})


def check_sets(into: Gathered, held_out: Sequence[CaseText]) -> None:
    """Reject what is refused beside other rows: cases held out, rows too long, duplicates."""
    near_held = _held_out(into, held_out)
    near, said = Near(NEARLY), set[str]()
    now = ""
    for place, _, sample in into.spool.kept():
        if sample.case_hash != now:
            now, said = sample.case_hash, set()
        result = _beside(sample, near_held, said, near, into)
        if result is not None:
            into.spool.refuse(place, result)


def _beside(
    sample: Sample, held: Mapping[str, str], said: set[str], near: Near, into: Gathered
) -> Rejected | None:
    if why := held.get(sample.case_hash):
        return Rejected("held_out", why)
    if fitted(sample, into.ruler, into.album.sizes, into.plan.most_tokens) is None:
        return Rejected("too_long", f"its last round alone has more than {into.plan.most_tokens} tokens")
    plain = normal(sample.target)
    if plain in said:
        return Rejected("duplicate", "the same words are a target of this case already")
    result = grams(sample.target)
    if (other := near.find(sample.case_hash, result)) is not None:
        return Rejected("near_duplicate", f"nearly the same words are the target {other}")
    said.add(plain)
    near.add(sample.id, sample.case_hash, result)
    return None


def _held_out(into: Gathered, held_out: Sequence[CaseText]) -> dict[str, str]:
    """Map each case that may be in no row to the reason: it is held out, or too close to one that is."""
    names = {case.hash: case.id for case in held_out}
    kept = into.spool.kept_cases() if names else []
    result = {name: f"the case {names[name]} is held out" for name in kept if name in names}
    left = {name: into.cases[name] for name in kept if name not in names}
    return result | _tied(left, held_out, names)


def _tied(
    left: Mapping[str, CaseText], held_out: Sequence[CaseText], names: Mapping[str, str]
) -> dict[str, str]:
    result = dict[str, str]()
    for tie in ties((*left.values(), *held_out)) if left and names else ():
        for one, other in ((tie.one, tie.other), (tie.other, tie.one)):
            if one in left and other in names:
                result.setdefault(one, f"with the case {names[other]}, which is held out, {tie.why}")
    return result


def compose(into: Gathered, protocol: Protocol) -> None:
    """Make rows of what is kept, with clusters, splits, weights and lengths."""
    more = protocol.clusters(into.known) if protocol.clusters and into.known else None
    # Of the cases of rows alone, as an audit has them.
    cluster_of = clusters((into.cases[name] for name in into.spool.kept_cases()), more)
    plan = into.plan
    split_of = splits(cluster_of, plan.shares)
    by_session: Iterator[tuple[str, Iterator[tuple[str, str, Sample]]]]
    by_session = groupby(into.spool.kept(), key=lambda one: one[1])
    for _, group in by_session:
        whole_turns = [_placed(sample, cluster_of, split_of) for _, _, sample in group]
        turns = [sample.model_copy(update={"refused_drafts": ()}) for sample in whole_turns]
        into.figures.session(turns)
        rows = list(turns) if "single" in plan.kinds else []
        short = [fitted(row, into.ruler, into.album.sizes, plan.most_tokens) for row in rows]
        if "multi" in plan.kinds:
            talks = [
                fitted(row, into.ruler, into.album.sizes, plan.most_tokens)
                for row in _conversations(turns, plan)
            ]
            whole = [row for row in talks if row is not None]
            into.figures.too_long += len(talks) - len(whole)
            short += _weighed(whole, len(turns), plan)
        short += _revisions(whole_turns, into)
        for row in short:
            if row is not None:
                into.figures.row(_kept(row, into.spool))


def _revisions(turns: Sequence[Sample], into: Gathered) -> Iterator[Sample]:
    """The rows of the turns that refusals led to, if they are wanted. One that is too long with its drafts,
    or that says nearly what was refused, is rejected; its turn is not."""
    for row in map(revision, (turn for turn in turns if turn.refused_drafts)):
        if any(nearly_the_same(draft.text, row.target) for draft in row.refused_drafts):
            result = Rejected("unchanged", "nearly the words that were refused passed")
        elif (short := fitted(row, into.ruler, into.album.sizes, into.plan.most_tokens)) is None:
            most = into.plan.most_tokens
            result = Rejected("too_long", f"its last round with its drafts has more than {most} tokens")
        else:
            yield short
            continue
        into.figures.rejected[result.filter] += 1
        line = {**result._asdict(), **row.model_dump(mode="json")}
        into.spool.reject(row.id, "", line)


def _kept(row: Sample, spool: Spool) -> Sample:
    """Keep a row. A run that was played again has the same moments with other turns: these get ids of their
    own."""
    if spool.row(row):
        return row
    again = row.model_copy(update={"id": digest(row.id, row.run, row.target)})
    spool.row(again)
    return again


def _placed(sample: Sample, cluster_of: Mapping[str, str], split_of: Mapping[str, str]) -> Sample:
    case = sample.case_hash
    return sample.model_copy(update={"cluster": cluster_of[case], "split": split_of[case]})


def _conversations(turns: list[Sample], plan: Plan) -> list[Sample]:
    samples = [conversation(turns)]
    if plan.prefixes == "published":
        if len(turns) >= _THREE:
            samples.append(conversation(turns[:_TWO], prefix=_TWO))
        if len(turns) > _THREE and _drawn(turns[0].episode) < _CHANCE:
            samples.append(conversation(turns[:_THREE], prefix=_THREE))
    return samples


def _weighed(rows: list[Sample], turns: int, plan: Plan) -> list[Sample]:
    """Rows of one session with a weight for each target: shared, they sum to 1 for each turn."""
    if plan.weights == "published":
        return rows
    # A row holds the last of the session's first turns: the earliest may be left out for length.
    ranges = [range((row.prefix or turns) - len(row.target_spans), row.prefix or turns) for row in rows]
    times = Counter(turn for one in ranges for turn in one)
    return [
        row.model_copy(update={"weights": tuple(1 / times[turn] for turn in one)})
        for row, one in zip(rows, ranges, strict=True)
    ]


def _drawn(episode: str) -> float:
    """A number from 0 to 1 that depends on the episode alone."""
    return int.from_bytes(blake2b(f"prefix\x1f{episode}".encode(), digest_size=8).digest()) / 2**64


def reject_lines(into: Gathered) -> None:
    """Keep a line for each rejected turn, and count it."""
    for place, sample, result in into.spool.refused():
        into.figures.refused(sample, result)
        line = {"kind": "turn", **result._asdict(), **sample.model_dump(mode="json", exclude={"kind"})}
        into.spool.reject(sample.id, place, line)


def built(
    runs: Sequence[RunInfo], store: Store, plan: Plan, beside: Path, held_out: Sequence[CaseText] = ()
) -> tuple[Gathered, Protocol]:
    """Build a data set into a spool beside a folder; the caller closes the spool. Raises BadInput."""
    protocol, seat = seat_for(runs, plan)
    return finished(plan, protocol, seat, beside, held_out, lambda into: gather(runs, store, into)), protocol


def finished(
    plan: Plan,
    protocol: Protocol,
    seat: TrainedSeat,
    beside: Path,
    held_out: Sequence[CaseText],
    gathering: Callable[[Gathered], None],
) -> Gathered:
    """The rows of a seat in a spool beside a folder, once `gathering` has filled it with turns; the caller
    closes the spool. Raises BadInput."""
    plan.shares.checked()
    measure = ruler(plan.tokenizer)
    spool = Spool(beside)
    try:
        into = Gathered(spool, Album(spool.folder / "pictures"), measure, seat, plan)
        into.figures.kinds = tuple(dict.fromkeys((*USUAL, *plan.kinds)))
        gathering(into)
        check_sets(into, held_out)
        compose(into, protocol)
        reject_lines(into)
    except BaseException:
        spool.__exit__(None, None, None)
        raise
    return into
