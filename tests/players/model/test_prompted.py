"""A model in a seat of somebody else's protocol: a template of theirs, their contract, their words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from osler.core.contract import Contract
from osler.core.episode import TeeRecorder
from osler.core.events import Event, Frozen, Noticed, Said, View
from osler.core.factory import PlayerRequest
from osler.core.role import Role, Seating
from osler.core.table import Table
from osler.core.wording import Words, said
from osler.errors import BadInput
from osler.models.client import EndpointClient
from osler.models.config import Capabilities, Endpoint
from osler.models.dialects import without_bounds
from osler.models.secret import Secret
from osler.models.types import CompletionRequest
from osler.players.model.prompted import PromptedPlayer, prompted
from osler.players.model.reply_form import reply_form
from osler.players.model.seat import Lines
from osler.prompts import prompt
from osler.protocols.scenario.protocol import PROTOCOL
from osler.testing.endpoint import FakeEndpoint
from osler.testing.quirk_schemas import strict_fault
from tests.players.model.table import KEY, Overheard

GIVER_RULES = "{# Why: a hand-over is short. #}\nYou hand over {{ patient | block('patient') }}.\n"
RECEIVER_RULES = "{# Why: what is not asked is lost. #}\nYou take over on {{ ward }}.\n"


class GiverView(View):
    patient: str


class ReceiverView(View):
    ward: str


class Report(Frozen):
    situation: str = Field(min_length=1, max_length=200)
    concerns: tuple[str, ...] = ()


class AskBack(Frozen):
    act: Literal["ask"] = "ask"
    question: str


class ReadBack(Frozen):
    act: Literal["read_back"] = "read_back"
    text: str
    certain: bool = True


Answer = Annotated[AskBack | ReadBack, Field(discriminator="act")]
GIVER: Contract[GiverView, Report] = Contract("giver", GiverView, TypeAdapter(Report))
RECEIVER: Contract[ReceiverView, Any] = Contract("receiver", ReceiverView, TypeAdapter(Answer))


class Reported(Event):
    """The giver reports."""

    kind: Literal["reported_over"] = "reported_over"
    situation: str


class BellRang(Event):
    """Something else needs a nurse; nobody has put it into words."""

    kind: Literal["bell_rang"] = "bell_rang"
    room: int


RECEIVER_FORM = """\
Answer with one JSON object:
{"note":<why, in a few words>,"move":{"action":"ask","question":<words>}}
{"note":<why, in a few words>,"move":{"action":"read_back","text":<words>,"certain":<true or false>}}"""
WORDS: Words = {Reported: lambda event: said("giver", event.situation)}


async def handover(table: Table) -> list[BaseModel]:
    """The giver reports, a bell rings, the receiver asks back; a second report is read back."""
    table.seat(GIVER, GiverView(patient="Mr <b>Lee</b>"))
    table.seat(RECEIVER, ReceiverView(ward="ward 3"))
    found: list[BaseModel] = []
    for _ in range(2):
        report = await table.ask(GIVER)
        table.tell(Reported, "receiver", situation=report.situation)
        table.tell(BellRang, "receiver", room=7)
        answer = await table.ask(RECEIVER)
        if isinstance(answer, AskBack):
            table.tell(Said, "giver", by="receiver", text=answer.question)
        found += [report, answer]
    return found


def play(
    tmp_path: Path, script: Sequence[dict[str, Any]], **capable: bool
) -> tuple[list[BaseModel], Overheard]:
    giver, receiver = tmp_path / "giver.jinja", tmp_path / "receiver.jinja"
    giver.write_text(GIVER_RULES, encoding="utf-8")
    receiver.write_text(RECEIVER_RULES, encoding="utf-8")

    async def run() -> tuple[list[BaseModel], Overheard]:
        async with FakeEndpoint(script=list(script)) as fake:
            endpoint = Endpoint(
                name="fake", base_url=fake.base_url, model="m", capabilities=Capabilities(**capable)
            )
            async with EndpointClient(endpoint, Secret(KEY)) as client:
                overheard = Overheard(client)
                seating = seating_of(overheard, endpoint)
                cast = {
                    "giver": prompted(
                        PlayerRequest("giver", None, "fake"), seating, prompt=giver, contract=GIVER
                    ),
                    "receiver": prompted(
                        PlayerRequest("receiver", None, "fake"), seating, prompt=receiver, contract=RECEIVER
                    ),
                }
                table = Table(cast, TeeRecorder(), world="w", under_test="giver")
                return await handover(table), overheard

    return asyncio.run(run())


def seating_of(client: Any, endpoint: Endpoint) -> Seating:
    models = SimpleNamespace(
        client=lambda name: client, endpoint=lambda name: endpoint, has_eyes=lambda name: False
    )
    roles = tuple(Role(name=one.seat, contracts=(one,), players={}) for one in (GIVER, RECEIVER))
    return Seating(SimpleNamespace(plays=replace(PROTOCOL, words=WORDS, roles=roles)), models)


def moved(action: str, **fields: Any) -> dict[str, Any]:
    """An answer in the form."""
    return {"note": "as it should be", "move": {"action": action, **fields}}


SCRIPT = (
    {
        "match": {"schema_name": "giver_reply", "nth": 1},
        "reply": moved("REPLY", situation="Short of <b>breath</b>.", concerns=["the pulse"]),
    },
    {
        "match": {"schema_name": "giver_reply"},
        "reply": moved("REPLY", situation="Since noon.", concerns=[]),
    },
    {
        "match": {"schema_name": "receiver_reply", "nth": 1},
        "reply": moved("ask", question="Since when?"),
    },
    {
        "match": {"schema_name": "receiver_reply"},
        "reply": moved("read_back", text="Breathless since noon.", certain=True),
    },
)


def test_two_seats_of_an_outside_protocol_are_played_by_models(tmp_path: Path) -> None:
    found, _ = play(tmp_path, SCRIPT)
    assert found == [
        Report(situation="Short of <b>breath</b>.", concerns=("the pulse",)),
        AskBack(question="Since when?"),
        Report(situation="Since noon."),
        ReadBack(text="Breathless since noon."),
    ]


def test_prompts_are_the_templates_the_words_and_the_own_replies_and_only_grow(tmp_path: Path) -> None:
    _, overheard = play(tmp_path, SCRIPT)
    first, last = (request.messages for request in overheard.asked["receiver"])
    assert [(message.role, message.text) for message in last] == [
        ("system", f"You take over on ward 3.\n\n{RECEIVER_FORM}"),
        (
            "user",
            "giver: <says>Short of ‹b>breath‹/b>.</says>\nbell rang: <told>room: 7</told>",
        ),
        ("assistant", '{"move":{"action":"ask","question":"Since when?"}}'),
        ("user", "giver: <says>Since noon.</says>\nbell rang: <told>room: 7</told>"),
    ]
    assert last[: len(first)] == first
    asked = overheard.asked["giver"][-1].messages
    assert asked[0].text.startswith("You hand over <patient>Mr ‹b>Lee‹/b></patient>.\n\nAnswer with")
    assert json.loads(asked[2].text)["move"]["situation"] == "Short of ‹b>breath‹/b>."
    assert asked[-1].text == "receiver: <says>Since when?</says>"


def test_a_seat_is_played_on_an_endpoint_that_knows_no_schemas_as_well(tmp_path: Path) -> None:
    rules = [
        {**rule, "match": {"anywhere": "hand over" if "giver" in str(rule["match"]) else "take over", **nth}}
        for rule in SCRIPT
        for nth in [{"nth": 1} if "nth" in str(rule["match"]) else {}]
    ]
    found, overheard = play(tmp_path, rules, json_schema=False, json_object=False)
    assert [type(one) for one in found] == [Report, AskBack, Report, ReadBack]
    assert overheard.asked["giver"][0].output is not None


def test_an_answer_that_breaks_a_limit_is_sent_back_and_mended(tmp_path: Path) -> None:
    empty = moved("REPLY", situation="", concerns=[])
    found, overheard = play(
        tmp_path, [{"match": {"schema_name": "giver_reply", "nth": 1}, "reply": empty}, *SCRIPT]
    )
    assert found[0] == Report(situation="Short of <b>breath</b>.", concerns=("the pulse",))
    refusal = overheard.asked["giver"][1].messages[-1].text
    shortest = '{"note":"...","move":{"action":"REPLY","situation":"...","concerns":[]}}'
    assert refusal.endswith(f"The shortest answer of this form: {shortest}")


def test_each_kind_of_reply_is_a_move_and_the_form_qualifies_for_strict_modes() -> None:
    form = reply_form(RECEIVER.reply, "receiver_reply")
    assert form.output.strict
    assert strict_fault(without_bounds(form.output.json_schema)) is None
    ask, read_back = form.output.json_schema["properties"]["move"]["anyOf"]
    assert list(ask["properties"]) == ["action", "question"]
    assert list(read_back["properties"]) == ["action", "text", "certain"]
    text = form.output.schema_text
    for word in ("default", "discriminator", "oneOf", "const", "minLength", "title", "$ref"):
        assert f'"{word}"' not in text
    for reply in (AskBack(question="Since when?"), ReadBack(text="Since noon.", certain=False)):
        assert form.read(json.loads(form.write(reply))) == reply
        assert form.read(reply.model_dump()) == reply, "the record's own form is read as well"


def test_a_text_that_may_be_missing_is_asked_for_as_one_that_may_be_empty() -> None:
    class Order(Frozen):
        name: str
        site: str | None = None
        hurry: int | None = None

    form = reply_form(TypeAdapter(Order), "order")
    (fields,) = form.output.json_schema["properties"]["move"]["anyOf"]
    assert fields["properties"]["site"] == {"type": "string", "maxLength": 1000}
    for reply in (Order(name="X-ray"), Order(name="X-ray", site="wrist", hurry=2)):
        assert form.read(json.loads(form.write(reply))) == reply
    written = json.loads(form.write(Order(name="X-ray")))["move"]
    assert (written["site"], written["hurry"]) == ("", None), "a number may be missing, as the form says"


def test_a_reply_with_free_keys_is_asked_for_as_it_is() -> None:
    class Vitals(Frozen):
        by_name: dict[str, str]

    form = reply_form(TypeAdapter(Vitals), "vitals")
    assert not form.output.strict
    assert form.read({"by_name": {"pulse": "110"}}) == Vitals(by_name={"pulse": "110"})


def test_a_field_may_be_called_like_a_word_of_schemas() -> None:
    class Odd(Frozen):
        title: str
        default: str = "x"
        type: Literal["a", "b"] = "a"

    form = reply_form(TypeAdapter(Odd), "odd")
    (fields,) = form.output.json_schema["properties"]["move"]["anyOf"]
    assert fields["required"] == ["action", "title", "default", "type"]
    assert form.read(moved("REPLY", title="t", default="y", type="b")) == Odd(
        title="t", default="y", type="b"
    )


def test_a_reply_may_have_fields_of_the_forms_own_names() -> None:
    class Odd(Frozen):
        note: str
        move: str

    class Acts(Frozen):
        action: str

    odd, acts = (reply_form(TypeAdapter(kind), "odd") for kind in (Odd, Acts))
    assert odd.read(json.loads(odd.write(Odd(note="n", move="m")))) == Odd(note="n", move="m")
    assert odd.read({"note": "n", "move": "m"}) == Odd(note="n", move="m")
    assert not acts.output.strict, "two fields cannot be called action, so it is asked for as it is"
    assert acts.read({"action": "x"}) == Acts(action="x")


def test_a_reply_that_holds_itself_can_be_asked_for() -> None:
    form = reply_form(TypeAdapter(Tree), "tree")
    tree = Tree(name="a", parts=(Tree(name="b"),))
    assert not form.moves
    assert form.read(json.loads(form.write(tree))) == form.read({"reply": tree.model_dump()}) == tree


class Tree(Frozen):
    """Holds itself."""

    name: str
    parts: tuple[Tree, ...] = ()


def test_another_prompt_is_another_player(tmp_path: Path) -> None:
    names = []
    for number, text in enumerate(
        (
            GIVER_RULES,
            GIVER_RULES.replace("hand over", "give"),
            "{# Other. #}" + GIVER_RULES.partition("#}")[2],
        )
    ):
        file = tmp_path / f"{number}.jinja"
        file.write_text(text, encoding="utf-8")
        names.append(player(file).name)
    assert names[0] != names[1]
    assert names[0] == names[2], "the comment is no part of what is told"


def player(file: Path | str) -> PromptedPlayer:
    endpoint = Endpoint(name="fake", base_url="http://127.0.0.1:1/v1", model="m")
    return prompted(
        PlayerRequest("giver", None, "fake"), seating_of(None, endpoint), prompt=file, contract=GIVER
    )


def test_a_prompt_lies_in_the_package_that_its_protocol_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "outside_handover" / "prompts"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder / "giver.jinja").write_text(GIVER_RULES, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = prompt("outside_handover:prompts/giver.jinja")
    assert found.why == "Why: a hand-over is short."
    assert found.render({"patient": "Lee"}) == "You hand over <patient>Lee</patient>."


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("no_such_package:giver.jinja", "there is no package 'no_such_package'"),
        ("osler.players:none.jinja", "the prompt cannot be read"),
        (Path("/nowhere/giver.jinja"), "the prompt cannot be read"),
    ],
)
def test_a_prompt_that_is_not_there_is_told_before_anything_is_played(name: str | Path, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        player(name)


def test_a_template_that_is_broken_is_named(tmp_path: Path) -> None:
    file = tmp_path / "broken.jinja"
    file.write_text("{# Why #}{% if %}", encoding="utf-8")
    with pytest.raises(BadInput, match=r"prompt broken\.jinja"):
        prompt(file).render({})


def test_lines_of_a_seats_own_go_before_the_protocols_words(tmp_path: Path) -> None:
    file = tmp_path / "giver.jinja"
    file.write_text(GIVER_RULES, encoding="utf-8")
    endpoint = Endpoint(name="fake", base_url="http://127.0.0.1:1/v1", model="m")
    own: Lines = {Said: lambda event: "Somebody speaks."}
    reads = prompted(
        PlayerRequest("giver", None, "fake"),
        seating_of(None, endpoint),
        prompt=file,
        contract=GIVER,
        lines=own,
    ).reads
    assert reads.line(Said(minute=0, by="receiver", text="Since when?"), View()) == "Somebody speaks."
    assert reads.line(Noticed(minute=0, text="Hurry."), View()) == "notice: <told>Hurry.</told>"


def test_a_request_says_for_which_seat_it_is(tmp_path: Path) -> None:
    _, overheard = play(tmp_path, SCRIPT)
    asked: list[CompletionRequest] = [one for requests in overheard.asked.values() for one in requests]
    assert {request.seat for request in asked} == {"giver", "receiver"}
