"""Transcripts of conversations, Osler's own and those of others, read as lines: who said what.

Read are lists of {role, content} (Osler's `transcript.json`, OpenAI's messages), segments with speakers
(WhisperX), and plain text whose lines begin with a speaker ("D: ...", "[00:12] SPEAKER_03: ..."). Who a
speaker is, only the reader's caller knows: `placed` maps names of speakers to roles and refuses the rest.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.errors import BadInput

MAX_BYTES: Final = 20_000_000
NO_SPEAKER: Final = "NO_SPEAKER"
"""The speaker of words before the first name, and of segments that nobody was recognised in."""
NOBODY: Final = "nobody"
"""The role of a speaker whose lines are left out."""
_SHOWN: Final = 12
_MOST_WORDS: Final = 3
_SPEAKER_KEYS: Final = ("role", "speaker", "from")
_LISTS: Final = ("messages", "conversations", "segments")
_TEXT_KEYS: Final = ("content", "text", "value")
_LABEL: Final = re.compile(
    r"(?:[\[(]?\d[\d:.,\s>-]*[\])]?\s+)?"  # the time, if any
    r"[\[(]?(?P<who>[^\W\d_][\w.'’ -]{0,39})[\])]?\s*[:\uff1a]\s*(?P<text>.*)"
)
_CUE: Final = re.compile(r"WEBVTT\b.*|\d+|[\d:.,]+\s*-->.*")


class SpokenLine(NamedTuple):
    """A speaker, by the name that the source gives them, and their words."""

    speaker: str
    text: str


class Transcript(NamedTuple):
    """The lines of a conversation, and its language's ISO 639-1 code where the source states it, else ""."""

    lines: tuple[SpokenLine, ...]
    language: str = ""

    @property
    def speakers(self) -> Counter[str]:
        """The number of lines of each speaker, in the order in which they first speak."""
        return Counter(line.speaker for line in self.lines)


def transcript_in(file: Path, names: Collection[str] = ()) -> Transcript:
    """The transcript in a file. `names` are speakers that are known, in whatever case they are written.

    Raises BadInput for a file that is none.
    """
    try:
        if file.stat().st_size > MAX_BYTES:
            raise BadInput(f"is larger than {MAX_BYTES // 1_000_000} MB")
        return _read(_decoded(file.read_bytes()), names)
    except BadInput as error:
        raise BadInput(error.what, where=str(file), hint=error.hint) from None


def transcript_of(value: object) -> Transcript:
    """The transcript in a JSON value: a list of entries, OpenAI's {messages}, or WhisperX's {segments}.

    Raises BadInput for another.
    """
    entries, language, merged = value, "", False
    if isinstance(value, dict):
        entries = next((value[name] for name in _LISTS if name in value), None)
        language, merged = str(value.get("language") or ""), "segments" in value
    if not isinstance(entries, list):
        raise BadInput(
            "is not a transcript: it must be a list of {role, content}, OpenAI's {messages} or WhisperX's"
            " {segments}"
        )
    lines = [_line(entry, number) for number, entry in enumerate(entries, start=1)]
    return Transcript(tuple(_merged(lines) if merged else lines), language)


def roles_given(given: Iterable[str]) -> dict[str, str]:
    """Roles by speaker, from words such as "D=doctor,P=patient". Raises BadInput."""
    result = dict[str, str]()
    for pair in (one for words in given for one in words.split(",") if one.strip()):
        speaker, equals, role = (part.strip() for part in pair.rpartition("="))
        if not (speaker and equals and role):
            hint = "such as --roles D=doctor,P=patient"
            raise BadInput(f"{pair.strip()!r} is not SPEAKER=ROLE", where="--roles", hint=hint)
        if result.setdefault(speaker.casefold(), role) != role:
            raise BadInput(f"the speaker {speaker!r} has two roles", where="--roles", hint="name one")
    return result


def placed(
    transcript: Transcript, roles: Mapping[str, str], own: Mapping[str, str], known: Collection[str]
) -> tuple[SpokenLine, ...]:
    """The lines with a role in the place of each speaker's name; those of `NOBODY` are left out.

    `roles` are roles by speaker, `own` those of speakers who need none given, `known` the roles there are;
    speakers are in lower case. Raises BadInput, naming all speakers, where one has no role.
    """
    if strange := sorted({*roles.values()} - {*known, NOBODY}):
        hint = f"known: {', '.join(sorted(known))}, and {NOBODY} for a speaker to leave out"
        raise BadInput(f"there is no role {strange[0][:40]!r}", where="--roles", hint=hint)
    place = {**own, **roles}
    if lost := [name for name in transcript.speakers if name.casefold() not in place]:
        such = "doctor" if "doctor" in known else min(known)
        raise BadInput(
            f"nothing says who {_listed(lost)} {'is' if len(lost) == 1 else 'are'}; its speakers are"
            f" {_listed(transcript.speakers)}",
            hint=f"say it with --roles, such as --roles {lost[0][:40]}={such}; roles:"
            f" {', '.join(sorted(known))}, and {NOBODY} for a speaker to leave out",
        )
    lines = [SpokenLine(place[line.speaker.casefold()], line.text) for line in transcript.lines]
    result = tuple(line for line in lines if line.speaker != NOBODY)
    if not any(line.text.strip() for line in result):
        raise BadInput("is not a transcript: nobody says a word in it")
    return result


