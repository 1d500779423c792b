"""The facts of an actor's brief: what they say, on which topic, and when.

A label ("PMH:", "Onset |") or the words themselves give the topic; "only if asked", "in private" and the like
give the condition. Directions ("Be anxious", "Fall silent") are no facts: they go to how the patient feels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from osler.authoring.stations.first_person import in_own_words, second_person
from osler.authoring.stations.lines import Place, SourceLine
from osler.cases.importers.sentences import is_negative
from osler.knowledge.vocabulary import Told, Topic
from osler.text.findings_in_text import mentions
from osler.text.topics import topic_of_statement, topics_of_question

_SPLIT: Final = re.compile(r"(?<=[.!?])[\"”']?\s+(?=[A-Z\"“'(])")
_QUOTED: Final = re.compile(r"[\"“]([^\"”]{2,600})[\"”]|(?<![\w])[‘']([^’']{12,600}[.!?])[’'](?!\w)")
_LABEL: Final = re.compile(r"^([^:.?!\"“]{2,60}?)\s*(?::|\s[–—-])\s+(\S.*)$", re.DOTALL)

_TOPICS: Final[tuple[tuple[str, Topic | None], ...]] = (
    (r"(?:opening|presenting|initial|first|starting) (?:line|statement|words|sentence|remarks?|complaints?|problem)s?|(?:chief|main|presenting) (?:complaint|concern|problem)s?|pc|cc|p/?c|c/?c|complaints?|reason for (?:visit|attendance)", "complaint"),
    (r"(?:hpc|hopc|hopi|hpi|history of (?:the )?present(?:ing)? (?:complaints?|illness|problem)|present(?:ing)? (?:complaint )?history|history|symptoms?|story|further details)", None),
    (r"(?:onset|duration|timing|time course|course|when|frequency|progression|started?|previous episodes?|temporal.*)", "course"),
    (r"(?:site|location|where|character(?: of .*)?|quality|nature(?: of .*)?|radiation|radiates.*|severity|intensity|scale|pain score|description)", "character"),
    (r"(?:exacerbating|aggravating|relieving|alleviating|worsening|precipitating|palliating|provoking)(?: ?(?:/|and|&) ?\w+)*(?: factors?)?|triggers?|(?:worse|better)(?: with)?", "modifiers"),
    (r"associated(?: symptoms?| features?)?|other symptoms?|accompanying.*|red flags?|pertinent (?:positives?|negatives?)", "associated"),
    (r"(?:review of systems?|systems? (?:review|enquiry)|systemic.*|ros)", "systems"),
    (r"(?:pmh|pmhx|pmx|p/?m/?h|(?:past|previous|relevant)?(?: past)? ?(?:medical|illness|psychiatric) ?(?:history|hx|problems?|conditions?)?|past (?:history|hx)|background|comorbidit(?:y|ies)|ph|hospitali[sz]ations?)", "past_medical"),
    (r"(?:psh|pshx|(?:past |previous )?surg(?:ical|ery|eries)(?: (?:history|hx))?|operations?)", "past_surgical"),
    (r"(?:dh|dhx|drug (?:history|hx)|(?:current |regular |home )?(?:medications?|medicines?|meds|drugs?|tablets)(?: history)?|treatment history|otc.*)", "medications"),
    (r"(?:(?:drug )?allerg(?:y|ies)(?: status| history)?|nkda)", "allergies"),
    (r"(?:fh|fhx|fam(?:ily)?\.? ?(?:history|hx)?)", "family"),
    (r"(?:smok(?:ing|er|es)(?: history| status)?|tobacco|cigarettes?|vaping)", "tobacco"),
    (r"(?:alcohol(?: intake| history| use)?|drinking|etoh)", "alcohol"),
    (r"(?:recreational|illicit|street|illegal)(?: drugs?)?(?: use)?|substance(?: use| misuse)?|drug use", "drugs"),
    (r"(?:occupation(?:al)?(?: history)?|job|work|employment|profession)", "occupation"),
    (r"(?:home(?: circumstances| situation)?|living (?:situation|arrangements|conditions)|lives? with|accommodation|marital status|support|function(?:al)?.*|adls?|mobility)", "home"),
    (r"(?:sh|shx|soc(?:ial)?\.? ?(?:history|hx)?|personal history|lifestyle)", None),
    (r"(?:travel(?: history)?)", "travel"),
    (r"(?:contacts?|exposures?|contact history|sick contacts|pets|animals)", "exposure"),
    (r"(?:sexual(?: history| activity)?|sex)", "sexual"),
    (r"(?:lmp|(?:last )?(?:menstrual|period)s?(?: period| history)?|menses|menstruation|obs(?:tetric)?.*|gyna?ecolog\w*.*|ob ?/?gyn.*|pregnan\w*.*|contracept\w*.*|gravid\w*.*|g\d ?p\d.*|cervical.*|smears?)", "gynaecological"),
    (r"(?:birth(?: history)?|antenatal.*|perinatal.*|neonatal.*|development(?:al)?(?: history| milestones)?|milestones|feeding(?: history)?|growth)", "birth"),
    (r"(?:immuni[sz]ations?(?: history| status)?|vaccin\w+(?: history| status)?)", "immunization"),
    (r"(?:diet(?:ary)?(?: history)?|exercise|appetite|weight|fluids?|intake|eating)", "diet"),
    (r"(?:mood|sleep|mental (?:state|health)|psych\w*.*)", "mood"),
    (r"(?:ideas?|beliefs?|understanding|what (?:you|he|she|they) thinks?)", "ideas"),
    (r"(?:concerns?|worr(?:y|ies)|fears?|anxieties|hidden agenda|challenging questions?|questions?(?: to ask| for the (?:candidate|doctor|student))?|prompts?)", "concerns"),
    (r"(?:expectations?|hopes?|wishes|requests?)", "expectations"),
    (r"(?:ice|i\.c\.e\.?|ideas,? concerns,?(?: and)? expectations)", None),
    (r"(?:name|age|dob|date of birth|sex|gender|patient'?s? name|demographics|identity|ethnicity|religion)", "identity"),
)  # fmt: skip
_MANNER_LABEL: Final = re.compile(
    r"(?:(?:your |patient |actor )?(?:demeanou?r|behaviou?r|affect|emotional (?:state|tone)|emotions?|manner(?:isms)?|how to (?:act|play|behave).*|"
    r"appearance|dress|clothing|costume|body language|posture|personality|attitude|portrayal|acting (?:notes|tips)|tone|starting position|presentation))",
    re.IGNORECASE,
)
_DIRECTION: Final = re.compile(
    r"^(?:please |then |at first |initially,? |when (?:you are |the (?:candidate|doctor|student) )[^,]{2,60}, |if (?:the|you|they|he|she)[^,:]{2,80}, )?"
    r"(?:be|act|appear|look|sit|lie|stand|speak|talk|start|begin|try|remain|stay|become|do not|don'?t|never|allow|answer|respond|reply|give|let|keep|cry|"
    r"hold|wait|pause|avoid|fall|show|hesitate|calm|relax|grimace|wince|cough|breathe|clutch|rub|smile|nod|insist|interrupt|repeat|refuse|"
    r"volunteer|offer|pretend|maintain|make|only|if|when|wear|ask|point|simulate)\b",
    re.IGNORECASE,
)
_STATE_OF_MIND: Final = re.compile(
    r"^(?:you|he|she|they|the patient|(?:mr|mrs|ms|miss)\.? \w+)(?: are|'re| is| feels?| seems?| appears?| looks?| become| becomes)\s+(?:(?:very|quite|a (?:bit|little)|rather|"
    r"extremely|really|increasingly|visibly|clearly|generally|also|now) )*(?:anxious|worried|upset|angry|frightened|scared|calm|tearful|sad|irritable|"
    r"impatient|quiet|withdrawn|guarded|reluctant|embarrassed|cooperative|co-operative|friendly|polite|exhausted|distressed|nervous|"
    r"agitated|confused|breathless|in (?:severe |a lot of |obvious |great )?pain|uncomfortable|tense|irritated|fed up|cross|frustrated|bored|suspicious|in a hurry|tense|shy|chatty|talkative|shocked|annoyed|hostile|pleasant|"
    r"unwell|pale|sweaty)\b(?:(?!\b(?:that|about|of|because)\b).)*$"
    r"|^you can (?:only )?speak\b|^you (?:speak|talk|answer|sit|lie)\b",
    re.IGNORECASE,
)  # fmt: skip
_IF_ASKED: Final = re.compile(
    r"^(?:only )?(?:if|when) (?:the (?:candidate|doctor|student|examinee) )?(?:(?:directly |specifically |explicitly )?(?:asks?|asked|enquires?|inquires?|questioned|you are asked|prompted|probed))"
    r"(?: (?:directly|specifically|explicitly|further))*"
    r"(?:\s+(?:you\s+)?(?:about|whether|if|on|regarding|for|of|what|how|why)?\s*([^,:–—]{2,80}))?\s*(?:[,:–—]|\bthen\b)\s*"
    r"(?:(?:say|tell (?:them|him|her|the \w+)|reply|answer|admit|explain|mention|reveal|state)(?: that)?\s*[:,]?\s*)?",
    re.IGNORECASE,
)
_AFTER_ASKED: Final = re.compile(
    r"\s*[,(–-]?\s*(?:but )?(?:only )?(?:mention|reveal|disclose|tell|say|volunteer|admit|share|give)?\s*(?:this|it|that|these)?\s*(?:only )?(?:if|when|unless|until)\s+"
    r"(?:you are )?(?:directly |specifically |explicitly )?asked\b(?: (?:directly|specifically|explicitly|about [^.)]{2,60}))?\)?\s*\.?\s*$",
    re.IGNORECASE,
)
_GATES: Final[tuple[tuple[Told, re.Pattern[str]], ...]] = (
    ("confidential", re.compile(r"\b(?:confidential(?:ity)?|(?:nobody|no one) else will (?:know|be told)|kept secret)\b", re.IGNORECASE)),
    ("in_private", re.compile(r"\b(?:in private|privately|alone with|(?:if|when|once) (?:you are |seen |left )?alone|(?:has|have) left the room|leaves the room|(?:not|never) in front of|without (?:your|his|her) (?:mother|father|parents?|husband|wife|partner|mum|dad)(?: (?:present|there|in the room))?)\b", re.IGNORECASE)),
    ("normalized", re.compile(r"\b(?:sensitiv(?:e|ely)|non-?judge?ment\w*|without judging|normali[sz]\w*|tactful(?:ly)?|empath\w+|gentl[ey]|gains? your trust|trust(?:s|ed)? (?:the|him|her)|builds? rapport|put(?:s)? (?:you )?at ease)\b", re.IGNORECASE)),
)  # fmt: skip
_CONDITION: Final = re.compile(r"\b(?:if|when|unless|until|once|only|do not|don'?t)\b", re.IGNORECASE)
_VOLUNTEERED: Final = re.compile(
    r"\b(?:volunteer(?:ed|s)?|offer(?:ed)? freely|freely (?:given|offered|available)|without being asked|unprompted|spontaneously)\b",
    re.IGNORECASE,
)
_WITHHELD: Final = re.compile(r"\b(?:do not|don'?t|not to|never|not) (?:be )?volunteer", re.IGNORECASE)
_SELF: Final = re.compile(
    r"^(?i:you are|you're|you play|you will (?:be playing|play)|your name is|this is|name:?)\s+"
    r"(?:the (?:role|part) of )?(?:a )?(?P<name>(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr)\.? )?[A-Z][\w'’-]+(?: (?!(?:The|A|An)\b)[A-Z][\w'’-]+){0,3})",
)
_SAYS: Final = re.compile(
    r"^(?:you )?(?:say|ask|tell (?:the )?\w+|begin|state|reply|start by saying)\b[^\"“]{0,60}[\"“]",
    re.IGNORECASE,
)


_OF_LAST: Final = re.compile(
    r"^(?:please )?(?:only |do not |don'?t |never )?(?:mention|reveal|disclose|tell|say|volunteer|admit|share|give|talk about)\s+(?:\w+ )?(?:this|it|that|these|them)\b",
    re.IGNORECASE,
)
"""A direction about the fact before it: "Mention it only if asked"."""
_PLAIN_TOPICS: Final[tuple[tuple[Topic, re.Pattern[str]], ...]] = (
    ("ideas", re.compile(r"^(?:i|he|she) (?:think|thinks|believe|believes|suspect|suspects|assume|know|knows) (?:that )?(?:it|this|i|you|he|she|the|my)\b|^my own idea", re.IGNORECASE)),
    ("expectations", re.compile(r"^(?:i|he|she)(?:'d| would)? (?:want|wants|hope|hopes|expect|expects|like to|wish)\b(?! (?:it|this) (?:is|isn't))", re.IGNORECASE)),
    ("concerns", re.compile(r"^(?:i|he|she)(?:'m| am| is)? (?:very |really |most |also |a bit |particularly )*(?:worr(?:y|ied|ies)|afraid|scared|frightened|fears?|anxious|concerned) (?:that|about|of|it|i|he|she|because)", re.IGNORECASE)),
    ("past_medical", re.compile(r"\b(?:in (?:intensive care|hospital)|admitted|hospitali[sz]ed)\b.*\b(?:ago|last year|once|before|in \d{4}|as a child)\b", re.IGNORECASE)),
    ("medications", re.compile(r"\b(?:put|started|start) (?:me|him|her|us) on\b|\bprescribed (?:me|him|her|us)\b|^(?:(?:i|he|she) (?:am|are|is|was|were|have|has|had|ran|run|take|takes|use|uses|used|stopped|forgot|miss|missed)\b.{0,20})?\b(?:inhalers?|tablets?|pills?|medicines?|medication|insulin|prescription)\b", re.IGNORECASE)),
    ("character", re.compile(r"^(?:it|the (?:\w+ )?pain|the (?:ache|tightness|burning|headache|discomfort))(?:'s| is| feels| was| felt)? (?:in|on|at|over|across|all over|around|behind|under|below|above|goes|going|spreads?|radiates?|moves?|shoots?|like|sharp|dull|crushing|tight|heavy|burning|stabbing|throbbing|constant|cramping|aching|(?:about )?\d+ ?(?:/|out of) ?10)\b", re.IGNORECASE)),
    ("modifiers", re.compile(r"^(?:it|the (?:\w+ )?pain|nothing)(?:'s| is| gets| was)? (?:(?:much|a (?:bit|little)) )?(?:worse|better|eases?|eased|relieved|brought on|makes? it|helps?|worsens?|worsened)\b", re.IGNORECASE)),
    ("course", re.compile(r"^(?:it|this|the (?:\w+ )?(?:pain|rash|fever|cough|headache|bleeding|problem|trouble)|they)(?: all)? (?:started|began|came on|has been|have been|comes|happened|lasts?|lasted)\b", re.IGNORECASE)),
)  # fmt: skip
"""Topics of plain sentences of a brief, tried before the recognizer of questions."""


class Fact(NamedTuple):
    """A fact of the brief. `sure` is whether its topic is told by a label or by words of its own."""

    text: str
    spoken: str | None
    topic: Topic
    told: Told
    absent: bool
    sure: bool
    place: Place


class Brief(NamedTuple):
    """The facts, the directions to the actor, and the conditions that no rule could read."""

    facts: tuple[Fact, ...]
    directions: tuple[SourceLine, ...]
    unread: tuple[SourceLine, ...]


class _Context(NamedTuple):
    """The topic of a sentence by the headings and labels above it; `label` is that of its own line."""

    topic: Topic | None
    told: Told
    labelled: bool
    manner: bool = False
    label: str = ""


def brief(lines: Sequence[SourceLine]) -> Brief:
    """The facts and directions of the lines of an actor's brief, in order. Pure."""
    facts: list[Fact] = []
    directions: list[SourceLine] = []
    unread: list[SourceLine] = []
    for line in lines:
        if line.kind == "row" and _head_row(line):
            continue
        context, text = _context(line)
        for piece in _pieces(text, context):
            one = line._replace(text=piece)
            if _OF_LAST.match(piece) and facts and facts[-1].place == line.place:
                facts[-1] = facts[-1]._replace(told=_gate(piece) or "asked")
                directions.append(one)
                continue
            fact = None if context.manner else _fact(one, context)
            if context.manner or (fact is None and _is_direction(piece)):
                directions.append(one)
            elif fact is None:
                unread.append(one)
            else:
                facts.append(fact)
    return Brief(tuple(_once(facts)), tuple(directions), tuple(unread))


