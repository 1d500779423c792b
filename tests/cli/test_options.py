"""Options are the configuration: each stands beside its field, and every command has it by that name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal, get_args, get_origin

import pytest
import typer
from pydantic import BaseModel
from typer.testing import CliRunner

from osler.cli.field_options import Fields, configured, takes_fields
from osler.cli.main import app
from osler.core.config import Config, config_named
from osler.core.option import GROUPS, NAMED, FieldOption, options_of
from osler.core.registry import OURS, protocol_named
from osler.errors import BadInput
from tests.cli.commands import Osler, said, value

CONFIGS = [config_named(name) for name in OURS]
EVERY_OPTION = [(config, one) for config in CONFIGS for one in options_of(config)]
PLAYS = ("consult", "round", "scenario play", "run consultation", "run ward_round", "run scenario")


def of_field(case: Any) -> str:
    return case.dotted if isinstance(case, FieldOption) else case.protocol


def given(config: type[Config], *words: str) -> Fields:
    """What a command with the options of a configuration is given by these words."""
    found: list[Fields] = []
    small = typer.Typer()

    @small.command()
    @takes_fields(config)
    def play(*, fields: Fields) -> None:
        found.append(fields)

    done = CliRunner().invoke(small, list(words))
    assert done.exit_code == 0, done.output
    return found[0]


def unusual(one: FieldOption, folder: Path) -> tuple[list[str], Any]:
    """Words that give a field a value it does not have by default, and that value."""
    flag, kind, usual = one.flag, one.type, one.field.default
    if kind is bool:
        return [f"--no-{flag[2:]}" if usual else flag], not usual
    if get_origin(kind) is Literal:
        other = next(each for each in get_args(kind) if each != usual)
        return [flag, other], other
    if kind is int:
        return [flag, str((usual or 20) + 1 if usual != 10 else 9)], (usual or 20) + 1 if usual != 10 else 9
    if get_origin(kind) is tuple:
        return [flag, "one,two"], ("one", "two")
    if one.option.metavar == "DIR":
        return [flag, str(folder)], str(folder)
    return {
        "settings.language": ([flag, "German"], "de"),
        "only": ([flag, "st01/scenario2"], "st01/scenario2"),
        f"settings.limits.{NAMED}": ([flag, "medevoeval"], 10),
    }.get(one.dotted, ([flag, "somebody"], "somebody"))


@pytest.mark.parametrize(("config", "one"), EVERY_OPTION, ids=of_field)
def test_each_option_sets_its_field_and_no_other(
    config: type[Config], one: FieldOption, tmp_path: Path
) -> None:
    words, expected = unusual(one, tmp_path)
    found, _ = configured(config, given(config, *words), {}, [])
    path = one.path if one.path[-1] != NAMED else (*one.path[:-1], "max_turns")
    inner: Any = found
    for step in path:
        inner = getattr(inner, step)
    assert inner == expected
    usual = config().model_dump()
    assert {name for name, each in found.model_dump().items() if each != usual.get(name)} == {path[0]}


def leaves(model: BaseModel, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every field that is part of a configuration's JSON, by dotted name, with its value."""
    for name, field in type(model).model_fields.items():
        inner = getattr(model, name)
        if isinstance(inner, BaseModel):
            yield from leaves(inner, f"{before}{name}.")
        elif not field.exclude:
            yield f"{before}{name}", inner


@pytest.mark.parametrize("config", CONFIGS, ids=of_field)
def test_every_field_can_be_set(config: type[Config]) -> None:
    """By an option of its own, or by `--set`, which takes whatever the field itself takes."""
    with_options = {one.dotted for one in options_of(config)}
    for dotted, usual in leaves(config()):
        if dotted not in with_options:
            written = json.dumps(usual)  # which is YAML
            found, _ = configured(config, {}, {}, [f"{dotted}={written}"])
            assert found == config(), dotted


@pytest.mark.parametrize("config", CONFIGS, ids=of_field)
def test_no_two_fields_share_an_option(config: type[Config]) -> None:
    flags = [one.flag for one in options_of(config)]
    assert len(set(flags)) == len(flags)


def test_one_limit_one_arm_one_language_by_one_name() -> None:
    by_flag: dict[str, set[str]] = {}
    for config in CONFIGS:
        for one in options_of(config):
            by_flag.setdefault(one.flag, set()).add(one.path[-1])
    assert {
        config.protocol for config in CONFIGS if "--language" in {o.flag for o in options_of(config)}
    } == {config.protocol for config in CONFIGS} - {"vqa/1"}, "a letter is an answer in any language"
    assert by_flag["--max-turns"] == {"max_turns"}
    assert by_flag["--arm"] == {"arm", "format_arm"}


