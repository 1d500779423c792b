"""Nobody asks which protocol it is: what differs is a field of the protocol, its roles or its configuration.

Read off the syntax trees of all modules but those that belong to one protocol. Dispatch is a comparison, a
match, a key of a mapping or of a subscript with a protocol's name or id, and an isinstance, issubclass or
match of its configuration or episode.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from osler.core.registry import OURS, protocol_named

SRC: Final = Path(__file__).parents[1] / "src" / "osler"
OWN: Final = {
    "protocols/*": "the values themselves",
    "cases/scenarios/*": "what a scenario is; `scenario` is a field of its files",
    "authoring/scenarios/*": "scenarios made from source material; the same field",
    "cli/*scenario*.py": "commands for files of scenarios; the same field",
}
"""Modules that belong to one protocol and look as if they asked, by pattern, and why."""
ALLOWED: Final = {
    "cli/main.py: has the key 'scenario'": "a command's name: `osler scenario play`, `osler scenario lint`",
    "cli/main.py: has the key 'vqa'": "a command's name: `osler vqa`",
    "cases/rubrics/reading.py: has the key 'scenario'": "a field of rubric files: which scenario of its case",
    "cases/rubrics/reading.py: looks up 'scenario'": "the same field",
    "cases/reviewing.py: has the key 'scenario'": "a kind of file that is reviewed",
    "cli/author_draft.py: has the key 'scenario'": "a kind of draft",
}
"""Findings that stay, as "module: what", and why."""


class Finding(NamedTuple):
    """A dispatch: the module, its line, and what is asked."""

    module: str
    line: int
    what: str

    @property
    def key(self) -> str:
        """How ALLOWED names it, whatever its line."""
        return f"{self.module}: {self.what}"


NAMES: Final = frozenset({*OURS, *(protocol_named(name).config.protocol for name in OURS)})
TYPES: Final = frozenset(
    {
        *(protocol_named(name).config.__name__ for name in OURS),
        "Episode",
        "RoundEpisode",
        "ScenarioEpisode",
    }
)
UNDER_TEST: Final = frozenset(protocol_named(name).under_test for name in OURS)
_ASKS_OF_SEATS: Final = ("under_test",)


def findings(text: str, module: str) -> Iterator[Finding]:
    """Every dispatch in a module's text."""
    for node in ast.walk(ast.parse(text)):
        for what in _asked(node):
            yield Finding(module, getattr(node, "lineno", 0), what)


def _asked(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Compare(left=left, comparators=others):
            sides = [left, *others]
            yield from (f"compares with {name!r}" for side in sides for name in _names(side))
            if any(_is_under_test(side) for side in sides):
                yield from (
                    f"compares the seat under test with {one!r}" for side in sides for one in _seats(side)
                )
        case ast.MatchValue(value=ast.Constant(value=value)) if value in NAMES:
            yield f"matches {value!r}"
        case ast.MatchClass(cls=cls) if _type(cls):
            yield f"matches {_type(cls)}"
        case ast.Dict(keys=keys):
            yield from (f"has the key {key.value!r}" for key in keys if _is_name(key))  # type: ignore[union-attr]
        case ast.Subscript(slice=ast.Constant(value=value)) if value in NAMES:
            yield f"looks up {value!r}"
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass" as asks), args=[_, kinds]):
            yield from (f"{asks} of {name}" for each in ast.walk(kinds) if (name := _type(each)))


def _names(side: ast.expr) -> Iterator[str]:
    """Names of protocols in a side of a comparison, also inside a list or a tuple."""
    items = side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]
    yield from (str(item.value) for item in items if _is_name(item) and isinstance(item, ast.Constant))


def _seats(side: ast.expr) -> Iterator[str]:
    items = side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]
    yield from (str(one.value) for one in items if isinstance(one, ast.Constant) and one.value in UNDER_TEST)


def _is_name(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES


def _is_under_test(side: ast.expr) -> bool:
    return isinstance(side, ast.Attribute) and side.attr in _ASKS_OF_SEATS


def _type(node: ast.AST) -> str:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name if name in TYPES else ""


def _everywhere() -> list[Finding]:
    found: list[Finding] = []
    for path in sorted(SRC.rglob("*.py")):
        module = path.relative_to(SRC).as_posix()
        if not any(fnmatch(module, pattern) for pattern in OWN):
            found += findings(path.read_text("utf-8"), module)
    return found


def test_nobody_asks_which_protocol_it_is() -> None:
    wrong = [one for one in _everywhere() if one.key not in ALLOWED]
    assert not wrong, "\n".join(f"{one.module}:{one.line} {one.what}" for one in wrong)


def test_every_exception_is_still_there_and_every_pattern_names_something() -> None:
    there = {one.key for one in _everywhere()}
    assert sorted(ALLOWED.keys() - there) == []
    modules = [path.relative_to(SRC).as_posix() for path in SRC.rglob("*.py")]
    assert [pattern for pattern in OWN if not any(fnmatch(one, pattern) for one in modules)] == []


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("if run.protocol == 'scenario': pass", "compares with 'scenario'"),
        ("if name in ('ward_round', other): pass", "compares with 'ward_round'"),
        ("if protocol.id != 'consultation/1': pass", "compares with 'consultation/1'"),
        ("match name:\n    case 'scenario' | 'x': pass", "matches 'scenario'"),
        ("match config:\n    case RunConfig(): pass", "matches RunConfig"),
        ("TABLE = {'ward_round': 1}", "has the key 'ward_round'"),
        ("TABLE['scenario']", "looks up 'scenario'"),
        ("isinstance(config, build.RunConfig)", "isinstance of RunConfig"),
        ("issubclass(kind, (A, RoundConfig))", "issubclass of RoundConfig"),
        ("if protocol.under_test == 'doctor': pass", "compares the seat under test with 'doctor'"),
    ],
)
def test_each_form_of_dispatch_is_seen(code: str, what: str) -> None:
    assert [one.what for one in findings(code, "m.py")] == [what]


def test_what_is_no_dispatch_is_left_alone() -> None:
    code = "run = 'scenario'\nsay(f'{protocol.name}')\nopened(protocol='ward_round')\nseat == 'doctor'"
    assert list(findings(code, "m.py")) == []
