"""The pages of what is there by name: measures, players, studies, endings, formats of cases."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_type_hints

from docs.site.markdown import attribute_docs, capital, cell, code, first_sentence, mentioned, page, table
from osler.cases.importers import detect
from osler.core.factory import PlayerRequest
from osler.core.measure import INF, Measure
from osler.core.names import KINDS, Kind
from osler.core.protocol import Protocol
from osler.core.registry import protocols
from osler.core.role import ARGUMENTS, NOBODY, Role, Wrapper
from osler.errors import Status
from osler.judging.scores import UNSCORED
from osler.runs.effort import EFFORT
from osler.studies.study.design import Study, packaged

BETTER: Final = {"more": "more is better", "less": "less is better", "neither": ""}
MEASURES: Final = ("name", "measure", "scale", "from")


def catalogue() -> dict[str, str]:
    """The pages by file name."""
    return {
        "measures.md": measures(),
        "players.md": players(),
        "studies.md": studies(),
        "endings.md": endings(),
        "formats.md": formats(),
    }


def measures() -> str:
    """The measures of every protocol, the headline first, then those of its model judge."""
    parts = list[str]()
    for protocol in protocols():
        parts.append(f"## {capital(protocol.one)}")
        parts.append(table(MEASURES, (_measure(one) for one in protocol.measures)))
        if protocol.model_judge and protocol.model_judge.marks:
            parts.append("With a model as the judge (`--judge model:NAME`):")
            parts.append(
                table(MEASURES, (_measure(one, "a model judge") for one in protocol.model_judge.marks))
            )
    about = (
        "The first measure of each protocol is its headline. A share lies between 0 and 1 and is shown in per"
        " cent; a gain is a ratio of sums and may be negative. An episode whose case lacks the data that a"
        " measure must have counts as neither scored nor unscored."
    )
    effort = "Studies of any protocol can also compare effort:"
    return page("# Measures", about, *parts, "## Effort", effort, table(MEASURES, map(_measure, EFFORT)))


def _measure(one: Measure, judge: str = "a judge") -> tuple[str, ...]:
    least = "" if one.least == -INF else f"{one.least:g}"
    most = "" if one.most == INF else f"{one.most:g}"
    bounds = f"{least} to {most}" if least and most else f"up to {most}" if most else ""
    scale = f"{one.kind}, {bounds}".removesuffix(", ")
    source = judge if one.judged else "the record" if one.traced else "the outcome"
    names = ", ".join(code(name) for name in (one.name, *one.aliases))
    needs = f" The case must have {cell(one.needs.words)}." if one.needs else ""
    meaning = f"**{cell(capital(one.words))}**: {cell(one.means)}.{needs}"
    better = f"; {BETTER[one.better]}" if BETTER[one.better] else ""
    return names, meaning, f"{scale}{better}", source


def players() -> str:
    """The players by protocol and seat, and the wrappers around them."""
    kinds = attribute_docs(Kind)
    about = (
        "The names that seats take. Built-in players are baselines, not language models. The player in bold"
        " sits there if nobody is named. A `+` wraps the player to its left."
    )
    rows = [
        *((code("none"), cell(kinds[Kind.NOBODY.name]), "optional ones"),),
        *((code(_written(name)), cell(kinds[kind.name]), "") for name, kind in KINDS.items()),
    ]
    anywhere = table(("name", "player", "seats"), rows)
    return page(
        "# Players", about, "## Names for any seat", anywhere, *(b for p in protocols() for b in _seats(p))
    )


def _written(name: str) -> str:
    return f"{name}:{ARGUMENTS[name]}" if name in ARGUMENTS else name


def _seats(protocol: Protocol) -> Iterator[str]:
    yield f"## {capital(protocol.one)}"
    config: Any = protocol.config()
    case, usual = config.ready(config.opened().get(0)), config.players()
    for role in protocol.roles:
        under_test = ", the seat under test" if role.name == protocol.under_test else ""
        yield f"### {capital(role.name)}{under_test}"
        seated = next((name for seat, name in usual.items() if role.seats_of(seat)), NOBODY)
        rows = list[tuple[str, str]]()
        for name in role.players:
            bold = "**" if name == seated else ""
            rows.append((f"{bold}{code(name)}{bold}", cell(capital(player_words(role, name, case)))))
        rows += [(code(_suffix(one)), cell(capital(wrapper_words(role, one, case)))) for one in role.wrappers]
        rows += [(code(one), cell(capital(why.partition("; ")[2]))) for one, why in role.given.items()]
        yield table(("name", "player or wrapper"), rows) or "No player is built in."
        yield f"Not: {without}." if (without := ", ".join(_refused(role))) else ""


def _refused(role: Role) -> Iterator[str]:
    """The names for any seat that this one does not take."""
    if not role.person:
        yield "`person`"
    if not role.takes_models:
        yield "`model:NAME`"
    if not role.optional:
        yield "`none`"


def player_words(role: Role, name: str, case: Any) -> str:
    """The first sentence on a built-in player, of its class, of its function or in the function's module."""
    seat = f"{role.name}_1" if role.many else role.name
    player: Any = role.players[name](PlayerRequest(seat, case, ""))
    reply = getattr(player, "_reply", None)
    if type(player).__name__ != "_BuiltIn":
        return first_sentence(type(player))
    return first_sentence(reply) or mentioned(sys.modules[reply.__module__].__doc__ or "", name)


