"""Taking the other's part: a patient who speaks as the doctor, or a doctor who speaks as the patient.

Three questions decide, sentence by sentence. Whose illness is spoken of: in the patient's mouth it is never
"yours". Who acts: a patient neither examines nor prescribes. And who receives whom: only the host of a
consultation says "What brings you in?". What others are reported to have said is nobody's part.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.text.findings_in_text import mentions
from osler.text.tokens import any_of, lowered
from osler.text.topics import topics_touched

_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:\.(?=\d)[^.!?\n]+)*[.!?]*")
_WRITTEN_OUT: Final = (
    (re.compile(r"\b(?:cannot|can't|cant)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"\b(i|you|he|she|we|they)'d\b"), r"\1 would"),
    (re.compile(r"\blet's\b"), "let us"),
    (re.compile(r"\b(it|that|what|where|how|there|when)'s\b"), r"\1 is"),
)
_QUOTED: Final = re.compile(r"[\"“][^\"”]{0,400}[\"”]|(?<!\w)'[^']{0,400}'(?!\w)")
# Words that somebody else is reported to have said, or that are about anybody.
_REPORTED: Final = re.compile(
    r"\b(?:(?:he|she|they|nurse|doctors?|gp|dr|pharmacist|paramedics?|physio\w*|dentist|mum|mom|dad|mother|father|wife"
    r"|husband|partner|sister|brother|friend|daughter|son|lady|man|woman|people|someone|somebody|everyone"
    r"|website|internet|google|letter|leaflet)\W+(?:\w+ ){0,5}?"
    r"(?:said|says|told|tells|asked|asks|thinks?|thought|recommended|suggested|advised|mentioned|saying|wants?|wanted"
    r"|reckons?)\b"
    r"|(?:was|were|been|got|am|is) (?:just |also |always )?(?:told|asked|advised|recommended)\b|according to\b"
    r"|wonder(?:ing|ed)? (?:if|whether)\b|did you (?:just )?(?:ask|say|mean)|(?:do|are) you (?:mean|asking|saying)"
    r"|you (?:mean|said|asked|told|mentioned|were saying|were asking))"
)
# "You know when you have a cold?": a "you" who is anybody.
_ANYBODY: Final = re.compile(
    r"\byou know\b|\b(?:like|as if|as though|feels?|is|just|sort of|kind of)\W+(?:when|if|as if|as though|how) you\b"
    r"|\bwhen(?:ever)? you (?!last\b)|\b(?:makes?|gives?|lets?) you\b|\bunless you\b"
)
_FOR_THE_RECORD: Final = re.compile(r"\b(?:that )?(?:i|we) (?:should|need to|ought to) know\b")
_SELF: Final = re.compile(r"\b(?:i|me|my|mine|myself|us|our)\b")
_BODY: Final = (
    r"(?:abdomen|ankles?|arms?|back|belly|bladder|blood|bowels?|breasts?|breath(?:ing)?|bum|calf|calves|chest|ears?|elbows?"
    r"|feet|foot|groin|gums?|head|heart|hips?|jaw|joints?|kidneys?|knees?|legs?|liver|lungs?|mouth|neck|nose|pelvis|penis"
    r"|periods?|pulse|shoulders?|sinuses|skin|spine|stools?|stomach|throat|thyroid|toes?|tongue|tummy|urine|vagina|waist"
    r"|weight|wound|wrists?)"
)
_ILLNESS: Final = (
    r"(?:ache|aching|broken|torn|fractur\w+|sprain\w*|ligament|allerg(?:y|ies|ic)|anxiety|appetite|blood pressure|bleeding|chills|condition|cough(?:ing)?|diet|discomfort"
    r"|disease|dizz\w+|drink alcohol|fatigue|fevers?|glucose|headaches?|health|illness(?:es)?|infections?|injur\w+|itch\w*"
    r"|lumps?|medical (?:history|conditions?|problems?)|medications?|mood|nausea|numbness|operations?|pains?|painful|rash"
    r"|shortness of breath|sick(?:ness)?|sleep(?:ing)?|smok(?:e|ing)|sore(?:ness)?|sugar|surger\w+|swelling|swollen|symptoms?"
    r"|temperature|tender(?:ness)?|tired(?:ness)?|trauma|travel(?:led|ed)?|unwell|vaccin\w+|vomit\w*|weakness|wheez\w+)"
)
_CLINICAL: Final = re.compile(rf"\b(?:{_BODY}|{_ILLNESS}|family history|recreational drugs)\b")
_HISTORY: Final = frozenset(
    {
        "allergies", "alcohol", "associated", "character", "complaint", "course", "drugs", "family", "gynaecological",
        "immunization", "medications", "modifiers", "mood", "past_medical", "past_surgical", "sexual", "systems",
        "tobacco",
    }
)  # fmt: skip

_YOURS: Final = re.compile(
    rf"\byour (?:[\w-]+ ){{0,2}}?(?:{_ILLNESS}|concerns?|family|past (?:visit|appointment))\b"
    rf"|\b{_ILLNESS}(?: \w+){{0,2}} of yours\b"
)
_YOUR_BODY: Final = re.compile(rf"\byour (?:[\w-]+ ){{0,2}}?{_BODY}\b")
_TAG: Final = re.compile(
    r",? (?:do|does|did|is|are|was|were|has|have|can|will|would)(?: not)? (?:it|they|you|he|she|that)\?$"
)
_YOU_FEEL: Final = re.compile(
    r"\b(?:have|had|has|do|did|are|were|can|could|would) (?:you|anyone in your family)\b"
    r"(?: (?:ever|also|been|currently|recently|just|still|already|usually|normally|now|or|happen to))*"
    r" (?P<verb>[a-z]+)(?P<rest>.*)"
)
_UNDERGONE: Final = (
    r"feel|felt|feeling|noticed?|noticing|experienc\w+|suffer\w*|smoked?|smoking|drink|drank|drinking|vomit\w*|cough\w*"
    r"|sleep|slept|sleeping|eat|eaten|eating|live|living|lost|losing|pass(?:ed|ing)?|faint\w*|bleed\w*|bled|allergic|pregnant|sexually"
    r"|diagnosed|hospitali[sz]ed|vaccinated|immuni[sz]ed|travell?ed|operated|exercis\w+|nauseous|short|dizzy|tired|sick"
    r"|unwell|worse|better|point|describe|rate|monitor\w*|recover\w*"
)
_HELD: Final = r"any|some|had|have|having|got|get|getting|take|taken|taking|on|in|using|use|used|any|seen|see|been|bringing"
_UNDERGOES: Final = re.compile(rf"(?:{_UNDERGONE})$")
_HOLDS: Final = re.compile(rf"(?:{_HELD})$")
# What a patient may ask of a doctor: what they think, and what they do.
_OF_DOCTORS: Final = re.compile(
    r"(?:think|thinking|mean|meaning|know|reckon|want|need|understand|see|seen|look|looking|check\w*|give|giving|given|do|doing|done|tell|telling"
    r"|help\w*|recommend\w*|say|saying|said|ask\w*|prescrib\w*|hear|heard|believe|suggest\w*|advise|find|found|make|put|send|call|like|love|mind|going|sure"
    r"|got|get|getting|have|take|taking|examin\w*|feel|the|a|an|my|really|certain|writ\w*|repeat|speak\w*|slow\w*|explain\w*|show|run|be|been|come|let|stop"
    r"|refer\w*|treat\w*|talk\w*|happy|able|expect\w*|suppose|start|use|touch\w*|listen\w*|kidding|joking|serious|busy|still|able|doctor|doctors|dr"
    r"|concerned|consider\w*|arrang\w*|book|order\w*|test|try|trying|met|meet|remember|hold|hand|pass|wait|please|just|charge|open|there|here|new|with|not|worried|ok|okay)$"
)
_ASKS_YOU: Final = re.compile(
    r"\b(?:do you do (?:for|as)|you (?:\w+ )?be pregnant)\b"
    r"|\b(?:do|did|are|were|have|had|could|can|will|would|should)(?: not)? you\b(?: (?:ever|also|currently|recently|still|already|usually|normally|now|been))*"
    r" (?P<verb>[a-z]+)"
    r"|\bwho (?:lives|is|looks|cares|helps|do you live)\b.*\byou\b|\bwhat (?:worries|concerns|bothers|troubles) you\b"
)
# What anybody who did not follow asks: to say the same once more, or in other words.
_SAY_AGAIN: Final = re.compile(
    r"\byou (?:please |just |maybe |possibly |mind )*"
    r"(?:(?:go|run|talk|read|walk)(?:ing)? (?:me )?(?:back |quickly )?(?:over|through)|(?:re)?(?:read|phras(?:e|ing)|word(?:ing)?)"
    r"|break(?:ing)?|simplify(?:ing)?|clarify(?:ing)?) "
    r"(?:it|that|this|those|them|everything|all(?: of (?:it|that|this))?|(?:that|this|the) (?:last )?(?:bit|part|question|word)"
    r"|what you (?:just )?(?:said|told me|asked))\b(?! (?:\w+ )?(?:your|you)\b)"
    r"|\byou (?:please |just )?go (?:a (?:bit|little) )?(?:slower|more slowly)\b"
)
_YOUR_KIN: Final = re.compile(
    r"\byour (?:\w+ )?(?:father|mother|parents?|mum|mom|dad|brothers?|sisters?|siblings|family|husband|wife|partner|children|relatives)\b"
)
# What a patient may ask of a doctor with the same verbs.
_WANTED_OF_DOCTOR: Final = re.compile(
    r"^ (?:this|that|these|those|it|them|one|to|with)\b"
    r"|\b(?:something|anything|a cure|treatments?|results?|remedy|advice|idea|questions?|news|time|patients?|anybody"
    r"|anyone|people|many|for the|for it|experience|children|kids)\b"
)
# What only the one who is ill can know: how it began and what it is like.
_ONLY_THE_ILL_KNOW: Final = re.compile(
    any_of(
        r"\bwhen did (?:it|this|that|these|they|the|your|you)\b.*\b(?:start|began|begin|come on|first|happen|notice|last)",
        r"\bhow long (?:have|has|did|had|were|was|are|do) (?:you|it|this|that|they|these|the|your)\b",
        r"\bhow (?:often|much|many)\b.*\b(?:do|did|have|are|were|would) you\b(?! (?:think|want|need|recommend|see|charge|see))",
        r"\bwhat makes (?:it|the [\w ]{2,20}?|your|that|this) (?:better|worse)",
        r"\bwhere(?:abouts)? (?:exactly )?(?:do|did|does|is|are) (?:you feel|it hurt|the pain|your)\b",
        r"\b(?:does|do|did|is|has|was) (?:it|the [\w ]{2,20}?|this|that|your [\w ]{2,20}?|they)\b.{0,40}?"
        r"\b(?:spread|radiat\w+|hurt|come and go|comes and goes|go anywhere|move anywhere|travel|constant|sharp|dull"
        r"|burning|stabbing|throbbing|wake you|bother you|affect you|happened to you)\b",
        r"\b(?:how (?:bad|severe|intense)|on a scale)\b.*\b(?:pain|it|one|1|zero|0)\b",
        r"\b(?:does|is there|did) anything (?:else )?(?:make|that makes|help|bring|trigger|relieve)\b",
        r"\b(?:what|anything) (?:does it feel like|makes it (?:better|worse)|were you doing when)\b",
        r"\bhow (?:is|does|has|do) (?:this|it|that|the pain|they) (?:been )?affect|\bhow (?:is|are|has|have) your\b|\bwhen i (?:press|push|touch|move|tap|squeeze|bend|lift)\b|\bhas (?:anyone|anybody) (?:else )?(?:at home|in the house|around you|you know)\b",
        r"\bwhich (?:side|one|ear|eye|arm|leg|knee|hip|foot|shoulder|tooth) (?:is|does|hurts|was|did) (?!it you)",
        r"\bhas (?:this|it|that|anything like this)(?: ever)? happened (?:to you )?before\b",
        r"\b(?:is|are) there (?:any|a|some) (?:\w+ )?(?:family history|history of)\b",
        r"\b(?:anyone|anybody) (?:else )?in (?:your|the) family\b",
        r"\bwhat (?:medications?|medicines?|tablets|pills|drugs|illnesses|operations|symptoms) (?:do|are|have|did) you\b",
    )
)
_OPENS: Final = (
    r"^(?:\W*\b(?:and|or|but|so|then|ok|okay|all ?right|right|good|great|perfect|fine|no|yes|yeah|um+|uhm?|er|well|now|i see|also"
    r"|fair enough)\b)*\W*"
)
_ANY: Final = re.compile(
    rf"{_OPENS}(?:(?:have |had )?any(?:thing)?\b(?! (?:chance|idea|news|advice|questions))|(?:how|what) about (?!the|that|if|this))"
)
_TO_DOCTOR: Final = re.compile(rf"{_OPENS}you know\b|\bdoctor\W*$")
_TELL_ME: Final = re.compile(
    r"\b(?:tell me|describe|show me|walk me through|explain to me|talk to me|point to|let me know)\b"
    r".*?\b(?:more about (?:your|the|it|that|this|what|how|these|those)|about your|brought you|it hurts|hurts|(?:where|how|what|when|if) (?:exactly |it is )?you (?:are sore|feel"
    r"|felt|first|notice\w*|have been (?:feeling|having))|your (?:pain|symptoms?|history|family|health|day|self|name|date|age|full|weight|job|life|work|home)|it (?:started|began|feels)|troubling you|bothering you)"
)

_WILL: Final = (
    r"(?:i|we|(?:can|could|may|shall|should) (?:i|we)|let me|let us|i am|we are|i have)"
    r"(?: (?:am|are|going to|will|would|like to|want to|need to|have to|can|could|shall|should|must|just|now|also|then|first"
    r"|quickly|gently|strongly|definitely|do|think|suggest|be|be able to|have|start by|begin by|go ahead and|like"
    r"|happy to|here to))*"
)
_TESTS: Final = (
    r"(?:tests?|bloods?|blood (?:work|tests?|sample|count)|scans?|x-?rays?|ecg|ekg|ct|mri|ultrasound|electrocardiogram"
    r"|imaging|swabs?|biops\w+|urinalysis|cultures?|investigations?|examination|exam|check-?up)"
)
_REMEDIES: Final = (
    r"(?:medicines?|medications?|pain relief|painkillers?|tablets?|antibiotics?|injections?|treatments?|prescriptions?"
    r"|inhalers?|creams?|ointment|fluids|oxygen|course of|dose|something (?:for|to help)|\w+(?:cillin|profen|statin|pril))"
)
_CLINICIAN_ACTS: Final = re.compile(
    rf"(?:^|[^\w]|\b){_WILL} (?:"
    + any_of(
        r"examin\w+ (?:you\b|your|the)",
        r"(?:listen\w* to|palpat\w+|feel\w*|check\w*|look\w* (?:at|into|in|inside)|have a (?:quick |closer )?(?:look|listen|feel) (?:at|to|of|in|inside|into|down)"
        r"|take a (?:quick |closer )?look at|inspect\w*|press\w* on|touch\w*|measur\w+|assess\w*|monitor\w*|review\w*"
        r"|investigat\w+|tak(?:e|ing)) (?:you\b|your\b|that [\w ]{1,20}of yours)",
        rf"(?:order\w*|arrang\w+|run\w*|do(?:ing)?|perform\w*|get\w*|schedul\w+|request\w*|book\w*|carry out)\b.{{0,30}}?\b{_TESTS}"
        rf"\b(?! (?:of )?(?:me|my)).{{0,30}}?(?:\bfor you\b|\bon you\b|\byour?\b)",
        rf"(?:order\w*|run|perform\w*|arrang\w+|carry out) (?:a|an|some|the|few|more|further)\b.{{0,25}}?\b{_TESTS}\b",
        r"prescrib\w+ (?!me\b|it for me)",
        rf"(?:recommend\w*|advis\w+|suggest\w*) (?:that )?(?:you\b|your\b|\w+ing\b|a\b|an\b|some\b|the\b|\w*therapy|{_TESTS}|{_REMEDIES})",
        r"refer\w* you|(?:write|give|do) you a (?:prescription|referral|script|sick note)|write (?:out )?a (?:prescription|script|referral)|book you in",
        r"(?:treat\w*|diagnos\w+|admit\w*|discharg\w+|reassur\w+) you\b",
        rf"(?:giv\w+|get|start\w*|put|offer\w*) you\b.{{0,30}}\b{_REMEDIES}",
        rf"get (?:you|us) (?:a|an|some)\b.{{0,20}}\b(?:{_TESTS}|{_REMEDIES})",
        r"send\w* you (?:for|to)\b",
        r"(?:ask\w*|talk\w*|know|hear|understand) (?:you )?(?:about your|(?:a )?(?:few|some|more|couple of)?"
        r" ?(?:follow-?up )?questions (?:about|regarding|on) your|more about (?:your|what you|how you))",
        r"have (?:a |some |few |a few |a couple of )?(?:more |follow-?up |further )?questions (?:for you|about (?:your|you))",
        r"(?:help|make) you (?:feel|with (?:your|that|this)|get better|comfortable|manage)",
        r"(?:get to the bottom of|find out what is (?:causing|wrong with) your?)",
    )
    + ")"
)
_LET_US: Final = re.compile(
    rf"\blet us (?:get|run|do|start|take|check|have|order|begin|try)\b.*\b(?:{_TESTS}|{_REMEDIES}|you|your)\b"
)
_SELF_CARE: Final = (
    rf"(?:rest (?:up\b|as|and|your|well|for)|get some rest|drink (?:plenty|lots|more|enough|water|fluids)|take (?:two|one|three|\d|(?:these|those|this|the) \w+ (?:\w+ )?(?:daily|times|a day|every|with|at night|for|until)|your (?:\w+ )?(?:medic|tablet|pill|temp)\w*|this medic\w*|these tab\w*|some \w+|a deep|it easy"
    rf"|paracetamol|ibuprofen|aspirin|\w+ (?:tablets?|mg)|{_REMEDIES})|avoid|lie (?:down|back|flat|still)|undress|breathe (?:in|out|deep\w*|normally|for)"
    rf"|sit (?:up|down|still)|roll\w* up your|lift\w* (?:up )?your|open (?:up )?your|stick out|hold (?:still|your breath)"
    rf"|follow up|come back|return (?:to|if)|go (?:to|straight to) (?:the |an? )?(?:er\b|emergency|hospital|a&e|casualty|doctor)"
    rf"|see (?:a|your|the|another) (?:doctor|gp|specialist|physician|\w+ologist)|seek|call (?:999|911|112|an ambulance)"
    rf"|monitor|keep (?:a|an eye|track|taking|your|the|it)|stop (?:smoking|drinking|taking)|quit|cut down|reduce your|(?:eat|exercise) (?:more|less|regularly|healthily|plenty|a |daily|well)"
    rf"|lose (?:some )?weight|make sure (?:you|to)|try (?:to|not to|and) (?:avoid|rest|relax|drink|eat|sleep|keep|stay|get)"
    rf"|stay (?:hydrated|in bed|calm)|get (?:some |plenty of |enough )?(?:rest|sleep)|have (?:an?|some|your) [\w ]{{0,15}}{_TESTS}"
    rf"|start (?:taking|with \w+ (?:a )?(?:tablet|dose|pill))|continue (?:to take|taking)|speak to your|consult|give up|hop up|pop (?:up|your)|jump up|relax"
    rf"|(?:please )?(?:visit|consult|contact|see|call) (?:your|a|an) (?:local |own )?(?:doctor|gp|clinic|physician|specialist|pharmacist)"
    rf"|(?:walk|stand|turn|face|smile|swallow|cough|push|pull|bend|look) (?:[\w ]{{0,30}} )?for me\b|follow my finger"
    rf"|use (?:the|your|this|a) (?:\w+ )?(?:inhaler|cream|spray|ice)|apply|put (?:your|some)|bend your|push against|squeeze my)"
)
_INSTRUCTS: Final = re.compile(
    rf"\byou (?:\w+ly )?(?:should|need to|must|ought to|had better|have to|will need to|may want to|might want to|can)"
    rf"(?: (?:also|probably|definitely|just|really|first|try to|not|be sure to))* {_SELF_CARE}"
    rf"|^\W*(?:please |now |so |then |just |first,? |for now,? |and |okay,? |all right,? |do not |remember to |be sure to )*{_SELF_CARE}"
    rf"|\bi (?:want|would like|need) you to {_SELF_CARE}|\bmy advice\b|\bit (?:may|might|would) be (?:a good idea|best|wise) (?:to|for you|if you)\b"
    rf"|\bif (?:your?|the|it|they|these|things)\b.*\b(?:worsens?|worse|persists?|improve)\b.*\b(?:come back|call|return|see me|let me know|go to|seek)"
    rf"|\bit is (?:very |really )?(?:important|essential|best|advisable|crucial)\b.{{0,20}}\byou\b.*"
    rf"|\b(?:can|could|would|will) you (?:please |just )?(?:mind )?(?:roll\w*|lift\w*|lie|lying|take off|taking off|undress\w*|breathe|point"
    rf"|open your|stick|squeeze|push|bend|sit|stand) (?!me\b)"
)
_DIAGNOSES: Final = re.compile(
    r"\byou (?:may|might|could|probably|likely|most likely|possibly|appear to|seem to)(?: well| also| just)*"
    r" (?:have|be|are|having|be having|be suffering)\b"
    r"|\b(?:it|this|that|what you (?:describe|are describing|have)) (?:sounds|seems|looks|appears)\b.*\byou(?:r| have| are| may|\b)"
    r"|\bwhat you (?:describe|are describing)\b|\b(?:based on|given|from|considering) (?:your|what you)\b"
    r"|\byou (?:will|are going to) need (?:to (?:have|take|see|get|go|stay|start|stop)|a|an|some)\b"
    r"|\bi (?:suspect|think|believe|reckon|am afraid|fear) (?:that )?you (?:have|are|may|might|could)\b"
    r"|\byou have (?:got )?(?:a|an|some|the)? ?(?:\w+ ){0,3}?(?:infection|disease|syndrome|fracture|condition|cancer|attack|ulcer|eardrum|tumou?r|polyp|\w+itis|\w+osis)\b"
)
_RECEIVES: Final = re.compile(
    any_of(
        r"\b(?:how (?:can|may|might|could) (?:i|we) (?:help|assist|be of)|what can (?:i|we) (?:do for|help) you)\b(?! find)",
        r"\bwhat (?:brings|brought|has brought) you\b|\bwhat (?:seems|appears) to be (?:the|your|troubling)",
        r"\bwhat is the (?:matter|trouble|problem)(?: today| with you| then)?\?|\bthis (?:must|can|may) be (?:\w+ ){1,3}for you\b|\bi will be (?:looking after|seeing|treating|examining) you\b",
        r"\bthank you for (?:coming (?:in|to see)|sharing|telling me (?:about )?your|your patience|visiting|letting me examine)\b",
        r"\b(?:i am|my name is|this is) (?:the |your |a )?(?:dr\b|doctor\b|consultant\b|physician\b|gp\b)",
        r"\b(?:can|may|could) i (?:help|assist) you\b",
        r"\bi am here to (?:help|listen|support|assist)\b",
        r"\b(?:anything|something) else (?:that )?(?:you would like to (?:tell|share|discuss|add)|i can (?:help|do)|you want to)",
        r"\bsince your last (?:visit|appointment)\b",
    )
)
# What a relative may say to the patient as well.
_COMFORTS: Final = re.compile(
    any_of(
        r"\bwhat (?:is|has been) (?:bothering|troubling) you\b|\bwhat (?:can|may) i help\b",
        r"\bhow (?:are|have) you (?:been )?feeling\b|\bhow do you feel\b(?! about)",
        r"\bi am (?:so |very |really )?sorry (?:to hear |that )?(?:you are|you have|about your)\b(?! (?:not|to|had to|wait))|\bsorry (?:to hear|that)\b.*\b(?:you|your) (?:are|have|feel|pain|chest|symptoms?|been|going)",
        r"\b(?:i (?:understand|can see|see|appreciate|know)|it is (?:normal|understandable))\b.{0,12}\byou (?:are|feel|have been|must be)"
        r" (?:\w+ ){0,5}?(?:worried|concerned|anxious|scared|in (?:\w+ ){0,4}?(?:pain|discomfort)|experiencing|feeling|suffering|unwell)",
        r"\b(?:hope|wish) you (?:feel|get|a (?:speedy|quick))\b|\b(?:come in and |please |do )?(?:take|have) a seat\b|\bwhat has been going on\b|\bi am one of the (?:\w+ )?doctors",
        r"\b(?:do not|no need to) worry\b.*\b(?:we|i) (?:will|are|am|can)\b",
    )
)


def taken_by_patient(text: str, *, to_the_ill: bool = False) -> str:
    """The first sentence in which a patient speaks as the doctor; "" if there is none.

    `to_the_ill`: the speaker is a companion, who may well ask the patient how they are or tell them to rest.
    """
    return next((one for one in _spoken(text) if _is_clinicians(one, to_the_ill)), "")


def taken_by_clinician(text: str) -> str:
    """The first sentence in which a clinician speaks as the patient; "" if there is none."""
    return next((one for one in _spoken(text) if _COMPLAINS.search(one)), "")


_COMPLAINS: Final = re.compile(
    rf"\bmy (?:own )?(?:left |right |lower |upper |whole )?(?:{_BODY}|symptoms?|pain|gp)\b(?<!my head)(?<!my heart)"
    r".*\b(?:hurts?|aches?|sore|started|began|is|are|feels?|has been|burns?|itch\w*|swollen|came on)\b"
    r"|\bi (?:have been|am) (?:having|experiencing|coughing|vomiting|in (?:a lot of )?pain|feeling (?:sick|dizzy|ill|unwell|tired|weak))"
    r"|\bi (?:have|feel|get) (?:had )?(?:a |an |this |some |these |really |very )?(?:\w+ ){0,2}?(?:pain|cough|headache|fever|rash|sick|dizzy"
    r"|ache|sore throat|nausea)\b(?! (?:clinic|relief|score|scale|chart|management|medication))"
)


def unquoted(text: str) -> str:
    """A text without the quotation marks around the whole of it."""
    bare = text.strip().strip("*").strip()
    inside = bare[1:-1]
    whole = len(bare) > 1 and bare[0] in "\"“'" and bare[-1] in "\"”'" and not set(inside) & set('"“”')
    return inside if whole else text


@lru_cache(maxsize=2048)
def _spoken(text: str) -> tuple[str, ...]:
    """The sentences of a speaker's own, in lower case, written out; what others said is left out."""
    low = written_out(_QUOTED.sub(" ", unquoted(text)))
    return tuple(one for part in _SENTENCE.findall(low) if (one := _own(part.strip())))