def label_topic(text: str) -> tuple[bool, Topic | None]:
    """Whether a label names something that a history has, and the topic, if it has one of its own."""
    low = re.sub(r"\s*\(.*?\)\s*", " ", text.lower()).strip(" *:-")
    for pattern, topic in _TOPICS:
        if re.fullmatch(pattern, low):
            return True, topic
    return False, None


def _head_row(line: SourceLine) -> bool:
    low = [cell.lower().strip(" :") for cell in line.cells if cell]
    heads = (
        "topic",
        "question",
        "what to say",
        "response",
        "answer",
        "if asked",
        "details",
        "detail",
        "item",
        "domain",
        "prompt",
        "category",
        "information",
        "script",
        "reply",
        "history",
    )
    return len(low) > 1 and all(
        cell in heads or re.fullmatch(r"(?:sp|patient|actor)'?s? (?:response|answer|reply)s?", cell)
        for cell in low
    )


def _context(line: SourceLine) -> tuple[_Context, str]:
    """The context of a line by its headings and its label, and its text without the label."""
    above = _of_heading(line.under) if line.under else _Context(None, "asked", False)
    label, rest = _labelled(line)
    context = _of_label(label, above, row=line.kind == "row") if label else None
    return (context, rest) if context is not None else (above, line.text)


