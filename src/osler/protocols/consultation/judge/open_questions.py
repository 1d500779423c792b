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
    r"|i see|sorry|please|pls|plz|kindly|hello|hi|just|first|firstly|next|finally|lastly|sure|yes|perhaps"
    r"|maybe"
    r"|to (?:start|begin) with)\b[\s,:–-]*)+"
)
_WRAPPING: Final = compiled(
    r"(?:can|could|would|will) you (?:please |just |perhaps |maybe |kindly |try to )*",
    r"(?:may|can) i ask ",
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
    r"(?:about|come|many|much|old|long|often|far|severe|bad|badly|big|tall|heavy|high|frequent\w*|soon"
    r"|recent\w*"
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
    r"(?:are you with me|do you (?:understand|follow)|(?:do you have |have you )?(?:any|other|more|further"
    r"|got|concerns|worries|or| )*questions)\b",
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
    r"^(?:(?:do|did|does) (?:you|he|she|they) (?:ever |also |still )?(?:have|get|suffer from|notice"
    r"|experience|feel|take)"
    r"|(?:have|has|had) (?:you|he|she|they) (?:ever |also |recently |been )*(?:had|got|noticed|experienced"
    r"|having|getting|feeling|felt)"
    r"|(?:are|were|is|was) (?:you|he|she|they) (?:having|getting|taking|experiencing)|(?:is|was|are"
    r"|were) there"
    r"|(?:how|what) about|any(?:thing like)?)(?: any| recent)? (.*)$"
)
_HABITS: Final = re.compile(
    r"^do you (?:ever |still )?((?:smoke|drink|vape|take|use|chew|snort|inject|do)\b.*)$"
)
"""Habits in one breath: "do you smoke, drink or take anything else?"."""
_ADDRESS: Final = re.compile(
    r",? (?:sir|ma'am|madam|miss|my dear|doctor|ma|mama|oga|uncle|aunty|ji|love|mate|at all)$"
)
_PAIRS: Final = re.compile(
    r"\b(pins|nausea|diarrh?oea|vomiting|aches|coughs?|fits|ups|cuts|food|back|in|on|toing|bits) and"
    r" (needles|vomiting|diarrh?oea|pains|colds?|faints|downs|bruises|drink|forth|out|off|fro|bobs)\b"
)
"""Two words for one thing: "pins and needles"."""
_SUCH_AS: Final = re.compile(r",? (?:such as|like|for example) ")
_ITEMS: Final = re.compile(r",\s*(?:or |and |any )*| or (?:any )?| and ")
_WORDS_AN_ITEM: Final = 5
_SAME_KIND: Final = re.compile(
    r"\b(?:allerg\w+ to|(?:pain|ache|numbness|weakness|swelling|rash|tingling|stiffness|trouble"
    r"|problems?) (?:in|with|on))"
    r" (?:your |the |any |either )*[\w-]+$"
)
_PLACE: Final = re.compile(
    r"^(?:your |the |any |in |either )*(?:\w+ )?(?:arms?|legs?|back|neck|jaw|shoulders?|hands?|f(?:oo|ee)t"
    r"|chest|tummy|belly"
    r"|stomach|head|hips?|knees?|wrists?|ankles?|fingers?|toes?|face|throat|teeth|foods?|latex|plasters?"
    r"|medicines?"
    r"|medications?|drugs?|tablets?|nuts?|pollen|anything(?: else)?)$"
)
"""Several places, or things to be allergic to, are one question: "any pain in your arms, neck or jaw?"."""

