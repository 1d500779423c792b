"""The polarity of a rubric item, for or against the examinee, read from its wording.

"Fails to wash hands" and "uses jargon" count against, "does not interrupt" and "avoids jargon" count for. A
negation flips what is in its scope: something good ("ask", "wash") or bad ("interrupt", "rush"), and a double
negation cancels out. The object of recognizing, explaining or correcting may be described in any words:
"recognizes an inappropriate dose" counts for. Where leaving a treatment out may be right or wrong, the
reading is not sure. The word lists are in `wording.yaml`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

import yaml

SUBJECT: Final = re.compile(
    r"^(?:the |this |a |an |any |each |all )?(?:(?:medical|nursing|student|primary|team|treating|"
    r"resident|emergency) )?"
    r"(?:students?|learners?|examinees?|candidates?|residents?|physicians?|doctors?|providers?|"
    r"trainees?|interns?|fellows?"
    r"|participants?|clinicians?|nurses?|team(?: members?| leaders?)?|leaders?|interviewers?|"
    r"operators?|surgeons?|teachers?"
    r"|consultants?|facilitators?|pharmacists?|subjects?|groups?|you|i|they|he/she|she/he|s/he|he|she|"
    r"one)(?: or [a-z]+)?\b[ ,:]*"
)
AUXILIARY: Final = re.compile(
    r"^(?:(?:is|was|were|are|has|have|had|will|would|should|must|can|could|may|shall)(?! ?n[o'’]t|"
    r" no\b| never| unable)"
    r"|(?:is |was )?able to|also|then|clearly|actively|consistently|always|the|a|an|did(?! ?n[o'’]t)|"
    r"does(?! ?n[o'’]t)"
    r"|appears?|seems?|sounds?|acts?|looks?|becomes?|became|appeared|seemed|being|be|to|simply|just|often|"
    r"frequently|repeatedly) "
)
LABEL: Final = re.compile(r"^((?:[a-z'’/&-]+ ){0,5}[a-z'’/&-]+) ?(?::|--?(?= )|[–—])\s*(?=\S)")
BULLET: Final = re.compile(r"^(?:[\W_]+|\d{1,3}[.):]+ ?|[a-z][.)] |\((?:[a-z]|\d{1,2}|[ivx]{1,4})\) )+")
BAD_LABEL: Final = re.compile(
    r"\b(?:errors?|mistakes?|harmful|dangerous|inappropriate|unacceptable|contraindicated|"
    r"unsatisfactory|poor|below expectations?"
    r"|inadequate|negative behaviou?rs?|penalty|deductions?|incorrect|fail(?:ure)?|not done|"
    r"critical fail\w*|red flags? for failure)\b"
)
STOP: Final = re.compile(
    r"[;(\"“]|\b(?:that|which|who|whom|whose|whether|if|when|whenever|because|since|unless|until|"
    r"while|before|after|why|how|what|where"
    r"|such as|including|e\.?g|i\.?e|as evidenced|due to|in order to|so as to|regarding|about|for example)\b"
)
ASIDE: Final = re.compile(r"[(\"“:;.]|\be\.g|\bi\.e|\bsuch as\b")
ASKED: Final = re.compile(r"^(?:what|how|why|when|which|who|whose|where|whether)\b")
LEADING: Final = re.compile(
    r"^(?:with|without|in|on|at|after|before|during|when|if|upon|prior|once|while)\b[^,]{0,80}, "
)
FAIL: Final = re.compile(
    r"^(?:fail(?:s|ed|ing|ure)? (?:to|in)\b|(?:is |was |were |are )?unable to\b|inability to\b|"
    r"neglect(?:s|ed|ing)?(?: to)?\b|omit(?:s|ted|ting)?\b"
    r"|omission of\b|(?:is |was )?not able to\b|forg[eo]ts?(?: to)?\b|lack(?:s|ed|ing)?(?: of)?\b|"
    r"skip(?:s|ped)?\b|neither\b|misses\b|missed\b|refuses? to\b|refused to\b"
    r"|(?:has|have|had) not\b|(?:is|was|were|are) (?:un(?:able|willing|aware)|reluctant)(?: to| of)?\b)[ ,]*"
)
NOT: Final = re.compile(
    r"^(?:(?:does|did|is|was|has|had|were|are|could|would|can|will|have) ?(?:not|n[’']t)\b|"
    r"doesn[’']?t\b|didn[’']?t\b|cannot\b|can[’']t\b"
    r"|isn[’']t\b|wasn[’']t\b|not\b|never\b)[ ,]*"
)
SHOULD_NOT: Final = re.compile(
    r"^(?:do not|don[’']?t|should(?: not|n[’']t)|must(?: not|n[’']t)|shall not|may not)\b[ ,]*"
)
AVOID: Final = re.compile(
    r"^(?:avoid(?:s|ed|ing|ance of)?|refrain(?:s|ed|ing)?(?: from)?|abstain(?:s|ed)?(?: from)?|"
    r"resists?)\b[ ,]*"
)
NO: Final = re.compile(
    r"^(?:no|absence of|(?:makes?|shows?|takes?|gives?|provides?|offers?|with|has|had|"
    r"uses?) no)\b (?!one\b|(?:\w+ ){1,3}(?:is|are) (?:an? |needed|necessary|required|indicated))"
)
LEFT_UNDONE: Final = re.compile(
    r"\b(?:(?:is|was|were|are|has|have)(?: been)? |)(?:not|never|n[’']t)(?: been)?(?: \w+ly)? "
    r"(?!only|required|needed|necessary|indicated|applicable|sure|just)(\w+(?:ed|en|ne|de|ought|aken|"
    r"iven|ade|old|et))\b"
)
BUT: Final = re.compile(
    r"\b(?:but|however|although|yet),? (?:\w+ ){0,3}?(?:does not|did not|doesn[’']t|didn[’']t|"
    r"fails? to|failed to|never|not|misses|missed|omits|"
    r"omitted|incompletely?|inadequate(?:ly)?|lacks?|without|no|forgets?|incorrectly|poorly|needs?|"
    r"needed|requires?|required)\b"
)
WITHOUT: Final = re.compile(
    r"\bwithout (?:first |any |the |a |an |adequate(?:ly)? |proper(?:ly)? |having )*(\w+(?: \w+){0,3})"
)
NOT_LACKING: Final = re.compile(
    r"^(?:prompt|delay|interrupt|jargon|judg|hesitat|help|assist|difficult|being|caus|mak|error|harm|"
    r"bias|pressur|rush|blam|undue|excess|unnecess|"
    r"compromis|contaminat|distract|break|touch|condemn|criti|medical term|technical|pain|discomfort|"
    r"complicat|threat|assum|impos|us|reliance|lectur|"
    r"further|significant|evidence|known|contrast|reason|fear|becom|giv|overwhelm|adding|leading|argu|"
    r"dismiss|ignor|los|look|support|insur|fever|symptom|sign|coerc)"
)
PROMPTED: Final = re.compile(
    r"\b(?:only (?:after|with|when) (?:prompt|remind|ask)\w*|(?:needs|needed|requires|required|"
    r"after) (?:significant |much |repeated )?(?:prompting|reminders?|reminding))\b"
)
USES_BAD: Final = re.compile(
    r"^(?:us(?:e|es|ed|ing) (?:\w+ )?(?:complicated|complex|difficult|confusing) (?:\w+ )?(?:terms|"
    r"words|language)|(?:us(?:e|es|ed|ing)|speaks? (?:in|with)|asks?) (?:\w+ ){0,2}?(?:jargon|"
    r"(?:leading|multiple|"
    r"compound|double|judg\w+|inappropriate|irrelevant) questions)"
    r"|(?:us(?:e|es|ed|ing)|gives?|gave|makes?|made|offers?|provides?|shows?|displays?|demonstrates?|"
    r"exhibits?) (?:\w+ )?(?:too (?:much|many)|false (?:re)?assurances?|"
    r"premature \w+|assumptions?|(?:un(?:necessary|clear|professional|safe|familiar|explained|"
    r"realistic|ethical|kind)|inappropriate|incorrect|inaccurate|wrong|misleading|"
    r"contradictory|conflicting|judg\w+|disrespect\w*|dismissive|irrelevant|derogatory|negative|poor|"
    r"improper|excessive|inadequate|insufficient|little|minimal|"
    r"incomplete) \w+|impatience|frustration|anger|disrespect|discomfort|bias))\b"
)
BAD_OBJECT: Final = re.compile(
    r"^(?:\w+ ){1,4}?(?:unnecessary|contraindicated|inappropriate|wrong|incorrect|excessive|"
    r"inaccurate|misleading|irrelevant|unsafe|improper)\b"
    r"|.{3,60}\b(?:too (?:long|late|quickly|fast|soon|early|much|many|loudly)|instead of (?:at )?the patient"
    r"|despite (?:a |the |an )?(?:known |documented |stated )?(?:allerg|contraindic|refus|objecti))"
)
BELITTLES: Final = re.compile(r"minimi[sz]\w* (?:[\w']+ ){0,3}(?:worr|concern|feeling|fear)")
LEADING_LACK: Final = re.compile(
    r"^without (?:first )?(?:\w+ing )?(?:any |the |a |patient )*(?:consent|permission|gloves|"
    r"explanation|introduc\w+|identif\w+), "
)
WORD: Final = re.compile(r"[a-z][a-z'’/-]*")
CALLED_BAD: Final = re.compile(
    r"[(\[]\s*(?:(?!not |no )\w+ ){0,2}(?:incorrect|wrong|inappropriate|error|harmful|contraindicated|"
    r"dangerous|not indicated|unnecessary|should not be done)"
    r"(?: \w+)?\s*[)\]]\W*$|^[\w/' -]{0,50}\b(?:errors|mistakes|omissions)\W*$"
)


def begins(text: str, kind: str) -> bool:
    """Whether a text begins with a word of a list."""
    return pattern(kind).match(text) is not None


@lru_cache(maxsize=1)
def data() -> str:
    """The word lists as the text of their file."""
    return files("osler.cases.rubrics").joinpath("wording.yaml").read_text("utf-8")


@lru_cache(maxsize=16)
def pattern(kind: str) -> re.Pattern[str]:
    """A pattern for any word of a list, anchored at the beginning of words."""
    starts: list[str] = yaml.load(data(), Loader=yaml.CSafeLoader)[kind]
    ends = sorted((re.escape(start).replace(r"\$", "(?![a-z])") for start in starts), key=len, reverse=True)
    return re.compile(rf"(?<![a-z-])(?:{'|'.join(ends)})")


_REACH: Final = 7
_SOUGHT: Final = 4


class Polarity(NamedTuple):
    """The polarity of an item.

    `by_absence`: it holds because something was not done. `sure` is whether the wording decides it.
    """

    negative: bool = False
    by_absence: bool = False
    sure: bool = True


def polarity(text: str) -> Polarity:
    """The polarity of an item's text."""
    return _read(_plain(text))


