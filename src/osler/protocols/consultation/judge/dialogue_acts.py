"""Dialogue acts of a doctor's turn, told by its wording, and the patient's emotional cues that it meets."""

from __future__ import annotations

import re
from typing import Final

from osler.text.introductions import gives_name
from osler.text.tokens import any_of, compiled, folded, sentences

_GRAVE: Final = r"(?:cancer|serious|bad|fatal|dangerous|(?:a|another) (?:heart attack|stroke|tumou?r))"

_FEELING: Final = any_of(
    r"worr(?:y|ied|ies|ying)|scare[sd]?|scary|fright\w+|terrif\w+|afraid|anxious|panick\w+|dread(?:ing)?",
    r"nervous(?! system)|upset(?:s|ting)?(?! (?:stomach|tummy))",
    r"angry(?!,? (?:red|rash|looking)|-looking)",
    r"sad|tearful|hopeless|helpless|lonely|ashamed|embarrass\w+|guilty|furious|frustrat\w+",
    r"fed up|stressed|overwhelmed|desperate|miserable|heartbroken|grieving|depressed",
    r"wits' end|end of my (?:tether|rope)|(?:can't|cannot) (?:cope|go on|take (?:it|this|any more))",
    r"feel(?:ing)? (?:so |very |really |quite )?(?:low|down|alone|useless)",
    r"felt (?:so |very |really |quite )?(?:low|down|alone|useless)",
    r"i(?:'m|'ve| am| have| keep| can't| cannot| just)[^.?!]{0,20}\b(?:crying|cried|cry)",
    rf"(?:is|could|might|can) (?:it|this|that) (?:be )?(?:something )?{_GRAVE}",
    r"am i (?:going to die|dying|going mad|losing)|will i (?:die|be (?:ok|okay|all right))",
    r"what if it(?:'s| is)|(?:hope|pray) it(?:'s| is) (?:nothing|not)",
)

_CUE: Final = re.compile(rf"\b{_FEELING}\b")

_DENIED: Final = re.compile(
    r"\b(?:not|no|never|nothing|without|hardly|nor|(?:is|was|are|do|did|does|have"
    r"|has)n't)\b(?:\s+\w+){0,2}\s*$"
)

_CLAUSE: Final = re.compile(r"[.?!;,:]|\bbut\b")

_POLITE: Final = re.compile(r" (?:not|so|i (?:(?:do|ca|could|have|did)n't|cannot|do not|have no|never))\b")


def cue(said: str) -> str | None:
    """The first feeling or fear expressed in a patient's words; `None` if there is none or it is negated.

    "I'm afraid I don't remember" is politeness, not fear.
    """
    text = folded(said)
    for found in _CUE.finditer(text):
        before = _CLAUSE.split(text[: found.start()])[-1]
        polite = found[0] == "afraid" and _POLITE.match(text, found.end())
        if not _DENIED.search(before) and not polite:
            return found[0]
    return None


_FELT: Final = any_of(
    r"worr\w+|scar(?:ed|y|ing)|fright\w+|terrif\w+|afraid|fear\w*|anxious|anxiety|nervous|upset\w*|sad",
    r"hard(?! work)|difficult|tough|rough|stress\w*|distress\w*|frustrat\w+|overwhelm\w+|unsettling|painful",
    r"(?:awful|horrible|terrible)(?! (?:excuse|idea|mistake|reason|diet|habit|liar|patient))|angry|lonely"
    r"|alone|embarrass\w+|ashamed|hopeless|concern\w*|exhaust\w+",
    r"miserable|a lot (?:for|to)|(?:a )?nightmare|(?:an )?ordeal|shattered|drained|draining|worn out"
    r"|heartbreaking|(?:a |such a )*(?:shock|blow)",
)

_BEGINS: Final = r"(?:^|[,.;:!?–-]\s*|\b(?:and|but|so|oh|well|yes) )"

_READ: Final = 4000
_FELT_BY: Final = (
    r"(?:you|he|she|they|him|her|them|(?:your|the) (?:\w+ )?(?:mum|mother|dad|father|family"
    r"|wife|husband|partner|son|daughter))"
)

