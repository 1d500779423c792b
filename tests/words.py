"""The prose of a page of documentation, sentence by sentence, and the patterns that spoil it.

A pattern is here only if a regular expression finds it honestly: vague pronouns, inverted order, history,
words of the house, numbers of lists that readers lack. An aphorism in a fact's place needs a reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MOST_WORDS: Final = 40
"""The words of a sentence; a longer one says too much at once."""
LONG: Final = "long"
PATTERNS: Final = {
    "whoever": (r"\b(?:who|what)soever\b|\bwhoever\b|^Whatever\b", "name the person or the thing"),
    "what-is": (
        r"^(?:What|Who) [^?:]{3,80}? (?:is|are|was|were|has|have|does|counts?|stands?) (?![^.]*\?)",
        "begin with a noun: not 'What nobody said is unscored' but 'A step that nobody said is unscored'",
    ),
    "what-came": (
        r"\bwhat (?:came|comes|became|becomes) of\b|\bwhat (?:it|they) (?:is|are) about\b",
        "name it",
    ),
    "tells-of": (r"\btells? of\b|\bso many\b|\bso much\b|\band the like\b", "say what, or how many"),
    "is-to-be": (r"\b(?:is|are|was|were) to be \w+", "say who does it, or use the imperative"),
    "is-no": (
        r"(?<!there )\b(?:is|are) no (?!longer\b|more\b|less\b|such\b)\w+|\bwhat is no\b",
        "'is not a', or the positive",
    ),
    "house-word": (
        r"\bmend(?:s|ed|ing)?\b|\bhangs? together\b|\bat the edge\b|\bthe last word\b|\bones? of us\b",
        "use the field's own word",
    ),
    "history": (
        r"\bno longer\b|(?<!is )(?<!are )(?<!be )\bused to\b|\bin an (?:earlier|older)\b|\bnow\b"
        r"|\bformerly\b|\bpreviously\b|\bas before\b|\bmeanwhile\b"
        r"|\bhas (?:since )?been (?:added|removed|replaced|renamed|repaired|fixed)\b",
        "describe the program as it is; CHANGES has the rest",
    ),
    "list-number": (
        r"(?<![\w&/])#\d{1,4}\b|\b(?:issue|goal|wave|ticket|rule) \d+\b|\bfield report\b",
        "readers do not have that list",
    ),
    "making": (
        r"\blanguage-model sessions?\b|\bhelper sessions?\b"
        r"|\bthis (?:project|repository|program) was (?:written|made|built)\b",
        "'labelled by language models, not clinicians' is enough",
    ),
}
"""The expressions by name, each with the advice on what to write instead."""
_FOUND: Final = {
    name: re.compile(rule, 0 if name == "what-is" else re.IGNORECASE) for name, (rule, _) in PATTERNS.items()
}
_FENCED: Final = re.compile(r"^( *)(```+|~~~+).*?^\1\2[ \t]*$|<!--.*?-->", re.DOTALL | re.MULTILINE)
_RULE: Final = re.compile(r"^\s*\|?[\s:|-]+\|?\s*$")
_BREAK: Final = re.compile(
    r"(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)(?<!cf\.)(?<!Dr\.)(?<!al\.)(?<=[.!?])[*_\")”’]*\s+(?=[\"(“‘*_A-Z0-9`])"
)
_WORD: Final = re.compile(r"[^\W_][\w'’.,%-]*")


class Sentence(NamedTuple):
    """A sentence, without markup, and the number of the line where its paragraph begins."""

    line: int
    text: str

    @property
    def words(self) -> int:
        """The number of its words; code counts as one."""
        return len(_WORD.findall(self.text))


class Hit(NamedTuple):
    """A sentence that a pattern finds."""

    pattern: str
    sentence: Sentence

    def __str__(self) -> str:
        text = self.sentence.text
        shown = text if len(text) < 160 else f"{text[:157]}..."
        advice = (
            f"{self.sentence.words} words; split it" if self.pattern == LONG else PATTERNS[self.pattern][1]
        )
        return f"line {self.sentence.line}, {self.pattern}: {shown} [{advice}]"


def sentences(page: str) -> Iterator[Sentence]:
    """The sentences of a page in Markdown: of paragraphs, list items and cells; not of code and headings."""
    text = _FENCED.sub(lambda found: "\n" * found.group().count("\n"), page)
    for line, block in _blocks(text):
        for part in _BREAK.split(_plain(block)):
            if _WORD.search(part):
                yield Sentence(line, part.strip())


def hits(page: str) -> list[Hit]:
    """The hits of all patterns in a page, each once for every time it is found."""
    result = list[Hit]()
    for one in sentences(page):
        if one.words > MOST_WORDS:
            result.append(Hit(LONG, one))
        for name, rule in _FOUND.items():
            result += [Hit(name, one)] * sum(1 for _ in rule.finditer(one.text))
    return result


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Each paragraph, list item and table cell, with the number of its first line."""
    block, begun = list[str](), 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        stripped = line.strip()
        table, heading = stripped.startswith("|"), re.match(r"#{1,6} ", stripped)
        item = re.match(r"(?:[-*+]|\d+[.)]) +(?=\S)|> ?", stripped)
        if block and (not stripped or table or heading or item):
            yield begun, " ".join(block)
            block = []
        if table and not _RULE.match(line):
            yield from ((number, cell.strip()) for cell in re.split(r"(?<!\\)\|", stripped) if cell.strip())
        elif stripped and not table and not heading:
            begun = begun if block else number
            block.append(stripped[item.end() :] if item else stripped)


def _plain(text: str) -> str:
    """Markdown without its marks; code is one word."""
    text = re.sub(r"(`+).+?\1", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    return re.sub(r"<[^>]+>|\*\*|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)", "", text)