def _of_heading(under: str) -> _Context:
    known, topic = label_topic(under)
    volunteered = _VOLUNTEERED.search(under) and not _WITHHELD.search(under)
    gate: Told = _gate(under) or ("volunteered" if volunteered else "asked")
    return _Context(topic, gate, known and topic is not None, bool(_MANNER_LABEL.fullmatch(under.strip())))


def _labelled(line: SourceLine) -> tuple[str, str]:
    """The label of a line and what stands after it; no label where it has none."""
    parts = [cell for cell in line.cells if cell]
    if line.kind == "row" and len(parts) > 1:
        return parts[0], "; ".join(parts[1:])
    match = _LABEL.match(line.text)
    return (match[1], match[2]) if match and len(match[1].split()) <= 7 else ("", line.text)


def _of_label(label: str, above: _Context, *, row: bool) -> _Context | None:
    """The context that a label gives; `None` where it is no label, but part of what is said."""
    if (hit := _IF_ASKED.match(f"{label}: x")) and hit.end() >= len(label):
        topics = topics_of_question(f"{hit[1] or ''}?") if hit[1] else ()
        known, named = label_topic(re.sub(r"^(?:your|the|any|his|her) ", "", hit[1] or ""))
        context = named if known else (topics[0] if topics else above.topic)
        return _Context(context, above.told, context is not None, above.manner, hit[1] or "")
    known, named = label_topic(label)
    if known:
        at_once: Told = "volunteered" if named == "complaint" else above.told
        return _Context(named, _gate(label) or at_once, named is not None, label=label)
    if _MANNER_LABEL.fullmatch(label.strip()):
        return _Context(None, above.told, False, True)
    if _VOLUNTEERED.search(label) and not _WITHHELD.search(label):
        return _Context(above.topic, "volunteered", above.labelled)
    topics = topics_of_question(f"{label}?")
    if row or label.endswith("?") or (topics and len(label.split()) <= 4):
        # A question and its answer, or a subject and what is to be said of it.
        context = topics[0] if topics else above.topic
        return _Context(context, above.told, context is not None, label=label)
    return None


