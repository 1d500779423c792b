"""The Protocol value: the story that is played, and everything that belongs to it.

All code that plays, resumes, branches, shows, exports, judges, compares, reports or studies a run asks the
run's protocol, so a new protocol touches no other file. `docs/protocols.md` builds one from scratch.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Generic, NamedTuple

from pydantic import BaseModel, ValidationError

from osler.core.composite import Cast
from osler.core.debriefing import Debriefing, Ended
from osler.core.events import Event, Json, Seat, View
from osler.core.failure import Rules
from osler.core.judge import EpisodeT, Judge, ModelJudged, Verdict
from osler.core.lazy import OrLazy
from osler.core.measure import Grouping, Measure
from osler.core.names import PlayerName, player_name
from osler.core.role import ConfigT, Role
from osler.core.source import CaseT, Source
from osler.core.summary import LABEL, WITH_MODELS, Exported, Notes, NoteTaker
from osler.core.table import Table
from osler.core.trace import Outcome, Trace
from osler.core.wording import ReplyWords, Wording, Words, reply_wordings, wordings
from osler.errors import BadInput

_FIRST: Final = 6


class ReadLine(NamedTuple):
    """One line of an episode as text: it follows exchange `n` (0 before the first), `minute` simulated
    minutes after the start, and renders `event` (`None` for a line of the conclusion)."""

    n: int
    minute: int
    event: Event | None
    wording: Wording


@dataclass(frozen=True, kw_only=True)
class Protocol(Generic[CaseT, ConfigT, EpisodeT]):
    """The story that is played, and everything that belongs to it.

    It is for one type of case, of configuration and of episode. Its fields:

    one, many        words for an encounter and for several ("ward round", "ward rounds")
    case             the word for the unit that is played: a case, a scenario
    notice           the notice that stands above an encounter
    under_test       the role whose failure to move is its own fault, and that comparisons are about
    config           the configuration's type; its `protocol` is this one's name and version ("ward_round/1")
    source           opens the cases that a configuration names
    reading          the command that reports why cases cannot be read
    story            plays an episode at a table and says how it ended
    roles            who takes part: a table of contracts, players, wrappers, models and flags
    casting          builds the casts where the table of roles does not say it all: a subclass of
                     `osler.players.casting.Casting`
    forms            a person's forms by type of view (`osler.players.person.Form`); for a view without one a
                     person is asked for a reply field by field
    words            renders each of its own events as text, in one place for every reader; an event left out
                     is shown as its kind and fields, on screens only
    reply_words      renders a seat's own reply as text, for those who see with its eyes; a type left out is
                     shown as its fields
    conclusion       renders the final conclusion of the role under test, if no event carries it
    transcript       an episode as blinded judges and raters read it: (trace, protocol) -> lines; without it
                     `osler.judging.lines.lines_of`
    staging          the scenes that its events become on a screen: an `osler.choreography.cues.Staging`
    judges           judges without a model; the first judges every episode as it ends
    model_judge      a judge that asks a model
    checklists       whether it can be judged with frozen action rubrics: `osler judge run --rubric`
    scale            the scale by which people rate it unless they name another (`osler rate`)
    measures         the metrics it is scored by; the first is the headline
    main             the names of the measures that a summary prints first, and that a study's first table
                     holds; the first six if empty
    compared         those that its studies compare besides the primary one; those of `main` if empty
    judgement        parses a stored judgement for the measures: (loads the case, JSON) -> anything; raises
                     ValueError if it is about something else or no longer counts
    clusters         cases by content hash -> the cluster of each, where several cases are nearly redundant;
                     without it each case is its own cluster
    groups           the ways in which the headline is parted in a summary, such as by the kind of task
    notes            what a run shows beside its measures: a subclass of `osler.core.summary.NoteTaker`
    caveat           what else is to be said of its figures than what holds for those of every protocol
    report           its additions to a report of its runs: a subclass of `osler.studies.report_parts.Parts`
    probes           built-in players of the role under test for validity checks, with the information each
                     looks at ("nothing" for a trivial baseline)
    audit            the checks of `osler validate` beyond those common to every protocol: a subclass of
                     `osler.studies.audit.Audit`
    after_play       writes a record after every session, and notes on it: (run, store, source) -> Notes
    debriefing       the feedback to a person who has played one case, as records; `None` if the episode has
                     not been judged. Without it, the scores are shown
    failures         the failures of a scored episode by its own rules (`osler.core.failure`), beside those
                     that its end and its orders show
    exports          published forms of its runs by name, beside the canonical one:
                     (run, store, out) -> Exported
    condition        prepares a condition of a study from those played before it: from an
                     `osler.studies.study.preparing.Before` to the configuration
    training         seats that a model can be trained to play, as `osler.training.task.TrainedSeat`

    What is slow to import is named by its path: `Lazy("module:name")`.

        >>> protocol = osler.configure("ward_round").plays
        >>> protocol.many, protocol.under_test, protocol.role("student").default
        ('ward rounds', 'tutor', 'baseline')
    """

    one: str
    many: str
    under_test: Seat
    config: type[ConfigT]
    source: Callable[[ConfigT], Source[CaseT]]
    story: Callable[[Table, EpisodeT, Cast], Awaitable[Outcome]]
    roles: tuple[Role, ...]
    judges: tuple[Judge[EpisodeT], ...]
    measures: tuple[Measure, ...]
    case: str = "case"
    reading: str = "osler cases import"
    notice: str = "Simulated encounters: for education and research only. Not medical advice."
    casting: OrLazy[type[object]] | None = None
    forms: OrLazy[Mapping[type[View], object]] = field(default_factory=dict)
    words: Words = field(default_factory=dict)
    reply_words: ReplyWords = field(default_factory=dict)
    conclusion: Callable[[Trace], Iterable[Wording]] | None = None
    transcript: OrLazy[Callable[..., Sequence[object]]] | None = None
    staging: OrLazy[object] | None = None
    model_judge: ModelJudged | None = None
    checklists: bool = False
    scale: str = ""
    main: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    judgement: Callable[[Callable[[], CaseT], Json], object] | None = None
    clusters: Callable[[Mapping[str, CaseT]], Mapping[str, str]] | None = None
    groups: tuple[Grouping, ...] = ()
    notes: OrLazy[type[NoteTaker]] = NoteTaker
    caveat: str = ""
    report: OrLazy[type[object]] | None = None
    probes: Mapping[str, str] = field(default_factory=dict)
    audit: OrLazy[type[object]] | None = None
    after_play: OrLazy[Callable[..., Notes]] | None = None
    debriefing: OrLazy[Callable[[Ended[CaseT]], Debriefing | None]] | None = None
    failures: OrLazy[Rules] | None = None
    exports: Mapping[str, OrLazy[Callable[..., Exported]]] = field(default_factory=dict)
    condition: OrLazy[Callable[..., ConfigT]] | None = None
    training: Mapping[Seat, OrLazy[object]] = field(default_factory=dict)

    @cached_property
    def name(self) -> str:
        """Its name, such as "ward_round"."""
        return self.config.protocol.partition("/")[0]

    @cached_property
    def version(self) -> int:
        """Its version; a stored run can only be resumed by the version that wrote it."""
        return int(self.config.protocol.partition("/")[2] or 1)

    @property
    def learner(self) -> Seat:
        """The role that a learner usually takes: the one that learns, else the one under test."""
        return next((role.name for role in self.roles if role.learns), self.under_test)

    def role(self, seat: Seat) -> Role:
        """Return the role of a seat. Raises BadInput, listing the known seats."""
        for role in self.roles:
            if role.seats_of(seat):
                return role
        text = ", ".join(f"{role.name}_1, ..." if role.many else role.name for role in self.roles)
        raise BadInput(f"there is no seat {seat!r} in {self.many}", where="--seat", hint=f"known: {text}")

    def names(self, configuration: Json) -> dict[Seat, tuple[PlayerName, ...]]:
        """The parsed names of the players in a written configuration, such as a manifest's, by role; a role
        with many seats may have several."""
        pairs: dict[Seat, tuple[PlayerName, ...]] = {}
        for role in self.roles:
            written = configuration.get(role.name) or ()
            listed = [written] if isinstance(written, str) else written
            pairs[role.name] = tuple(player_name(role, str(one)) for one in listed)
        return pairs

    def label(self, configuration: Json) -> str:
        """Return the notice on what the figures of a run with this written configuration are evidence of."""
        names = self.names(configuration)
        seats = ", ".join(seat for seat, each in names.items() if any(name.models for name in each))
        return f"{self.caveat} {WITH_MODELS.format(seats=seats) if seats else LABEL}".strip()

    def measure(self, name: str) -> Measure:
        """Return a measure by name or alias. Raises BadInput, listing the known ones."""
        for measure in self.measures:
            if name in (measure.name, *measure.aliases):
                return measure
        text = f"known: {', '.join(measure.name for measure in self.measures)}"
        if self.model_judge and any(name == mark.name for mark in self.model_judge.marks):
            text = "a model judge gives it: osler judge run RUN --judge model:NAME, then --judge model:NAME"
        raise BadInput(f"{self.many} are not scored by {name!r}", where="--score", hint=text)

    @property
    def shown_first(self) -> tuple[Measure, ...]:
        """The measures that tables show first: those of `main`, or the first six."""
        return tuple(map(self.measure, self.main)) or self.measures[:_FIRST]

    @property
    def graders(self) -> tuple[str, ...]:
        """The names its judges' judgements are stored under, the grader of the headline scores first."""
        return tuple(dict.fromkeys(grader for judge in self.judges for grader in judge.graders))

    def read(self, trace: Trace) -> Iterator[ReadLine]:
        """Render an episode as lines of text, in order, the conclusion last. Raises BadInput as
        `Trace.events` does."""
        n = minute = 0
        for n, told in trace.told():
            for event in told:
                minute = event.minute
                yield from (ReadLine(n, minute, event, found) for found in wordings(event, self.words))
        if self.conclusion is not None:
            yield from (ReadLine(n, minute, None, found) for found in self.conclusion(trace))

    def reply_lines(self, seat: Seat, reply: str) -> tuple[Wording, ...]:
        """Render a seat's stored reply (JSON text) as lines; none for one that no version here can read."""
        for contract in self.role(seat).contracts:
            try:
                result: BaseModel = contract.reply.validate_json(reply)
            except ValidationError:
                continue
            return reply_wordings(result, seat, self.reply_words)
        return ()

    def judge(self, episode: EpisodeT, trace: Trace) -> Verdict:
        """Judge a finished episode with the first judge."""
        return self.judges[0].judge(episode, trace)
