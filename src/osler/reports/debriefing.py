"""A debriefing in words: on a terminal, as JSON, and its entries for a page. The one place where records of
`osler.core.debriefing` become text, and where the person becomes "you" or "the doctor"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.core.debriefing import Debriefing, Entry, Person, Phrase, Quote, Retry, Words
from osler.judging.contests import Contest, contest_lines
from osler.judging.grader_notes import FORMATIVE, agreement_of
from osler.text.hostile import safe


def in_words(words: Words, person: Person) -> str:
    """A text to this person, safe to show."""
    return safe(words.to(person) if isinstance(words, Phrase) else words)


def entry_words(entry: Entry, person: Person) -> str:
    """An entry as one text: mark, text, quotes without a turn, note. A quote with its turn has a line of its
    own (`entry_lines`)."""
    mark, text = in_words(entry.mark, person), in_words(entry.text, person)
    quotes = "; ".join(f'"{safe(one.text)}"' for one in entry.quotes if one.turn is None)
    told = " - ".join(part for part in (text, quotes, in_words(entry.note, person)) if part)
    return ": ".join(part for part in (mark, told) if part)


def moment_words(moment: Entry, person: Person) -> tuple[str, str]:
    """A moment as the person's words ("" if nothing was said) and what they did."""
    quote = safe(moment.quotes[0].text) if moment.quotes else ""
    return quote, entry_words(moment._replace(quotes=()), person)


def entry_lines(entry: Entry, person: Person, contest: Contest | None = None) -> list[str]:
    """The lines of an entry: its words, the quotes with their turns, details, what was said against it."""
    quoted = [f'{_when(one)}: "{safe(one.text)}"' for one in entry.quotes if one.turn is not None]
    details = [in_words(one, person) for one in entry.details]
    against = map(safe, contest_lines(contest)) if contest else ()
    return [line for line in (entry_words(entry, person), *quoted, *details, *against) if line]


def sections_in_words(debriefing: Debriefing, contests: Sequence[Contest] = ()) -> dict[str, list[str]]:
    """The entries of each section by its name, the lines of an entry as one text."""
    against = {one.item: one for one in contests}
    return {
        part.name: [
            "\n".join(entry_lines(one, debriefing.person, against.get(one.item))) for one in part.entries
        ]
        for part in debriefing.sections
    }


def shown_debriefing(
    debriefing: Debriefing, contests: Sequence[Contest], episode: str, *, whole: bool
) -> list[RenderableType]:
    """A debriefing for a terminal: what sums it up, with `whole` the sections, and commands to go on."""
    parts: list[RenderableType] = []
    if debriefing.sentence:
        parts += [Text(in_words(debriefing.sentence, debriefing.person), "bold"), Text("")]
    if debriefing.moments:
        parts += [Text("Moments", "bold"), _moments(debriefing), Text("")]
    if debriefing.next_time:
        advice = (in_words(one, debriefing.person) for one in debriefing.next_time)
        parts += [Text("Next time", "bold"), _listed(advice), Text("")]
    if whole:
        told = sections_in_words(debriefing, contests)
        for part in debriefing.sections:
            parts += [Text(in_words(part.heading, debriefing.person), "bold"), _listed(told[part.name])]
    parts.append(Text(in_words(debriefing.examiner, debriefing.person)))
    return [Group(*parts), *_commands(debriefing, episode)]


def _moments(debriefing: Debriefing) -> Table:
    moments = Table.grid(padding=(0, 2))
    for one in debriefing.moments:
        quote, effect = moment_words(one, debriefing.person)
        when = next(map(_when, one.quotes), "")
        moments.add_row(Text(f"  {when}"), Text(f'"{quote}"\n{effect}' if quote else effect))
    return moments


def _when(quote: Quote) -> str:
    if quote.turn is None:
        return ""
    return f"turn {quote.turn}" if quote.turn else "at the end"


def _listed(lines: Iterator[str] | Sequence[str]) -> Table:
    rows = Table.grid(padding=(0, 1))
    for line in lines:
        rows.add_row(Text("  -"), Text(line))
    return rows


def _commands(debriefing: Debriefing, episode: str) -> Iterator[Text]:
    if debriefing.contestable:
        yield Text(
            f'To say that you did what was not recognized: osler marks contest {episode} ITEM "your words"'
            f" (the items: osler marks items {episode}); to mark one for a learner: osler marks answer"
            f" {episode} ITEM accept --by NAME"
        )
    if debriefing.retry:
        again = _branch(debriefing.retry, episode)
        yield Text(f'Try again where "{safe(debriefing.retry.item)}" was due:\n  {again}')


def _branch(retry: Retry, episode: str) -> str:
    return f"osler branch {episode} --at {retry.keep}"


def debriefing_json(debriefing: Debriefing, contests: Sequence[Contest], episode: str) -> dict[str, Any]:
    """A debriefing for `--json`: the records, in words to the same person as on the terminal."""
    value: dict[str, Any] = {
        "episode": episode,
        "use": FORMATIVE,
        "grader": debriefing.grader,
        "grader_agreement": agreement_of(debriefing.grader),
        "debrief": {
            "sentence": in_words(debriefing.sentence, debriefing.person),
            "moments": [_moment_json(one, debriefing.person) for one in debriefing.moments],
            "next_time": [in_words(one, debriefing.person) for one in debriefing.next_time],
            "sections": [
                {
                    "name": part.name,
                    "kind": part.kind,
                    "heading": in_words(part.heading, debriefing.person),
                    "entries": [_entry_json(one, debriefing.person) for one in part.entries],
                }
                for part in debriefing.sections
            ],
        },
        "contests": [one._asdict() for one in contests],
        **debriefing.more,
    }
    if debriefing.retry:
        value["branch"] = {**debriefing.retry._asdict(), "command": _branch(debriefing.retry, episode)}
    return value


def _moment_json(one: Entry, person: Person) -> Mapping[str, Any]:
    quote, effect = moment_words(one, person)
    return {"turn": one.quotes[0].turn if one.quotes else None, "quote": quote, "effect": effect}


def _entry_json(one: Entry, person: Person) -> Mapping[str, Any]:
    return {
        "text": in_words(one.text, person),
        "mark": in_words(one.mark, person),
        "note": in_words(one.note, person),
        "details": [in_words(line, person) for line in one.details],
        "quotes": [{"turn": quote.turn, "text": safe(quote.text)} for quote in one.quotes],
        "exchange": one.exchange,
        "item": one.item,
        "contestable": one.contestable,
    }
