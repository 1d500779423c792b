"""Transcripts of others are read as lines with speakers, and a speaker whom nobody placed is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from osler.errors import BadInput
from osler.text.transcripts import NO_SPEAKER, SpokenLine, placed, roles_given, transcript_in, transcript_of

OWN = {"doctor": "doctor", "patient": "patient", "system": "nobody"}
KNOWN = ("doctor", "patient")


def lines(tmp_path: Path, text: str | bytes, *names: str) -> list[tuple[str, str]]:
    """The lines of a file with this text."""
    file = tmp_path / "transcript"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [(line.speaker, line.text) for line in transcript_in(file, names).lines]


TALK = "D: What brings you in?\n\nP: My chest.\nIt hurts: badly, at 10:30.\np: And I cough.\n"
READ = [
    ("D", "What brings you in?"),
    ("P", "My chest. It hurts: badly, at 10:30."),
]


def test_plain_text_has_a_speaker_before_each_colon_and_goes_on_over_lines(tmp_path: Path) -> None:
    assert lines(tmp_path, TALK, "d", "p") == [*READ, ("p", "And I cough.")]
    assert lines(tmp_path, TALK.replace("\n", "\r\n").encode("utf-16"), "D", "P")[:2] == READ
    assert lines(tmp_path, "D: caf\xe9".encode("cp1252")) == [("D", "caf\xe9")]
    twice = "Medical student: Hello.\nP: Hi.\nMedical student: Sit down."
    assert [who for who, _ in lines(tmp_path, twice)] == ["Medical student", "P", "Medical student"]
    assert lines(tmp_path, "Interview 3\nD: Hello.") == [(NO_SPEAKER, "Interview 3"), ("D", "Hello.")]


@pytest.mark.parametrize(
    "row",
    [
        "[00:12] SPEAKER_03: Hello.",
        "[SPEAKER_03]: Hello.",
        "**SPEAKER_03:** Hello.",
        "0:00:12 SPEAKER_03: Hello.",
    ],
)
def test_times_and_marks_around_a_speaker_are_no_part_of_the_name(row: str, tmp_path: Path) -> None:
    assert lines(tmp_path, row) == [("SPEAKER_03", "Hello.")]


def test_captions_are_read_without_their_cues(tmp_path: Path) -> None:
    first, second = "1\n00:00:00.000 --> 00:00:02.000", "2\n00:02.000 --> 00:04.000"
    text = f"WEBVTT\n\n{first}\nSPEAKER_00: Hello.\n\n{second}\nSPEAKER_01: Hi."
    assert lines(tmp_path, text) == [("SPEAKER_00", "Hello."), ("SPEAKER_01", "Hi.")]


def test_messages_are_read_with_their_parts_and_calls(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "You are a doctor."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "My chest."}, {"type": "image_url", "image_url": {}}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "order", "arguments": "ECG"}}],
        },
    ]
    read = [("system", "You are a doctor."), ("user", "My chest.\n[image_url]"), ("assistant", "order ECG")]
    assert lines(tmp_path, json.dumps({"messages": messages})) == read
    assert lines(tmp_path, json.dumps(messages)) == read
    assert lines(tmp_path, "\n".join(map(json.dumps, messages))) == read
    shared = {"conversations": [{"from": "human", "value": "Hello."}]}
    assert lines(tmp_path, json.dumps(shared)) == [("human", "Hello.")]


def test_segments_of_one_speaker_that_follow_each_other_are_one_line() -> None:
    said = [("SPEAKER_00", " Hello."), ("SPEAKER_00", " Sit down."), ("SPEAKER_01", " Hi."), (None, " Hm.")]
    segments = [
        {"start": 0, "end": 1, "text": text, **({"speaker": who} if who else {})} for who, text in said
    ]
    found = transcript_of({"segments": segments, "language": "de"})
    assert found.lines == (
        SpokenLine("SPEAKER_00", "Hello. Sit down."),
        SpokenLine("SPEAKER_01", "Hi."),
        SpokenLine(NO_SPEAKER, "Hm."),
    )
    assert found.language == "de"


def test_roles_take_the_place_of_speakers_whatever_their_case() -> None:
    found = transcript_of([{"role": who, "content": "x"} for who in ("system", "D", "p", "Nurse")])
    roles = roles_given(["D=doctor, P=patient", "nurse=nobody"])
    assert placed(found, roles, OWN, KNOWN) == (SpokenLine("doctor", "x"), SpokenLine("patient", "x"))


def test_a_speaker_without_a_role_is_refused_with_all_speakers_and_the_option() -> None:
    found = transcript_of([{"role": who, "content": "x"} for who in ("Arzt", "Patient", "SPEAKER_03")])
    with pytest.raises(BadInput) as refused:
        placed(found, {}, OWN, KNOWN)
    for words in (
        "'Arzt', 'SPEAKER_03' are",
        "'Arzt', 'Patient', 'SPEAKER_03'",
        "--roles Arzt=doctor",
        "nobody",
    ):
        assert words in str(refused.value)


@pytest.mark.parametrize("given", ["D", "D=", "=doctor", "D=doctor,d=patient"])
def test_roles_that_say_nothing_or_two_things_are_refused(given: str) -> None:
    with pytest.raises(BadInput):
        roles_given([given])


def test_an_unknown_role_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadInput, match=r"no role 'physician' .*doctor, patient"):
        placed(transcript_of([{"role": "D", "content": "x"}]), {"d": "physician"}, OWN, KNOWN)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "none of its lines begins with a speaker"),
        (b"just words", "none of its lines begins with a speaker"),
        (b"[", "not a JSON file"),
        (b"{}", "is not a transcript"),
        (b"[3]", "entry 1"),
        (b'[{"role": "D", "content": 3}]', "entry 1"),
        (b'[{"role": 3, "content": "x"}]', "entry 1"),
        (b'{"segments": [{"speaker": "A"}]}', "entry 1"),
        (b'{"messages": []}\n{"messages": []}', "holds 2 conversations"),
        (b"D: a\0b", "not a text file"),
        (b"[" * 100_000, "not a JSON file|nested"),
    ],
)
def test_what_is_no_transcript_is_refused_in_words(text: bytes, why: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=why):
        lines(tmp_path, text)


def test_a_transcript_in_which_nobody_says_a_word_is_refused() -> None:
    for empty in (
        [],
        [{"role": "doctor", "content": " "}],
        [{"role": "system", "content": "You are a doctor."}],
    ):
        with pytest.raises(BadInput, match="nobody says a word"):
            placed(transcript_of(empty), {}, OWN, KNOWN)
