"""The Protocol value: the story that is played, and everything that belongs to it.

All code that plays, resumes, branches, shows, exports, judges, compares, reports or studies a run asks the
run's protocol, so a new protocol touches no other file. `docs/protocols.md` builds one from scratch.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ValidationError

from osler.core.composite import AnyPlayer
from osler.core.debriefing import Debriefing, Ended
from osler.core.events import Event, Seat
from osler.core.factory import PlayerRequest
from osler.core.judge import Judge, OpensJudge
from osler.core.measure import Grouping, Measure
from osler.core.names import PlayerName, player_name
from osler.core.role import Builder, Role, Seating
from osler.core.source import Source
from osler.core.summary import LABEL, WITH_MODELS, Exported, Notes, NoteTaker
from osler.core.table import Table
from osler.core.trace import Outcome, Trace
from osler.core.wording import ReplyWords, Wording, Words, reply_wordings, wordings
from osler.errors import BadInput

if TYPE_CHECKING:
    from osler.core.config import Config
    from osler.core.episode import Cast, Episode


# The core is below the players, so what it takes from them by default is named and not imported.
PLAIN_PERSON: Final = "osler.players.plain_person:plain_person"
WRAPPERS: Final = "osler.players.wrappers.general:general_wrappers"
CASTING: Final = "osler.players.casting:Casting"
TRANSCRIPT: Final = "osler.judging.lines:lines_of"
_FIRST: Final = 6


class Read(NamedTuple):
    """One line of an episode as text: it follows exchange `n` (0 before the first), `minute` simulated
    minutes after the start, and renders `event` (`None` for a line of the conclusion)."""

    n: int
    minute: int
    event: Event | None
    wording: Wording


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """The story that is played and everything that belongs to it.

    one, many        words for an encounter and for several ("ward round", "ward rounds")
    under_test       the role whose failure to move is its own fault, and that comparisons are about
    config           the configuration's type; its `protocol` is this one's name and version ("ward_round/1")
    source           opens the cases that a configuration names
    story            plays an episode at a table and says how it ended
    roles            who takes part: contracts, built-in players, wrappers, models
    words            renders each of its own events as text, in one place for every reader; an event left out
                     is shown as its kind and fields, on screens only
    reply_words      renders a seat's own reply as text, for whoever sees with its eyes; a type left out is
                     shown as its fields
    conclusion       renders the final conclusion of the role under test, if no event carries it
    judges           judges without a model; the first judges every episode as it ends
    model            builds a language model's player in any seat
    person           builds a person's player; without it a person is asked for a reply field by field
    model_judge      opens a judge that asks a model
    marks            the measures in a verdict of its model judge, where they are not its own measures
    transcript       an episode as blinded judges and raters read it: (trace, protocol) -> lines
                     (`osler.judging.lines.Line`)
    scale            the scale by which people rate it unless they name another (`osler rate`)
    measures         the metrics it is scored by; the first is the headline
    judgement        parses a stored judgement for the measures: (loads the case, JSON) -> anything; raises
                     ValueError if it is about something else or no longer counts
    clusters         cases by content hash -> the cluster of each, where several cases are nearly redundant;
                     without it each case is its own cluster
    report           its additions to a report of its runs: a subclass of `osler.studies.report_parts.Parts`
    groups           the ways in which the headline is parted in a summary, such as by the kind of task
    notes            what a run shows beside its measures: a subclass of `osler.core.summary.NoteTaker`
    caveat           what else is to be said of its figures than what holds for those of every protocol
    after_play       writes a record after every session, and notes on it: (run, store, source) -> Notes
    debriefing       the feedback to a person who has played one case, as records; `None` if the episode has
                     not been judged. Without it, the scores are shown
    forms            a person's forms by type of view (`osler.players.person.Form`)
    practice         adjusts a configuration in which a person is to practise: limits, attempts
    exports          published forms of its runs by name, beside the canonical one:
                     (run, store, out) -> Exported
    probes           built-in players of the role under test for validity checks, with the information each
                     looks at ("nothing" for a trivial baseline)
    main             the names of the measures that a summary prints first, and that a study's first table
                     holds; the first six if empty
    compared         those that its studies compare besides the primary one; those of `main` if empty
    condition        prepares a condition of a study from those played before it
                     (`osler.studies.study.preparing`)
    training         seats that a model can be trained to play, as `osler.training.task.TrainedSeat`
    staging          the scenes that its events become on a screen: an `osler.choreography.cues.Staging`
    audit            the checks of `osler validate` beyond those common to every protocol: a subclass of
                     `osler.studies.audit.Audit`

    Anything slow to import may be given lazily, as an import path ("module:name").
    """

    one: str
    many: str
    under_test: Seat
    config: type[Config]
    source: Callable[[Any], Source[Any]]
    story: Callable[[Table, Any, Cast], Awaitable[Outcome]]
    roles: tuple[Role, ...]
    judges: tuple[Judge, ...]
    measures: tuple[Measure, ...]
    words: Words = field(default_factory=dict)
    reply_words: ReplyWords = field(default_factory=dict)
    conclusion: Callable[[Trace], Iterable[Wording]] | None = None
    model: Builder | str | None = None
    person: Builder | str | None = None
    model_judge: OpensJudge | str | None = None
    marks: tuple[Measure, ...] = ()
    transcript: Callable[[Trace, Protocol], Sequence[Any]] | str = TRANSCRIPT
    scale: str = ""
    judgement: Callable[[Callable[[], Any], Mapping[str, Any]], Any] | None = None
    clusters: Callable[[Mapping[str, Any]], Mapping[str, str]] | None = None
    report: type[Any] | str | None = None
    groups: tuple[Grouping, ...] = ()
    notes: type[NoteTaker] | str = NoteTaker
    caveat: str = ""
    after_play: Callable[..., Notes] | str | None = None
    debriefing: Callable[[Ended[Any]], Debriefing | None] | str | None = None
    forms: Mapping[type[Any], Any] | str = field(default_factory=dict)
    practice: Callable[[Any], Config] | str | None = None
    exports: Mapping[str, Callable[..., Exported] | str] = field(default_factory=dict)
    probes: Mapping[str, str] = field(default_factory=dict)
    audit: type[Any] | str | None = None
    main: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    condition: Callable[..., Config] | str | None = None
    training: Mapping[Seat, Any] = field(default_factory=dict)
    staging: Any | str | None = None
    learner: str = ""
    """The role that a learner usually takes; empty, it is the one under test."""
    case: str = "case"
    """The word for the unit that is played: a case, a scenario."""
    reading: str = "osler cases import"
    """The command that reports why cases cannot be read."""
    checklists: bool = False
    """Whether it can be judged with frozen action rubrics: `osler judge run --rubric`."""
    notice: str = "Simulated encounters: for education and research only. Not medical advice."

    def __post_init__(self) -> None:
        """Give the role under test the general wrappers if it names none of its own."""
        roles = tuple(
            replace(role, wrappers=imported(WRAPPERS)(role.contracts[0]))
            if role.name == self.under_test and not role.wrappers
            else role
            for role in self.roles
        )
        object.__setattr__(self, "roles", roles)

    @cached_property
    def name(self) -> str:
        """Its name, such as "ward_round"."""
        return self.config.protocol.partition("/")[0]

    @cached_property
    def version(self) -> int:
        """Its version; a stored run can only be resumed by the version that wrote it."""
        return int(self.config.protocol.partition("/")[2] or 1)

    def role(self, seat: Seat) -> Role:
        """Return the role of a seat. Raises BadInput, listing the known seats."""
        for role in self.roles:
            if role.seats_of(seat):
                return role
        known = ", ".join(f"{role.name}_1, ..." if role.many else role.name for role in self.roles)
        raise BadInput(f"there is no seat {seat!r} in {self.many}", where="--seat", hint=f"known: {known}")

    def names(self, configuration: Mapping[str, Any]) -> dict[Seat, tuple[PlayerName, ...]]:
        """The parsed names of the players in a written configuration, such as a manifest's, by role; a role
        with many seats may have several."""
        found: dict[Seat, tuple[PlayerName, ...]] = {}
        for role in self.roles:
            written = configuration.get(role.name) or ()
            listed = [written] if isinstance(written, str) else written
            found[role.name] = tuple(player_name(role, str(one)) for one in listed)
        return found

    def label(self, configuration: Mapping[str, Any]) -> str:
        """Return the notice on what the figures of a run with this written configuration are evidence of."""
        names = self.names(configuration)
        seats = ", ".join(seat for seat, each in names.items() if any(name.models for name in each))
        return f"{self.caveat} {WITH_MODELS.format(seats=seats) if seats else LABEL}".strip()

    def measure(self, name: str) -> Measure:
        """Return a measure by name or alias. Raises BadInput, listing the known ones."""
        for measure in self.measures:
            if name in (measure.name, *measure.aliases):
                return measure
        known = f"known: {', '.join(measure.name for measure in self.measures)}"
        if any(name == mark.name for mark in self.marks):
            known = "a model judge gives it: osler judge run RUN --judge model:NAME, then --judge model:NAME"
        raise BadInput(f"{self.many} are not scored by {name!r}", where="--score", hint=known)

    @property
    def shown_first(self) -> tuple[Measure, ...]:
        """The measures that tables show first: those of `main`, or the first six."""
        return tuple(map(self.measure, self.main)) or self.measures[:_FIRST]

    @property
    def graders(self) -> tuple[str, ...]:
        """The names its judges' judgements are stored under, the grader of the headline scores first."""
        return tuple(dict.fromkeys(grader for judge in self.judges for grader in judge.graders))

    def read(self, trace: Trace) -> Iterator[Read]:
        """Render an episode as lines of text, in order, the conclusion last. Raises BadInput as
        `Trace.events` does."""
        n = minute = 0
        for n, told in trace.told():
            for event in told:
                minute = event.minute
                yield from (Read(n, minute, event, found) for found in wordings(event, self.words))
        if self.conclusion is not None:
            yield from (Read(n, minute, None, found) for found in self.conclusion(trace))

    def reply_lines(self, seat: Seat, reply: str) -> tuple[Wording, ...]:
        """Render a seat's stored reply (JSON text) as lines; none for one that no version here can read."""
        for contract in self.role(seat).contracts:
            try:
                found: BaseModel = contract.reply.validate_json(reply)
            except ValidationError:
                continue
            return reply_wordings(found, seat, self.reply_words)
        return ()

    def built(self, kind: Literal["model", "person"], asked: PlayerRequest, seating: Seating) -> AnyPlayer:
        """Build a language model's player, or a person's. Raises BadInput if the protocol has none."""
        builder = imported(self.model if kind == "model" else self.person)
        if builder is None and kind == "person":
            plain: AnyPlayer = imported(PLAIN_PERSON)(
                seating.channel, self.role(asked.seat).contracts, self.words
            )
            return plain
        if builder is None:
            raise BadInput(f"no {kind} can sit as {asked.seat}", where=self.many)
        player: AnyPlayer = builder(asked, seating)
        return player

    def judge(self, episode: Episode, trace: Any) -> tuple[str, str, str]:
        """Judge a finished episode with the first judge."""
        return self.judges[0].judge(episode, trace)


def imported(named: Any) -> Any:
    """Import a lazily named object ("module:name"); return anything else unchanged."""
    return resolve_name(named) if isinstance(named, str) else named