def written_out(text: str) -> str:
    """A text in lower case without contractions: "can't" is "can not"."""
    low = lowered(text)
    for pattern, whole in _WRITTEN_OUT:
        low = pattern.sub(whole, low)
    return low


def _own(sentence: str) -> str:
    """The part of a sentence before it reports what somebody said."""
    reported = _REPORTED.search(sentence)
    return sentence[: reported.start()] if reported else sentence


def _is_clinicians(sentence: str, to_the_ill: bool) -> bool:
    if _CLINICIAN_ACTS.search(sentence) or _LET_US.search(sentence) or _RECEIVES.search(sentence):
        return not _asked_for(sentence)
    if to_the_ill:
        return False
    if _COMFORTS.search(sentence):
        return not _asked_for(sentence)
    if _inquires(sentence):
        return True
    if _ANYBODY.search(sentence):
        return False
    if _INSTRUCTS.search(sentence) or (_DIAGNOSES.search(sentence) and _is_clinical(sentence)):
        return True
    return _YOURS.search(sentence) is not None or (
        _YOUR_BODY.search(sentence) is not None and sentence.endswith("?") and not _TAG.search(sentence)
    )


def _inquires(sentence: str) -> bool:
    """Whether a sentence asks "you" what only the one who is ill can know."""
    if _TELL_ME.search(sentence):
        return True
    if not sentence.endswith("?") or _TO_DOCTOR.search(sentence):
        return False
    if _ONLY_THE_ILL_KNOW.search(sentence) and not re.match(rf"{_OPENS}why\b", sentence):
        return not re.search(r"\b(?:my|i|me)\b", re.sub(r"\bwhen i \w+", "", sentence))
    if _ANY.match(sentence):
        return _is_clinical(sentence) and not _SELF.search(sentence)
    if _asks_of_life(sentence):
        return True
    hit = _YOU_FEEL.search(sentence)
    if hit is None or _SELF.search(_FOR_THE_RECORD.sub("", hit["rest"])):
        return False
    if _UNDERGOES.match(hit["verb"]):
        return not (
            hit["verb"] in ("feel", "better", "worse") and re.match(r" (?:that|like|about)\b", hit["rest"])
        )
    rest = f"{hit['verb']}{hit['rest']}"
    return bool(
        _HOLDS.match(hit["verb"]) and _is_clinical(rest) and not _WANTED_OF_DOCTOR.search(hit["rest"])
    )


def _asks_of_life(sentence: str) -> bool:
    """Whether a sentence asks the other about their life: neither what a doctor thinks nor what one does."""
    if _SELF.search(sentence) or _SAY_AGAIN.search(sentence):
        return False
    if _YOUR_KIN.search(sentence):
        return True
    hit = _ASKS_YOU.search(sentence)
    return hit is not None and (hit["verb"] is None or _OF_DOCTORS.match(hit["verb"]) is None)


def _asked_for(sentence: str) -> bool:
    """Whether the speaker asks for the act, or speaks of an act upon themselves."""
    return (
        re.search(r"\b(?:for|on|to|of|with|about|give|examine|tell|help) me\b|\bmy\b", sentence) is not None
    )


def _is_clinical(text: str) -> bool:
    return bool(_CLINICAL.search(text) or mentions(text) or topics_touched(text) & _HISTORY)
