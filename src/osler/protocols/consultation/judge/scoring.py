"""A score of the built-in judge in one piece: its measure, what it needs of a case, and how it is read.

The scores stand in the files of what they are about, each with its list `SCORES`; adding one to such a list
is all it takes (`osler.protocols.consultation.measures` collects them).

    share("fact_coverage", "facts elicited", "share of the case's key facts that were told", _fact_coverage,
          needs=Need("facts marked key", lambda case: any(fact.key for fact in case.facts)))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from osler.cases.model import Case
from osler.core.measure import Better, Measure, Need, Scored, Value, count_of, counted, share_of, tally_of
from osler.core.trace import Outcome
from osler.judging.correctness import Answered
from osler.judging.scores import NOT_IN_CASE, Score
from osler.protocols.consultation.judge.gold import Gold
from osler.protocols.consultation.judge.reading import Reading, acts_of
from osler.protocols.consultation.story import TOLD

if TYPE_CHECKING:
    from osler.protocols.consultation.judge.named_acts import StepNamed

MOST_QUOTES: Final = 12
"""The most quotes kept as evidence for one score."""
MISSING: Final = Score(None, NOT_IN_CASE)


@dataclass(frozen=True)
class EndedConsultation:
    """An ended consultation as the built-in judge sees it: the case and its gold standard, what was said and
    done, how it ended, and the verdict on the answer."""

    case: Case
    gold: Gold
    reading: Reading
    outcome: Outcome
    answered: Answered

    @property
    def correct(self) -> Score:
        """The score of the answer."""
        return self.answered.score

    @cached_property
    def steps(self) -> list[StepNamed]:
        """The key features of management, as far as plan, follow-up and orders name them."""
        features = self.gold.features
        return features.named(acts_of(self.reading)) if features else []


Read = Callable[[EndedConsultation], Score]
Missed = Callable[[EndedConsultation], Iterable[str]]


class Scoring(NamedTuple):
    """A score: its measure, and how it is read where the case meets the measure's need.

    `missed` names the items that keep it from its full value. A score of the `conversation` has no meaning
    where the doctor was told the case at once; one that is `wordless` rests on no words and is the same in
    any language.
    """

    measure: Measure
    read: Read
    conversation: bool = False
    wordless: bool = False
    missed: Missed | None = None

    def score(self, seen: EndedConsultation) -> Score:
        """Read the score, with the items that keep it from its full value."""
        found = self.read(seen)
        if self.missed is None or not self.measure.falls_short(found.value):
            return found
        return replace(found, missed=tuple(dict.fromkeys(self.missed(seen))))


def share(
    name: str,
    words: str,
    means: str,
    read: Read,
    better: Better = "more",
    *,
    needs: Need | None = None,
    conversation: bool = False,
    wordless: bool = False,
    aliases: tuple[str, ...] = (),
    beside: bool = False,
    missed: Missed | None = None,
    itemless: str = "",
) -> Scoring:
    """A score between 0 and 1; see `Measure` for its parts and `Scoring` for what it rests on."""
    measure = share_of(name, words, means, better, aliases=aliases, beside=beside)
    return Scoring(replace(measure, needs=needs, itemless=itemless), read, conversation, wordless, missed)


def tally(
    name: str,
    words: str,
    means: str,
    read: Read,
    better: Better = "neither",
    *,
    needs: Need | None = None,
    conversation: bool = False,
    wordless: bool = False,
    missed: Missed | None = None,
) -> Scoring:
    """A score that is a count among what the judge reads."""
    measure = replace(tally_of(name, words, means, better), needs=needs)
    return Scoring(measure, read, conversation, wordless, missed)


def spent(name: str, words: str, means: str) -> Scoring:
    """A count of the outcome, which the judge repeats; there is none where the doctor was told the case."""
    count = counted(name)

    def of(found: Scored) -> Value:
        return None if TOLD in found.row.counts else count(found)

    def read(seen: EndedConsultation) -> Score:
        outcome = seen.outcome
        return Score(float(outcome.minutes if name == "minutes" else outcome.counts.get(name, 0)))

    measure = replace(count_of(name, words, means), of=of)
    return Scoring(measure, read, conversation=True, wordless=True)


def in_words(case: Case, items: Iterable[str]) -> Iterator[str]:
    """The facts and findings of these ids, in the order of the case: facts in full, findings by name."""
    wanted = frozenset(items)
    yield from (fact.text for fact in case.facts if fact.id in wanted)
    yield from (finding.name for finding in case.findings if finding.id in wanted)


def groups_in_words(case: Case, groups: Iterable[frozenset[str]]) -> Iterator[str]:
    """Groups of which any one will do."""
    return (" or ".join(in_words(case, group)) for group in groups)


def share_met(met: int, of: int, evidence: tuple[str, ...] = ()) -> Score:
    """The share of what a case wants that was met, with quotes; `MISSING` if it wants nothing."""
    return Score(met / of, "", evidence[:MOST_QUOTES]) if of else MISSING
