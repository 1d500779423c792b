"""A transcript, whoever wrote it, as the lines that a rubric's judge reads: the examinee's, and others'."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from osler.core.registry import protocols
from osler.errors import BadInput
from osler.judging.lines import EXAMINEE, JudgedLine, Source, lines_said
from osler.text.transcripts import NOBODY, Transcript, placed, transcript_in

_PUBLISHED: Final[Mapping[str, Source]] = {
    "examinee": "examinee",
    "examinee_actions": "action",
    "sp": "patient",
    "environment": "environment",
    "system_event": "environment",
}
_INSTRUCTIONS: Final = dict.fromkeys(("system", "developer"), NOBODY)
"""Speakers whose lines are a program's instructions, which nobody in the encounter said."""


class ReadTranscript(NamedTuple):
    """The lines for a judge, and the language's ISO 639-1 code where the source states it, else ""."""

    lines: tuple[JudgedLine, ...]
    language: str = ""


@lru_cache(maxsize=1)
def roles() -> Mapping[str, Source]:
    """The source that each role is for a judge: the seats of all protocols, and the roles of published files.

    Whoever a protocol tests is the examinee."""
    sources = dict[str, Source](_PUBLISHED)
    for protocol in protocols():
        for role in protocol.roles:
            other: Source = "patient" if role.name == "patient" else "environment"
            sources.setdefault(role.name, "examinee" if role.name == protocol.under_test else other)
    return MappingProxyType(sources)


def read_transcript(file: Path, given: Mapping[str, str]) -> ReadTranscript:
    """The lines of a transcript's file; `given` are roles by speaker, beside those that name themselves.

    Raises BadInput.
    """
    transcript = transcript_in(file, {*roles(), *given})
    try:
        return ReadTranscript(judged_lines(transcript, given), transcript.language)
    except BadInput as error:
        raise BadInput(error.what, where=error.where or str(file), hint=error.hint) from None


def judged_lines(
    transcript: Transcript, given: Mapping[str, str] = MappingProxyType({})
) -> tuple[JudgedLine, ...]:
    """The lines of a transcript as a judge reads them. A turn begins when the examinee speaks or acts after
    another speaker. Raises BadInput where a speaker has no role, or where it is not clear who is examined."""
    known = roles()
    lines = placed(transcript, given, {**{name: name for name in known}, **_INSTRUCTIONS}, known)
    _check_examinee({line.speaker for line in lines})
    result: list[JudgedLine] = []
    turn, mine = 0, False
    for role, text in lines:
        source = known[role]
        turn += source in EXAMINEE and not mine
        mine = source in EXAMINEE
        result += lines_said(source, text, turn)
    return tuple(result)


def _check_examinee(present: set[str]) -> None:
    """Raise BadInput unless one seat is examined. In a published transcript the examinee may be silent."""
    every = sorted(role for role, source in roles().items() if source == "examinee")
    examined = [role for role in every if role in present]
    hint = f"one speaker is the one examined: {', '.join(every)}"
    if len(examined) > 1:
        raise BadInput(f"{' and '.join(examined)} would be judged as one", where="--roles", hint=hint)
    if not examined and not present <= _PUBLISHED.keys():
        raise BadInput("nobody in it is examined", where="--roles", hint=hint)
