"""Answers that are none: what a model says instead of speaking in its role, in any seat.

A refusal is the assistant's own: "I can't help with that". A patient who can't lift an arm or would rather
not say refuses within the role. Out of the role are an assistant that speaks of itself, control words and
template tokens, the form inside the form, thought about playing, and lines of the other side.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from osler.text.other_part import taken_by_clinician, taken_by_patient, written_out
from osler.text.tokens import any_of, sentences

Part = Literal["patient", "companion", "clinician", "other", "nobody"]
"""The part that is spoken in: `clinician` is whoever sees the patient; `nobody` is no part at all, where any
inability to answer is a refusal."""
_LOOKED_AT: Final = 4000
_BEGINNING: Final = 400
_BOLD: Final = re.compile(r"\*\*[^*\n]+\*\*")


class Fault(NamedTuple):
    """The fault of an answer: its cause, and what is wrong in a few words."""

    cause: Literal["refused", "out_of_role"]
    what: str


REFUSES: Final = Fault("refused", "this is a refusal and no answer")
_ASSISTANT: Final = Fault("out_of_role", "this speaks of a language model, not in the role")
_CONTROL: Final = Fault("out_of_role", "this holds a control word or a template token")
_FORM: Final = Fault("out_of_role", "this holds a form inside the form; give only the words that are spoken")
_THOUGHT: Final = Fault("out_of_role", "this speaks about the role, its facts or its prompt")
_BOTH: Final = Fault("out_of_role", "this speaks for the other side as well")
_OTHER_PART: Final = Fault("out_of_role", "this takes the other side's part")

# A refusal: an assistant that will not, and what it will not do. The acts are an assistant's alone.
_WILL_NOT: Final = re.compile(
    any_of(
        r"\b(?:not|never|unable|refus\w+|declin\w+|refrain|prohibited|forbidden|impossible|unfortunately|regret\w*|against|beyond|outside|prevents?"
        r"|breach\w*|violat\w+|conflicts?|cannot|inappropriate)\b",
        r"\b(?:pass on|step away|steer clear|stop here|end (?:this|the|our)|rather)\b",
    )
)
_I_WILL_NOT: Final = re.compile(
    r"\b(?:i|this|that|it)\b (?:\w+ ){0,4}?(?:not|never|unable|refuse|decline|refrain|prohibited|forbidden|against|outside|beyond)\b|^\W*(?:unable|sorry|apologies)\b"
)
_MEDICAL: Final = r"(?:medical|health|healthcare|health care|clinical|diagnostic|medicine)"
_ASKED_FOR: Final = any_of(
    r"(?:requests?|prompts?|quer(?:y|ies)|tasks?|role-?(?: ?play\w*)|simulat\w+|scenarios?|dialogue|impersonat\w+|(?:\w+ )?polic(?:y|ies)"
    r"|guidelines|patient information|programming|instructed|remit|scope|capabilit(?:y|ies))\b(?! (?:at|for) (?:work|home|the|my))",
    rf"{_MEDICAL}(?:-related)? (?:\w+ )?(?:advice|opinions?|information|guidance|recommendations?|assistance|questions?|quer(?:y|ies)|topics?"
    r"|matters?|subjects?|consultations?|services?)",
    r"(?:generat|creat|produc)\w+ (?:\w+ ){0,3}?(?:content|response|text|answer|material)",
    r"(?:conversation|topic|subject|question|request|task|not something|not one) (?:that )?(?:i|we) (?:can|could|am|will|do)\b"
    r"|something (?:that )?i (?:can not|am not|am unable|will not)\b|what i (?:can|am able to) (?:help|do|offer|provide)\b",
)
# A clinician may well not treat; a patient never says so.
_TREATMENT: Final = any_of(
    rf"(?:discuss\w*|talk\w* about|advis\w+ on|diagnos\w+|treat\w*|about|on|regarding) (?:\w+ ){{0,3}}?{_MEDICAL} (?:conditions?|issues?|concerns?)",
    rf"(?:questions?|advice|opinions?) (?:of a|about|on|related to|regarding) {_MEDICAL}",
    r"(?:provide|provid\w+|offer\w*|giv\w+|make|recommend\w*) (?:you )?(?:with )?(?:any |a |an |specific |you )*(?:\w+ )?(?:diagnos\w+"
    r"|treatments?\b|medical|such information|that information|personali[sz]ed)",
    r"diagnos\w+ (?:or|and|conditions?|illness\w*|disease\w*|medical|health)",
    r"(?:play\w*|act\w*|pos\w+|pretend\w*|speak\w*|respond\w*|answer\w*|fulfil\w*|tak\w+ on|portray\w*)(?: to be| as| like| the (?:role|part|character)"
    r"(?: of)?| a (?:role|part|character))* (?:a |an |the |someone|somebody|ill|sick)\b.{0,20}?(?:patient|ill|sick|person|character|role|part)\b",
)
_REQUESTED: Final = re.compile(rf"\b{_ASKED_FOR}")
_UNTREATED: Final = re.compile(rf"\b{_TREATMENT}")
# What only an assistant fails to do with "that", of which a person would say what it is.
_DECLINES_THAT: Final = re.compile(
    r"\b(?:i|we|this|that)\b(?: \w+){0,3}? (?:not|unable|refuse|decline)\b(?: \w+){0,4}? (?:"
    + any_of(
        r"(?:assist|help)(?:ing)?(?: you)?(?: (?:with|on|in))? (?:this|that|your|any|these|those|such)\b(?! time)",
        r"assist(?:ing)?(?: you)?\b|(?:comply|accommodate)\b",
        r"help you(?: (?:with|further|here|today))?\s*(?:$|[.!,;])",
        r"(?:engag\w+|proceed\w*|participat\w+|tak\w+ part|go along|advis\w+|comment\w*) (?:with|on|in) (?:this|that|these|those|such|any)\b"
        r"(?! (?:trial|study|treatment|programme|program|class))",
        r"(?:continu\w+|proceed|go on with|be part of|have|carry on) (?:with )?(?:this|the|our|that) (?:conversation|dialogue|discussion|chat"
        r"|interaction|consultation)",
        r"do (?:what you are asking|as you ask|this one|that for you)|be (?:your|a|the) patient\b|(?:go on |keep )?pretend\w*|act\w* out\b|participat\w+ (?:any )?further"
        r"|(?:continu\w+|tak\w+ on|accept\w*|perform\w*|play\w*) (?:with |in )?(?:the|this|that|such a) (?:role|part|character)"
        r"|(?:respond|reply) to (?:that|this|your)\b|provide (?:you with )?(?:that|this|such)\b"
        r"|get into\b|(?:continue|answer) as (?:a|the)\b",
        r"(?:discuss|talk about|address|answer) (?:any |such )?(?:health|medical|medicine)",
    )
    + r")"
    r"|\bi (?:must|have to|need to|will have to|am going to have to|shall have to) (?:\w+ly )?(?:decline|refuse)(?! (?:the|it|them|my|a)\b)"
    r"|\b(?:must|will have to|going to have to|going to|am) (?:\w+ly )?(?:pass on|decline|declining)(?! (?:the|it|them|my|a|slowly)\b)"
)
_OFFERS_ELSE: Final = re.compile(
    any_of(
        r"\b(?:can|could|may|happy to|glad to|else i can|here to) (?:i |we )?(?:only )?(?:help|assist|offer|provide)\b.{0,40}\b(?:something else"
        r"|anything else|another|general|instead|other (?:topics|questions))\b",
        r"\b(?:something|anything|how) else (?:that )?(?:i|we)? ?(?:can|could|may)(?: i| we)? (?:help|assist)\b",
        r"\b(?:is|are|as|be|constitute) (?:not |never )?(?:a )?(?:medical advice|substitute for (?:professional|medical))"
        r"|\b(?:replace|substitute for) (?:a |an )?(?:professional|medical|qualified)(?: medical)? ?(?:advice|consultation|care|help|diagnosis)?",
        r"\binformational purposes\b|\bprovide (?:general|basic) (?:\w+ )?(?:information|guidance|tips|advice)\b",
        r"\byour local emergency (?:number|services)\b|\bif (?:you are|this is|you have) (?:\w+ )?(?:a |an )?(?:medical )?emergency\b",
    )
)
_PROFESSIONAL: Final = (
    r"(?:(?:a|an|your|the|any|another|some)(?: (?:qualified|licensed|trained|registered|certified|real|local|own|medical|health|healthcare"
    r"|appropriate|primary|gp or))*"
    r" )?(?:(?:health ?-?care|medical|health|care|qualified|licensed) (?:professional|provider|practitioner|expert|worker|team)s?"
    r"|professionals?(?= |[.,!]|$)|(?:real|qualified|licensed|trained|medical) (?:clinician|doctor|physician)|doctor or (?:other |another |pharmacist)(?:\w+ ){0,2}(?:professional|provider)?)"
)
_SEE_SOMEBODY: Final = re.compile(
    rf"\b(?:consult|see|seek|contact|speak|talk|reach out|get in touch|direct|bring|take|raise|turn|visit|go|ask|get|call|discuss|check)\w*(?: \w+){{0,5}}? {_PROFESSIONAL}"
)
_MINE: Final = re.compile(r"\b(?:i|he|she|they|we|my|her|his) (?:\w+ ){0,4}?(?:saw|seen|went|consulted|contacted|called|spoke|asked"
    r"|told|came|come|been|have to|had to|needed?|was|were|should|want(?:ed)? to|tried|get|got|can)\b")  # fmt: skip
# A person who receives, or is somebody else, refuses nothing.
_RECEIVED: Final = re.compile(
    r"\b(?:he|she|they|nobody|people|insurance|(?:my|the|our) (?:\w+ )?(?:doctors?|gp|nurse|surgery|mother|father|wife|husband|sister|brother|boss|pharmacist))"
    r" (?:\w+ly )?(?:will|would|can|could|did|does|do|has|have|had|is|was|were|refused|said|says|told)\b"
    r"|\bi (?:\w+ ){0,4}?(?:got|get (?:any|some|the|an?)|find|afford|receive|follow|understand|remember|heard?|read|use|work|need|seek|asking|asked)\b"
    r"|\bi (?:\w+ ){0,3}?(?:have|had|been diagnosed) (?:\w+ )?(?:any|no|other|some)\b|\b(?:him|her|mother|husband|wife) (?:here|in the room|around)\b"
)
_ANY_INABILITY: Final = re.compile(
    r"\bi (?:can not|will not|am (?:not able|unable))(?: to)?(?: \w+){0,3}? (?:assist|help|provide|offer|give|comply|fulfil\w*|engage|continue"
    r"|participate|play|diagnos\w+|role-?play|simulate|do that|answer)\b"
    r"|\bi am (?:sorry|afraid),?(?: but)?(?: that)? i (?:can not|will not|am (?:not able|unable))|\bi must (?:decline|refuse)\b"
)

# An assistant that speaks of itself: a machine, and "I".
_MACHINE: Final = re.compile(
    r"\b(?:ai|a\.i\.|artificial intelligence|artificial (?:\w+ )?(?:assistant|agent|system|person)|(?:large )?language models?|llms?|chat ?(?:gpt|bots?)"
    r"|(?:i am|as|like|being|talking to|really|merely|run on|a piece of) (?:\w+ ){0,2}?(?:machine|computer|robots?|bots?|software|server|simulation)"
    r"|neural networks?|(?:virtual|digital|simulated|automated|fictional|standardi[sz]ed|text-based|computer) (?:\w+ )?(?:assistant|patient|agent|person|model|being"
    r"|program|system|conversation|consultation|character)s?|a simulation of|text on a screen|algorithms?|programmed"
    r"|generated (?:automatically|by)|training (?:data|set)|knowledge cut-?off|(?:my|by) (?:developers|creators|programming|training)|training (?:does|ended|ends)"
    r"|physical (?:form|body)|openai|anthropic|alibaba|google deepmind|mistral ai|meta ai|made by meta|chatgpt|claude|qwen|llama|gemini|deepseek)\b"
)
_NAMES_MODELS: Final = re.compile(
    r"\b(?:language models?|generative model|llms?|chat ?gpt|i am gpt\S*|ai[- ]generated|openai|i am (?:a |an )?(?:computer )?program)\b|\bas an assistant, i\b"
)
_IS_MODEL: Final = re.compile(
    r"\b(?:i am|as|being) (?:just |only |actually |merely |simply |technically )?(?:an? |your |the )?(?:\w+ ){0,2}?(?:ai|a\.i\.|artificial intelligence"
    r"|language model|llm|chat ?bot|chatgpt|virtual assistant|digital assistant|ai assistant|neural network)\b(?! (?:programmer|engineer|analyst|developer|researcher|scientist|teacher))"
)
_I_AM: Final = re.compile(
    r"\b(?:i am|as|being|like|since i|because i|speaking (?:as|to|with)|talking to|i was (?:\w+ )?(?:created|built|designed|trained|made|developed|programmed)|i exist"
    r"|i run on|i do not (?:have|possess|actually|really)|i have no|i lack|my|me|this is|name is|there is no)\b"
)
_HER_WORK: Final = re.compile(
    r"\b(?:work\w*|jobs?|stud(?:y|ies|ying)|teach\w*|train ai|build|programmer|engineer|analyst|scientist|operator|desk|screen time|machine learning|shop|office"
    r"|use|using|used|sit|sitting|washing|milking|sewing|gym|coffee|ct|mri|x-?ray|breathing|cpap|dialysis|answer(?:ing)?|game|games|phone|laptop|typing)\b"
)
_NO_PERSON: Final = re.compile(
    any_of(
        r"\bi (?:am|was) (?:not|only|never|just) (?:a |an |actually |really |truly )*(?:real |actual |living )?(?:human(?: being)?|patient|person|alive|born)\b(?!.{0,4}\bof\b)"
        r"(?! who| to| in)",
        r"\bi (?:do not|can not|never) (?:actually |really |truly )?(?:exist|have (?:a |any )?(?:personal|human|real body|physical)|feel pain\b|experience pain|experience (?:illness|emotions))",
        r"\b(?:lack|without|no|not have) (?:the ability to feel|(?:a |any )?(?:personal (?:experiences?|health|feelings|medical)|human (?:body|feelings)|real body|feelings or))",
        r"\bi (?:have no|do not have a|have not got a) body\b",
        r"\bi was (?:created|developed|trained|programmed|designed) (?:by|to|on)\b",
        r"\bi (?:only |just )?pretend\w*\b|\b(?:as|only|just) your assistant\b|\bi am (?:only |just )?(?:an assistant|a model)\b(?=[,.;!]| not | and not |$)",
        r"\bthere is no real me\b",
    )
)

# Marks of the machinery: tags, wrapped capitals, tokens of templates, fields and calls.
_MARKS: Final = re.compile(
    r"<\|[^<>|\n]{0,60}\|?>|[<＜][|｜]|<<[A-Z]+>>"
    r"|</?(?:s|bos|eos|pad|think|thinking|tool_call|function|answer|reply|response|user|assistant|system|end|stop|STOP|END"
    r"|\w+(?:[_=]\w+)+)>"
    r"|\[/?(?:INST|SYS|SYSTEM|USER|ASSISTANT|TOOL_CALLS|AVAILABLE_TOOLS|END|STOP|DONE|EO[STD]|BOS|PAD|TERMINATE)(?:[ _][A-Z _]{1,40})?\]"
    r"|\{\{[^{}\n]{1,60}\}\}"
    r"|([^\w\s.?\"'(),])\1+ ?[A-Z][A-Z _-]{2,40}(?:\1{2,})?"  # ###STOP###, $$END$$
    r"|(?m:^\s*#{2,}\s?(?:Instruction|Response|Input|Human|User|Assistant|System|Output)\b)"
    r"|(?m:^\s*/(?:stop|end|exit|quit|reset|done)\b)"
    r"|\b[A-Z]{3,}(?:_[A-Z]{2,})+\b|([#*=~$%@|^])[A-Z]{3,}\2|\[/?s\]"
    r"|(?:^|[.!?\n]\s*)(?:[A-Z]+ )*(?:CONVERSATION|DIALOGUE|ROLEPLAY|SESSION|SIMULATION|TASK)(?: [A-Z]+)*\W*$"
    r"|(?:^|[.!?\n]\s*)(?:TERMINATE|STOP|END|EOS|EXIT|ABORT|COMPLETE|DONE|FINISH)[.!]?\s*$"
)
# In longer texts than a patient's, headings and abbreviations look the same.
_PATIENTS_MARKS: Final = re.compile(
    r"<[^<>\s\d=][^<>\n]{0,80}>|\[/?[A-Z][A-Z_ ]{2,40}\]|\[/?(?:answer|thinking|thought|end|stop|response)\]|(?m:^\s*#{2,}\s?\w+)"
)
_PATIENTS_FIELD: Final = re.compile(
    r"""(?i:^\W{0,4}(?:answer|words|reply|response|output|action|note|move|text|say|speak|question)\W{0,3}[:=]\s)"""
    r"""|\b\w{2,20}\s*=\s*(?:["'\[{]|[A-Z]{3,})|\b[Ff]\d{2}\b|\b[Ff]act f?\d+\b"""
)
_FIELD: Final = re.compile(
    r"""\{\s*["']?\w{1,40}["']?\s*:|["'”]\s*[:,]\s*["'“]?\w{2,40}["']?\s*:|["']\w{2,40}["']\s*:\s*["'\[{]|```"""
    r"""|\b[a-z]{2,20}(?:_[a-z_]{2,30}|[a-z][A-Z]\w{2,20})["']?\s*[:=]|\b[a-z_]{2,20}\(\s*["']"""
)

# Thought about playing: the words of a play, and talk about one's own answer.
_OF_A_PLAY: Final = re.compile(
    any_of(
        r"\b(?:role-?play\w*|persona|prompt(?! care| to|ly)|json|fact list|list of facts|(?:in|of|out of|my|this|the|break|stay|into) character\b(?! (?:for|of))|simulation|scenario|in[- ]role|my facts"
        r"|(?:the|these|those|given|any|no) facts? (?:\w+ ){0,3}?(?:says?|states?|mentions?|mention|given|about|covers?|only|do|does|list|include|provided|above)"
        r"|step by step)\b",
        r"\b(?:what|how|as) (?:\w+ )?(?:would|does|should|the|this)? ?(?:this |the )?patient (?:\w+ )?(?:say|says|know|knows|answer|think|feel|react|respond)\b"
        r"|\bas (?:the |a )?patient\s*[:,]|\bpatient's (?:point of view|perspective|voice|words)\b|\bthe (?:examiner|interviewer|interlocutor|character|role) (?:wants?|asks?|is|expects?|has|says?|would)\b",
        r"\b(?:the|their|this|his|her|doctor's) question (?:is (?:about|whether|asking|on)|asks|concerns|touches)\b|\b(?:to )?answer (?:the|this|that) question\b(?=.*[:.])(?<!not answer the question)(?<!not answer that question)(?<!not answer this question)"
        r"|\banswer in (?:one|two|a|short|plain|simple|the)\b|\b(?:keep|make) (?:it|my answers?|this|the answer) (?:vague|short|brief|natural|realistic|in role)\b|\bplay it \w+",
        r"\bi (?:should|must|need to|will|have to|am going to|want to) (?:sound|appear|seem|act|come across as|show)(?: (?:a bit|very|quite|more|some))? (?:worried|anxious|scared|shy|vague|reluctant|frightened|angry|upset|confused"
        r"|tired|natural|realistic|nervous|hesitant|emotion)\b",
        r"\bi (?:will not|should not|must not|am not (?:going|supposed|meant|allowed) to|can not|do not) (?:\w+ )?(?:disclose|reveal|volunteer|give away|mention|say|tell|know|bring up)\b.{0,50}\b(?:yet|diagnosis|until|unless|facts?|asked)\b",
        r"\b(?:in|on|from|within|outside|beyond|by) (?:my|the|these|those) (?:\w+ )?(?:facts|notes|list|brief|information|profile|background|details)\b.{0,30}\b(?:so|i will|i would|say|answer|deny)\b|\b(?:within|beyond|outside) (?:the|my) facts\b"
        r"|\bmy facts\b|\bthe brief\b|[(*]thinks\b|\bi only (?:tell|say|reveal|mention)\b.{0,20}\bif asked\b|\bmy job (?:here )?is to\b|\bit is my job (?:here )?to\b|\bthe instructions (?:tell|ask|want|require)\b",
        r"\bthe user\b(?! (?:manual|guide))|\bthe assistant (?:should|would|must|will)\b|\bas instructed\b|\bstays? in role\b|\bthe (?:patient|character)'s (?:answer|response|reply|line)\b",
        r"\b(?:playing|portraying|acting as|speaking as|answering as|respond(?:ing)? as|answer as|reply as|role of|voice of|(?:would|will|respond|answer) as)"
        r" (?:mrs?|ms|the|a|an|this)\b(?! (?:family|team|doctor|whole|game|musical|football))",
        r"\bas (?:the|a) patient,? i\b|\bas (?:mrs?|ms) \w+[,):]|^\W*as (?:mrs?|ms) \w+\b",
        r"\bthe patient (?:would|should|might|may|could|will|replies|responds|answers)(?: \w+)? ?(?:say|reply|respond|answer|that|be|feel|replies)\b|\bthe patient (?:replies|responds|answers)\b",
        r"\b(?:not |without )(?:to )?(?:reveal\w*|giv\w+ away|disclos\w+|volunteer\w*|mention\w*) (?:the (?:diagnosis|facts?|answer|smoking|condition|real)|it until|that until|this until)",
        r"\b(?:reveal\w*|volunteer\w*|disclos\w+|withhold\w*)\b.{0,40}\b(?:until|unless|when) (?:i am |the doctor |directly |he |she )?ask",
        r"\b(?:the|my|all|given) (?:\w+ )?(?:information|profile|role|script|case(?: file| notes?)?|rules|guidelines|background|brief|vignette|details)"
        r" ?(?:that )?(?:i (?:have been|was|am) (?:given|told)|provided|given|(?:says?|states?|does not (?:say|mention)|mentions?|tells? me|asks? me))\b(?! (?:on|in) the)",
        r"\b(?:my|given|system) (?:\w+ )?instructions (?:say|are|tell|were|do)\b|\bmy role (?:here )?is to (?:play|portray|be|act|pretend)\b",
        r"\b(?:according to|based on|per|given|following|sticking to|stick to) (?:the|my) (?:script|prompt|instructions|persona|facts|rules|case|profile|brief|information|vignette|notes on)\b"
        r"(?! (?:on the|of the (?:diet|game|road)|my|from my|from the))",
        r"^(?:\W|okay|ok|so|now|hmm|alright|right|first|well)*the doctor (?:is (?:asking|trying)|wants|asks|has asked|just asked|asked (?:about|me about|if|whether))\b",
        r"\bthe doctor (?:wants to know|is asking)\b",
        r"\bi (?:should|need to|must|have to|will|am going to|am supposed to|am meant to|want to|ought to)(?: (?:now|not|only|also|just|then|be careful to|be careful not to))*"
        r" (?:respond|reveal|withhold|role-?play|portray|improvise|make (?:something|it) up|invent|keep (?:my|the|this) (?:answers?|replies|response)|be vague|deny (?:it|this|that|any))\b",
        r"\bi (?:should|need to|must|will|am going to|am supposed to|am meant to)(?: (?:now|only|also|just|then))* (?:answer|reply)(?: (?:as|in|with|this|naturally|briefly|truthfully|based|from|it|accordingly|:)|:)",
        r"\b(?:note to self|thinking|thoughts?|reasoning|internal monologue|(?:patient |my |final )?(?:response|answer|output|reply))\s*:",
        r"\bhere is (?:how|what|my|the|a)\b.{0,30}\b(?:patient|character|response|reply)\b|\bper the rules\b|\bwe (?:need|have|should|must)\b.{0,12}\b(?:answer|respond|produce|output) (?:as|in|the)\b"
        r"|\bso i (?:would|should|will) (?:deny|answer)\b",
        r"\bi am (?:acting|playing|portraying|role-?playing)(?: as)? (?:a|an|the|mrs?|ms)\b(?! (?:game|match|musical|guitar))|^(?:playing|acting as) ",
    )
)
_PEOPLE: Final = (
    r"(?:(?:the|medical|student|junior|senior|on-call) )?(?:doctor(?: [A-Z][\w'-]+)?|physician|clinician|practitioner|consultant|attending|gp|examiner|examinee|dr\.?(?: [A-Z][\w'-]+)?|patient|nurse|user|human"
    r"|assistant|ai|system|interviewer|model|me|you|student|tutor)"
)
_LABEL: Final = re.compile(
    rf"(?:^|[.!?…)\"*]\s+|\n)\W{{0,4}}(?P<who>{_PEOPLE}|[dpq])(?:\W{{0,3}}(?: says| asks)?[:>]|[\])])(?=\W{{0,4}}\s\W{{0,4}}[\w\"'])",
    re.IGNORECASE | re.MULTILINE,
)
_DASHED: Final = re.compile(rf"(?:^|[.!?]\s+|\n)(?P<who>{_PEOPLE}) [-–—] (?=\w)", re.IGNORECASE | re.MULTILINE)
_TOLD: Final = re.compile(
    r"\bthe doctor (?:then |now )?(?:nods|says|asks|smiles|looks|replies|pauses|leans|writes|takes|listens|examines)\b"
    r"|[\"”] (?:he|she|they|the doctor) (?:asks?|says?|repl(?:y|ies))\b|\bi (?:say|tell (?:her|him|the doctor)|answer|reply)[,:.] ?[\"“]",
    re.IGNORECASE,
)
_OWN: Final[dict[Part, frozenset[str]]] = {
    "patient": frozenset({"patient", "p", "me"}),
    "companion": frozenset({"patient", "p", "me", "nurse"}),
    "clinician": frozenset({"doctor", "physician", "clinician", "gp", "examinee", "dr", "d", "me", "consultant", "attending"}),
}
_TEMPLATE: Final = frozenset({"user", "human", "assistant", "ai", "system", "model"})


@lru_cache(maxsize=4096)
def fault_in(text: str, part: Part = "other") -> Fault | None:
    """The fault of what is said aloud in a part, or `None`. A refusal goes before everything else."""
    said = text[:_LOOKED_AT].replace("’", "'")
    low = written_out(said)
    if _is_declined(low, part):
        return REFUSES
    if any(_is_of_itself(one, part) for one in sentences(low)):
        return _ASSISTANT
    if part == "nobody":
        return None
    of_patient = part in ("patient", "companion")
    if _MARKS.search(said if of_patient else _BOLD.sub("", said)) or (of_patient and _PATIENTS_MARKS.search(said)):
        return _CONTROL
    if _FIELD.search(said) or _is_json(said) or (of_patient and _PATIENTS_FIELD.search(said)):
        return _FORM
    if _speaks_for_others(said, part):
        return _BOTH
    if of_patient:
        if _OF_A_PLAY.search(low):
            return _THOUGHT
        return _OTHER_PART if taken_by_patient(said, to_the_ill=part == "companion") else None
    return _OTHER_PART if part == "clinician" and taken_by_clinician(said) else None


def declines(text: str) -> bool:
    """Whether an answer in plain words, in no part, declines what it was asked for."""
    return fault_in(text[:_BEGINNING], "nobody") is not None


def _is_declined(low: str, part: Part) -> bool:
    if part == "nobody" and _ANY_INABILITY.search(low):
        return True
    if part in ("clinician", "other") and len(low) > _BEGINNING:
        return False  # a refusal is no speech; in one, what cannot be offered is part of the case
    if any(_is_refusal(one, part) for one in sentences(low)):
        return True
    sent = _SEE_SOMEBODY.search(low)
    if sent is None or part in ("clinician", "other"):
        return False
    return _MINE.search(low[max(0, sent.start() - 80) : sent.end()]) is None


def _is_refusal(sentence: str, part: Part) -> bool:
    if part not in ("clinician", "other") and _OFFERS_ELSE.search(sentence):
        return True
    if _RECEIVED.search(sentence):
        return False
    if _DECLINES_THAT.search(sentence):
        return True
    if part in ("clinician", "other"):
        return bool(_I_WILL_NOT.search(sentence) and _REQUESTED.search(sentence))
    return bool(_WILL_NOT.search(sentence) and (_REQUESTED.search(sentence) or _UNTREATED.search(sentence)))


def _is_of_itself(sentence: str, part: Part) -> bool:
    if _IS_MODEL.search(sentence) or (_NAMES_MODELS.search(sentence) and not _HER_WORK.search(sentence)):
        return True
    if part in ("clinician", "other"):
        return False
    if _NO_PERSON.search(sentence):
        return True
    machine = _MACHINE.search(sentence)
    return bool(machine and _I_AM.search(sentence) and not _HER_WORK.search(sentence))


def _is_json(said: str) -> bool:
    text = said.strip()
    if text[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _speaks_for_others(said: str, part: Part) -> bool:
    if part in ("patient", "companion") and _TOLD.search(said):
        return True
    who = {one["who"].lower().removeprefix("the ").split()[0].strip(".") for one in _LABEL.finditer(said)}
    dashed = {one["who"].lower().split()[0].strip(".") for one in _DASHED.finditer(said)}
    if len(dashed) > 1:
        who |= dashed
    own = _OWN.get(part)
    return bool(who & _TEMPLATE) if own is None else bool(who - own)