def _pieces(text: str, context: _Context) -> Iterator[str]:
    """The sentences of a text; a list of several topics ("Married, smokes ten a day") is taken apart."""
    for sentence in _sentences(text):
        parts = [part.strip() for part in re.split(r"[,;]\s+(?!and\b)", sentence.rstrip("."))]
        topics = {topic_of_statement(part, "other") for part in parts}
        listed = context.label and context.topic is None and not second_person(sentence)
        if listed and len(parts) > 1 and len(topics - {"other"}) > 1 and "other" not in topics:
            yield from parts
        else:
            yield sentence


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text; a quotation stays whole with the words that introduce it."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    at = 0
    for match in _SPLIT.finditer(text):
        if any(first < match.start() < last - 1 for first, last in quoted):
            continue
        if piece := text[at : match.end()].strip():
            yield piece
        at = match.end()
    if piece := text[at:].strip():
        yield piece


def _is_direction(text: str) -> bool:
    return bool(_DIRECTION.match(text) or _STATE_OF_MIND.match(text))


class _Ungated(NamedTuple):
    """A sentence without the condition under which it is told; `asked`: it began with "if asked about"."""

    text: str
    context: _Context
    asked: bool = False


def _fact(line: SourceLine, context: _Context) -> Fact | None:
    """The fact that a sentence tells; `None` for a direction and for a condition that no rule can read."""
    told = _without_condition(line.text, context)
    text = told.text
    if match := _AFTER_ASKED.search(text):
        text = text[: match.start()].strip() or text
    if not text:
        return None
    if fact := _quotation(text):
        return _quoted(fact, told.context, line)
    as_written = text is line.text and not told.asked
    if _is_direction(text) or (as_written and _CONDITION.match(text)):
        return None
    return _stated(text, told.context, line)