_ACKNOWLEDGES: Final = compiled(
    rf"(?<!does )(?<!did )(?<!do )\b(?:that|this|it|which|all (?:of )?this|all (?:of )?that"
    rf"|things) (?:must(?: have)?|sounds?|seems?|would|has to|can|has|have) "
    rf"(?:be(?:en)? |feel |so |all |really |very |quite |like |a |an |such |extremely |awfully |terribly "
    rf"|absolutely |pretty )*{_FELT}\b",
    rf"\bhow (?:very |absolutely )?(?:{_FELT}|sad|awful|hard) (?:for you|that (?:must|is)|it must)",
    rf"\b(?:no wonder|of course|naturally|anyone would be|anybody would be|i'?m not surprised"
    rf"|it'?s no surprise)"
    rf"(?: that)?(?: {_FELT_BY}(?:'re| are|'s| is| feel| were))?[^.?!]{{0,25}}\b{_FELT}\b",
    r"\b(?:i|we) (?:really |do |so )*feel for you\b|\bmy heart goes out\b|\bbless you\b",
    r"\bsorry (?:for your (?:loss|trouble|pain)|o|for the (?:pain|trouble|wait|worry)|for what)\b",
    rf"\b(?:i|we) (?:can |could )?(?:see|hear|tell|notice|sense|understand)(?: that)? {_FELT_BY}(?:'re| are"
    rf"|'s| is|'ve been| have been)? "
    rf"(?:so |very |really |quite |feeling |a bit |getting )*{_FELT}\b",
    rf"\b{_FELT_BY}(?:'re| are|'s| is|'ve been| have been| has been) (?:clearly |obviously |understandably )?"
    rf"(?:going through|carrying|coping with|dealing with) (?:so |a |very |such )*(?:much|lot|hard"
    rf"|difficult|rough|tough)",
    r"\b(?:it'?s|that'?s|this is) not (?:an )?easy\b|\bit isn'?t easy\b|\bcan'?t be easy\b"
    r"|\bcannot be easy\b|\bi know (?:it|this) is hard\b",
    r"\b(?:you'?re|you are) (?:being )?(?:very |so |really )?(?:brave|strong)\b|\byou(?:'ve"
    r"| have) been (?:very |so |really )?(?:brave|strong)\b|\bwell done for (?:telling|coming|saying"
    r"|talking)",
    r"\bi (?:would|'d) (?:be|feel) (?:the same|worried|scared|upset|frightened|angry)(?: too)?\b",
    r"\btake (?:all the|your) time(?: you need)?\b",
    r"\byou(?:'re| are)? (?:seem|sound|look)(?:ing)? (?:so |very |really |quite |a bit |rather )*(?:low"
    r"|down|fed up)\b(?![^.!]*\?)",
    rf"{_BEGINS}(?:that|this|it|which|all of that)(?: must| sounds?| seems (?=so|very|really)| can)"
    rf"(?: \w+){{0,4}} {_FELT}\b",
    rf"{_BEGINS}(?:that|this)(?:'s| is) (?:very |so |really |such a |a )*{_FELT}(?! to (?:say|tell|know))\b",
    r"\bsorry (?:to hear|about|for (?:your|what|all)|(?:that )?(?:you|this|it)\b)",
    r"\b(?:so|very|really|truly) sorry\b",
    r"\bi(?:'m| am) sorry\s*[.!]",
    rf"\bi(?:'m| am) sure (?:that|this|it) (?:\w+ ){{1,3}}{_FELT}\b",
    r"\bi (?:can |do |completely |fully |really |quite |certainly )*(?:see|understand|hear|imagine|appreciate"
    rf"|tell|sense)\b[^.?!]{{0,60}}?\b(?:{_FELT}|how you feel|feel (?:that|this) way)\b",
    r"\b(?:it|that)(?:'s| is) (?:\w+ ){0,2}(?:natural|normal|okay|ok|all right) to (?:feel|be|worry|cry)",
    r"\bunderstandabl[ey]\b",
    r"\b(?:many|most|lots of|a lot of|other) people\b[^.?!]{0,40}\b(?:feel|worr\w+|find|are " + _FELT + ")",
    r"\bthank(?:s| you) for (?:telling|sharing|trusting|being (?:so )?(?:honest|open)|letting me know)",
    r"\byou(?:'ve| have)? (?:been through|(?:had|having) a (?:hard|difficult|rough|tough))\b",
    r"\byou (?:did the right thing|(?:are|were) right to)\b",
    r"\byou(?:'re| are| must (?:be|feel|have been)| sound| seem| look) (?:so |very |really |quite )?"
    rf"{_FELT}(?![^.!]*\?)",
    r"\bwhat (?:exactly |in particular |most |is it that |about it )*"
    r"(?:worries|frightens|scares|concerns|upsets) you\b",
    r"\bwhat are you (?:most |really )?(?:worried|afraid|scared|frightened|concerned)\b",
    r"\babout (?:that|this|your|the|those|these) (?:worr|fear|concern|feeling)",
    r"\bi(?:'m| am) here (?:to help|for you)\b",
    r"\byou(?:'re| are) (?:not alone|in good hands|safe here)\b",
    r"\bwe(?:'ll| will) (?:look after|take (?:good )?care|get through|do everything)\b",
)

