"""WordPiece: the pieces of a sentence that the encoder has vectors for (BERT's, uncased)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

START: Final = "[CLS]"
END: Final = "[SEP]"
UNKNOWN: Final = "[UNK]"
# No more characters of a text, nor of a word, are looked at.
_LONGEST_TEXT: Final = 2000
_LONGEST_WORD: Final = 40
# Nor more pieces of what was said earlier.
_MOST_EARLIER: Final = 20
_WORD: Final = re.compile(r"[^\W_]+|[^\s\w]|_")


class WordPieces:
    """A vocabulary, whose pieces are numbered by their order; a piece inside a word begins with `##`.

    Raises KeyError where it lacks [CLS], [SEP] or [UNK].
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._rows: Final = {piece: row for row, piece in enumerate(vocabulary)}
        self._start, self._end = self._rows[START], self._rows[END]
        self._unknown = self._rows[UNKNOWN]

    def rows(self, text: str, earlier: str = "", *, most: int) -> list[int]:
        """The rows of a sentence's pieces between [CLS] and [SEP], at most so many; of what was said
        `earlier`, which stands ahead with a [SEP] of its own, as much of its end as there is room for."""
        of_text = self._pieces(text)[: most - 2]
        room = min(_MOST_EARLIER, most - len(of_text) - 3)
        before = self._pieces(earlier)[-room:] if earlier and room > 0 else []
        ahead = [*before, self._end] if before else []
        return [self._start, *ahead, *of_text, self._end]

    def _pieces(self, text: str) -> list[int]:
        return [row for word in _words(text) for row in self._of_word(word)]

    def _of_word(self, word: str) -> list[int]:
        """The longest piece that the word begins with, then the longest that its rest does, and so on."""
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                row = self._rows.get(mark + word[start:end])
                if row is not None:
                    break
            else:
                return [self._unknown]
            found.append(row)
            start = end
        return found


def _words(text: str) -> list[str]:
    """The words and marks of a text in lower case, without accents and control characters."""
    parted = unicodedata.normalize("NFD", text[:_LONGEST_TEXT].lower())
    bare = "".join(sign for sign in parted if unicodedata.category(sign) not in ("Mn", "Cf"))
    return [word[:_LONGEST_WORD] for word in _WORD.findall(bare)]