_SHORT: Final = (
    (re.compile(r"\br (?=u\b|you\b|there\b)"), "are "),
    (re.compile(r"\b(do|did|have|are|were|can|could|would|when|what|that) u\b"), r"\1 you"),
    (re.compile(r"\bwot\b"), "what"),
    (re.compile(r"\b(what|where|when|how|who)s\b"), r"\1's"),
)
"""Text-speak, written out."""
_AUX: Final = r"(?:do|does|did|is|are|was|were|have|has|had|can|could|would|will|should)(?:n't)?"
_ABOUT: Final = (
    r"(?:you|it|he|she|they|there|that|this|these|those|any\w*|your|the|his|her|their|we|i|someone|somebody)"
)
_ASKS: Final = any_of(
    rf"{_AUX} {_ABOUT}\b",
    r"any(?:one|body|thing)?\b",
    r"(?:for |since |in |from |at |to |with )?(?:what|how|which) \w+",
    r"what(?:'s|'re|'ve)",
    r"(?:where|who|whose|whom|why)(?:'s|'re)?(?: \w+)?",
    rf"(?:since )?when(?:'s| {_AUX})\b",
    r"(?:tell|show) (?:me|us)\b",
    r"how(?:'s|'re)",
)
"""How a question begins, with or without its mark. "When you lie flat" begins none."""
_QUESTION_WORDS: Final = re.compile(_ASKS)
_NEXT: Final = re.compile(
    rf"(?:[,;:]? (?:and|also|plus|but|then|and then|and also)(?: then| also)? |[,;] )(?={any_of(_ASKS)})"
)
"""Where the next question of the same sentence begins. After "or" stands a choice, not another question."""
_TELL_ME: Final = re.compile(r"^(?:just |so )?(?:tell|show) (?:me|us)$")
_SUBORDINATE: Final = re.compile(
    r"^(?:what(?:ever)? (?:you|i|he|she|they|we)\b|who(?:ever)? (?:is |are )?(?:with|near)|where (?:you|i"
    r"|he|she|they|we)\b"
    r"|how (?:you|i|he|she|they|we)\b|any(?:thing|one|body)? (?:else )?like that)"
)
_TAG: Final = re.compile(
    r"^(?:(?:can|could|will|would) you (?:just )?(?:show|point|tell|describe)\b.*|(?:is|was) (?:that|this"
    r"|it)(?: (?:right|correct|so|true|ok|okay|all right|alright|fine))?|does (?:that|it) make sense"
    r"|(?:do|are|have|is|was|did|can|would|will|has|does)(?:n't)? (?:you|it|he|she|they|that|there)"
    r"|do you mind|can i|could i|may i"
    r"|(?:is|would) (?:that|it)(?: be)? (?:ok|okay|all right|fine).*|what do you (?:think|say)|you know"
    r"|if so\b.*)\W*$"
)
"""A tag, or a request for leave, after the question proper."""
_COURTESY: Final = re.compile(
    r"^\W*(?:(?:hi|hello|hey|good \w+|and|so|ok|okay)\W+)*(?:how (?:are|r) (?:you|u)(?: doing"
    r"| feeling)?(?: today| this (?:morning|afternoon|evening))?"
    r"|how do you do|how's it going|you (?:all right|alright|ok|okay)|are you (?:all right|alright|ok"
    r"|okay)(?: there)?"
    r"|what(?:'s| is) your (?:full )?name(?: and (?:date of birth|dob|age))?|(?:can|could|may) (?:you"
    r"|i)[^?]{0,40}\b(?:name|date of birth|dob)\b[^?]*)\W*$"
)
"""A greeting in the form of a question, and the check of identity."""


class Question(NamedTuple):
    """A question that asks for information, not for permission or assent. `parts` is the number of questions
    joined in the sentence: 2 for "Where is it and does it go anywhere?"."""

    text: str
    is_open: bool
    is_leading: bool
    is_list: bool
    parts: int = 1


@lru_cache(maxsize=2048)
def questions(turn: str) -> tuple[Question, ...]:
    """The questions of one turn; an invitation such as "Tell me about it." is one."""
    text = folded(turn)
    for pattern, whole in _SHORT:
        text = pattern.sub(whole, text)
    return tuple(question for sentence in _SENTENCE.findall(text) if (question := _question(sentence)))


def asks_several(turn: str) -> bool:
    """Whether a turn asks for several things at once.

    Two questions are several, whether in two sentences or joined in one ("where is it and does it go
    anywhere"), and so is a list of three things or more. A pair under one verb ("any nausea or vomiting"), a
    choice ("is it sharp or dull"), several places of one thing, a greeting and a check of identity are one.
    """
    asked = [one for one in questions(turn) if not _COURTESY.match(one.text)]
    return sum(one.parts for one in asked) > 1 or any(one.is_list for one in asked)


def _question(sentence: str) -> Question | None:
    bare = _LEAD_IN.sub("", sentence.strip())
    wrapped = _WRAPPING.match(bare)
    core = bare[wrapped.end() :] if wrapped else bare
    asked = "?" in sentence or (
        _QUESTION_WORDS.match(core) is not None and _QUESTION_WORDS.match(bare) is not None
    )
    if not (asked or _TELLS.match(core)) or _CHECK.match(bare):
        return None
    is_open = (_OPENS.match(core) or _OPENS_AT_LAST.search(bare)) is not None
    leading = asked and not is_open and _LEADING.match(bare) is not None
    return Question(sentence.strip(), is_open, leading, asked and _lists(bare), _parts(core))


def _parts(question: str) -> int:
    """The number of questions joined in one: "where is it and does it go anywhere" has two.

    A tag ("is that right?"), a request for leave and what depends on the answer ("and if so ...") count as
    none, and a statement followed by a question as one.
    """
    first, *others = _NEXT.split(question.rstrip(" ?.!"))
    if others and _TELL_ME.match(first):
        first, *others = others
    if not _QUESTION_WORDS.match(first) and not _TELLS.match(first):
        return 1
    return 1 + sum(
        not (_TAG.match(one) or _CHECK.match(one) or _SUBORDINATE.match(one))
        for one in others
        if not _only_any(first, one)
    )


def _only_any(first: str, other: str) -> bool:
    """Whether a part only goes on with a list ("any fever, any cough"), which is counted as such."""
    return other.startswith("any") and "any" in first


def _lists(question: str) -> bool:
    """Whether one question asks for three things or more: "any fever, cough or chest pain?"."""
    bare = _PAIRS.sub(r"\1-and-\2", _ADDRESS.sub("", question.rstrip(" ?")))
    hit = _LIST.match(bare) or _HABITS.match(bare)
    items = _ITEMS.split(_SUCH_AS.split(hit[1])[-1]) if hit else []
    if len(items) < 3 or not all(0 < len(item.split()) <= _WORDS_AN_ITEM for item in items):
        return False
    return not (_SAME_KIND.search(items[0]) and all(map(_PLACE.match, items[1:])))