def _listed(names: Iterable[str]) -> str:
    every = [repr(name[:40]) for name in names]
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more


def _decoded(raw: bytes) -> str:
    wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16",) if wide else ("utf-8-sig", "cp1252"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise BadInput("is not a text file", hint="save it as plain text in UTF-8")


def _read(text: str, names: Collection[str]) -> Transcript:
    value = _json(text)
    if value is not None:
        return transcript_of(value)
    transcript = _of_text(text, {name.casefold() for name in names})
    if all(line.speaker == NO_SPEAKER for line in transcript):
        hint = 'begin each line with who speaks, such as "Doctor: ..."'
        raise BadInput("is not a JSON file, and none of its lines begins with a speaker", hint=hint)
    return Transcript(transcript)


def _json(text: str) -> Any:  # Any: JSON
    """The JSON of a file, or a list of the objects of its lines; `None` if it is something else."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except RecursionError:
        raise BadInput("something in it is nested too deeply") from None
    except ValueError:
        pass
    try:
        rows = [json.loads(row) for row in text.splitlines() if row.strip()]
    except (ValueError, RecursionError):
        return None
    if any(isinstance(row, dict) and row.keys() & {*_LISTS} for row in rows):
        raise BadInput(f"holds {len(rows)} conversations", hint="save each in a file of its own")
    return rows


def _line(entry: Any, number: int) -> SpokenLine:  # Any: JSON
    if isinstance(entry, dict):
        speaker = next((entry[key] for key in _SPEAKER_KEYS if entry.get(key) is not None), NO_SPEAKER)
        words = next((entry[key] for key in _TEXT_KEYS if entry.get(key) is not None), None)
        text = _words(words, entry.get("tool_calls"))
        if isinstance(speaker, str) and text is not None:
            return SpokenLine(speaker.strip() or NO_SPEAKER, text)
    raise BadInput(f"entry {number} must say who speaks and what: a role and a content, both texts")


def _words(content: Any, calls: Any) -> str | None:  # Any: JSON
    """The words of a message and what it calls; `None` for a content that is no text."""
    parts = [content] if isinstance(content, str) else content
    if parts is None:
        parts = [] if calls else None
    if not isinstance(parts, list):
        return None
    words = list[str]()
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else part
        if text is None:  # a picture or a recording: that it was there is said
            text = f"[{part.get('type')}]"
        if not isinstance(text, str):
            return None
        words.append(text)
    for call in calls if isinstance(calls, list) else ():
        made = call.get("function") if isinstance(call, dict) else None
        if isinstance(made, dict):
            words.append(f"{made.get('name')} {made.get('arguments')}")
    return "\n".join(words)


def _merged(lines: Sequence[SpokenLine]) -> list[SpokenLine]:
    """The same with what one speaker says without a break as one line."""
    result = list[SpokenLine]()
    for line in lines:
        text = line.text.strip()
        if result and result[-1].speaker == line.speaker:
            result[-1] = SpokenLine(line.speaker, f"{result[-1].text} {text}".strip())
        else:
            result.append(SpokenLine(line.speaker, text))
    return result


def _of_text(text: str, names: Collection[str]) -> tuple[SpokenLine, ...]:
    """The lines of a plain text; a line without a speaker goes on with the one before."""
    cues = "-->" in text
    rows = [row for raw in text.splitlines() if (row := raw.replace("**", "").strip())]
    labels = [(row, _LABEL.fullmatch(row)) for row in rows if not (cues and _CUE.fullmatch(row))]
    times = Counter(label["who"].strip() for _, label in labels if label)
    lines = list[SpokenLine]()
    for row, label in labels:
        who = label["who"].strip() if label else ""
        if label and (who.casefold() in names or _is_name(who, times[who])):
            lines.append(SpokenLine(who, label["text"]))
        elif lines:
            lines[-1] = SpokenLine(lines[-1].speaker, f"{lines[-1].text} {row}".strip())
        else:
            lines.append(SpokenLine(NO_SPEAKER, row))
    return tuple(lines)


def _is_name(who: str, times: int) -> bool:
    """Whether words that stand before a colon so many times are a speaker, and not a sentence's beginning."""
    words = who.split()
    if who[0].islower() or len(words) > _MOST_WORDS:
        return False
    return times > 1 or not any(word[0].islower() for word in words)
