"""Permitted uses: the rules for what may be done with a person's words.

What a person says in an encounter belongs to that person. It is kept for practice: to resume the encounter,
to mark it by rules, and to show it to whoever played it. Every further use has to be permitted: `teacher`
(a teacher reads and marks it), `research` (it is exported, rated, compared, read by a model), `training` (it
becomes data to learn from, for a model or a memory) and `share` (others are shown the words; until a date).

Nothing here reads a store; `osler.store.permissions` keeps what is granted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final, Literal, NamedTuple, cast, get_args

from osler.core.events import Json
from osler.core.role import EXTERNAL, PERSON
from osler.errors import BadInput

Use = Literal["practice", "teacher", "research", "training", "share"]
USES: Final[tuple[Use, ...]] = get_args(Use)
PRACTICE: Final[frozenset[Use]] = frozenset({"practice"})
LONGEST_PSEUDONYM: Final = 60

PEOPLE: Final = "people"
"""The key of a run's manifest that lists the seats in which people sit, whatever their players are called."""
MARKER: Final = "marker"
"""The key of a run's manifest that names the judge of whom the person was told before the first word."""

MEANING: Final[Mapping[Use, str]] = {
    "practice": "kept on this machine, marked by rules, shown to you",
    "teacher": "read and marked by your teacher",
    "research": "exported, rated and compared by researchers, and read by a model that marks",
    "training": "used as data from which models and memories learn",
    "share": "shown to others, until the date you give",
}

READERS: Final[Mapping[str, Use]] = {
    "export": "research",
    "published export": "research",
    "calls": "research",
    "tables": "research",
    "rating": "research",
    "comparison": "research",
    "search": "research",
    "study": "research",
    "python": "research",
    "model judge": "research",
    "branch by a model": "research",
    "memory": "training",
    "data set": "training",
    "report": "share",
    "teacher's marks": "teacher",
}
"""The use that each reader of people's words needs. A reader that is not listed may read for practice only:
it shows an episode to whoever played it, on the machine where it is stored."""

CONSENT: Final = "\n".join(
    (
        "What you say is kept in this store, with the marks you are given.",
        "It is used for your own practice. Anything else needs your permission, which you can take back:",
        *(f"- {use}: {MEANING[use]}" for use in USES[1:]),
        "You may use a pseudonym. Please give nobody's real name.",
        "You can have your words deleted. Then they cannot be brought back.",
    )
)
"""The text a person agrees to, unless a room has its own."""


class NotPermitted(BadInput):
    """Somebody whose words would be read does not permit this use of them."""


class Permission(NamedTuple):
    """One person's permission for their words in one seat of one episode.

    `consent` is the version of the text they agreed to (see `consent_version`). `given` and `expires` are
    seconds since 1970, UTC; after `expires` only practice is left. `expires` is `None` if there is no end.
    """

    uses: frozenset[Use] = PRACTICE
    pseudonym: str = ""
    consent: str = ""
    given: float = 0.0
    expires: float | None = None

    def allows(self, use: Use, now: float) -> bool:
        """Whether the words may be used so now."""
        return use == "practice" or (use in self.uses and (self.expires is None or now < self.expires))

    def at(self, now: float) -> frozenset[Use]:
        """The uses that are permitted now."""
        return frozenset(use for use in USES if self.allows(use, now))


EVERYTHING: Final = Permission(frozenset(USES))
"""What an episode without people permits."""


def together(given: Iterable[Permission], now: float) -> frozenset[Use]:
    """The uses that all the people of an episode permit now; all uses if there are none."""
    uses = frozenset(USES)
    for one in given:
        uses &= one.at(now)
    return uses


def permission(
    uses: Iterable[str],
    *,
    now: float,
    expires: float | None = None,
    pseudonym: str = "",
    consent: str | None = None,
) -> Permission:
    """A permission given now for these uses and practice. `consent` is the text agreed to, by default ours.

    Raises BadInput for an unknown use, for `share` without an end, an end that has passed, and a pseudonym
    that is too long or not one line.
    """
    named = [one.strip() for one in uses]
    for one in named:
        if one not in USES:
            raise BadInput(f"{one!r} is no use of people's words", hint=f"known: {', '.join(USES)}")
    result = PRACTICE | frozenset(cast("list[Use]", named))
    if "share" in result and expires is None:
        raise BadInput("words are shared only until a date", where="share", hint="say until when")
    if expires is not None and expires <= now:
        raise BadInput("the permission would end before it begins", hint="give a date to come")
    if len(pseudonym) > LONGEST_PSEUDONYM or not pseudonym.isprintable():
        raise BadInput(
            "this is not a pseudonym", hint=f"one line of at most {LONGEST_PSEUDONYM} characters, or none"
        )
    version = consent_version(CONSENT if consent is None else consent)
    return Permission(result, pseudonym.strip(), version, now, expires)


def consent_version(text: str) -> str:
    """The version of a consent text: a hash of it."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def end_of(date: str) -> float:
    """The end of a day, given as YYYY-MM-DD (UTC), in seconds since 1970. Raises BadInput for another."""
    try:
        day = datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise BadInput(f"{date!r} is not a date", hint="write YYYY-MM-DD") from None
    return day.timestamp() + 86_400


def people_in(manifest: Json) -> tuple[str, ...]:
    """The seats in which people sit in a run, by its manifest; those of the part that a branch keeps are not
    among them (see `kept_people`).

    A seat whose player is named `person` always holds one, in wrappers too. Whether one sits behind
    `external` cannot be told from its name: it counts as a person unless the manifest lists, under `people`,
    the seats in which people sit; an empty list says that nobody does. The list may name any seat.
    """
    named = dict(_names(manifest.get("configuration") or {}))
    listed = manifest.get(PEOPLE)
    if not isinstance(listed, list):
        return tuple(seat for seat, names in named.items() if {PERSON, EXTERNAL} & names)
    seats = [str(seat) for seat in listed]
    for field, names in named.items():
        if PERSON in names and not any(seat == field or seat.startswith(f"{field}_") for seat in seats):
            seats.append(field)
    return tuple(dict.fromkeys(seats))


def kept_people(manifest: Json) -> tuple[str, ...]:
    """The seats in which people sat, or may have, in the part that a branch keeps of its parent."""
    branch = (manifest.get("configuration") or {}).get("branch") or {}
    makers = (str(one).partition("=") for one in branch.get("kept_by") or ())
    return tuple(dict.fromkeys(seat for seat, _, name in makers if {PERSON, EXTERNAL} & players_in(name)))


def players_in(name: str) -> frozenset[str]:
    """The players and wrappers in a player's name, or in several separated by commas, without arguments:
    `person` and `vote` of "person+vote:2"."""
    return frozenset(word.partition(":")[0].strip() for word in re.split("[,+]", name))


def _names(configuration: Json) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the fields of a configuration that may name players, with the players' names; the numbered seats
    of a list are called by their field."""
    for field, value in configuration.items():
        if field in ("branch", "settings", "models", "cases", "only", "left_out", "say"):
            continue
        if isinstance(value, str):
            yield field, players_in(value)
        elif isinstance(value, list):
            yield field, frozenset[str]().union(*(players_in(one) for one in value if isinstance(one, str)))
        elif isinstance(value, Mapping):
            yield from _names(value)