_SUMMARISES: Final = compiled(
    r"\b(?:let me|let's|i(?:'ll| will)|(?:can|could|may) i|i(?:'d| would) like to|just to|i want to"
    r"|i(?:'m| am) going to) (?:just |quickly |briefly |try to )*"
    r"(?:summari[sz]e|recap|sum (?:\w+ )?up|repeat back|go over what you"
    r"|run through what you|go over what you|check (?:that )?i(?:'ve| have) (?:got|understood|heard))",
    r"\bin summary\b",
    r"^\W*(?:ok(?:ay)?|right|so|now)?[, ]*so (?:far )?(?:you(?:'ve| have)|what you)[^?]{20,}",
    r"\bso (?:basically |just )?to (?:sum(?:mari[sz]e)?|recap|go over|wrap up what)\b|\bto (?:quickly "
    r"|briefly )?(?:summari[sz]e|recap|sum up)[,: ]",
    r"\b(?:let me|i(?:'ll| will|'d like to)|can i|could i|just)(?: just| quickly)? (?:repeat|go back over"
    r"|run back over|play back|check back|go through) (?:what|that)",
    r"\bi(?:'ve| have)? (?:heard|understood|gather(?:ed)?|got it|noted)(?: from you)? that you\b",
    r"\bso what i(?:'m| am) (?:hearing|getting|understanding)\b|\bwhat you(?:'re| are) (?:telling me"
    r"|saying) is\b|\bwhat i(?:'m| am) hearing\b",
    r"\b(?:is|was) (?:that|this) (?:a )?(?:fair|right|correct|good|accurate) (?:summary"
    r"|account)?[^?]*\?$(?<=summary\?)",
    r"\bcorrect me if i(?:'m| am|'ve)\b",
    r"(?:^|[,.;:!]\s*|\bso,? )to (?:summari[sz]e|recap|sum up|check i understand)",
    r"\bso far (?:you've|you have|i've|i have) (?:told|said|heard|got|understood)",
    r"\bfrom what you(?:'ve| have) (?:told|said|described|been saying)",
    r"\bif i(?:'ve| have)? (?:understood|understand|got|heard)\b",
    r"\bhave i (?:got|understood|missed|heard)\b",
    r"\bwhat i(?:'ve| have) (?:heard|understood)\b",
    r"\b(?:did|do) i understand (?:you |that )?(?:right|correctly)",
)

_AGREED: Final = any_of(
    r"what (?:we|i)(?:'ve| have)?(?: just)? (?:agreed|discussed|decided|talked|said|explained|planned)",
    r"what you(?:'ll| will| would|'re going to| are going to| need to| should) (?:do|look|watch|tell)",
    r"what (?:the plan is|to (?:do|watch|look out) )",
    r"the plan (?:back|in your own)",
    r"how you(?:'ll| will| would|'re going to| are going to) (?:take|use|do|explain)",
)

_TEACH_BACK: Final = compiled(
    r"\b(?:tell|explain|say|repeat|show|describe|run|go|talk|take|put|summari[sz]e|recap)\b[^.?!]{0,60}?\b"
    + _AGREED,
    r"\b(?:tell|repeat|say|explain) (?:it |that |this |the plan |everything )?back\b(?! (?:pain|ache))",
    r"\bteach[- ]back\b",
    r"\bwhat (?:will|would|are) you (?:going to )?(?:tell|say to) (?:your|her|him|them|the|mum|dad)\b[^.]*\?",
    r"\b(?:so|to be sure|to check|to know|make sure) (?:that )?i (?:know|am sure|'m sure) (?:that )?i(?:'ve"
    r"| have) (?:been clear|explained)",
    r"\b(?:check|make sure|be sure|see if|know if) (?:that )?i(?:'ve| have)? (?:explained|made|put"
    r"|been clear)",
    r"\bwhat (?:have you|you have|you've|do you) (?:understood|taken (?:away|from)"
    r"|understand (?:of|from|by) (?:what|the plan))",
)

