"""Names of players as an attacker writes them, and a watch on what a process does while it reads them.

For tests of whatever takes a player's name from others: a route, a file, a command of a plug-in.

    with watched() as deeds:
        for name in hostile_names(300):
            assert client.post("/mine", json={"player": name}).status_code in (400, 403)
    assert not deeds
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

MODULE: Final = "this"
"""A module of the standard library that nobody imports, and that speaks when it is imported."""
FILE: Final = "/etc/hostname"

_PLAYERS: Final = (
    f"python:{MODULE}:s",
    "python:os:getpid",
    f"scripted:{FILE}",
    "scripted:osler.toml",
    "scripted:../../secret.yaml",
    "model:nowhere",
    "model:http://127.0.0.1:9/v1",
    "person",
    "external",
    "python",
    "scripted",
    "model",
    "",
    ":",
    "none:x",
    "baseline:x",
)
_BUILT_IN: Final = ("baseline", "oracle", "null", "none")
_WRAPPERS: Final = (
    "+cot",
    "+best-of",
    "+panel",
    "+self-consistency",
    "+ensemble",
    "+discuss",
    "+memory",
    "+x",
    "+",
)
_COUNTS: Final = ("", ":2", ":3", ":9", ":0", ":10", ":99999999", ":-1", ":3.5", ":٣", ":３", ":²", ":")


def _upper(text: str) -> str:
    return text.upper()


def _title(text: str) -> str:
    return text.title()


def _quoted(text: str) -> str:
    return f"'{text}'"


def _spaced(text: str) -> str:
    return f" {text}\t"


def _wide(text: str) -> str:
    return text.replace(":", "：").replace("+", "＋").replace("/", "／")


def _cyrillic(text: str) -> str:
    return text.replace("p", "р").replace("c", "с")


def _invisible(text: str) -> str:
    return text.replace(":", ":\u200b").replace("p", "p\u00ad")


def _null(text: str) -> str:
    return f"{text}\x00.yaml"


def _long(text: str) -> str:
    return f"{text}{'+cot' * 500}"


def _longer(text: str) -> str:
    return f"baseline+ensemble:{'/'.join([text] * 400)}"


_DISGUISES: Final[tuple[Callable[[str], str], ...]] = (
    _upper,
    _title,
    _quoted,
    _spaced,
    _wide,
    _cyrillic,
    _invisible,
    _null,
    _long,
    _longer,
)


def hostile_names(count: int, seed: int = 0) -> Iterator[str]:
    """Yield `count` names: code, files and models, alone, in teams, nested, counted, quoted, in other
    letters, and long. Nothing that they name may ever be imported, opened or asked. The same seed yields the
    same names."""
    drawn = random.Random(seed)  # noqa: S311 - no secret
    yield from _PLAYERS[:count]
    for _ in range(count - len(_PLAYERS)):
        name = drawn.choice(_PLAYERS)
        if name.strip(":") and drawn.random() < 0.7:
            name = _in_a_team(drawn, name) if drawn.random() < 0.6 else name
            name += "".join(_wrapper(drawn) for _ in range(drawn.choice((0, 1, 1, 2, 8))))
        if drawn.random() < 0.4:
            name = drawn.choice(_DISGUISES)(name)
        yield name


def _in_a_team(drawn: random.Random, name: str) -> str:
    others = [drawn.choice(_BUILT_IN) for _ in range(drawn.randint(0, 3))]
    others.insert(drawn.randint(0, len(others)), name)
    wrapper = drawn.choice(("+ensemble", "+discuss", "+memory", "+cot"))
    return f"{drawn.choice(_BUILT_IN)}{wrapper}:{'/'.join(others)}"


def _wrapper(drawn: random.Random) -> str:
    return drawn.choice(_WRAPPERS) + drawn.choice(_COUNTS)


class AuditedAct(NamedTuple):
    """Something that the process did: the audit event, and what it was about."""

    event: str
    about: str


_EVENTS: Final = frozenset(
    {
        "import",
        "open",
        "os.listdir",
        "os.scandir",
        "os.exec",
        "os.posix_spawn",
        "subprocess.Popen",
        "socket.connect",
        "socket.getaddrinfo",
        "socket.sendto",
        "compile",
        "exec",
    }
)
_LISTENERS: Final[list[list[AuditedAct]]] = []
_HOOKED: Final[list[bool]] = []


@contextmanager
def watched() -> Iterator[list[AuditedAct]]:
    """Meanwhile, note every import, file that is opened, process and connection of this process, by whatever
    thread. What is needed for the work itself, such as a module's first use, is done before."""
    if not _HOOKED:  # a hook cannot be taken away again, so there is one
        _HOOKED.append(True)
        sys.addaudithook(_heard)
    deeds: list[AuditedAct] = []
    _LISTENERS.append(deeds)
    try:
        yield deeds
    finally:
        _LISTENERS.remove(deeds)


def _heard(event: str, args: tuple[Any, ...]) -> None:
    if _LISTENERS and event in _EVENTS:
        for deeds in _LISTENERS:
            deeds.append(AuditedAct(event, repr(args[0])[:200] if args else ""))
