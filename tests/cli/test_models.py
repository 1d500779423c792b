"""Models in any seat, as a user meets them on the command line; the endpoint is fake, the runs are real."""

from __future__ import annotations

import json
import re
import socket
from collections import Counter
from pathlib import Path

import pytest

from osler.testing.endpoint_usage import IMAGE_TOKENS
from tests.cli.commands import (
    FIVE,
    KEY,
    MODELS,
    SHORT,
    Osler,
    configure,
    episodes,
    reset,
    said,
    stats,
    value,
)
from tests.endpoints import running

# Seats


@pytest.mark.parametrize("moves", ["json", "text"])
def test_a_model_takes_every_seat_and_what_it_used_is_said_by_seat(
    osler: Osler, url: str, moves: str
) -> None:
    configure(url, price_in=1.0, price_out=2.0)
    reset(url)
    found = value(osler("consult", "library", *MODELS, "--consultant=model:fake", "--moves", moves, "--json"))
    assert found["ended"] == {"completed": 5}
    counted = stats(url)
    for seat, endpoints in found["usage"].items():
        assert set(endpoints) == {"fake"}
        assert endpoints["fake"]["calls"] == counted["seats"][seat]["requests"]
        assert endpoints["fake"]["prompt_tokens"] == counted["seats"][seat]["prompt_tokens"]
        assert endpoints["fake"]["cost"] > 0
    assert {"doctor", "patient", "examination"} <= set(found["usage"])
    moved = [x["reply"]["action"] for x in episodes(osler)[0]["exchanges"] if x["seat"] == "doctor"]
    assert moved == ["ASK"] * 4 + ["REQUEST_TEST"] * 2 + ["FINALIZE"]


def test_a_second_reader_checks_every_answer_and_is_counted(osler: Osler) -> None:
    agrees = [{"match": {"schema_name": "grounding_verdict"}, "reply": {"unsupported": []}}]
    with running(script=agrees) as url:
        configure(url)
        words = ("consult", "library", *MODELS, "--second-reader=model:fake", "--json")
        found = value(osler(*words))
    assert found["ended"] == {"completed": 5}
    patient = found["usage"]["patient"]["fake"]
    assert patient["calls"] == 2 * 4 * 5, "each of four answers in five consultations was read as well"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--second-reader=model:fake",), "nothing to read"),
        (("--patient=model:fake", "--second-reader=fake"), "write model:NAME"),
    ],
)
def test_a_second_reader_without_work_or_name_is_refused(
    osler: Osler, url: str, words: tuple[str, ...], said: str
) -> None:
    configure(url)
    done = osler("consult", "library", *words)
    assert done.exit_code == 1
    assert said in done.output


def test_a_person_is_the_patient_of_a_model_doctor_and_may_leave_and_come_back(
    osler: Osler, url: str
) -> None:
    configure(url)
    reset(url)
    words = ("consult", "library", "--doctor=model:fake", "--patient=person", "--limit=1")
    first = osler(*words, input="It came on two hours ago.\nIt is a heavy pressure.\n/quit\n")
    assert first.exit_code == 130, first.output
    assert "What brings you here today" in said(first)
    assert "To continue: osler resume r-" in said(first)
    second = osler("resume", "last", "--json", input="No, nothing like that.\n" * 20)
    found = value(second)
    assert found["ended"] == {"completed": 1}
    assert found["usage"]["doctor"]["fake"]["calls"] == stats(url)["requests"] == 7
    assert "Beyond this machine: fake at 127.0.0.1" in said(first), "who reads the words is said first"
    osler("permit", "last", "--uses=research")
    (episode,) = episodes(osler)
    answers = [x["reply"]["answer"] for x in episode["exchanges"] if x["seat"] == "patient"]
    assert answers[:3] == ["It came on two hours ago.", "It is a heavy pressure.", "No, nothing like that."]


def test_a_person_plays_one_case_opposite_a_model_doctor(osler: Osler, url: str) -> None:
    configure(url)
    reset(url)
    words = ("play", "cardiology-01", "--as", "patient", "--doctor=model:fake", "--json")
    found = value(osler(*words, input="I am not sure, doctor.\n" * 20))
    assert found["episodes"] == 1
    assert found["ended"] == {"completed": 1}
    assert stats(url)["requests"] == 7


# What cannot be used