_OWN_ROLE: Final = (
    r"(?:(?:\w+[- ](?:year )?)?(?:medical |nursing |pharmacy )?student(?: doctor| nurse)?|doctor|gp"
    r"|general practitioner|registrar"
    r"|reg|resident|intern|physician|clinician|surgeon|consultant|attending|fellow|trainee|sho"
    r"|house (?:officer|surgeon|man)"
    r"|medical officer|mo|duty doctor|f[12]s?|fy[12]s?|foundation doctor|paediatrician|pediatrician"
    r"|obstetrician"
    r"|psychiatrist|midwife|nurse|physician associate|paramedic|medics?|doctors|gps|students|[3-5](?:rd"
    r"|th) years?)"
)
_HAIL: Final = (
    r"(?:hi(?: there)?|hiya|hello|hey|good (?:morning|afternoon|evening|day)|morning|afternoon"
    r"|evening|namaste)"
)
_INTRODUCES: Final = compiled(
    rf"\b(?:i(?:'?m| am)|im|myself|this is)(?: just| also)? (?:the|a|an|your|one of (?:the|your|our)"
    rf"|from the)?(?: [\w-]+){{0,3}}?"
    rf" ?{_OWN_ROLE}\b(?! ?'s)",
    rf"\bi(?:'ll| will| am going to|'m going to) be (?:your|the) (?:\w+ )?{_OWN_ROLE}\b",
    r"\b(?:dr\.?|doctor) \w+(?: \w+)? (?:here|speaking)\b",
    rf"^\W*{_HAIL}[ ,!.]+(?:dr\.? )?[a-z'-]+(?: [a-z'-]+)?, (?:the |an? |one of the "
    rf"|your )?(?:\w+ ){{0,2}}?{_OWN_ROLE}\b",
    r"\bthey call me (?:dr|doctor) \w+|\bcall me (?:dr|doctor) \w+|\bthe name's \w+"
    r"|\bmy name'?s?(?: is)? \w+",
)
"""A role, or a name, given in the first person; names alone are read by `osler.text.introductions`."""
_ASKED_OF_OTHERS: Final = re.compile(
    r"^\W*(?:and |so |but )?(?:is|are|was|were|do|does|did|has|have|had|who|what|when|where|which|can|could"
    r"|would|may|shall)\b"
)
_OF_OTHERS: Final = compiled(
    r"\bi(?:'m| am) (?:afraid|sure|sorry|told|glad|not|told)\b[^.?!]{0,12}\b(?:dr|doctor|gp|nurse)",
    r"\bi(?:'m| am) (?:calling|asking|getting|referring|sending|ringing|waiting|hungry|off|going to (?!be ))",
    r"\bi(?:'m| am) (?:not|no) (?:an? |the |your )?" + _OWN_ROLE,
)

_CHECKS: Final = compiled(
    r"\b(?:does|did|is|has) (?:that|this|it|all that|all of that|everything"
    r"|what i(?:'ve)? said) (?:all )?(?:make|made|making) (?:any )?sense\b",
    r"\b(?:like|want|need) me to (?:explain|go over|repeat|run through|say)\b|\bhave i (?:explained|made"
    r"|been)[^.?!]{0,30}(?:clear|clearly|well|sense|properly|enough)\b",
    r"\b(?:is|was) (?:that|this|it|everything|all(?: of)? that) (?:all )?(?:clear|understood)\b"
    r"|\bam i (?:making sense|clear|being clear)\b",
    r"\b(?:do|did|have) you (?:understand|understood|follow(?:ed)?|get|got|grasp(?:ed)?)(?: (?:me|that|this"
    r"|it|all|what|everything|so far)|\W*$|,)(?! from)",
    r"\b(?:are|were) you (?:with me|following(?: me)?\W*$|clear (?:on|about|so far|with))|\bare we clear\b"
    r"|\byou (?:get|understand) (?:me|what i)\b[^.]*\?",
    r"\b(?:is there |was there )?any(?:thing| part| bit)(?: of (?:that|it|this))? (?:that (?:was|is|isn't)"
    r"|(?:is |was )?(?:unclear|not clear|confusing)"
    r"|you(?:'d| would)? (?:like|want) me to (?:go over|repeat|explain|clarify)|you (?:didn'?t|did not"
    r"|don'?t|do not) (?:understand|follow|get|catch))",
    r"\b(?:shall|should|can|do you want me to|would you like me to) (?:i )?(?:go over|explain|repeat"
    r"|run through) (?:any of )?(?:that|it|this|anything)(?: again| once more)?",
    r"\bhow (?:does|do) (?:that|this|it) (?:sound|sit with you|seem)\b",
    r"\bwhat (?:have you|did you|do you) (?:understood?|make of (?:that|this|what)|gather|taken? (?:from"
    r"|away|in))\b",
)
"""A question whether what was said is understood; asking to hear it back (`asks_back`) is stronger."""

