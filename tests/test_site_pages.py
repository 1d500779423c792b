"""The generated pages of the site hold what the code knows: nothing is left out, every entry has words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import typer
import yaml

import osler
from docs.site import catalogue, llms, markdown
from docs.site.api import api, parameters
from docs.site.commands import all_commands, commands
from docs.site.configuration import configuration
from docs.site.training import training
from osler.cases.importers.detect import formats
from osler.cli.main import COMMANDS, app
from osler.core.option import options_of
from osler.core.registry import protocols
from osler.errors import Status
from osler.models.config import Capabilities, Endpoint
from osler.studies.study.design import packaged
from osler.training.config import PROFILES, Settings, grpo_config, sft_config

ROOT = Path(__file__).parent.parent


@cache
def pages() -> dict[str, str]:
    return {"index": api(), "configuration": configuration(), **catalogue.catalogue(), **commands()}


def rows(page: str) -> dict[str, list[str]]:
    """The rows of a page's tables by the name in their first cell."""
    lines = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    split = [[one.strip() for one in line.strip("|").split(" | ")] for line in lines]
    return {re.sub(r"[`*]|\[|\].*", "", cells[0].split(",")[0]): cells for cells in split}


def test_every_command_has_its_page_with_every_option() -> None:
    assert {f"commands/{name}.md" for name in COMMANDS} < pages().keys()
    for name in COMMANDS:
        page = pages()[f"commands/{name}.md"]
        group = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
        for words, command in all_commands(f"osler {name}", group.imported()):
            part = page.partition(f"# {words}\n")[2].partition("\n## ")[0]
            options = [one for one in command.params if one.name != "help" and not one.hidden]
            told = "It has the arguments and options of" in part
            assert told or all(one.opts[0] in part for one in options if one.opts[0].startswith("-")), words


def test_the_groups_of_options_are_those_of_the_help() -> None:
    groups = re.findall(r"^\*\*(.+)\*\*$", pages()["commands/consult.md"], re.MULTILINE)
    assert groups[:4] == ["Arguments", "Cases", "Seats", "Encounter"]


def test_a_command_with_the_same_options_as_another_refers_to_it() -> None:
    assert "options of [`osler consult`](consult.md)" in pages()["commands/run.md"]


def test_every_field_of_an_endpoint_has_words() -> None:
    listed = rows(configuration().partition("## Every protocol")[0])
    for model in (Endpoint, Capabilities):
        wordless = [
            name
            for name in model.model_fields
            if name not in ("name", "capabilities") and not listed[name][1]
        ]
        assert not wordless


@pytest.mark.parametrize("protocol", protocols(), ids=lambda protocol: protocol.name)
def test_every_option_of_a_protocol_is_a_field_with_words(protocol: osler.Protocol) -> None:
    part = configuration().partition(f": `{protocol.name}`\n")[2].partition("\n## ")[0]
    listed = rows(configuration()) | rows(part)
    for one in options_of(protocol.config):
        if one.path[-1] != "named":
            assert one.flag in listed[one.dotted][1]


@pytest.mark.parametrize("protocol", protocols(), ids=lambda protocol: protocol.name)
def test_every_measure_and_player_of_a_protocol_is_there_with_words(protocol: osler.Protocol) -> None:
    name = markdown.capital(protocol.one)
    measures, players = (
        rows(pages()[page].partition(f"\n## {name}\n")[2].partition("\n## ")[0])
        for page in ("measures.md", "players.md")
    )
    marks = protocol.model_judge.marks if protocol.model_judge else ()
    assert all(measures[one.name][1] for one in (*protocol.measures, *marks))
    assert all(players[player][1] for role in protocol.roles for player in role.players)


def test_every_study_status_and_format_is_there_with_words() -> None:
    assert all(one.question.split("`")[0][:20] in pages()["studies.md"] for one in packaged())
    assert all(rows(pages()["endings.md"])[str(one)][1] for one in Status)
    assert all(rows(pages()["formats.md"])[name][1] for name in formats())


