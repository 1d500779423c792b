"""Runs in words: what their manifests say, as a browser shows it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from osler.core.protocol import Protocol
from osler.core.role import NOBODY
from osler.errors import BadInput
from osler.runs.branching import branch_of
from osler.runs.endpoints import in_words
from osler.runs.run import protocol_of
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.evaluate.schemas import RunKind, RunLine, Setting
from osler.web.house import House
from osler.web.paths import name_of, without_folders
from osler.web.rights import Visitor

PRACTICE = "practice"
STUDY = ("study", "stream")


def kind_of(manifest: Mapping[str, Any]) -> RunKind:
    """The purpose of a run."""
    if manifest.get(PRACTICE):
        return "practice"
    if manifest.get("branch_of"):
        return "branch"
    return "study" if any(manifest.get(name) for name in STUDY) else "ordinary"


def example_title(run: RunInfo) -> str:
    """The title of a recorded example; "" for any other run."""
    return str((run.manifest.get(PRACTICE) or {}).get("example", ""))


def protocol_name(manifest: Mapping[str, Any]) -> str:
    """The name of a run's protocol."""
    named = (manifest.get("configuration") or {}).get("protocol", "")
    return str(named).partition("/")[0]


def known_protocol(run: RunInfo) -> Protocol | None:
    """A run's protocol; `None` if no such protocol is installed here."""
    try:
        return protocol_of(run)
    except BadInput:
        return None


def cast_of(run: RunInfo) -> dict[str, str]:
    """The player in each occupied seat, as the manifest names it."""
    protocol = known_protocol(run)
    if protocol is None:
        return {}
    configuration = run.manifest.get("configuration") or {}
    named = {role.name: configuration.get(role.name) for role in protocol.roles}
    return {seat: listed(name) for seat, name in named.items() if name and name != NOBODY}


def _seated(role: str, name: object) -> dict[str, str]:
    """The player of a role, or of each of its seats if they differ, as `--seat` takes them."""
    if not isinstance(name, list):
        return {role: str(name or NOBODY)}
    if len(set(name)) == 1:
        return {role: str(name[0])}
    return {f"{role}_{n}": str(one) for n, one in enumerate(name, start=1)}


def listed(name: object) -> str:
    """A player, or several, in words."""
    if isinstance(name, list) and len(set(map(str, name))) == 1:
        return str(name[0])
    return ", ".join(map(str, name)) if isinstance(name, list) else str(name)


def run_line(run: RunInfo, holders: Iterable[object], asking: Visitor) -> RunLine:
    """A run as a line of a list."""
    protocol = known_protocol(run)
    cast = {seat: told(asking, name) for seat, name in cast_of(run).items()}
    configuration = run.manifest.get("configuration") or {}
    return RunLine(
        name=run.name,
        protocol=protocol_name(run.manifest),
        kind=kind_of(run.manifest),
        status=run.status,
        planned=run.planned,
        done=run.done,
        player=cast.get(protocol.under_test, "") if protocol else "",
        cast=cast,
        models=in_words(run),
        cases=told_cases(asking, str(configuration.get("cases", ""))),
        created=run.created_at.timestamp(),
        holders=[str(one) for one in holders],
        branch_of=branch_of(run),
    )


def settings_of(values: Mapping[str, Any], leave_out: Sequence[str] = ()) -> list[Setting]:
    """Nested settings as flat lines by dotted name, empty ones left out."""
    result = _flat({name: value for name, value in values.items() if name not in leave_out})
    return [
        Setting(name=name.replace("_", " "), value=value)
        for name, value in result
        if value not in ("", "none")
    ]


def _flat(values: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, str]]:
    for name, value in values.items():
        dotted = f"{before}{name}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{dotted}.")
        elif isinstance(value, bool):
            yield dotted, "yes" if value else "no"
        elif isinstance(value, list):
            yield dotted, ", ".join(one if isinstance(one, str) else json.dumps(one) for one in value)
        elif value is not None:
            yield dotted, str(value)


def told(asking: Visitor, text: str) -> str:
    """A text as a visitor may read it: whoever does not sit at this machine is told none of its paths."""
    return text if asking.here else without_folders(text)


def told_cases(asking: Visitor, cases: str) -> str:
    """The source of a run's cases as a visitor may read it: a file by its name alone."""
    return cases if asking.here else name_of(cases)


def told_in(asking: Visitor, configuration: Mapping[str, Any]) -> Mapping[str, Any]:
    """A configuration as a visitor may read it."""
    if asking.here:
        return configuration
    cases = told_cases(asking, str(configuration.get("cases", "")))
    return {name: _without(value) for name, value in configuration.items()} | {"cases": cases}