def test_what_is_set_goes_before_what_is_optioned() -> None:
    (config, *_) = CONFIGS
    fields = given(config, "--limits=medevoeval", "--max-turns=7")
    found, _ = configured(config, fields, {}, ["settings.limits.max_turns=6", "persona=anxious"])
    dumped = found.model_dump()
    assert (
        dumped["settings"]["limits"]["max_turns"],
        dumped["settings"]["limits"]["max_tests_per_visit"],
    ) == (
        6,
        3,
    )
    assert dumped["persona"] == "anxious"


@pytest.mark.parametrize("name", OURS)
def test_the_players_named_beside_the_options_are_those_that_there_are(name: str) -> None:
    named = resolve_name(f"osler.protocols.{name}.config:PLAYERS")
    roles = protocol_named(name).roles
    assert {seat: set(each) for seat, each in named.items()} == {r.name: set(r.players) for r in roles}
    told = {one.path[-1]: one.option.help for one in options_of(config_named(name))}
    for role in roles:
        assert all(player in told[role.name] for player in role.players)


# Help


def help_of(line: str) -> str:
    done = CliRunner().invoke(app, line.split(), prog_name="osler")
    assert done.exit_code == 0, done.output
    return done.stdout


def options_in(text: str) -> list[str]:
    return [line.split()[0].rstrip(",") for line in text.splitlines() if line.startswith("  --")]


@pytest.mark.parametrize("line", PLAYS)
def test_help_shows_ten_options_and_help_all_every_one_by_group(line: str) -> None:
    short, whole = help_of(f"{line} --help"), help_of(f"{line} --help-all")
    assert len(set(options_in(short)) - {"--help", "--help-all"}) <= 11
    assert set(options_in(short)) - {"--help-all"} < set(options_in(whole))
    headings = [text.rstrip(":").lower() for text in whole.splitlines() if text and text[0].isupper()]
    shown = [heading for heading in headings if heading in GROUPS]
    assert shown == [group for group in GROUPS if group in shown]
    assert {"cases", "seats", "limits", "models", "run", "output"} <= set(shown)


def test_a_command_with_few_options_shows_them_all() -> None:
    assert "--help-all" not in help_of("cases lint --help")


# What is refused


@pytest.mark.parametrize(
    ("line", "code", "where", "why"),
    [
        ("consult library --max-turn 3", 2, "--max-turn", "--max-turns"),
        ("consult library --max-turns 0", 2, "--max-turns", "greater than or equal to 1"),
        ("consult library --limits short", 1, "--limits", "osler, medevoeval"),
        ("consult library --language Klingon", 1, "--language", "German (de)"),
        ("consult library --images nowhere", 1, "--images nowhere", "no such folder"),
        ("consult library --set temperature=0", 1, "--set", "--request KEY=VALUE"),
        ("consult library --set settings.limits.max_turns=x", 1, "--set", "valid integer"),
        ("consult library --set persona", 1, "--set", "NAME=VALUE"),
        ("consult library --seat nurse=baseline", 1, "--seat", "known: doctor"),
        ("round library --student a,b,c,d", 1, "--student", "4 names for 3 students"),
        ("round library --student person,person", 1, "--student", "only one student can be a person"),
        ("run seance library", 2, "seance", "known: consultation, ward_round, scenario"),
    ],
)
def test_what_cannot_be_set_is_refused_where_it_was_written(
    osler: Osler, line: str, code: int, where: str, why: str
) -> None:
    done = osler(*line.split())
    assert done.exit_code == code
    assert where in said(done)
    assert why in said(done)
    assert "Traceback" not in done.output


def test_a_value_that_no_field_takes_is_blamed_on_its_option() -> None:
    with pytest.raises(BadInput) as refused:
        configured(config_named("ward_round"), {"student": []}, {}, [])
    assert refused.value.where == "--student"


def test_the_same_options_play_the_same_run_by_either_command(osler: Osler) -> None:
    words = ("library", "--limit=1", "--max-turns=2", "--persona=stoic", "--json")
    one, other = value(osler("consult", *words)), value(osler("run", "consultation", *words))
    assert one["setup"] == other["setup"]
    assert one["measures"] == other["measures"]