def wrapper_words(role: Role, wrapper: Wrapper, case: Any) -> str:
    """The first sentence on a wrapper, of what it builds around the role's usual player."""
    if wrapper.team is not None and not wrapper.counted:
        return first_sentence(get_type_hints(wrapper.team)["return"])
    name = role.default if role.default in role.players else next(iter(role.players))
    seat = f"{role.name}_1" if role.many else role.name
    return first_sentence(type(wrapper.build(role.players[name](PlayerRequest(seat, case, "")), 2)))


def _suffix(wrapper: Wrapper) -> str:
    if wrapper.counted:
        return f"{wrapper.name}:N"
    return f"{wrapper.name}:PLAYER" if wrapper.team else wrapper.name


def studies() -> str:
    """The studies that come with Osler: question, conditions and primary comparison."""
    about = "Studies that come with Osler, each played by `osler study run NAME`."
    head = ("name", "question", "protocol")
    rows = ((f"[`{one.name}`](#{one.name})", cell(one.question), code(one.protocol)) for one in packaged())
    return page(
        "# Studies", about, table(head, rows), *(block for one in packaged() for block in _study(one))
    )


def _study(study: Study) -> Iterator[str]:
    yield f"## {study.name}"
    yield f"{study.title}: {study.question}"
    yield cell(study.note)
    conditions = study.all_conditions()
    if study.factors:
        rows = ((code(name), cell(", ".join(map(str, levels)))) for name, levels in study.factors.items())
        yield (
            f"Its {len(conditions)} conditions are the combinations of these levels:"
            if not (study.conditions)
            else f"It has {len(conditions)} conditions: the combinations of these levels, and those below."
        )
        yield table(("factor", "levels"), rows)
    yield table(("condition", "changes"), ((code(n), cell(_changes(c))) for n, c in study.conditions.items()))
    one = study.primary
    yield f"Primary comparison: `{one.figure}` of `{one.condition}` minus that of `{one.against}`."


def _changes(changes: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in _leaves(changes)) or "none"


def _leaves(changes: Any, within: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in changes.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{within}{name}.")
        else:
            yield f"{within}{name}", value


def endings() -> str:
    """The statuses of an episode."""
    words = attribute_docs(Status)
    rows = ((code(one), cell(words[one.name]), "no" if one in UNSCORED else "yes") for one in Status)
    return page("# Endings", first_sentence(Status), table(("status", "meaning", "scored"), rows))


def formats() -> str:
    """The formats of cases that can be imported."""
    rows = list[tuple[str, ...]]()
    for name in detect.formats():
        importer = detect.format_named(name, Path(name))
        pictures = "yes" if detect.with_images(importer) is not None else ""
        rows.append((code(name), cell(first_sentence(importer)), pictures))
    about = "Formats of cases, recognized from the file itself or named with `--format`."
    return page("# Formats of cases", about, table(("format", "what is read", "pictures"), rows))