def _without_condition(text: str, context: _Context) -> _Ungated:
    """A sentence without the condition that it is told under, and that condition in its context."""
    if match := _IF_ASKED.match(text):
        about = re.sub(
            r"^(?:your|the|any|his|her|you have|there is|he has|she has) ",
            "",
            match[1] or "",
            flags=re.IGNORECASE,
        )
        known, named = label_topic(about)
        topics = topics_of_question(f"{about}?") if about else ()
        result = named if known else (topics[0] if topics else None)
        context = context._replace(told=_gate(match[0]) or context.told, label="")
        if result is not None:
            context = context._replace(topic=result, labelled=True, label=about)
        return _Ungated(text[match.end() :].strip(), context, asked=True)
    if _CONDITION.search(text) and (gate := _gate(text)):
        # Without text the condition stands among the words: the author must take them apart.
        return _Ungated(_ungated(text), context._replace(told=gate))
    return _Ungated(text, context)


def _quotation(text: str) -> str:
    """Return the quotation in a sentence that gives the words to be said, else ""."""
    quote = _QUOTED.search(text)
    if not quote:
        return ""
    saying = r"\b(?:say|ask|tell|reply|answer)s?\b[^\"“]{0,60}$"
    whole = _SAYS.match(text) or len(quote[0]) > 0.5 * len(text)
    if whole or re.search(saying, text[: quote.start()], re.IGNORECASE):
        return (quote[1] or quote[2]).strip()
    return ""


