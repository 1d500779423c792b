"""Dialogue acts of a doctor's turn, told by its wording, and the patient's emotional cues that it meets."""

from __future__ import annotations

import re
from typing import Final

from osler.text.tokens import any_of, compiled, folded

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
    r"\b(?:not|no|never|nothing|without|hardly|nor|(?:is|was|are|do|did|does|have|has)n't)\b(?:\s+\w+){0,2}\s*$"
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
    r"awful|horrible|terrible|angry|lonely|alone|embarrass\w+|ashamed|hopeless|concern\w*|exhaust\w+",
    r"miserable|a lot (?:for|to)",
)

_BEGINS: Final = r"(?:^|[,.;:!?–-]\s*|\b(?:and|but|so|oh|well|yes) )"

_ACKNOWLEDGES: Final = compiled(
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
    r"\b(?:let me|let's|i(?:'ll| will)|(?:can|could|may) i|i(?:'d| would) like to|just to"
    r"|i(?:'m| am) going to) (?:just |quickly |briefly |try to )*"
    r"(?:summari[sz]e|recap|sum (?:\w+ )?up|repeat back|go over what you"
    r"|run through what you|check (?:that )?i(?:'ve| have) (?:got|understood|heard))",
    r"\bin summary\b",
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
    r"\b(?:check|make sure|be sure|see if|know if) (?:that )?i(?:'ve| have)? (?:explained|made|put"
    r"|been clear)",
    r"\bwhat (?:have you|you have|you've|do you) (?:understood|taken (?:away|from)"
    r"|understand (?:of|from|by) (?:what|the plan))",
)

_INTRODUCES: Final = compiled(
    r"\bmy name(?:'s| is)\b",
    r"\bi(?:'m| am) (?:dr\b|doctor\b|one of the|your doctor)",
    r"\bi(?:'m| am) the (?:doctor|gp|registrar|resident|physician|consultant|on-call)",
    r"\bi(?:'m| am) a (?:(?:\w+ )?(?:student|doctor)|gp|registrar|resident|physician)",
    r"\bthis is (?:dr|doctor)\b",
    r"\bdr\.? \w+ (?:here|speaking)\b",
)

_CLOSES: Final = compiled(
    r"\bany (?:other |more |further )?questions\b",
    r"\banything (?:else )?(?:that )?(?:you(?:'d| would) like to )?(?:ask|add)\b",
    r"\bis there anything else\b",
    r"\bbefore (?:we finish|you go|i go|we end)\b(?! (?:over|on|through|into|ahead))",
    r"\b(?:good)?bye\b|\btake care\b|\bthank you for (?:coming|your time|talking)\b",
    r"(?<!to )\bsee you (?:soon|again|next|in|then|tomorrow)\b",
    r"\bcome (?:straight |right )?back (?:if|at once|when|to)\b",
    r"\b(?:the|our) plan (?:is|now|will)\b|\bnext steps?\b|\bwhat happens next\b",
    r"\bwhat (?:we|i)(?:'ll| will) do (?:now|next|is)\b",
)


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
    """Whether the doctor introduces themselves."""
    return _INTRODUCES.search(folded(turn)) is not None


def closes(turn: str) -> bool:
    """Whether the turn closes the encounter: invites questions, says what is next or when to come back."""
    return _CLOSES.search(folded(turn)) is not None
