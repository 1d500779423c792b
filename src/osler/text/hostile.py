"""Text that others wrote, made harmless where it is shown: in a prompt, in a judge's prompt, on a screen.

In a prompt, untrusted text stands between tags that the text itself cannot write
(`<doctor_says>...</doctor_says>`): inside, every `<` that is not before a number becomes `‹`, so no text can
close its block, open another, or spell a chat template's control token; "<5 mg/L" is unchanged. The rest is
data, and the rules of every prompt say so.

In a judge's prompt, a quoted block starts and ends with a line of angle brackets; each line in it starts with
a bar. Inside, a text has no line breaks, square brackets, backticks or double quotes, no angle bracket except
before a number, and no invisible characters; so it can neither close its block, start another line, nor spell
a chat template's special tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

# A digit, a sign or a point after it makes a "<" a comparison; none of our tags begins like that.
_OPENS: Final = re.compile(r"<(?! ?[0-9=.,])|[＜﹤]")
_TURN_MARK: Final = re.compile(r"\[(/?(?:INST|SYS|SYSTEM|ASSISTANT|USER|AVAILABLE_TOOLS|TOOL_CALLS))\]")
LONGEST: Final = 8000
_CUT: Final = " … (cut) … "
_MOST_MARKS: Final = 3
_CONTROLS: Final = dict.fromkeys((*range(32), *range(127, 160)), " ")
_SIGNS: Final = {"[": "(", "]": ")", "`": "'", '"': "'"}
_ASCII: Final = {**_CONTROLS, **{ord(sign): other for sign, other in _SIGNS.items()}}
_LIKE_MARKS: Final = frozenset("<>|{}").union(_SIGNS)
_NO_COMPARISON: Final = re.compile(r"<(?! ?=? ?\d)|>(?! ?=? ?\d)")
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_UNSEEN_MARKS: Final = (range(0xFE00, 0xFE10), range(0x180B, 0x1810), range(0xE0100, 0xE01F0))
_NOTHING: Final = "\ufffd"
_SEQUENCES: Final = re.compile(
    r"\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?"  # operating system commands: titles, links, clipboard
    r"|\x1b[PX^_][^\x1b]{0,2000}(?:\x1b\\)?"  # device control and other strings
    r"|\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]?"  # colours, cursor moves
    r"|\x9b[0-?]{0,64}[ -/]{0,8}[@-~]?"
    r"|\x1b[ -/]{0,4}[0-~]?"
)
_HIDDEN: Final = (
    *((0x00, 0x09), (0x0B, 0x20), (0x7F, 0xA0)),  # control characters, but not tab and line feed
    *((0xAD, 0xAE), (0x61C, 0x61D), (0x200B, 0x2010), (0x2028, 0x202F), (0x2060, 0x2070)),  # order, joining
    *((0xFEFF, 0xFF00), (0xFFF9, 0xFFFC), (0xE0000, 0xE0080)),  # byte order, annotation, tags
)
_UNSEEN: Final = dict.fromkeys(code for first, end in _HIDDEN for code in range(first, end))


def neutral(text: str) -> str:
    """The text without anything that could be taken for a tag or a control token."""
    if "<" in text or "＜" in text or "﹤" in text:
        text = _OPENS.sub("‹", text)
    return _TURN_MARK.sub(r"(\1)", text) if "[" in text else text


def block(tag: str, text: str) -> str:
    """A neutralized text between `<tag>` and `</tag>`. `tag` is trusted and never comes from a text."""
    return f"<{tag}>{neutral(text)}</{tag}>"


def quoted_block(name: str, lines: Iterable[str]) -> str:
    """A block of lines built by `quoted_line`."""
    return "\n".join((f"<<<BEGIN {name}>>>", *lines, f"<<<END {name}>>>"))


def quoted_line(label: str, text: str, longest: int = LONGEST) -> str:
    """One line of a quoted block. `label` is trusted, `text` is not."""
    return f'| {label}: "{inert(text, longest)}"'


def inert(text: str, longest: int = LONGEST) -> str:
    """A text as one line without marks or invisible characters; too long a text loses its middle."""
    text = _cut(text, 4 * longest)  # bounds the work; most texts are shorter after cleaning
    seen = text if text.isascii() else "".join(_seen(text))
    plain = " ".join(seen.translate(_ASCII).split())
    return _cut(_NO_COMPARISON.sub(lambda match: "‹" if match[0] == "<" else "›", plain), longest)


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    head = longest // 2
    return f"{text[:head]}{_CUT}{text[head - longest :]}"


def _seen(text: str) -> Iterator[str]:
    """The visible characters; lookalikes of our marks are normalized to those marks."""
    marks = 0
    for char in text:
        kind = unicodedata.category(char)
        if kind in ("Mn", "Me"):
            marks += 1
            if marks > _MOST_MARKS or char in _BLANK or any(ord(char) in unseen for unseen in _UNSEEN_MARKS):
                continue
        else:
            marks = 0
        if kind == "Cf" or char in _BLANK:
            continue
        if kind in ("Cs", "Co", "Cn"):
            yield _NOTHING
            continue
        plain = unicodedata.normalize("NFKC", char)
        yield plain if any(sign in _LIKE_MARKS for sign in plain) else char


def safe(text: str) -> str:
    """Strip terminal escape sequences, control characters, and marks that reorder or hide text.

    Line feeds stay; tabs become spaces.
    """
    return _SEQUENCES.sub("", text).translate(_UNSEEN).replace("\t", "    ")
