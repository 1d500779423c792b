"""What of a doctor's words may order something: not what asks about the past, reports, refuses, explains or
puts off.

Unlike among a team (`osler.text.spoken_clauses`), where only listed forms order, the name of a test alone is
an order at the desk. So words order if they ask for something to be done, or name things without a verb.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.text.spoken_clauses import clauses
from osler.text.tokens import compiled, lowered

_LONGEST: Final = 1000  # characters of what is said
_HESITATION: Final = re.compile(r"\b(?:um+|uh+|erm?|okay|ok)\b[,\s]*")
_TWICE: Final = re.compile(r"\b(\w[\w']*)(?: \1\b)+")
_SENTENCE: Final = re.compile(r"(?<!\b[a-z]\.)(?<=[.?!;:])\s+|\n+|\s[-–—]\s")
_PART: Final = re.compile(
    r",\s*(?=(?:but|so|and then|and let's|let's|get|do|send|then)\b)|\s+(?=but\b)"
    r"|\s+(?=so (?:an?|get|do|send|let|please)\b)",
)
_BEFORE_IT: Final = re.compile(
    r"^(?:if|before|after|while|whilst|once|when|as|to be sure|to make sure|to rule out) [^,]{3,60},\s*"
)
_AFTER_IT: Final = re.compile(
    r"[,\s]+(?:if|before|after|while|whilst|when|where|because|since|seeing as|given|in case(?! of)|reason"
    r"|even if|so(?! (?:get|do|send|let|please|on with)\b)|in view of|due to|for exclud\w+"
    r"|as (?:he|she|i|we|they|the|her|his|there|\w+ (?:had|has|is|was))"
    r"|(?<!like )(?<!want )(?<!need )to (?:see|rule|exclude|make sure|be sure))\b.*$"
)
"""Subordinate clauses: their verbs are not those of what is ordered."""
_REASON: Final = re.compile(
    r"(?:,\s*|(?<!i'm)(?<!am)\s+)(?:because(?! of)|since|seeing as|given (?:the|his|her|that)|in case(?! of)"
    r"|reason|in view of|due to|as (?:he|she|they|there|\w+ (?:had|has|is|was))|so i'm|rather than|instead of"
    r"|(?:to|for) (?:rule|ruling|exclude|excluding|make sure|be sure)|looking for|even if|suspicious"
    r"|before (?:he|she|they|anybody|we|i))\b(?:(?!, and ).)*"
)
_WHO: Final = (
    r"(?:we|you|i|he|she|they|someone|somebody|anyone|one|the [\w ]{3,20}?|\w+(?:ology|ics|ists?|istry)"
    r"|\w+ (?:team|lab)"
    r"|neuro|gi|ir|heme|derm|ortho|nurse|sister)"
)
_DO: Final = (
    r"(?:get|send|do|take|check|run|order|arrange|book|draw|repeat|give|have|add|put|pop|scan|test|see"
    r"|request"
    r"|dip|collect|swab|weigh|measure|show|let|call|bring|chart|record|perform|obtain|schedule|organi[sz]e)"
)
_BY_HAND: Final = (
    r"(?:open|look|sit|lie|stand|roll|lift|push|pull|press|touch|keep|swallow|follow|breathe|bend|hold"
    r"|walk|read"
    r"|shut|close|set|slide|tack|scrape|ask|hand|count|screen|fill|blow|try|turn|stick|extend|listen|feel"
    r"|start"
    r"|climb|say|slip|squeeze|raise|tilt|wiggle|smile|cough|note|write|prick|catch|gas|hop|jump|tap|pinch"
    r"|hear"
    r"|examine|dose|whisper|watch|cover|shrug|strap|punch|shave|cut|dipstick|shine)"
)
_ORDERS: Final = compiled(
    r"\b(?:please|pls|kindly|abeg|stat|asap|urgent(?:ly)?|go ahead)\b",
    r"\b(?:let's|lets|let (?:us|me|him|her|them|the)|lemme|make (?:i|we))\b",
    r"\bi(?:'d| would) (?:like|want|love|prefer|ask|do|better|(?:feel|be) \w+ with)\b",
    r"\b(?:i|we) (?:want|need|require|go|shall|ask for|should|could)\b|\bi can't not\b|\bcould do with\b",
    r"\b(?:i|we)'ll\b(?! (?:never|think|only|hold|keep|avoid|skip|see))",
    rf"\b(?:i|we|he|she|they|madam|you) (?:will|shall) (?:now |also )?{_DO}\b",
    rf"^(?:and |so |right )*(?:can|could|would|will|might|may) {_WHO}\b",
    r"\bto be (?:\w+ed|done|sent|seen|taken|drawn|put)\b|\b(?:can|may|should|must) be \w+(?:ed|wn|nt|ne"
    r"|en)\b",
    r"\b(?:should|needs?|wants?|requires?|ought to|gets an?)\b|\b(?:is|are) (?:required|needed|wanted)\b",
    r"\bi(?:'m| am) (?:just |now )?(?:going|feeling|gonna|listening|putting|checking|looking)\b",
    r"\b(?:do you|would you|^you) mind\b|\bis it (?:all right|possible|fine)\b|\bany chance\b"
    r"|\bit is possible to\b",
    r"\bit's time\b|\b(?:how|what) about\b|\bwould be (?:handy|helpful|useful|good|nice|great)\b",
    rf"^(?:now |first |and |then |with [\w ]+ |from \w+ )*(?:i|we|you) (?:now )?(?:{_BY_HAND}"
    rf"|{_DO})\b(?! i )",
    rf"(?<!t )(?<!to )(?<!you )(?<!they )(?<!did )(?<!who )\b{_DO} (?:an?|the|one|1|2|him|her|me|us|his"
    rf"|some)\b",
    r"^[^,]*, \w+ to (?:do|come|see|take|run|chaperone)\b|\w+ (?:team )?to (?:do|perform|dilate)\b",
    r"\btell me (?:whether|where|if|when|which)\b",
)
_IMPERATIVE: Final = re.compile(
    r"^(?:(?:and|so|now|then|right|first|nurse|sister|just|go ahead and|please|doctor|also|next|mummy"
    r"|madam|mum"
    rf"|come),? )*(?:{_DO}|{_BY_HAND})\b"
)
_REFUSES: Final = compiled(
    r"\b(?:no|not|never|nor|\w+n't) (?:\w+ ){0,2}?(?:needs?|needed|point|use|reason|call|sense|value|role"
    r"|place for|indication)\b(?! to (?:worry|be))",
    r"\b(?:not|n't)(?: at all)? (?:indicated|necessary|needed|required|worth|warranted|appropriate|justified"
    r"|keen|going to)\b",
    r"\b(?:won't|wont|will not|shan't|shant|'ll not|never|no go|no dey) "
    r"(?:be|need|do|want|put|have|require|show|send|order|scan|test|help)\b",
    r"\b(?:unnecessary|overkill|pointless|waste of|rather not|no more (?:tests|bloods|scans))\b",
    r"\b(?:hold(?:ing)? off|steer(?:ing)? clear|stay(?:ing)? away from|leave out|skip(?:ping)?|avoid(?:ing)?"
    r"|leave [\w ]{2,30} alone)\b",
    r"\b(?:mustn't|must not|shouldn't|should not|needn't|need not|can't|cannot) "
    r"(?:have|need|do|get|scan|be \w+ed)\b",
    r"\b(?:don't|do not|didn't|wouldn't|would not) (?:\w+ )?"
    r"(?:want|see|think|order|do|judge|bother|need|believe|recommend|send|scan|change)\b",
    r"\b(?:nobody|no one) (?:is|will|would|'s)\b|\bwould (?:only |just )?irradiate\b",
    r"^(?:for (?:now|today|the moment)|at (?:the moment|present)|today)?,?\s*(?:\w+ ){0,2}?no "
    r"(?!matter|problem|worries|rush|doubt|medical)\w+",
)
_PUTS_OFF: Final = compiled(
    r"^(?:only )?(?:if|unless|should|once|in case|when|depending)\b.*(?:\b(?:we|i|you|they|it|she|he|there)"
    r"(?:'ll|'d| will| would| might| may| can| shall)|\bthen\b|\bthat(?:'s| is) when|\b(?:will"
    r"|would) (?:be|make)\b"
    r"|\bwon't\b|\bgo dey\b)",
    r"\b(?:only if|only in case|unless|would only|that's when|that is when|pending|later on|down the line"
    r"|in due course|(?:will|can|may) be (?:discussed|considered|required)|think(?:ing)? (?:about|of)"
    r"|consider(?:ed|ing)?|(?:might|may) (?:need|have to|want|end up)|at some point|some day|not yet|can wait"
    r"|next step|depending on)\b(?! something)",
    r"\b(?:we|i)(?:'d| would) have to\b|\b(?:we|i) might\b|\blater\W*$",
)
_PAST: Final = compiled(
    r"^(?:[\w']+,? ){0,4}?(?:have (?:you|they|we)|has (?:it|he|she|any\w*|the|your|that|there)"
    r"|had (?:you|they|he|she)|did \w+|was (?:it|he|she|there already|the|your)|were (?:you|they|the|your"
    r"|there already)|whether they|when last|when (?:was|were|did)|how (?:many times|often|long|did|was)"
    r"|are you"
    r"|do (?:you(?! mind| weigh)|they|people)|does (?:he|she|it|your)(?! hurt)|can you (?:describe"
    r"|tell me|remember|recall)"
    r"|who \w+ed|why|what (?:does|do|did))\b",
    r"\b(?:did|were|was|has|have) (?:she|he|they|you|it|someone|somebody|anyone)\b(?! got a)",
    r"\b(?:ever|already|last (?:year|month|week|time|visit)|previously|in the past|ago|yesterday"
    r"|before today)\b"
    r"(?=.*\b(?:had|has|have|did|do|done|made|taken|been|was|were|put|told|\w+ed)\b)",
    r"\b(?:had|has|have|did|done|made|taken|been|was|were|put|told|\w+ed)\b.*"
    r"\b(?:ever|already|last (?:year|month|week|time|visit)|previously|in the past|yesterday|before today|ago"
    r"|before\W*$)",
    r"\byou (?:have|'ve) (?:taken|had|been|made|done)\b|\b(?:nobody|no one) (?:has|have|did)\b",
    r"\b(?:i gather|you (?:brought|told|had|said|mentioned)|they did|(?:somebody|someone|anybody) \w+ed)\b",
    r"^any (?:family|history|previous)\b",
    r"^when (?:the|your|his|her|my) [\w ]+ (?:was|were|\w+ed)\b",
)
_REPORTS: Final = compiled(
    r"\b(?:show(?:ed|s)|came (?:back|out|up)|come (?:back|out) (?:clean|clear|normal|negative|fine|as)"
    r"|don come"
    r"|told (?:me|us|you)|(?:looks|feels|sounds) (?:\w+ ){0,2}?(?:fine|normal|good|clear|soft|like)"
    r"|confirmed|revealed|will (?:bring|tell|give|show) you|nothing (?:on|in|wrong)"
    r"|(?:is|are|was|were) (?:\w+ )?(?:normal|fine|clear|negative|positive|clean|reassuring|unremarkable))\b",
    r"^(?:i've|i have|we've|we have|they've) (?:just |already )?(?!got\b|to\b)\w+(?:ed|lt|en|ne|d)\b",
    r"^(?:the |your )?\w+(?: \w+)? (?:was|were|came|has)\b|^(?:this|that|these|here) (?:is |are |'s )?your\b",
)
_STATES: Final = compiled(
    r"\b(?:i|you|we|he|she|they|nobody|somebody|someone|anyone)(?:'\w+)?(?!/)\b",
    r"\b(?:is|are|am|was|were|do|does|did|has|had|can|could|will|would|may|might|cannot|\w+n't|\w+'s (?:done"
    r"|been)|dey)\b",
    r"\b(?:means?|makes|lets|tells|takes|helps|usually|often|sometimes|happens|causes|sounds?|worse than"
    r"|better than|measures|matters"
    r"|says|gives|rises|falls|feels|works|goes|comes|changes|hurts|lasts|leaks|uses|picks|misses|carries"
    r"|looks)\b",
    r"\b(?:came|went|took|found|gave|said|told|rose|fell|felt|heard|saw|knew|brought|thought|\w+ied)\b",
    r"^(?:so )?(?:the|your) [\w-]+ \w+(?:ed|es)\b|^your\b",
    r"(?<!\bi )(?<!\bwe )(?<!to )(?<!and )\bgo (?:expose|show|tell|hurt|pain|help|reveal|cause|burn)\b",
)
_NEGATED: Final = re.compile(r"\b(?:not|never|cannot|nor|\w+n't)\b(?! (?:not|ignore|help)\b)(?<!can't not)")
_STATED: Final = re.compile(
    r"^(?!.*\b(?:please|kindly)\b)(?:the |an? |your |her |his )?"
    r"(?!can|could|would|will|i\b|you\b|if\b|let)[\w-]+ "
)
"""The subject of a statement at its beginning, such as "a normal troponin"."""
_ASKS: Final = re.compile(
    r"^(?:and |so )*(?:what(?:'s| is| are| was) (?:his|her|the|their|your|it|in|on)|does it hurt"
    r"|what do you weigh|how (?:low|high|much|fast"
    r"|is|are)"
    r"|any (?!family|chance|history|previous|other|one|body|of)|is (?:there|that)|was there|are there)\b"
)
"""Questions for a result."""


@lru_cache(maxsize=4096)
def ordering(said: str) -> tuple[str, ...]:
    """The parts of what is said, in lower case, that may order something, without the reasons given.

    A name alone, a list of names and a question for a result may; talk about tests may not.
    """
    plain = _TWICE.sub(r"\1", _HESITATION.sub("", lowered(said[:_LONGEST])))
    parts = (part.strip(" ,") for sentence in _SENTENCE.split(plain) for part in _PART.split(sentence))
    return tuple(_REASON.sub("", part) for part in parts if part and not _is_talk(part.strip(" .!?;:")))


def _is_talk(part: str) -> bool:
    """Whether a part of speech is against ordering, or only states something."""
    main = _AFTER_IT.sub("", _BEFORE_IT.sub("", part))
    if _REFUSES.search(main) or _PUTS_OFF.search(part) or _PAST.search(main):
        return True
    if _REPORTS.search(main):
        return not (_IMPERATIVE.match(part) or "go ahead" in part) or "showed" in part
    if _IMPERATIVE.match(part) or _ASKS.match(part):
        return False
    if _ORDERS.search(part):
        return bool(_NEGATED.search(main) and _STATED.match(main))
    return bool(_STATES.search(main)) and not _is_ordered(part)


def _is_ordered(part: str) -> bool:
    return any(clause.mood in ("order", "announced", "permission", "offer") for clause in clauses(part))