@pytest.mark.parametrize(
    ("status", "reply", "reason", "mend"),
    [
        (401, f"Incorrect API key provided: {KEY}", "auth", "is the variable named by key_env set"),
        (404, "The model `fake-model` does not exist", "wrong model", "one that it serves"),
        (500, "out of memory", "server error", "look at the endpoint's own log"),
    ],
)
def test_a_run_says_which_endpoint_failed_why_and_how_to_go_on(
    osler: Osler, url: str, status: int, reply: str, reason: str, mend: str
) -> None:
    with running(script=[{"status": status, "reply": reply}]) as broken:
        configure(broken)
        done = osler("consult", "library", *MODELS, *SHORT, "--json")
        assert stats(broken)["requests"] <= 5 * 5, "five episodes, at most five tries each"
    assert done.exit_code == 3
    assert json.loads(done.stdout)["status"] == "paused"
    assert f"paused: endpoint fake: {reason}: HTTP {status}" in said(done)
    assert mend in said(done)
    assert "0 of 5 are done" in said(done)
    (how,) = re.findall(r"To continue: osler (resume r-\S+)", said(done))

    configure(url)
    assert value(osler(*how.split(), "--json"))["ended"] == {"out_of_turns": 5}
    resumed = episodes(osler)
    value(osler("consult", "library", *MODELS, *SHORT, "--json"))
    assert resumed == episodes(osler)


