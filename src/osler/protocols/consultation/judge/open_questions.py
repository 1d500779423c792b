"""Classification of a doctor's questions by wording alone: open, leading, or a list of things.

The rules are for English and see words, not meaning: a good question in clumsy words escapes them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from osler.text.tokens import any_of, compiled, folded

_SENTENCE: Final = re.compile(r"[^.?!;\n]+[.?!;\n]*")
_LEAD_IN: Final = re.compile(
    r"^(?:(?:and|so|ok|okay|right|now|then|well|but|thanks|thank you|all ?right|um|er|also|great|good|fine"
    r"|i see|sorry|please|hello|hi|just|first|firstly|next|finally|lastly|sure|yes|perhaps|maybe"
    r"|to (?:start|begin) with)\b[\s,:–-]*)+"
)
_WRAPPING: Final = compiled(
    r"(?:can|could|would|will) you (?:please |just |perhaps |maybe |kindly |try to )*",
    r"i(?:'d| would) like you to ",
    r"i(?:'d| would) like to (?:hear|know|ask|understand)(?: about)? ",
    r"i(?:'m| am| was) wondering ",
    r"(?:may|can) i ask ",
    r"do you mind telling me ",
)

_TELL: Final = any_of(
    r"(?:tell|talk to) (?:me|us)(?!,| (?:if|whether|when|where|which|your (?:age|name|date)"
    r"|how (?:many|much|old|long|often|far)))\b",
    r"(?:describe|explain|share|say more|go on)\b",
    r"(?:walk|talk|take) me through\b",
)
_WHAT: Final = any_of(
    r"(?: exactly| actually|'s| is| was| has|'ve| have)?(?: been)? (?:brings?|brought|happen\w*|going on"
    r"|it like|that like|troubling|bothering|worrying|concerning|the (?:matter|problem|trouble)|wrong"
    r"|on your mind|seems?|led|makes?|made|else|concerns?|worries|matters|went)\b",
    r" (?:can|could) (?:i|we) do\b",
    r" (?:would you like|ideas|thoughts|concerns|worries)\b",
    r" (?:do|did|are|were|have) you (?:think|feel|make|understand|know|mean|expect|hop\w+|notic\w+|worr\w+"
    r"|fear|do|doing|thinking|expecting|most|afraid|feeling|concerned|tried|been)\b",
)
_NOT_HOW: Final = (
    r"(?:about|come|many|much|old|long|often|far|severe|bad|badly|big|tall|heavy|high|frequent\w*|soon|recent\w*"
    r"|intense|large|fast|quickly|strong)\b|(?:would|do) you (?:rate|score|grade)\b"
)
_OPEN: Final = any_of(
    _TELL,
    f"what{_WHAT}",
    rf"how(?:'re|'s)? (?!{_NOT_HOW})\w+",
    r"why\b(?! (?:don|didn|not))",
    r"in what way\b",
    r"(?:is|was) there anything else\b.{0,30}\b(?:tell|say|add|mention|discuss|share|talk)",
    r"anything else\W*$",
)
_OPENS: Final = re.compile(_OPEN)
_OPENS_AT_LAST: Final = re.compile(rf", (?:and |so |then )?(?=what|how|why){_OPEN}[^,]*$")
_TELLS: Final = re.compile(_TELL)

_CHECK: Final = compiled(
    r"(?:is|was) (?:that|this|it) (?:right|correct|so|ok|okay|clear|all right)\b",
    r"have i (?:got|understood|missed)\b",
    r"(?:right|ok|okay|yes|correct|all right|alright)\W*$",
    r"do(?:es)? (?:that|this|it) make sense\b",
    r"(?:are you with me|do you (?:understand|follow)|do you have any questions|any questions)\b",
    r"shall (?:i|we)\b",
    r"(?:may|can|could) (?:i|we) (?!ask\b)",
    r"(?:is|would) it (?:be )?(?:ok|okay|all right|alright|fine)\b",
    r"(?:do|would) you mind if\b",
)
"""Questions that ask for assent or permission, not for information."""

_SUBJECT: Final = r"(?:you|it|he|she|we|they|there|that|this)"
_VERBS: Final = "do|does|did|is|are|was|were|have|has|had|could|would|will|should|might"
_NOT: Final = r"(?:n't|'re not| are not| is not| was not| do not| have not| has not| never)\b"
_LEADING: Final = compiled(
    rf"(?!(?:when|if|while|after|before)\b).*,\s*(?:(?:{_VERBS}|can)(?:n't)? {_SUBJECT}|right|correct|yes|no"
    r"|am i right|wouldn't you say|i (?:take it|assume|suppose|presume))\W*$",
    rf"(?:{_SUBJECT}|the \w+|your \w+|my \w+)\b[^,]{{0,20}}?{_NOT}",
    rf"(?:{_VERBS}|ca)n't (?:{_SUBJECT}|the)\b",
    r"(?:no|nothing|there(?:'s| is| was) no)\b(?! (?:problem|worries|doubt))",
    r"(?:surely|presumably|obviously|you must|i(?:'m| am) sure)\b",
    r"i (?:assume|take it|presume|suppose|guess|imagine|expect|trust)\b",
)

_LIST: Final = re.compile(
    r"^(?:(?:do|did) you (?:have|get|suffer from|notice)|have you (?:had|got|noticed|experienced|been having)"
    r"|(?:are|were) you having|(?:is|was|are|were) there|(?:how|what) about|any)(?: any)? (.*)$"
)
_ADDRESS: Final = re.compile(r",? (?:sir|ma'am|madam|miss|my dear|doctor)$")
_SUCH_AS: Final = re.compile(r",? (?:such as|like|for example) ")
_ITEMS: Final = re.compile(r",\s*(?:or |and |any )*| or (?:any )?| and ")
_WORDS_AN_ITEM: Final = 5


class Question(NamedTuple):
    """A question that asks for information, not for permission or assent."""

    text: str
    is_open: bool
    is_leading: bool
    is_list: bool


@lru_cache(maxsize=2048)
def questions(turn: str) -> tuple[Question, ...]:
    """The questions of one turn; an invitation such as "Tell me about it." is one."""
    return tuple(found for sentence in _SENTENCE.findall(folded(turn)) if (found := _question(sentence)))


def _question(sentence: str) -> Question | None:
    bare = _LEAD_IN.sub("", sentence.strip())
    wrapped = _WRAPPING.match(bare)
    core = bare[wrapped.end() :] if wrapped else bare
    asked = "?" in sentence
    if not (asked or _TELLS.match(core)) or _CHECK.match(bare):
        return None
    is_open = (_OPENS.match(core) or _OPENS_AT_LAST.search(bare)) is not None
    leading = asked and not is_open and _LEADING.match(bare) is not None
    return Question(sentence.strip(), is_open, leading, asked and _lists(bare))


def _lists(question: str) -> bool:
    """Whether one question asks for three things or more: "any fever, cough or chest pain?"."""
    found = _LIST.match(_ADDRESS.sub("", question.rstrip(" ?")))
    items = _ITEMS.split(_SUCH_AS.split(found[1])[-1]) if found else []
    return len(items) > 2 and all(0 < len(item.split()) <= _WORDS_AN_ITEM for item in items)
