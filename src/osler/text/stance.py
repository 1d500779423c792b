"""The stance of a sentence: whether it asks or states, and which words in it do not count as done.

Words do not count where they are negated ("I am not sorry"), declined ("I won't ask whether ..."), put off
("I'll explain it later"), only considered ("should I tell her ...?") or reported of others ("the nurse told
you that ..."). Texts are in lower case with contractions written out (`expanded`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

_KEPT: Final = 16_384
SCOPE: Final = 4
"""The words after a negation that it reaches, unless its clause ends before."""
_CONTRACTED: Final = (
    (re.compile(r"\b(?:can't|cannot|cant)\b"), "can not"),
    (re.compile(r"\b(?:won't|wont)\b"), "will not"),
    (re.compile(r"\bshan't\b"), "shall not"),
    (re.compile(r"\bain't\b"), "is not"),
    (re.compile(r"\b(do|does|did|is|was|are|were|has|have|had|would|could|should|must"
        r"|need)n'?t\b"), r"\1 not"),
    (re.compile(r"\b(i)'?m\b"), r"\1 am"),
    (re.compile(r"\b(you|we|they)'re\b|\b(you|they)re\b"), r"\1\2 are"),
    (re.compile(r"\b(i|you|we|they|could|should|would|must)'ve\b|\b(i|you|we|they)ve\b"), r"\1\2 have"),
    (re.compile(r"\b(i|you|we|he|she|it|they|there|that)'ll\b|\b(you|they|it|that)ll\b"), r"\1\2 will"),
    (re.compile(r"\b(i|you|we|he|she|they)'d\b"), r"\1 would"),
    (re.compile(r"\blet'?s\b"), "let us"),
    (re.compile(r"\b(it|that|this|what|how|where|who|there|he|she)'?s (been|got|had|happened|gone"
        r"|become)\b"), r"\1 has \2"),
    (re.compile(r"\b(it|that|this|what|how|where|when|who|why|there|here|he|she|everything|nothing"
        r"|name)'s\b"), r"\1 is"),
    (re.compile(r"\b(what|how|where|who|that|there)s\b"), r"\1 is"),
    (re.compile(r"\b(?:'?til|till)\b"), "until"),
    (re.compile(r"\bgonna\b"), "going to"),
    (re.compile(r"\bwanna\b"), "want to"),
    (re.compile(r"\b(?:gotta|got to)\b"), "have to"),
    (re.compile(r"\busually\b"), "normally"),
    (re.compile(r"\bstill\b"), "continuing"),
    (
        re.compile(
            r"\byour (?:own )?(choice|call(?! bell)|decision|choices|decisions|understanding|thoughts|side"
            r"|fault|mistake|error|doing|word|job|worries|concerns|fears|speed)\b"
        ),
        r"yours \1",
    ),
    (re.compile(r"\bkindly\b"), "please"),
    (re.compile(r"\b(?:alright|allright|ok|okay|o\.k\.)(?!\w)"), "all right"),
)  # fmt: skip
_CLAUSE: Final = re.compile(
    r"[,;:()\n–—]|\s-\s|\b(?:but|however|although|though|because|so (?:that|you|we|i|he|she|they|please)"
    r"|and i|and we"
    r"|then)\b"
)
_NOT: Final = re.compile(
    r"\b(?:not|never|no|nobody|nor|neither|without|instead of|rather than|refuse to|refuses to|avoid|stop"
    r"|forgot to)\b"
)
# Negations that reach to the end of their clause: "I'm not going to use the word cancer".
_NOT_TO: Final = re.compile(
    r"\b(?:not|never|refuse|no intention)(?: (?:going|able|willing|want|wish|promise|plan|intend|mean|have"
    r"|here|allowed|of))+ (?:to|that)\b"
    r"(?! (?:lie|hide|pretend|sugarcoat|beat|rush|guess|frighten|worry|hurt|scare))"
    r"|\bnot want to (?:frighten|scare|worry|upset) (?:\w+ )?by\b"
)
# What looks like a negation and is none: "not only", "no doubt", "I can not imagine how hard".
_NO_NEGATION: Final = re.compile(
    r"\b(?:not only|not just|no doubt|no wonder|why not|whether or not|or not|if not|not to mention|"
    r"can not (?:even )?(?:imagine|begin)|could not agree more|no matter|not sure if|not know (?:if|whether)|"
    r"not want you to|do not want to (?:rush|guess|frighten)|not (?:easy|nice|fair|pleasant)|no problem)\b"
)
_TELLING: Final = (
    r"(?:ask|enquire|inquire|tell|say|explain|apologi[sz]e|introduce|discuss|mention|talk|speak|offer|check|"
    r"warn|promise|inform|bother|summari[sz]e|debrief|repeat|weigh|go into|go through|go over)"
)
# "I won't ask you whether", "no need to tell her that", "there is no point in asking".
_DECLINED: Final = re.compile(
    r"\b(?:(?<!if )(?:i|we) (?:really )?(?:will|am|are|do|would|should|shall|need|must|have|was|were)? ?"
    r"(?:not|never)(?: going)?(?: (?:to|want|wish|need|have|plan|intend|time|bother|yet|even"
    r"|really))*(?: to)? "
    rf"{_TELLING}(?:e?d|ing)?\b"
    r"|(?:no (?:need|point|reason|time)|not (?:necessary|the time|the moment)|pointless|skip|forgot|forget"
    rf"|instead of|rather than|without|refuse|before) (?:to |in |for |with )*(?:{_TELLING})(?:e?d|ing)?\b"
    rf"|(?:do not|let us not|never|stop) {_TELLING}(?:ing)?\b)"
)
# Heard of, taught or defined, and not said of the one at hand: "I've read a lot about it", "it is when ...".
_MENTIONED: Final = re.compile(
    r"\b(?:i|we) (?:have |had )?(?:just |once |also )?(?:read|heard|watched|studied|learned|learnt|seen|saw)"
    r"(?: (?:a lot|something|much|all|plenty|things))? (?:about|of)\b(?! (?:you|what|how|this|it)\b)"
    r"|\b(?:they|he|she|professors?|teachers?|tutors?|boss|university)(?: \w+)?"
    r" (?:taught|teach|teaches) (?:us|me)\b"
    r"|\b(?:at|in|from) (?:medical school|med school|(?:the|my|our) (?:exams?|lectures?|course"
    r"|textbook|training)"
    r"|my (?:old|previous|last|other) (?:job|hospital|post|ward|shift))\b"
    r"|\b(?:last (?:week|month|year)|once) (?:i|we) (?:had|saw|treated)\b"
    r"|(?<!that) (?<!this )is (?:when (?:it|the|a|an|there)|defined as)\b"
)
# What is only wondered about: "let me ask whether ...", "I doubt that ...".
_WONDERED: Final = re.compile(
    r"\b(?:(?:ask|asked|asking|wonder|wondering)(?: \w+){0,4} (?:whether|if)|doubt(?: that| if| whether)?"
    r"|not (?:know|sure|certain|clear)(?: yet)? (?:whether|if|that)|not say (?:whether|if))\b"
)
# To the staff: "Nurse, ...", "..., doctor".
_TO_STAFF: Final = re.compile(
    r"^\W*(?:(?:ok|okay|all right|right|so|and|now|please|sorry|thanks|hey|hi|hello|yes|well)\W+)*"
    r"(?:nurse|sister|doctor|dr\.?|midwife|matron|registrar|team|guys|folks|everyone"
    r"|everybody|colleagues?)(?: \w+)?\s*[,:!]"
    r"|,\s*(?:nurse|sister|doctor|dr|midwife|team|guys|folks)(?: \w+)?\W*$"
)
# "I'll explain that later", "someone else will tell you".
_LATER: Final = re.compile(
    r"\b(?:i|we|he|she|they|someone|somebody|(?:the |my )?(?:nurse|colleague|consultant|registrar|team"
    r"|boss)) "
    rf"(?:will|am going to|are going to|is going to|can|could|may|might|should) (?:\w+ )?{_TELLING}\b"
    r"(?=.*\b(?:later|afterwards|tomorrow|another (?:time|day)|next (?:time|week|visit)|some other time"
    r"|in the morning|on my own|by (?:the )?e-?mail|when (?:the |my |your )?\w+ (?:comes|arrives|is back))\b)"
    rf"|\b(?:someone|somebody|another doctor)(?: else)? (?:will|can|could|is going to) (?:\w+ )?{_TELLING}\b"
)
# Reported of others or of another time: "the nurse said that", "he has already asked you".
_OTHERS: Final = re.compile(
    r"(?<!what )(?<!that )(?<!which )(?<!as )\b(?:he|she|they|someone|somebody|everyone"
    r"|(?:the |my |your |that )?(?:nurse|sister|colleague|consultant|registrar|other doctor|doctor"
    r"|triage note|senior|boss|colleagues|doctors|nurses|teacher|professor|friend|people|family|sister"
    r"|notes?|chart|textbook|book|guidelines?|report|paramedics?|midwife|partner|husband|wife|mother|daughter"
    r"|letter|leaflet|protocol))(?: \w+)?(?: (?:has|have|had|already|just|also))*"
    r" (?:said|told|asked|says|asks|tells|explained|apologi[sz]ed|mentioned|thinks?|thought|suggest(?:s|ed)"
    r"|wrote|writes|claims?|claimed|wondered|used to (?:say|tell|ask)"
    r"|(?:is|are|keeps?) (?:telling|saying|asking)"
    r"|would (?:always |often )?(?:say|tell))\b"
    r"|\b(?:other|most|many|some) (?:doctors|nurses|hospitals|people|colleagues|teams)\b[\w ,]{0,12}"
    r" (?:want|like|prefer|believe|say|ask|do|give|see|tell|think)\b"
)
# Asked of what staff have asked already: "my colleague has asked you if ...?"
_ASKED_BEFORE: Final = re.compile(
    r"\b(?:nurse|sister|colleague|consultant|registrar|other doctor|doctor|midwife|paramedics?|team|anyone"
    r"|anybody|someone|somebody|notes?|chart|letter|record|gp)(?:,? (?:he|she|they))?"
    r"(?: (?:has|have|had|already|just|also))*"
    r" (?:ask(?:ed)?|asking|told|tell|said|say|explained|mention(?:ed)?|talked|spoken|discussed|recorded"
    r"|wrote|written|documented)\b"
)
# The whole sentence is rejected, or left to a later day, by its end: "... but I don't find it necessary".
_REJECTED: Final = re.compile(
    r"\b(?:i|we) do not (?:really )?(?:(?:agree|do (?:it|that|this))|(?:find|think|believe|see|hold)"
    r"(?: (?:it|that|this|so|in (?:it|that)|with (?:it|that)|(?:the|any) (?:need|point|use)"
    r"|(?:it|that|this) (?:is )?(?:necessary|useful|needed|right|important|helpful)))?)\W*$"
    r"|\bbut (?:it|that|this) is not (?:always )?(?:so|true|right|the case|for (?:me|us|now))\b"
    r"|\bthat is not (?:how|what) (?:i|we) (?:do|work)\b|\bi disagree\b"
    r"|\bis (?:not|no longer) (?:possible(?! to)|available|an option|needed|necessary)\b|\bor maybe not\W*$"
)
_DEFERRED: Final = re.compile(
    r"\b(?:and )?(?:then )?(?:i|we)(?: will| shall|'ll)? (?:just )?(?:wait and )?see"
    r"(?: (?:later|then|about (?:it|that)"
    r"|how (?:it|he|she) (?:goes|is)))?\W*$|\b(?:and|then) see\W*$"
    r"|\b(?:some other (?:day|time)|another (?:day|time)|some day|one day|maybe later|perhaps later)\b"
    r"|\b(?:i|we) (?:will|shall|might|may) (?:maybe |perhaps )?think about\b"
)
_PERHAPS_LATER: Final = re.compile(
    r"\b(?:maybe|perhaps|possibly|might)\b.*\blater\b|\b(?:could|might|would) call (?:it|this|that)\b"
)
_CONDITION: Final = re.compile(
    r"^\W*(?:and |so |but |or |only |well )*(?:if|unless|in case|supposing|suppose)"
    r" (?:it|this|that) (?:is|was|were)\b"
)
_HYPOTHETICAL: Final = re.compile(
    rf"\b(?:should|shall|must|do) (?:i|we)(?: (?:need|have) to| also| really| just)* {_TELLING} (?:to )?"
    r"(?:him|her|them|the|mum|mr|mrs|ms|about|if|whether)\b"
    r"|\b(?:i|we|one|you|someone|somebody) (?:should|ought to|could|might|would|must) "
    rf"(?:maybe |probably |perhaps |also )?(?:have )?{_TELLING}(?:e?d)?\b(?! (?:you|me)\b)(?! that i)"
    r"|\b(?:i|we) (?:was|were) (?:going|about|meant|supposed) to\b|\bi wish i had\b(?! (?:better|good))"
    rf"|\b(?:if|when) (?:i|we) (?:were to|had to) {_TELLING}\b|\bhow (?:do|should|would) (?:i"
    rf"|we) {_TELLING}\b"
)
_AUXILIARY: Final = (
    r"(?:do|does|did|have|has|had|are|is|was|were|can|could|would|will|may|might|shall|should|am|must)"
)
_SUBJECT: Final = (
    r"(?:i|you|we|he|she|it|they|there|this|that|these|those|anyone|anybody|somebody|someone|anything"
    r"|something|"
    r"any|your|the|his|her|my|our|mum|mummy|mother|dad|everything|mr|mrs|ms|miss|dr"
    r"|not (?:you|he|she|it|they|we|i))"
)
_LEADS: Final = (
    r"(?:(?:and|so|ok|okay|right|now|then|well|also|but|first|firstly|sorry|please|um|er|erm|hi|hello"
    r"|all right|"
    r"just|or|one more thing|quickly|lastly|finally|"
    r"\w+(?:\.? \w+)?(?=,)|before (?:we|i)[\w ]+)\W+)*"
)
# "What you had was a reaction" states something.
_STATED: Final = (
    r"(?! (?:happened|i|this|we|you|he|she|it)\b.*\b(?:is|was|means)\b(?! (?:going|wrong|your|the matter)))"
    r"(?! (?!do|did|does|have|has|had|is|are|was|were|can|could|will|would|should|may|might)(?:\w+ ){1,2}"
    r"(?:said|told|tell|tells|says|shared?|shares)\b(?! you\b))"
    r"(?! we (?:\w+ )?(?:talk|discuss|say|share)\b)"
    r"(?! i (?:will|am going to)\b)(?! you(?: \w+)? (?:tell|say|share|talk|told|said)"
    r" (?:me|us|here|in|now|today|to me|i|stays?|remains?|is)\b)"
)
_QUESTION: Final = re.compile(
    rf"^\W*{_LEADS}(?:{_AUXILIARY} {_SUBJECT}\b|(?:what|how|when|where|who|whom|whose|why|which)\b(?! a\b)"
    rf"{_STATED}|any\b|ever\b"
    r"|(?:you|she|he) (?!can|may|could|should|will|would|must|do not|are not|did not|have not)\w+\b"
    r"(?!.*\b(?:not|never|no)\b).*\b(?:any|anything|anyone|ever)\b)"
)
# What a statement is about: "How long, I can not tell you yet."
_TOPIC: Final = re.compile(r"^\W*(?:how long|how much|when|why|where|what|how)\W*$")
# A condition and no question: "Should it come back, ring us", "When you are sick before, come back".
_WHENEVER: Final = re.compile(r"^\W*(?:when|should|where|were|had|any) [^,?]*(?:,| then\b)[^?]*$")
_REQUEST: Final = re.compile(
    r"\b(?:(?<!you )(?<!to )tell (?:me|us)|let me know|let us know|(?:i|we)(?: just| also"
    r"| really)* (?:need|want|have"
    r"|would like"
    r"|must|wish) to (?:\w+ )?(?:know|ask|check|hear|understand|clarify|confirm|find out)"
    r"|(?:may|can|could|let) (?:i|me) (?:\w+ )?(?:ask|check|clarify|confirm)"
    r"|i (?:\w+ )?(?:ask|enquire|inquire|wonder)\b|i was wondering|i am wondering|wondering (?:if|whether)"
    r"|please (?:tell|confirm|describe|explain|say|share)|do you know|did you know"
    r"|(?:talk|walk|take) me through|describe|remind me)"
)
_TYPED: Final = re.compile(
    r"^\W*(?:i )?(?:then )?(?:also )?(?:gently |directly |openly |clearly )?(?:ask|asks|asked|asking|enquire"
    r"|inquire|explore|elicit|take a|check|clarify|screen|establish|find out)\b"
)
_IF: Final = re.compile(
    r"^\W*(?:(?:and|so|but|or|then|well|now|please|\w+,)\W+)*(?:if|unless|in case|suppose|supposing"
    r""
    r"|as long as|should (?:he|she|it|they|you|his|her|the|mrs?)|were (?:he|she|it|they)|(?:only )?when"
    r"|once|whenever)\b"
)
_SELF: Final = re.compile(r"\b(?:i|me|my|mine|myself)\b")
_OURS: Final = re.compile(r"\b(?:we|us|our|ours|the (?:team|hospital|ward|staff))\b")
# "Does your husband have ...?", "has your mother ever ...?", "... yourself?" of one who is not the patient.
_KIN: Final = (
    r"(?:mother|mum|mom|mummy|dad|daddy|father|husband|wife|sister|brother|son|daughter|aunt|uncle|cousin"
    r"|friend|grand\w+|parents|children|kids|family|relatives|colleague|nurse|neighbou?r)"
)
_OF_KIN: Final = re.compile(
    rf"\b(?:do|does|did|has|have|had|is|are|was|were) (?:your|his|her|the|any(?:one|body) in (?:your|the)"
    rf"|any(?:one|body) in) {_KIN}\b|\bany(?:one|body) at home (?:have|has|had|get|gets|suffer)\b"
    rf"|\bin (?:the|your|her|his) family\b"
    rf"|\b(?:your|his|her) {_KIN} (?:has|have|had|gets?|suffers?|ever)\b"
)
_AND_YOU: Final = re.compile(r"\b(?:have|has|had|do|did|are|were) you\b|\byou (?:or|ever|have|had|get)\b")
_COURTESY: Final = re.compile(
    r"\bi (?:am|feel) (?:so |very |really |deeply |truly )*(?:sorry|afraid|ashamed)\b"
    r"|\bi (?:do )?(?:apologi[sz]e|regret)\b"
    r"|\bi (?:want|have|need|would like|must) to (?:tell|say|apologi[sz]e)\b"
    r"|\bi must (?:tell|say)\b|\bmy apologies\b"
)
_TAG: Final = re.compile(
    r",\s*(?:all right|right|yes|is that clear|does that make sense|do you understand|you see"
    r"|[\w ]{0,12}please)\s*\?\s*$"
)


@lru_cache(maxsize=_KEPT)
def expanded(low: str) -> str:
    """A lower-case text with contractions and short forms written out: "can't" is "can not"."""
    for pattern, whole in _CONTRACTED:
        low = pattern.sub(whole, low)
    return low


@lru_cache(maxsize=_KEPT)
def clauses(sentence: str) -> tuple[str, ...]:
    """The clauses of a sentence, in order."""
    cuts = [0, *(match.start() for match in _CLAUSE.finditer(sentence)), len(sentence)]
    return tuple(sentence[a:b] for a, b in pairwise(cuts) if sentence[a:b].strip())


def questions(sentence: str) -> bool:
    """Whether a sentence is a question, or holds one."""
    if sentence.rstrip(" )\"'").endswith("?"):
        return True
    return not _WHENEVER.match(sentence) and any(
        _QUESTION.match(part) and not _TOPIC.match(part) for part in clauses(sentence)
    )


def asks(sentence: str) -> bool:
    """Whether a sentence asks: a question, "tell me ...", or an act of asking in words."""
    if questions(sentence) or _TYPED.match(sentence):
        return True
    return _REQUEST.search(sentence) is not None and _LATER.search(sentence) is None


def states(sentence: str) -> bool:
    """Whether a sentence states something: it is no question, or a clause or a tag shows that it does."""
    if not questions(sentence) or _TAG.search(sentence):
        return True
    parts = [part for part in clauses(sentence) if len(part.split()) > 2]
    return len(parts) > 1 and not _QUESTION.match(parts[0])


def of_oneself(sentence: str) -> bool:
    """Whether the speaker speaks of "I" and not only of "we"."""
    return _SELF.search(sentence) is not None


def of_a_group(sentence: str) -> bool:
    """Whether the speaker tells what "we" or the team did, and of themselves only that they are sorry."""
    return _OURS.search(sentence) is not None and not of_oneself(_COURTESY.sub("", sentence))


def of_kin(sentence: str) -> bool:
    """Whether a question is about the relatives of the one who is asked, and not about them too."""
    return _OF_KIN.search(sentence) is not None and _AND_YOU.search(sentence) is None


def to_staff(sentence: str) -> bool:
    """Whether a sentence addresses the staff by their role: "Nurse, ..."."""
    return _TO_STAFF.search(sentence) is not None


def conditional(sentence: str) -> bool:
    """Whether a sentence begins with a condition: "if the lactate is high, ..."."""
    return _IF.match(sentence) is not None


def set_aside(clause: str, sentence: str) -> Iterator[tuple[int, bool]]:
    """Yield the places in a clause from which words do not count as done, each with whether this lasts to the
    end of the clause, or only for the next words (`SCOPE`)."""
    asked = questions(sentence)
    for pattern in (_DECLINED, _OTHERS, _WONDERED):
        if (hit := pattern.search(clause)) and not asked:
            yield hit.end(), True
    if hit := _HYPOTHETICAL.search(clause):
        yield hit.start() if hit[0].startswith("some") else hit.end(), True
    if asked and (hit := _ASKED_BEFORE.search(sentence)):
        start = sentence.find(clause)
        if hit.end() < start + len(clause):
            yield max(0, hit.end() - start), True
    if _PERHAPS_LATER.search(sentence):
        yield 0, True
    if not asked and (_REJECTED.search(sentence) or _DEFERRED.search(sentence) or _CONDITION.match(clause)):
        yield 0, True
    if _LATER.search(clause) or _LATER.search(sentence) or _MENTIONED.search(sentence):
        yield 0, True
    if asked:
        return
    spared = [match.span() for match in _NO_NEGATION.finditer(clause)]
    if (hit := _NOT_TO.search(clause)) and not any(
        a <= hit.start() < b and "by" not in hit[0] for a, b in spared
    ):
        yield hit.end(), True
    for match in _NOT.finditer(clause):
        if not any(first <= match.start() < last for first, last in spared):
            yield match.end(), False