def test_an_endpoint_that_is_down_is_named(osler: Osler) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    configure(f"http://127.0.0.1:{port}/v1")
    done = osler("consult", "library", *MODELS)
    assert done.exit_code == 3
    assert "paused: endpoint fake: connection: connection refused (after 5 tries)" in said(done)
    assert "is the endpoint up, and is base_url right?" in said(done)
    assert "To continue: osler resume r-" in said(done)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--doctor=model:fkae",), "did you mean fake?"),
        (("--doctor=model:fake", "--moves=morse"), "--moves"),
        (("--doctor=model:fake", "--cache=always"), "--cache"),
        (("--doctor=model:fake", "--config=gone.toml"), "gone.toml"),
        (("--doctor=model:fake", "--max-money=1"), "a money limit needs prices"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(
    osler: Osler, url: str, words: tuple[str, ...], why: str
) -> None:
    configure(url)
    reset(url)
    done = osler("consult", "library", *words)
    assert done.exit_code in (1, 2), done.output
    assert why in said(done)
    assert stats(url)["requests"] == 0
    assert not Path("osler.db").exists()


def test_a_key_that_is_not_set_is_named_before_anything_is_asked(
    osler: Osler, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(url)
    monkeypatch.delenv("MY_KEY")
    done = osler("consult", "library", "--doctor=model:fake")
    assert done.exit_code == 1
    assert "the environment variable MY_KEY is not set" in said(done)


def test_a_run_is_not_gone_on_with_by_another_model(osler: Osler, url: str) -> None:
    configure(url)
    value(osler("consult", "library", "--doctor=model:fake", *SHORT, "--json"))
    configure(url, model="another")
    done = osler("resume", "last")
    assert done.exit_code == 1
    assert "endpoint fake was fake-model when this run began and is another now" in said(done)
    configure(url)
    with Path("osler.toml").open("a") as file:
        file.write("[endpoints.fake.extra]\ntemperature = 1\n")
    done = osler("resume", "last")
    assert done.exit_code == 1
    assert "is fake-model, temperature 1 now" in said(done)


# What it may cost


@pytest.mark.parametrize("more", [(), ("--second-reader=model:fake",)])
def test_a_dry_run_asks_nobody_and_is_near_what_the_run_takes(
    osler: Osler, url: str, more: tuple[str, ...]
) -> None:
    configure(url, price_in=1.0, price_out=2.0)
    reset(url)
    # How long a model plays is its own; within eight turns it cannot be far from the built-in doctor, which
    # takes about fifteen where it may, twice as many as the endpoint's (4 questions, 2 tests, a conclusion).
    words = ("consult", "library", *MODELS, "--repeats=2", "--max-turns=8", *more, "--json")
    foreseen = value(osler(*words, "--dry-run"))
    assert stats(url)["requests"] == 0
    assert not Path("osler.db").exists()
    assert foreseen["episodes"] == 10
    used = value(osler(*words))["usage"]
    calls = sum(row["fake"]["calls"] for row in used.values())
    assert calls / 2 <= foreseen["calls"] <= calls * 2
    assert foreseen["cost"] > 0
    assert foreseen["disk"]["bytes"] > foreseen["disk"]["bytes_per_episode"] * 10 > 0


def test_a_dry_run_foresees_every_call_of_a_model_that_plays_as_long_as_the_built_in_players(
    osler: Osler, url: str
) -> None:
    configure(url)
    foreseen = value(osler("consult", "library", *MODELS, "--dry-run", "--json"))
    value(osler("consult", "library", FIVE, "--json"))
    asked = Counter(x["seat"] for episode in episodes(osler) for x in episode["exchanges"])
    assert {seat: found["calls"] for seat, found in foreseen["seats"].items()} == asked


def test_a_dry_run_of_several_doctors_counts_them_all(osler: Osler, url: str) -> None:
    configure(url, price_in=1.0, price_out=2.0)
    words = ("consult", "library", FIVE, "--dry-run", "--json")
    alone = value(osler(*words, "--doctor=model:fake"))
    beside = value(osler(*words, "--doctor=baseline,model:fake"))
    assert beside["episodes"] == 2 * alone["episodes"]
    assert (beside["calls"], beside["cost"]) == (alone["calls"], alone["cost"])
    assert beside["disk"]["bytes"] > alone["disk"]["bytes"]


def test_a_dry_run_says_whose_length_it_supposes(osler: Osler, url: str) -> None:
    configure(url)
    done = osler("consult", "library", *MODELS, "--dry-run")
    assert "as many turns as the built-in players take; a model may take fewer or more" in said(done)


@pytest.mark.parametrize(
    ("words", "notes"),
    [
        (("round", "library", "--limit=1", "--tutor=model:fake", "--student=model:fake"), {}),
        (
            ("round", "library", "--limit=1", "--tutor=model:fake+panel:2"),
            {"tutor": ["+panel: the second move in each turn whose first one is voted down"]},
        ),
        (("scenario", "play", "library", "--limit=1", "--examinee=model:fake"), {}),
        (
            ("scenario", "play", "library", "--limit=1", "--examinee=model:fake+best-of:3"),
            {"examinee": ["+best-of: the critic's call in each turn whose candidates differ"]},
        ),
        (
            ("scenario", "play", "library", "--limit=1", "--examinee=model:fake+panel:2"),
            {"examinee": ["+panel: the second move in each turn whose first one is voted down"]},
        ),
    ],
)
def test_a_dry_run_weighs_every_protocol_and_says_what_it_cannot(
    osler: Osler, url: str, words: tuple[str, ...], notes: dict[str, list[str]]
) -> None:
    configure(url, price_in=1.0, price_out=2.0)
    reset(url)
    foreseen = value(osler(*words, "--dry-run", "--json"))
    assert stats(url)["requests"] == 0
    assert foreseen["not_weighed"] == notes
    assert foreseen["episodes"] == 1
    used = value(osler(*words, "--json"))["usage"]
    assert foreseen["seats"].keys() == used.keys()
    # The endpoint's model plays other moves than the stand-in: what is alike is the order of magnitude.
    calls = sum(row["fake"]["calls"] for row in used.values())
    assert calls / 4 <= foreseen["calls"] <= calls * 4
    assert all(seat["calls"] > 0 and seat["cost"] > 0 for seat in foreseen["seats"].values())


def test_a_panel_is_weighed_at_its_comments_its_move_and_its_votes(osler: Osler, url: str) -> None:
    configure(url)
    words = ("scenario", "play", "library", "--limit=1", "--dry-run", "--json")
    alone = value(osler(*words, "--examinee=model:fake"))["calls"]
    for experts in (2, 3):
        found = value(osler(*words, f"--examinee=model:fake+panel:{experts}"))
        # One more call, at the beginning, chooses the specialties of the panel by the case.
        assert found["calls"] == 1 + alone * (experts + 1 + experts)


@pytest.mark.parametrize("limit", ["--token-budget=30000", "--max-money=0.03"])
def test_a_budget_pauses_a_run_and_holds_over_its_sittings(osler: Osler, url: str, limit: str) -> None:
    configure(url, price_in=1.0, price_out=1.0)
    reset(url)
    words = ("consult", "library", *MODELS, *SHORT)
    paused = osler(*words, limit, "--concurrency=1")
    assert paused.exit_code == 3
    assert re.search(r"paused: (tokens|money) budget: .*raise it and resume", said(paused))
    answers = stats(url)["answers"]
    assert 20_000 < answers["prompt_tokens"] + answers["completion_tokens"] <= 30_000

    again = osler("resume", "last", "--concurrency=1")
    assert again.exit_code == 3, "a plain resume keeps the budget"
    assert "within the budget that it keeps" in said(again)
    answers = stats(url)["answers"]
    assert answers["prompt_tokens"] + answers["completion_tokens"] <= 30_000, "both sittings are counted"

    raised = limit.split("=")[0] + "=1000000"
    found = value(osler("resume", "last", raised, "--json"))
    used, counted = found["usage"], stats(url)["seats"]
    for seat, row in used.items():
        assert row["fake"]["prompt_tokens"] == counted[seat]["prompt_tokens"]
        assert row["fake"]["calls"] == counted[seat]["requests"]
    resumed = episodes(osler)
    value(osler(*words, "--json"))
    assert resumed == episodes(osler)


def test_a_run_keeps_the_budget_that_it_was_last_given(osler: Osler, url: str) -> None:
    configure(url)
    consult = ("consult", "library", *MODELS, *SHORT)
    begun, later = "--token-budget=10000", "--token-budget=15000"
    assert "of 10000" in said(osler(*consult, begun, "--concurrency=1"))
    assert "of 10000" in json.loads(osler("worker", "last", "--json").stdout)["why"]
    assert "of 15000" in said(osler("resume", "last", later, "--concurrency=1"))
    plain = osler("resume", "last", "--concurrency=1")
    assert (plain.exit_code, "of 15000" in said(plain)) == (3, True)


def test_a_second_run_from_the_cache_asks_nobody(osler: Osler, url: str) -> None:
    configure(url, price_in=1.0, price_out=1.0)
    words = ("consult", "library", *MODELS, *SHORT, "--json")
    first = value(osler(*words, "--cache=write"))
    wrote = episodes(osler)
    reset(url)
    second = value(osler(*words, "--cache=read"))
    assert stats(url)["requests"] == 0
    assert episodes(osler) == wrote
    assert first["usage"]["doctor"]["fake"]["calls"] > 0
    assert all(row["fake"]["calls"] == row["fake"]["cost"] == 0 for row in second["usage"].values())
    assert second["measures"]["correct"] == first["measures"]["correct"]


# Pictures


SEEN = "Twelve leads. In II, III and aVF the line after the QRS stands two squares up."
LOOKS = ({"action": "REQUEST_TEST", "test_name": "ECG"}, {"action": "WAIT"})


def with_eyes(url: str) -> None:
    """The endpoint `fake` of an osler.toml that says it sees images."""
    configure(url)
    with Path("osler.toml").open("a") as file:
        file.write("[endpoints.fake.capabilities]\nimages = true\n")


def test_a_model_describes_a_picture_to_a_doctor_without_eyes(osler: Osler) -> None:
    Path("moves.json").write_text(json.dumps([*LOOKS, {"action": "FINALIZE", "diagnosis": "unknown"}]))
    script = [{"match": {"anywhere": "You describe medical pictures"}, "reply": SEEN}]
    with running(script=script) as url:
        with_eyes(url)
        words = ("--doctor=scripted:moves.json", "--describer=model:fake", "--pictures=shown", "--limit=1")
        found = value(osler("consult", "library", *words, "--json"))
    assert found["ended"] == {"completed": 1}
    assert found["usage"]["describer"]["fake"]["calls"] == 1
    (episode,) = episodes(osler)
    results = [event for x in episode["exchanges"] for event in x["events"] if event["kind"] == "result"]
    assert [event["text"] for event in results] == [SEEN]
    assert "picture" not in results[0]


def test_a_doctor_with_eyes_is_sent_the_picture(osler: Osler) -> None:
    moves = (*LOOKS, {"action": "FINALIZE", "diagnosis": "unknown"})
    script = [{"match": {"seat": "doctor", "nth": 1}, "reply": move} for move in moves]
    tokens = []
    for configured in (configure, with_eyes):
        with running(script=script) as url:
            configured(url)
            done = osler("consult", "library", "--doctor=model:fake", "--limit=1", "--json")
        tokens.append(value(done)["usage"]["doctor"]["fake"]["prompt_tokens"])
    assert tokens[1] - tokens[0] == IMAGE_TOKENS, "the picture is sent once, and all else is the same"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--pictures=shown",), "baseline cannot see"),
        (("--pictures=shown", "--doctor=model:fake"), "model:fake cannot see"),
        (("--describer=model:fake",), "nothing to describe"),
    ],
)
def test_pictures_without_eyes_or_a_describer_without_pictures_are_refused(
    osler: Osler, url: str, words: tuple[str, ...], why: str
) -> None:
    configure(url)
    done = osler("consult", "library", *words)
    assert done.exit_code == 1
    assert why in said(done)
