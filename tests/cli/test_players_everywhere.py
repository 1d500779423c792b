"""Wrappers, scripts, several players and players of one's own: the same in every seat of every protocol."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from osler.core.names import player_name
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named, protocols
from osler.core.role import Role
from osler.errors import BadInput
from osler.players.casting import casting_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.store.store import open_store
from tests.cli.commands import Osler, configure, said, value
from tests.plugged import installed
from tests.protocols.scenario.playing import SMALL

SHORT: Final = {
    "consultation": ("consultation", "library", "--limit=1", "--set=settings.limits.max_turns=2"),
    "ward_round": ("ward_round", "library", "--limit=1", "--set=students=1", "--set=settings.max_rounds=1"),
    "scenario": ("scenario", str(SMALL), "--set=settings.max_turns=1"),
}
UNDER_TEST: Final = {"consultation": "doctor", "ward_round": "tutor", "scenario": "examinee"}
MOVES: Final[dict[str, list[dict[str, Any]]]] = {
    "doctor": [{"action": "FINALIZE", "diagnosis": "gout"}],
    "tutor": [{"guidance": "What do you see?", "internal_monologue": ""}] * 3,
    "examinee": [{"speak": "Hello.", "eos": True}] * 3,
}
NEEDED: Final[dict[str, str]] = {
    "describer": "--set=settings.pictures=shown",
    "summarizer": "--set=settings.format_arm=summarized",
    "synthesizer": "--set=settings.unknown=synthesize",
}
"""The settings without which nobody may sit in a seat."""
GENERAL: Final = ("+cot", "+best-of:2", "+panel:2", "+self-consistency:2")


def play(osler: Osler, protocol: str, *words: str, **seats: str) -> Any:
    named = [f"--seat={seat}={name}" for seat, name in seats.items()]
    shown = tuple(NEEDED[seat] for seat in seats if seat in NEEDED)
    return osler("run", *SHORT[protocol], *shown, *words, *named, "--json")


def nothing_begun() -> bool:
    with open_store(None) as store:
        return not list(store.runs())


# Wrappers


@pytest.mark.parametrize(
    ("protocol", "wrapper"), [(list(SHORT)[n % 3], GENERAL[n % 4]) for n in (0, 1, 2, 3, 4, 6)]
)
def test_a_model_is_wrapped_in_the_seat_under_test_of_every_protocol(
    osler: Osler, url: str, protocol: str, wrapper: str
) -> None:
    configure(url)
    seat = UNDER_TEST[protocol]
    found = value(play(osler, protocol, **{seat: f"model:fake{wrapper}"}))
    assert found["episodes"] == 1
    with open_store(None) as store:
        run = store.run("last")
        ((_, trace, _),) = store.records(run.id)
    inside = [row for row in trace.inner if row.seat == seat]
    assert inside
    assert all(row.reply != "null" for row in inside), "every inner question has a valid answer"
    if wrapper == "+panel:2":
        assert any('"comment"' in row.reply for row in inside)
        assert any('"approve"' in row.reply for row in inside)


def test_the_words_of_a_wrapper_name_the_seat_that_reads_them(osler: Osler, url: str) -> None:
    from osler.core.wrapper_events import Reconsidered  # noqa: PLC0415
    from osler.players.model.event_text import SHARED_LINES  # noqa: PLC0415

    def read(seat: str, how: Any, *texts: str) -> str:
        return SHARED_LINES[Reconsidered](Reconsidered(minute=0, to=(seat,), how=how, texts=texts))

    for how, texts in (("advise", ("an expert", "all")), ("synthesize", ("x",)), ("think twice", ())):
        assert "examinee" in read("examinee", how, *texts)
        assert "the tutor" in read("tutor", how, *texts)
        assert "examinee" not in read("tutor", how, *texts)
    assert "<candidate>an examinee</candidate>" in read("tutor", "choose", "an examinee").replace("\n", "")


@pytest.mark.parametrize("protocol", [one.name for one in protocols()])
def test_every_role_under_test_has_the_general_wrappers(protocol: str) -> None:
    found = protocol_named(protocol)
    assert {one.partition(":")[0] for one in GENERAL} <= {
        wrapper.name for wrapper in found.role(found.under_test).wrappers
    }


@pytest.mark.parametrize("protocol", SHORT)
@pytest.mark.parametrize("wrapper", ["+best-of:2", "+panel:3"])
def test_a_built_in_player_that_cannot_judge_is_refused_in_words(
    osler: Osler, protocol: str, wrapper: str
) -> None:
    role = protocol_named(protocol).role(UNDER_TEST[protocol])
    done = play(osler, protocol, **{role.name: f"{role.default}{wrapper}"})
    assert done.exit_code == 1
    assert "cannot judge a move" in said(done)


@pytest.mark.parametrize("protocol", SHORT)
def test_a_built_in_player_agrees_with_itself(osler: Osler, protocol: str) -> None:
    role = protocol_named(protocol).role(UNDER_TEST[protocol])
    both = play(osler, protocol, **{role.name: f"{role.default},{role.default}+self-consistency:3"})
    one, other = value(both)["runs"]
    assert one["ended"] == other["ended"]
    assert {name: each["value"] for name, each in one["measures"].items()} == {
        name: each["value"] for name, each in other["measures"].items()
    }


@pytest.mark.parametrize("protocol", ["ward_round", "scenario"])
def test_a_memory_is_refused_in_words_where_it_is_not_offered(osler: Osler, protocol: str) -> None:
    role = protocol_named(protocol).role(UNDER_TEST[protocol])
    done = play(osler, protocol, **{role.name: f"{role.default}+memory"})
    assert done.exit_code == 1
    assert "is not offered: a memory holds diagnoses" in said(done)
    assert "No such option: --memory" in said(play(osler, protocol, "--memory=any"))


# Scripts and people


def seats_of(protocol: Protocol) -> list[tuple[str, Role]]:
    return [(f"{role.name}_1" if role.many else role.name, role) for role in protocol.roles]


EVERY_SEAT: Final = [(protocol, seat) for protocol in SHORT for seat, _ in seats_of(protocol_named(protocol))]


@pytest.mark.parametrize(("protocol", "seat"), EVERY_SEAT)
def test_a_script_can_sit_in_every_seat_and_a_wrong_one_is_refused_before_anything_is_written(
    osler: Osler, protocol: str, seat: str
) -> None:
    Path("script.yaml").write_text("- {nonsense: 1}\n")
    config = (
        protocol_named(protocol)
        .config(cases=SHORT[protocol][1], limit=1)
        .seated({seat: "scripted:script.yaml"})
    )
    (case,) = [config.ready(next(iter(config.opened())))]
    assert casting_of(config).cast(case)[seat].name == "scripted"
    Path("script.yaml").write_text("nonsense: 1\n")
    done = play(osler, protocol, **{seat: "scripted:script.yaml"})
    assert done.exit_code == 1
    assert "the script is not a list of replies" in said(done)
    done = play(osler, protocol, **{seat: "scripted:nowhere.yaml"})
    assert "the script cannot be read" in said(done)
    assert nothing_begun()


@pytest.mark.parametrize("protocol", SHORT)
def test_a_script_plays_the_seat_under_test(osler: Osler, protocol: str) -> None:
    seat = UNDER_TEST[protocol]
    Path("script.json").write_text(json.dumps(MOVES[seat]))
    words = ("--set=settings.private_thought=false",) if protocol == "ward_round" else ()
    found = value(play(osler, protocol, *words, **{seat: "scripted:script.json"}))
    assert found["episodes"] == 1
    assert "invalid_play" not in found["ended"]


def test_a_script_that_was_written_again_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    config = RunConfig(limit=1, doctor=f"scripted:{file}")
    case = next(iter(config.opened()))
    prints = set()
    for text in ("- {a: 1}\n", "- {a: 22}\n"):
        file.write_text(text)
        prints.add(casting_of(config).cast(case)["doctor"].fingerprint)  # type: ignore[union-attr]
    assert len(prints) == 2


@pytest.mark.parametrize(
    ("protocol", "seat"),
    [pair for pair in EVERY_SEAT if not protocol_named(pair[0]).role(pair[1]).person],
)
def test_a_person_is_refused_in_words_where_there_is_no_form(osler: Osler, protocol: str, seat: str) -> None:
    done = play(osler, protocol, **{seat: "person"})
    assert done.exit_code == 1
    assert "a person has no form to fill" in said(done)


# Several


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        ("consultation", ("consult", "library", "--limit=1", "--doctor=null,always-conclude")),
        ("ward_round", ("round", "library", "--limit=1", "--max-rounds=1", "--tutor=silent,parrot")),
        ("scenario", ("scenario", "play", str(SMALL), "--max-turns=1", "--examinee=null,oracle")),
        ("ward_round", ("run", *SHORT["ward_round"], "--seat=tutor=silent,parrot")),
    ],
)
def test_several_players_play_the_same_worlds(osler: Osler, protocol: str, words: tuple[str, ...]) -> None:
    found = value(osler(*words, "--json"))
    assert len(found["runs"]) == len(found[f"{UNDER_TEST[protocol]}s"]) == 2
    assert all(one["episodes"] == 1 for one in found["runs"])
    done = osler(*words[:-1], f"{words[-1]},person", "--json")
    assert "a person plays alone" in said(done)
    assert "is called 'nosuch'" in said(osler(*words[:-1], f"{words[-1]},nosuch"))
    kept = {run["run"] for run in value(osler("runs", "--json"))["runs"]}
    assert kept == {run["run"] for run in found["runs"]}, "a refused command begins no run"


@pytest.mark.parametrize("ending", ["", "+self-consistency:2"])
def test_a_file_whose_name_holds_a_comma_is_refused_in_words(osler: Osler, ending: str) -> None:
    Path("a,b.yaml").write_text("- {}\n")
    for words in (
        ("consult", "library", f"--doctor=null,scripted:a,b.yaml{ending}"),
        ("run", "scenario", str(SMALL), f"--seat=examinee=scripted:a,b.yaml{ending}"),
        ("round", "library", "--student=scripted:a,b.yaml"),
    ):
        done = osler(*words)
        assert done.exit_code == 1
        assert "rename the file" in said(done)


# One's own


MODULE: Final = '''
    import sys
    from osler.protocols.consultation.seats import Finalize

    class Careful:
        name = "careful"

        async def reply(self, request):
            return Finalize(diagnosis="gout")

    class Knowing(Careful):
        def __init__(self, asked):
            self.name = f"knowing-{asked.seat}"

    class Choosy(Careful):
        def __init__(self, asked, strictness):
            pass

    class Speechless:
        name = "speechless"

    class Nameless:
        def reply(self, request):
            return {"action": "FINALIZE", "diagnosis": "gout"}

    class Plain(Nameless):
        """Neither a coroutine nor a model of ours."""
        name = "plain"

    class Failing(Careful):
        def reply(self, request):
            raise RuntimeError("lost")

    class Leaving(Careful):
        async def reply(self, request):
            sys.exit(3)

    class Numbered(Careful):
        name = 7

    class Deeper:
        Inside = Careful

    def factory(asked):
        return Knowing(asked)

    def broken():
        raise KeyError("no")

    READY = Careful()
    TEXT = "no player"
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of somebody's own, importable here alone."""
    name = f"mine_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(dedent(MODULE))
    (tmp_path / f"{name}_ill.py").write_text("raise SystemExit(4)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


@pytest.mark.parametrize(
    ("named", "player"),
    [
        ("Careful", "careful"),
        ("Knowing", "knowing-doctor"),
        ("factory", "knowing-doctor"),
        ("READY", "careful"),
        ("Plain", "plain"),
        ("Deeper.Inside", "careful"),
    ],
)
def test_a_player_of_ones_own_sits_down_by_its_name(osler: Osler, mine: str, named: str, player: str) -> None:
    found = value(play(osler, "consultation", doctor=f"python:{mine}:{named}"))
    assert found["ended"] == {"completed": 1}
    config = RunConfig(limit=1, doctor=f"python:{mine}:{named}+ensemble:2")
    sat = casting_of(config).cast(next(iter(config.opened())))["doctor"]
    assert (sat.name, sat.durable) == (f"{player}+ensemble:2", False)


NO_PLAYERS: Final = (
    ("python:no_such_module_here:X", "cannot be imported"),
    ("python:MINE_ill:X", "cannot be imported: SystemExit"),
    ("python:MINE:Missing", "has no 'Missing'"),
    ("python:MINE:Speechless", "Speechless has no method `reply`"),
    ("python:MINE:Nameless", "Nameless has no `name`"),
    ("python:MINE:Numbered", "its `name` is not a string"),
    ("python:MINE:TEXT", "str has no method `reply`"),
    ("python:MINE:broken", "cannot be made: KeyError"),
    ("python:MINE:Choosy", "cannot be made: TypeError"),
    ("python:MINE", "names no player"),
    ("python:", "write python:MODULE:NAME"),
    ("python", "write python:MODULE:NAME"),
)


@pytest.mark.parametrize(
    ("protocol", "name", "why"), [(list(SHORT)[n % 3], *each) for n, each in enumerate(NO_PLAYERS)]
)
def test_what_is_no_player_is_refused_in_words(
    osler: Osler, mine: str, protocol: str, name: str, why: str
) -> None:
    done = play(osler, protocol, **{UNDER_TEST[protocol]: name.replace("MINE", mine)})
    assert done.exit_code == 1
    assert why in " ".join(done.stderr.split())
    assert "Traceback" not in done.output
    assert nothing_begun()


@pytest.mark.parametrize("named", ["Failing", "Leaving"])
def test_what_fails_in_it_is_no_answer(osler: Osler, mine: str, named: str) -> None:
    for seats in ({"doctor": f"python:{mine}:{named}"}, {"patient": f"python:{mine}:{named}"}):
        seats = {"doctor": "repeat-everything", **seats}
        done = play(osler, "consultation", **seats)
        assert done.exit_code == 3
        assert "raised" in done.output
        assert "Traceback" not in done.output
        found = value(play(osler, "consultation", "--max-errors=1", **seats))
        assert found["ended"] == {"player_fault": 1}


def test_a_studys_file_names_no_code(osler: Osler, mine: str) -> None:
    study = {
        "name": "mine",
        "title": "t",
        "question": "q",
        "protocol": "consultation",
        "conditions": {"one": {}, "other": {"doctor": f"python:{mine}:Careful"}},
        "primary": {"figure": "turns", "condition": "one", "against": "other"},
    }
    Path("mine.yaml").write_text(json.dumps(study))
    done = osler("study", "run", "mine.yaml", "--cases=library", "--limit=1")
    assert done.exit_code == 1
    assert "a study's file does not name" in said(done)
    done = osler("study", "run", "mine.yaml", "--cases=library", "--limit=1", "--allow-code")
    assert done.exit_code == 0, said(done)


def test_a_dry_run_runs_no_code_of_ones_own(osler: Osler, tmp_path: Path) -> None:
    (tmp_path / "boom_in_a_dry_run.py").write_text("raise RuntimeError\n")
    found = value(play(osler, "consultation", "--dry-run", doctor="python:boom_in_a_dry_run:X"))
    assert found["episodes"] == 1


# Of packages


ENTRIES: Final = {
    "mine-careful": "Careful",
    "mine-anywhere": "Anywhere",
    "mine-silent": "Silent",
    "mine-missing": "Missing",
    "null": "Careful",
    "mine:odd": "Careful",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that brings players."""
    name = f"package_{tmp_path.name.replace('-', '_')}"
    module = """
        class Careful:
            name, seats = "careful", ("consultation:doctor",)
            def reply(self, request):
                return {"action": "FINALIZE", "diagnosis": "gout"}

        class Anywhere(Careful):
            seats = ("doctor", "tutor")

        class Silent:
            name = "silent"
            def reply(self, request):
                return {}
        """
    entries = {entry: f"{name}:{made}" for entry, made in ENTRIES.items()}
    installed(tmp_path, monkeypatch, name, dedent(module), {"osler.players": entries})


@pytest.mark.usefixtures("package")
def test_a_packages_player_sits_where_it_says_it_can(osler: Osler) -> None:
    for name in ("mine-careful", "mine-anywhere", "mine-careful+ensemble:2"):
        assert value(play(osler, "consultation", doctor=name))["ended"] == {"completed": 1}
    done = play(osler, "scenario", examinee="mine-careful")
    assert "cannot sit as examinee of scenario" in said(done)
    assert "it plays: consultation:doctor" in said(done)


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("mine-silent", "has no 'seats'"),
        ("mine-missing", "cannot be imported"),
        ("mine:odd", "no doctor is called"),
    ],
)
def test_a_broken_one_is_named_and_breaks_nothing_else(osler: Osler, name: str, why: str) -> None:
    done = play(osler, "consultation", doctor=name)
    assert done.exit_code == 1
    assert why in " ".join(done.stderr.split())
    unknown = " ".join(play(osler, "consultation", doctor="nobody").stderr.split())
    assert "mine-anywhere, mine-careful," in unknown
    assert "mine-silent" not in unknown


@pytest.mark.usefixtures("package")
def test_a_package_takes_no_name_of_ours(osler: Osler) -> None:
    config = RunConfig(limit=1, doctor="null")
    assert casting_of(config).cast(next(iter(config.opened())))["doctor"].name == "null"
    with pytest.raises(BadInput, match="null cannot sit as tutor"):
        casting_of(RoundConfig(tutor="null"))


def test_a_name_keeps_a_plus_that_begins_no_wrapper() -> None:
    role = protocol_named("ward_round").role("tutor")
    found = player_name(role, "scripted:a+b.yaml+best-of:2")
    assert (found.inside, found.around) == ("scripted:a+b.yaml", (("+best-of", "2", ()),))