def acts(text: str) -> bool:
    """Whether an item begins with a verb of doing, negated or not."""
    clause = _clause(_plain(text))
    denied = denied_kernel(text)
    return any(
        begins(part, kind) for part in (clause, denied) for kind in ("good", "speaking", "intervention")
    )


def denied_kernel(text: str) -> str:
    """The scope of the negation in an item that holds by absence, in lower case; else the whole text."""
    clause = _clause(_plain(text))
    for form in (FAIL, SHOULD_NOT, NOT, AVOID, NO):
        if match := form.match(clause):
            return clause[match.end() :]
    return LEFT_UNDONE.sub(r"\1", clause)


def _plain(text: str) -> str:
    low = " ".join(text.lower().replace("’", "'").split())
    return BULLET.sub("", low[:2000])


def _read(low: str, labels: int = 3) -> Polarity:
    label = LABEL.match(low) if labels else None
    if label and len(low) - label.end() > 3:
        rest = low[label.end() :]
        if BAD_LABEL.search(label[1]) and not _speaks(label[1]):
            return Polarity(negative=True)
        inner = _read(rest, labels - 1)
        return inner if inner.negative or inner.by_absence else _sentence(low)
    return _sentence(low)


def _sentence(low: str) -> Polarity:
    clause = _clause(low)
    if LEADING_LACK.match(low) or (CALLED_BAD.search(low) and not _speaks(clause)):
        return Polarity(negative=True)
    verdict = _verdict(clause)
    if not verdict.negative and not verdict.by_absence:
        if PROMPTED.search(low):
            return Polarity(negative=True, sure=False)
        if BUT.search(low[: _first_aside(low)]) and not _speaks(
            clause[: _first_stop(clause)], only_first=False
        ):
            return Polarity(negative=True, sure=False)
    return verdict


