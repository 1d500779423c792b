"""Marks of the machinery in speech: tags, wrapped capitals, tokens of templates, fields and calls."""

from __future__ import annotations

import json
import re
from typing import Final

_BOLD: Final = re.compile(r"\*\*[^*\n]+\*\*")
_MARKS: Final = re.compile(
    r"<\|[^<>|\n]{0,60}\|?>|[<＜][|｜]|<<[A-Z]+>>"
    r"|</?(?:s|bos|eos|pad|think|thinking|tool_call|function|answer|reply|response|user|assistant|system|end|stop|STOP|END"
    r"|\w+(?:[_=]\w+)+)>"
    r"|\[/?(?:INST|SYS|SYSTEM|USER|ASSISTANT|TOOL_CALLS|AVAILABLE_TOOLS|END|STOP|DONE|EO[STD]|BOS|PAD|TERMINATE)(?:[ _][A-Z _]{1,40})?\]"
    r"|\{\{[^{}\n]{1,60}\}\}"
    r"|([^\w\s.?\"'(),])\1+ ?[A-Z][A-Z _-]{2,40}(?:\1{2,})?"  # ###STOP###, $$END$$
    r"|(?m:^\s*#{2,}\s?(?:Instruction|Response|Input|Human|User|Assistant|System|Output)\b)"
    r"|(?m:^\s*/(?:stop|end|exit|quit|reset|done)\b)"
    r"|\b[A-Z]{3,}(?:_[A-Z]{2,})+\b|([#*=~$%@|^])[A-Z]{3,}\2|\[/?s\]"
    r"|(?:^|[.!?\n]\s*)(?:[A-Z]+ )*(?:CONVERSATION|DIALOGUE|ROLEPLAY|SESSION|SIMULATION|TASK)(?: [A-Z]+)*\W*$"
    r"|(?:^|[.!?\n]\s*)(?:TERMINATE|STOP|END|EOS|EXIT|ABORT|COMPLETE|DONE|FINISH)[.!]?\s*$"
)
# In longer texts than a patient's, headings and abbreviations look the same.
_PATIENTS_MARKS: Final = re.compile(
    r"<[^<>\s\d=][^<>\n]{0,80}>|\[/?[A-Z][A-Z_ ]{2,40}\]|\[/?(?:answer|thinking|thought|end|stop|response)\]|(?m:^\s*#{2,}\s?\w+)"
)
_PATIENTS_FIELD: Final = re.compile(
    r"""(?i:^\W{0,4}(?:answer|words|reply|response|output|action|note|move|text|say|speak|question)\W{0,3}[:=]\s)"""
    r"""|\b\w{2,20}\s*=\s*(?:["'\[{]|[A-Z]{3,})|\b[Ff]\d{2}\b|\b[Ff]act f?\d+\b"""
)
_FIELD: Final = re.compile(
    r"""\{\s*["']?\w{1,40}["']?\s*:|["'”]\s*[:,]\s*["'“]?\w{2,40}["']?\s*:|["']\w{2,40}["']\s*:\s*["'\[{]|```"""
    r"""|\b[a-z]{2,20}(?:_[a-z_]{2,30}|[a-z][A-Z]\w{2,20})["']?\s*[:=]|\b[a-z_]{2,20}\(\s*["']"""
)


def has_marks(said: str, *, by_patient: bool) -> bool:
    """Whether a text holds a control word, a tag, or a token of a template."""
    if _MARKS.search(said if by_patient else _BOLD.sub("", said)):
        return True
    return by_patient and _PATIENTS_MARKS.search(said) is not None


def has_form(said: str, *, by_patient: bool) -> bool:
    """Whether a text holds fields, calls or objects."""
    if _FIELD.search(said) or _is_json(said):
        return True
    return by_patient and _PATIENTS_FIELD.search(said) is not None


def _is_json(said: str) -> bool:
    text = said.strip()
    if text[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