def _quoted(said: str, context: _Context, line: SourceLine) -> Fact:
    asks = said.endswith("?")
    result = context.topic or ("concerns" if asks else topic_of_statement(said, "other"))
    sure = context.labelled or context.topic is not None
    return Fact(said, said, result, context.told, is_negative(said), sure, line.place)


def _stated(text: str, context: _Context, line: SourceLine) -> Fact:
    own = in_own_words(text) if second_person(text) else None
    shown = _sentence(own or text)
    result, by_words = _topic(shown, context.topic)
    absent = is_negative(shown)
    if context.label and (len(shown.split()) < _SHORT or not _OF_SOMEONE.search(shown)):
        # "8/10" says what it is only with its label, and is said without it.
        labelled = f"{context.label[:1].upper()}{context.label[1:]}: {shown}"
        return Fact(labelled, shown, result, context.told, absent, by_words, line.place)
    if _SELF.match(text):
        return Fact(shown, shown, "identity", "asked", False, True, line.place)
    sure = context.labelled or by_words
    return Fact(shown, shown if own else None, result, context.told, absent, sure, line.place)


def _topic(text: str, hint: Topic | None) -> tuple[Topic, bool]:
    if hint is not None:
        return hint, True
    for topic, pattern in _PLAIN_TOPICS:
        if pattern.search(text):
            return topic, True
    result = topic_of_statement(text, "other")
    if result != "other":
        return result, True
    return ("associated", True) if mentions(text) else ("other", False)


def _gate(text: str) -> Told | None:
    """The condition under which something is told, if words of it occur."""
    return next((told for told, pattern in _GATES if pattern.search(text)), None)


def _ungated(text: str) -> str:
    """A fact without the clause that says when it is told, where the clause stands at its beginning or end."""
    head = re.match(
        r"^(?:only )?(?:if|when|once)\b[^,:]{3,120}[,:]\s*(?:(?:say|tell \w+(?: \w+)?|admit|reveal|disclose|mention|explain)(?: that)?\s*:?\s*)?",
        text,
        re.IGNORECASE,
    )
    if head and head.end() < len(text):
        return text[head.end() :]
    tail = re.search(
        r"\s*[,;(–-]\s*(?:but |which |and )?(?:you )?(?:will |should )?(?:only )?(?:mention|reveal|disclose|tell|say|admit|share)?\s*(?:this|it|that|so)?\s*"
        r"(?:only )?(?:if|when|once|unless|until)\b[^.]{3,120}\.?$",
        text,
        re.IGNORECASE,
    )
    return text[: tail.start()] if tail and tail.start() > 10 else ""


def _sentence(text: str) -> str:
    text = text.strip(" ;,–-")
    shown = text[:1].upper() + text[1:]
    return shown if shown.endswith((".", "!", "?", '"', "”")) else f"{shown}."


_SHORT: Final = 5
_OF_SOMEONE: Final = re.compile(r"\b(?:i|he|she|we|they|it|there|my|his|her|me)\b", re.IGNORECASE)


def _once(facts: Iterable[Fact]) -> Iterator[Fact]:
    seen: set[str] = set()
    for fact in facts:
        key = " ".join(re.findall(r"\w+", fact.text.lower()))
        if key and key not in seen:
            seen.add(key)
            yield fact