def _clause(low: str) -> str:
    """The text from its main verb on, without subject and auxiliaries."""
    for _ in range(2):
        low = LEADING.sub("", low)
    clause = SUBJECT.sub("", low, count=1)
    for _ in range(4):
        shorter = AUXILIARY.sub("", clause, count=1)
        if shorter == clause or not shorter:
            break
        clause = shorter
    return clause


def _verdict(clause: str, depth: int = 0) -> Polarity:
    if depth > 3 or not clause or ASKED.match(clause):
        return Polarity()
    for form, rule in (
        (FAIL, _failed),
        (SHOULD_NOT, _forbidden),
        (NOT, _not),
        (AVOID, _avoided),
        (NO, _none),
    ):
        if match := form.match(clause):
            return rule(clause[match.end() :], depth)
    if _is_bad(clause):
        return Polarity(negative=True)
    return _left_undone(clause)


def _failed(kernel: str, depth: int) -> Polarity:
    inner = _verdict(kernel, depth + 1)
    return Polarity(negative=not inner.negative, by_absence=True)


def _forbidden(kernel: str, depth: int) -> Polarity:
    inner = _verdict(kernel, depth + 1)
    return Polarity(negative=inner.by_absence and not inner.negative, by_absence=True, sure=inner.sure)


def _not(kernel: str, depth: int) -> Polarity:
    kernel = AUXILIARY.sub("", kernel)
    if kernel.startswith(("only ", "just ", "merely ")):
        return Polarity()
    inner = _verdict(kernel, depth + 1)
    if inner.negative or inner.by_absence or _bad_near(kernel):
        spared = inner.negative or (not inner.by_absence and _bad_near(kernel))
        return Polarity(negative=not spared, by_absence=True)
    first = _first(kernel)
    if begins(kernel, "good") or begins(kernel, "speaking"):
        return Polarity(negative=True, by_absence=True)
    if begins(kernel, "intervention"):
        return Polarity(negative=False, by_absence=True, sure=False)
    return Polarity(negative=True, by_absence=True, sure=bool(first) and first.endswith(("ed", "ing")))


