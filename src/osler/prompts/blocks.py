"""Prompt-injection-safe blocks: untrusted text between tags that the text itself cannot write.

Tags are ours (`<doctor_says>...</doctor_says>`). Inside a block every `<` that is not before a number becomes
`‹`, so no text can close its block, open another, or spell a chat template's control token; "<5 mg/L" is
unchanged. The rest is data, and the rules of every prompt say so.
"""

from __future__ import annotations

import re
from typing import Final

# A digit, a sign or a point after it makes a "<" a comparison; none of our tags begins like that.
_OPENS: Final = re.compile(r"<(?! ?[0-9=.,])|[＜﹤]")
_TURN_MARK: Final = re.compile(r"\[(/?(?:INST|SYS|SYSTEM|ASSISTANT|USER|AVAILABLE_TOOLS|TOOL_CALLS))\]")


def neutral(text: str) -> str:
    """The text without anything that could be taken for a tag or a control token."""
    if "<" in text or "＜" in text or "﹤" in text:
        text = _OPENS.sub("‹", text)
    return _TURN_MARK.sub(r"(\1)", text) if "[" in text else text


def block(tag: str, text: str) -> str:
    """A neutralized text between `<tag>` and `</tag>`. `tag` is trusted and never comes from a text."""
    return f"<{tag}>{neutral(text)}</{tag}>"