@pytest.mark.parametrize(("command", "config"), [("sft", sft_config), ("grpo", grpo_config)])
def test_every_setting_of_a_training_is_there_with_words_and_its_value_in_each_profile(
    command: str, config: Callable[[str], Settings]
) -> None:
    listed = rows(training().partition(f": `osler train {command}`\n")[2].partition("\n## ")[0])
    head, values = listed.pop("setting"), [config(name).model_dump() for name in PROFILES]
    assert tuple(head[-len(PROFILES) :]) == PROFILES
    assert listed.keys() == values[0].keys() - {"profile"}
    for name, cells in listed.items():
        assert cells[1].endswith(".")
        shown = [cell.strip("` ") for cell in cells[-len(PROFILES) :]]
        assert shown == [str(one[name]).lower() for one in values]


@pytest.mark.parametrize("name", osler.__all__)
def test_a_public_name_has_a_whole_sentence_its_parameters_and_its_example(name: str) -> None:
    part = pages()["index"].partition(f"{{ #osler-{name} }}\n")[2].partition("\n### ")[0]
    [line] = [one for one in pages()["index"].splitlines() if f"(#osler-{name})" in one]
    assert line.rstrip(" |").endswith((".", ").", "`.")), line
    thing = getattr(osler, name)
    assert all(f"| `{one.name}` |" in part for one in parameters(thing))
    if inspect.isfunction(thing):
        assert [one.name.strip("*") for one in parameters(thing)] == [*inspect.signature(thing).parameters]
        assert ">>> " in part or ">>> " not in (thing.__doc__ or "")


def test_the_functions_that_people_call_say_what_each_parameter_is() -> None:
    for function in (osler.run, osler.resume, osler.open_cases, osler.configure, osler.judge, osler.compare):
        assert not [one.name for one in parameters(function) if not one.words]


def test_no_row_is_cut_by_a_bar_in_its_text() -> None:
    assert markdown.cell("a | b <c> `d|e` *f*") == r"a \| b \<c\> `d|e` \*f\*"
    assert markdown.table(("a", "b", "c"), [("1", "", "2")]) == "| a | c |\n| --- | --- |\n| 1 | 2 |"


def test_a_docstring_becomes_markdown_once() -> None:
    text = "It is.\n\nname     its name\nother    another that\n         goes on\n\n    >>> 1 + 1\n    2\n"
    table = "| name | meaning |\n| --- | --- |\n| `name` | its name |\n| `other` | another that goes on |"
    assert markdown.marked(text) == f"It is.\n\n{table}\n\n```pycon\n>>> 1 + 1\n2\n```"


@pytest.mark.parametrize(
    ("name", "words"),
    [("a", "`a` is one"), ("b", "`b` the other"), ("c", "It holds `c`"), ("d", "")],
)
def test_a_parameter_has_the_clause_that_is_about_it(name: str, words: str) -> None:
    assert markdown.mentioned("A thing of `d`.\n\n`a` is one, `b` the other. It holds `c`.", name) == words


def test_the_list_for_language_models_has_every_page_once_with_a_line() -> None:
    texts = {
        "README.md": "# Osler\n> For education and research only.\n\nMeet one **as** a [doctor](x.md).\n",
        "docs/a.md": "<!-- x -->\n# First\nFor education and research only. It begins just here.\n",
        "docs/b.md": "# Second\n```sh\nosler play\n```\n| a |\n| --- |\n\nIt is the second one.\n",
        "reference/c.md": "# Third\n\n::: osler.api\n",
    }
    nav = [
        {"Osler": "README.md"},
        {"Guides": ["docs/a.md", {"More": ["docs/b.md"]}]},
        {"Code": ["reference/c.md"]},
    ]
    assert llms.index(nav, texts.__getitem__).splitlines() == [
        *("# Osler", "", "> Meet one as a doctor.", ""),
        *("## Guides", "", "- [First](docs/a.md): It begins just here.", ""),
        *("## Guides: More", "", "- [Second](docs/b.md): It is the second one.", ""),
        *("## Code", "", "- [Third](reference/c.html): The docstrings of `osler.api`."),
    ]
    whole = llms.whole(nav, texts.__getitem__)
    assert [text in whole for text in ("osler play", "second one", "::: osler.api")] == [True, True, False]


def test_every_page_of_the_navigation_has_a_summary() -> None:
    nav = yaml.safe_load((ROOT / "docs/site/mkdocs.yml").read_text("utf-8"))["nav"]
    named = [one for one in re.findall(r"[\w/.-]+\.md", yaml.safe_dump(nav)) if (ROOT / one).is_file()]
    assert len(named) > 30
    assert not [one for one in named if not llms.summary((ROOT / one).read_text("utf-8"))]