def _avoided(kernel: str, depth: int) -> Polarity:
    sought = pattern("sought").search(" ".join(WORD.findall(kernel)[:_SOUGHT]))
    return Polarity(negative=sought is not None and not _bad_near(kernel), by_absence=True)


def _none(kernel: str, depth: int) -> Polarity:
    spared = begins(kernel, "avoidable") or _bad_near(kernel, reach=3)
    return Polarity(negative=not spared, by_absence=True, sure=not spared or _bad_near(kernel, reach=3))


def _is_bad(clause: str) -> bool:
    if begins(clause, "innocent"):
        return False
    if USES_BAD.match(clause) or BELITTLES.match(clause) or begins(clause, "bad_start"):
        return True
    main = clause[: _first_stop(clause)]
    first = _first(main)
    if first and not first.endswith(("ing", "ion", "ment", "ity", "ure")) and begins(main, "adverse"):
        return True
    words = WORD.findall(main)
    if len(words) > 1 and any(
        word.endswith("ly") and _word_in(word, "badly") for word in (words[0], words[-1])
    ):
        return True
    if _speaks(main):
        return False
    return BAD_OBJECT.match(main) is not None or _lacks(clause)


def _lacks(clause: str) -> bool:
    """Whether something is done "without" what ought to accompany it."""
    return any(
        not NOT_LACKING.match(match[1]) and begins(match[1], "good") for match in WITHOUT.finditer(clause)
    )


def _left_undone(clause: str) -> Polarity:
    """The polarity of passives: "hands were not washed", "allergies not asked about"."""
    main = clause[: _first_stop(clause)]
    match = LEFT_UNDONE.search(main)
    if not match or _speaks(main[: match.start()]):
        return Polarity()
    if begins(match[1], "adverse"):
        return Polarity(by_absence=True)
    treatment = begins(match[1], "intervention")
    return Polarity(negative=not treatment, by_absence=True, sure=not treatment)


def _speaks(main: str, only_first: bool = True) -> bool:
    """Whether the verb of a clause is one of speech or recognition."""
    words = WORD.findall(main)
    return any(_word_in(word, "speaking") for word in (words[:2] if only_first else words[:4]))


def _bad_near(kernel: str, reach: int = _REACH) -> bool:
    """Whether what is negated is bad: a bad word nearby, unless it is only the object of a verb of speech."""
    if BELITTLES.match(kernel):
        return True
    if _speaks(kernel) and not begins(kernel, "adverse"):
        return bool(USES_BAD.match(kernel))
    near = " ".join(WORD.findall(kernel[: _first_stop(kernel)])[:reach])
    near = pattern("innocent").sub(" ", near)
    return pattern("adverse").search(near) is not None


def _first(text: str) -> str:
    match = WORD.search(text)
    return match[0] if match else ""


def _first_stop(clause: str) -> int:
    match = STOP.search(clause, 1)
    return match.start() if match else len(clause)


def _first_aside(low: str) -> int:
    match = ASIDE.search(low)
    return match.start() if match else len(low)


def _word_in(word: str, kind: str) -> bool:
    return begins(word, kind) and not (kind != "innocent" and begins(word, "innocent"))
