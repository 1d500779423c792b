"""Instructions for filling a study of people beside models: how many, consent, and the commands."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from osler.core.config import config_type
from osler.core.protocol import Protocol
from osler.runs.run import protocol_of
from osler.store.records import RunInfo
from osler.studies.people.differences import planned
from osler.studies.rating.human_anchor import NO_ANCHOR

DESIGNS: Final = ((5, 6), (10, 6), (10, 12), (20, 12), (20, 24), (40, 36))
_PLAIN: Final = (str, int, float, bool, list, tuple)


class Design(NamedTuple):
    """So many people, each with all these cases, and the smallest difference that they show."""

    people: int
    cases: int
    smallest: float


class Instructions(NamedTuple):
    """The instructions as plain text: `why` nothing is anchored, the `steps`, and the `commands` with which a
    player meets the worlds that people met (or, before anybody sat, will meet)."""

    why: str
    designs: tuple[Design, ...]
    steps: tuple[str, ...]
    commands: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {**self._asdict(), "designs": [one._asdict() for one in self.designs]}


def instructions(protocol: Protocol, people: Sequence[RunInfo], why: str, flag: str = "") -> Instructions:
    """Write the instructions for a protocol. `people` are the runs that people sat, `flag` is the option that
    names the store."""
    designs = tuple(Design(*one, round(planned(*one).smallest(), 3)) for one in DESIGNS)
    mine = [run for run in people if protocol_of(run) is protocol]
    return Instructions(
        f"{NO_ANCHOR[0].upper()}{NO_ANCHOR[1:]}: {why}.",
        designs,
        tuple(_steps(protocol, flag)),
        tuple(f"{one}{flag}" for one in (commands_like(mine) or [_first_command(protocol)])),
    )


def commands_like(runs: Sequence[RunInfo]) -> list[str]:
    """The commands that play another player on the worlds of these runs: one for each configuration."""
    cases: dict[tuple[str, ...], list[str | None]] = {}
    for run in runs:
        words, case = _words(protocol_of(run), run.manifest["configuration"])
        cases.setdefault(words, []).append(case)
    result = []
    for words, only in cases.items():
        one, *others = dict.fromkeys(only)
        result.append(_line([*words, *(["--only", one] if one is not None and not others else [])]))
    return result


def _first_command(protocol: Protocol) -> str:
    words, _ = _words(protocol, config_type(protocol)().practised().model_dump(mode="json"))
    return _line(list(words))


def _words(protocol: Protocol, how: Mapping[str, Any]) -> tuple[tuple[str, ...], str | None]:
    """Return the command's arguments for a configuration, and the case that it is restricted to, if any."""
    plain = protocol.config().model_dump(mode="json")
    roles = {role.name for role in protocol.roles if not role.many}
    words = [protocol.name, str(how["cases"]), "--seat", f"{protocol.under_test}=model:NAME"]
    for name, value in how.items():
        if name not in plain and name not in protocol.config.model_fields:
            continue  # what is recorded beside the configuration
        if name in ("cases", "only", "left_out", "limit", "models", "branch", protocol.under_test):
            continue
        if value == plain.get(name):
            continue
        if name in ("seed", "repeats", "format"):
            words += [f"--{name}", str(value)]
        elif name in roles:
            words += ["--seat", f"{name}={value}"]
        else:
            words += [each for path, leaf in _flat(name, value, plain.get(name)) for each in _set(path, leaf)]
    return tuple(words), how.get("only")


def _flat(name: str, value: Any, plain: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        before = plain if isinstance(plain, Mapping) else {}
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner, before.get(key))
    elif value != plain:
        yield name, value


def _set(path: str, value: Any) -> list[str]:
    if not isinstance(value, _PLAIN):
        return []
    return ["--set", f"{path}={value if isinstance(value, str) else json.dumps(value)}"]


def _line(words: Sequence[str]) -> str:
    return f"osler run {shlex.join(words)}"


def _steps(protocol: Protocol, flag: str) -> Iterator[str]:
    yield (
        "Consent: only sittings whose people permit research count. A room asks for it under `uses` before"
        " the first word, with your own consent text; at a terminal the person types"
        f" osler permit last --uses research --pseudonym CODE{flag}. It can be taken back at any time. An"
        " ethics committee may have to agree before you begin: ask yours."
    )
    yield (
        "People: open a room (osler serve --host 0.0.0.0 --share --until DATE, then Teach, Make a room),"
        " choose the cases, tick `research`, hold the debriefs back until all are done, and let everybody sit"
        " every case once; or one person at a time at this machine, osler play CASE. Everybody needs a code"
        " of their own: who gave none counts as one and the same person."
    )
    yield (
        "Players: play models on the same worlds with the commands below, under the settings that people had;"
        " nothing but the seat under test may differ."
    )
    yield (
        f"Compare: osler study people --people ROOM --models RUN{flag}; --judge NAME takes another judge,"
        " which has to have judged both sides (osler judge run)."
    )
    yield (
        "Blind ratings, of people and players on one sheet: osler rate export PEOPLE MODELS --out"
        f" ratings{flag} (scale {protocol.scale}), the same with --scale realism for patient and course; then"
        f" osler rate import, and osler rate agreement PEOPLE MODELS{flag}: how far the judge agrees."
    )