def _without(value: Any) -> Any:
    match value:
        case str():
            return without_folders(value)
        case list():
            return [_without(one) for one in value]
        case Mapping():
            return {name: _without(one) for name, one in value.items()}
    return value


def store_flag(store: Store, asking: Visitor) -> str:
    """The ` --store ...` of a command about this store; "" for a visitor from outside, who has another."""
    return f" --store {shlex.quote(store.label)}" if asking.here else ""


def flags(house: House, asking: Visitor, *, models: bool) -> str:
    """The flags of a command that plays into this server's store, with its file of models if it asks any; so
    that it can be pasted in any folder of this machine."""
    if not asking.here:
        return ""
    path = house.models.config if models else None
    config = f" --config {shlex.quote(str(Path(path).resolve()))}" if path else ""
    return f"{config}{store_flag(house.store, asking)}"


def asks_models(run: RunInfo) -> bool:
    """Whether a language model sits in a run."""
    return bool(modelled(run))


def modelled(run: RunInfo) -> list[str]:
    """The seats of a run in which language models sit, in mixed teams too."""
    protocol = known_protocol(run)
    names = protocol.names(run.manifest.get("configuration") or {}) if protocol else {}
    return [seat for seat, each in names.items() if any(name.models for name in each)]


def command(
    protocol: str,
    cases: str,
    players: Mapping[str, str],
    others: Mapping[str, object],
    settings: Mapping[str, object] | None = None,
) -> str:
    """The `osler run` that plays this in a terminal."""
    words = ["osler", "run", protocol, cases]
    for seat, name in players.items():
        words += ["--seat", f"{seat}={name}"]
    for name, value in others.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    for name, value in (settings or {}).items():
        words += ["--set", f"{name}={_yaml(value)}"]
    return " ".join(map(shlex.quote, words))


def _yaml(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def reproduce(run: RunInfo, asking: Visitor) -> str:
    """The command that plays a run again; "" if its protocol is not installed here."""
    cases = told_cases(asking, str(run.manifest.get("cases_given_as", "library")))
    return told(asking, _reproduce(run, cases))


def _branch_again(parent: Mapping[str, Any], protocol: Protocol, how: Mapping[str, Any]) -> str:
    """The command that branches from the same moment again."""
    pairs = ((role.name, how.get(role.name)) for role in protocol.roles)
    named = [one for role, name in pairs if name not in (None, NOBODY) for one in _seated(role, name).items()]
    seats = " ".join(f"--seat {shlex.quote(f'{seat}={name}')}" for seat, name in named)
    say = f" --say {shlex.quote(how['say'])}" if how.get("say") else ""
    episode = shlex.quote(f"{parent['run']}:{parent['ordinal']}")
    return f"osler branch {episode} --at {parent['at']} {seats}{say}"


def _reproduce(run: RunInfo, cases: str) -> str:
    protocol, how = known_protocol(run), run.manifest.get("configuration") or {}
    if protocol is None:
        return ""
    if parent := run.manifest.get("branch_of"):
        return _branch_again(parent, protocol, how)
    plain = protocol.config()
    fields = type(plain).model_fields
    role_names = {role.name for role in protocol.roles}
    own = {
        name: how[name]
        for name in fields
        if name in how and name not in role_names and name not in _OF_THE_RUN
    }
    usual = plain.model_dump(mode="json")
    changed = {name: value for name, value in own.items() if value != usual.get(name)}
    players: dict[str, str] = {}
    for role in protocol.roles:
        name = how.get(role.name)
        if name != usual.get(role.name) or role.name == protocol.under_test:
            players |= _seated(role.name, name)
    others = {
        "seed": how.get("seed") or None,
        "repeats": how["repeats"] if how.get("repeats", 1) != 1 else None,
        "limit": how.get("limit"),
        "only": how.get("only"),
    }
    return command(protocol.name, cases, players, others, _set(changed, usual))


_OF_THE_RUN = frozenset(
    {"cases", "format", "models", "seed", "repeats", "limit", "only", "left_out", "branch"}
)


def _set(changed: Mapping[str, Any], usual: Mapping[str, Any], before: str = "") -> dict[str, object]:
    """Return the values for `--set`, by dotted name: only those that differ from the usual."""
    result: dict[str, object] = {}
    for name, value in changed.items():
        held = usual.get(name)
        if isinstance(value, Mapping) and isinstance(held, Mapping):
            result |= _set(
                {key: one for key, one in value.items() if one != held.get(key)}, held, f"{before}{name}."
            )
        else:
            result[f"{before}{name}"] = value
    return result
