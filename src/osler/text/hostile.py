"""Text that others wrote, made harmless where it is shown: in a prompt, in a judge's prompt, on a screen.

Everywhere it loses invisible characters, marks piled on one letter, and what no font shows. In prompts,
lookalikes of the signs that make up tags become those signs, and the signs are then taken out:

- In a player's prompt, untrusted text stands between tags (`<doctor_says>...</doctor_says>`). Inside, every
  `<` that is not before a number becomes `‹`, so no text can close its block, open another, or spell a chat
  template's control token; "<5 mg/L" is unchanged.
- In a judge's prompt, a quoted block starts and ends with a line of angle brackets; each line in it starts
  with a bar. Inside, a text also has no line breaks, square brackets, backticks or double quotes, and no `>`
  except before a number, so it cannot start another line either.
- On a screen, a text also loses terminal escape sequences.

The rest is data, and the rules of every prompt say so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

LONGEST: Final = 8000
"""The most characters of a text in a judge's prompt."""
_CUT: Final = " … (cut) … "
_NOTHING: Final = "\ufffd"
_MOST_MARKS: Final = 3
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_UNSEEN_MARKS: Final = (range(0xFE00, 0xFE10), range(0x180B, 0x1810), range(0xE0100, 0xE01F0))
# A number after it makes a sign a comparison; none of our tags begins with one.
_OPENS: Final = re.compile(r"<(?! ?=? ?\d)")
_TAG: Final = re.compile(r"<(?! ?=? ?[.,]?\d)")
_CLOSES: Final = re.compile(r">(?! ?=? ?\d)")
_TURN_MARK: Final = re.compile(r"\[(/?(?:INST|SYS|SYSTEM|ASSISTANT|USER|AVAILABLE_TOOLS|TOOL_CALLS))\]")
_SIGNS: Final = {"[": "(", "]": ")", "`": "'", '"': "'"}
_LIKE_MARKS: Final = frozenset("<>|{}").union(_SIGNS)
_CONTROLS: Final = (*range(32), *range(127, 160))
_KEEP_LINES: Final = {code: " " for code in _CONTROLS if chr(code) not in "\t\n\r"}
_ONE_LINE: Final = {**dict.fromkeys(_CONTROLS, " "), **{ord(sign): other for sign, other in _SIGNS.items()}}
_ON_SCREEN: Final = {
    **dict.fromkeys((*_CONTROLS, 0x2028, 0x2029)),
    **{ord("\n"): "\n", ord("\t"): "    "},
}
_SEQUENCES: Final = re.compile(
    r"\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?"  # operating system commands: titles, links, clipboard
    r"|\x1b[PX^_][^\x1b]{0,2000}(?:\x1b\\)?"  # device control and other strings
    r"|\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]?"  # colours, cursor moves
    r"|\x9b[0-?]{0,64}[ -/]{0,8}[@-~]?"
    r"|\x1b[ -/]{0,4}[0-~]?"
)


def neutral(text: str) -> str:
    """The text without invisible characters and anything that could be taken for a tag or a control token."""
    if not (text.isascii() and text.isprintable()):
        text = _unmasked(text).translate(_KEEP_LINES)
    if "<" in text:
        text = _TAG.sub("‹", text)
    return _TURN_MARK.sub(r"(\1)", text) if "[" in text else text


def one_line(text: str) -> str:
    """A neutralized text on one line, for a line of a list."""
    return " ".join(neutral(text).split())


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
    plain = " ".join(_unmasked(text).translate(_ONE_LINE).split())
    return _cut(_CLOSES.sub("›", _OPENS.sub("‹", plain)), longest)


def safe(text: str) -> str:
    """Strip terminal escape sequences, control and invisible characters, and marks that reorder text.

    Line feeds stay; tabs become spaces.
    """
    return _visible(_SEQUENCES.sub("", text)).translate(_ON_SCREEN)


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    head = longest // 2
    return f"{text[:head]}{_CUT}{text[head - longest :]}"


def _unmasked(text: str) -> str:
    """The visible text, with lookalikes of our marks normalized to those marks."""
    return text if text.isascii() else "".join(map(_mark_of, _visible(text)))


@lru_cache(maxsize=4096)
def _mark_of(char: str) -> str:
    if char.isascii():
        return char
    plain = unicodedata.normalize("NFKC", char)
    # Never a real double quote: the text may stand inside JSON.
    return plain.replace('"', "'").replace("`", "'") if any(sign in _LIKE_MARKS for sign in plain) else char


def _visible(text: str) -> str:
    """The text without invisible characters and marks piled up on a letter; `�` for what is no character."""
    if text.isascii():
        return text
    seen = []
    marks = 0
    for char in text:
        kind = unicodedata.category(char)
        if kind in ("Mn", "Me"):
            marks += 1
            hidden = marks > _MOST_MARKS or any(ord(char) in unseen for unseen in _UNSEEN_MARKS)
        elif kind == "Cf" or char in _BLANK:
            hidden = True  # and what stands before and after it stands together
        else:
            marks, hidden = 0, False
        if not hidden and char not in _BLANK:
            seen.append(_NOTHING if kind in ("Cs", "Co", "Cn") else char)
    return "".join(seen)