_CLOSES: Final = compiled(
    r"\b(?:any|do you have|have you got|are there|got) (?:any |other |more |further |some |concerns? or "
    r"|worries or )*(?:questions?|queries|doubts?)\b(?! (?:i|we) (?:can|could|asked))",
    r"\banything (?:else )?(?:at all )?(?:that )?(?:you(?:'d| would|'re)? (?:like|want|wish|wanted"
    r"|wanting)?(?: me)? ?(?:to )?)?(?:ask|add|mention|discuss|raise|know)(?! me about)\b",
    r"\b(?:is|was) there (?:anything|something) else\b",
    r"\bbefore (?:we finish|we stop|you go|i go|we end|i leave|you leave|we wrap up)\b(?! (?:over|on"
    r"|through|into|ahead|to (?:bed|sleep)))",
    r"\b(?:good)?bye\b|\btake care\b(?! of (?:your|him|her|the))|\bthank(?:s| you)(?: so much"
    r"| very much)? for (?:coming|your time|talking|seeing|speaking|answering|your patience|chatting)\b",
    r"(?<!to )(?<!you )\bsee you (?:soon|again|next|in|then|tomorrow|later|back|on)\b(?! (?:the|a) (?:photo"
    r"|picture))",
    r"(?<!pain )(?<!it )(?<!does that )(?<!symptoms )(?<!this )\bcome (?:straight |right "
    r"|on )?back (?:here )?(?:if|at once|when|to (?:us|me|the)|straight|immediately|any ?time)\b",
    r"\b(?:if|should) (?:anything|it|things?|you|the pain|this)(?: \w+){0,5} (?:worse|worsens?|new|changes?"
    r"|faint|unwell|worry|worries|comes? back|returns?)[^.?!]{0,60}\b(?:come|call|ring|phone|return"
    r"|go (?:straight |right )?(?:to|back)|head|999|911|112|emergency|a&e|hospital|tell|let)\b",
    r"\b(?:the|our|my) plan(?::| (?:is|now|will|from here)\b)|\bnext steps?\b|\bwhat happens (?:next|now)\b"
    r"|\bwhat(?:'s| is| will) (?:going to )?happen next\b",
    r"\bwhat (?:we|i)(?:'ll| will|'re going to| are going to|'m going to| am going to) do (?:now|next|is"
    r"|from here)\b",
    r"\b(?:i(?:'ll| will|'m going to)|we(?:'ll| will|'re going to)|let me)(?: just"
    r"| now)? (?:go and )?(?:speak to|talk to|discuss (?:this |it )?with|get|fetch|come back|be back"
    r"|let you rest|leave you)\b"
    r"[^.?!]{0,60}\b(?:senior|consultant|team|surgeons?|registrar|boss|colleagues?|back|shortly|soon|to you"
    r"|rest|results?|minute)\b",
    r"\b(?:nice|lovely|good|great|pleasure) (?:to meet|meeting|talking|speaking|to have met)(?: (?:to"
    r"|with))? you\b.*(?:bye|care|soon|thank)",
    r"\bthat(?:'s| is) (?:all|everything)(?: (?:from me|i need|for now|for today|i wanted))\b|\b(?:we(?:'re"
    r"| are)|i(?:'m| am)) (?:all )?(?:done|finished)(?: for (?:now|today))?\b(?! with your)",
    r"\b(?:all the best|get well soon|wish you well|safe journey|go well|god bless|stay well|have a (?:good"
    r"|nice|lovely) (?:day|evening|night|one))\b",
)


def checks_understanding(turn: str) -> bool:
    """Whether the turn asks if what was said is understood, or asks to hear it back."""
    return asks_back(turn) or _CHECKS.search(folded(turn)) is not None


def acknowledges(turn: str) -> bool:
    """Whether a turn acknowledges a feeling."""
    return _ACKNOWLEDGES.search(folded(turn)) is not None


def summarises(turn: str) -> bool:
    """Whether the doctor summarizes what the patient told."""
    return _SUMMARISES.search(folded(turn)) is not None


def asks_back(turn: str) -> bool:
    """Whether the turn asks for teach-back: the plan in the patient's own words, not "do you understand?"."""
    return _TEACH_BACK.search(folded(turn)) is not None


def introduces(turn: str) -> bool:
    """Whether the doctor says who they are: by name, by role, or both."""
    return any(_says_who(sentence) for sentence in sentences(turn[:_READ]))


def _says_who(sentence: str) -> bool:
    low = folded(sentence)
    if _ASKED_OF_OTHERS.match(low) or _OF_OTHERS.search(low):
        return False
    return gives_name(sentence) or _INTRODUCES.search(low) is not None


def closes(turn: str) -> bool:
    """Whether the turn closes the encounter: invites questions, says what is next or when to come back."""
    return _CLOSES.search(folded(turn)) is not None
