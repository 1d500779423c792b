"""The regular expressions that parse an item's wording, and the word lists of `wording.yaml`."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import Final

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
