"""The forms of spoken clauses, as patterns over lower-case text: requests, announcements, conditions.

Each is what people say before or around an act; `osler.text.spoken_clauses` decides by them what a clause is.
"""

from __future__ import annotations

import re
from typing import Final

from osler.text.order_verbs import ORDER_VERBS

SENTENCE: Final = re.compile(
    r"(?<!\b[Mm]r\.)(?<!\b[Mm]s\.)(?<!\b[Dd]r\.)(?<!\b[Mm]rs\.)(?<!\binj\.)(?<!\btab\.)(?<=[.!?])\s+"
    r"|[\n;]+|\s+[-–—]+\s+"
)
QUOTED: Final = re.compile(r"[\"“”«»](?=\w)[^\"“”«»]{3,}[\"“”«»]|(?<!\w)['‘](?=\w)[^'‘’]{8,}['’](?!\w)")
BASE: Final = frozenset(ORDER_VERBS)
ADVERB: Final = (
    r"(?:please|pls|plz|kindly|just|quickly|now|also|then|first|both|all|perhaps|maybe"
    r"|immediately|urgently|straight"
    r"\ away|right\ away|quickly|gently|carefully|slowly|next(?!\ (?:week|door|room|time|dose|bag|to)\b)"
    r"|personally|again|at\ once|actually"
    r"|really|quick|briefly)"
)
FILLER: Final = re.compile(
    rf"^\W*(?:(?:while(?=\ you\ )|ok(?:ay)?|right(?:\ then)?|so|well|and|but|then|also|first(?:ly|\ of\ all)?"
    rf"|second(?:ly)?|next(?!\ (?:week|door|room|time|dose|bag|to)\b)|finally|great|good"
    r"|lovely|perfect|brilliant|excellent|alright|all\ right|fine|yes|yeah|yep|yup|sure|thanks"
    r"|thank\ you(?:\ so\ much|\ very\ much)?"
    r"|cheers|sorry|hi|hello|hey|oi|listen(?=,)|look(?=,)|see(?=,)|oh|ah|um+|uh|er+m?|whoa|wow|guys|oga"
    r"|uncle|aunty|brother|bros|boss(?=,)|chief|friends|mama|(?:just\ |hang\ on\ )?(?:one|a)\ (?:minute"
    r"|moment|sec(?:ond)?)(?=\W)"
    r"|everyone|everybody|team|folks|people|meanwhile|in\ the\ meantime"
    r"|good\ (?:morning|afternoon|evening)|at\ the\ same\ time|while\ you're\ (?:there|at\ it)"
    r"|after\ that|once\ (?:that's|you've)\ (?:done(?:\ that)?|in)"
    rf"|when\ you've\ done\ that|for\ now|from\ now|as\ well|in\ that\ case|no\ problem"
    rf"|of\ course|for\ (?:the|her|his|your|that|this)\ \w+,?(?=\ (?:i|we)\b)|together(?=,?\ (?:we|i"
    rf"|let)\b)|with\ your\ (?:permission|consent|agreement)|(?:so\ )?we(?:\ have"
    rf"|'ve)?\ agreed(?:\ that)?|{ADVERB})\b[\s,.:!…-]*)+",
    re.VERBOSE,
)
POLITE: Final = re.compile(
    r"[,\s]*\b(?:if\ you(?:'d|\ would)?\ (?:like|prefer|want|wish)(?:\ (?:to|that|it|me\ to|us\ to))?"
    r"|if\ (?:that's|that\ is|it's|it\ is|that\ would\ be|it\ would\ be|you're"
    r"|you\ are|that\ was)\ (?:ok(?:ay)?|alright|all\ right|fine|possible"
    r"|happy|not\ a\ problem|convenient|agreeable)(?:\ (?:with|by|for)\ (?:you|her|him|everyone"
    r"|that))?(?:\ with\ (?:that|it))?|if\ (?:i|we)\ may|if\ you\ (?:don't|do\ not"
    r"|wouldn't)\ mind|if\ possible"
    r"|if\ you\ please|if\ you\ agree|(?:when|whenever|as\ soon\ as)\ (?:you\ (?:can|could"
    r"|get\ a\ (?:chance|moment|sec(?:ond)?)|have\ a\ (?:moment|second|minute|sec)|are\ ready)"
    r"|you're\ (?:ready|free)|possible)"
    r"|for\ (?:me|us)(?=\W|$)|would\ you|will\ you|can\ you|could\ you|ok(?:ay)?|alright"
    r"|all\ right|is\ that\ (?:ok(?:ay)?|all\ right|alright|fine)(?:\ with\ you)?"
    r"|thank\ you(?:\ very\ much)?|thanks|cheers|abeg|(?<=,\ )(?:o|na|ya|sister|doctor|nurse"
    r"|mate|love|my\ dear|yeah|sir|ma'?am?|everyone|team|guys))\s*(?=[.?!,]*$)",
    re.VERBOSE,
)
POLITE_INSIDE: Final = re.compile(
    r"\bif\ (?:that's|that\ is|it's|it\ is|you're|you\ are)\ (?:ok(?:ay)?|alright|all\ right"
    r"|fine|happy)(?:\ (?:with|by|for)\ you)?\b,?"
    r"|\bif\ (?:i|we)\ may\b,?|\bif\ you\ (?:don't|wouldn't)\ mind\b,?"
    r"|\bas\ soon\ as\ (?:possible|you\ can)\b|\bwhen(?:ever)?\ you\ can\b",
    re.VERBOSE,
)
CONDITION: Final = re.compile(
    r"\b(?:(?<!\bsee\ )(?<!\bcheck\ )(?<!\bknow\ )(?<!\bout\ )(?<!\bask\ )(?<!\bmind\ )"
    r"(?<!\bwhether\ )if|unless"
    r"|in\ case|in\ the\ event|provided|after\ [\w\ ]{3,25}?\ (?:is|are|comes?|has|have|arrives?)\b"
    r"|as\ long\ as|otherwise|should\ (?:she|he|they|it|her|his"
    r"|the)"
    r"|once(?!\ (?:a|per|daily|every|more|again|only|in)\b)|(?<!for\ )when(?:ever)?(?!\ (?:i"
    r"|we)\ (?:examine|do|look|check|listen|feel)\b)|as\ soon\ as"
    r"|depending|every\ time|the\ minute|the\ moment\ (?:she|he|they|it))\b",
    re.VERBOSE,
)
LATER: Final = re.compile(
    r"\b(?:later(?:\ on)?|in\ (?:a|just\ a|another)\ (?:bit|while|minute|moment|second|sec"
    r"|little\ while|short\ while)(?!\ (?!if\b|when\b|once\b|i\b|we\b|and\b|but\b|then\b)\w)"
    r"|in\ a\ few\ (?:minutes|moments|hours)"
    r"|in\ (?:about\ )?(?:\d+|two|three|five|ten|fifteen|twenty|thirty)\ (?:minutes"
    r"|mins)(?:'\ time)?|in\ (?:an|half\ an|the\ next)\ hour|at\ some\ point|eventually"
    r"|some\ (?:day|time)|not\ yet|afterwards"
    r"|can\ wait|wait\ (?:with|on)\ (?:the|her|his|any|that)|hold\ off\ (?:with|on)|prn|as\ needed"
    r"|as\ required|shortly|one\ day|down\ the\ line|in\ due\ course"
    r"|another\ time|on\ standby|before\ (?:you|she|he)\ goes?\ home)\b",
    re.VERBOSE,
)
MAYBE: Final = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|probably|presumably|wonder(?:ing|ed)?\ (?:about|whether"
    r"|why)|thinking\ (?:of|about|whether))\b"
)
NOT: Final = re.compile(
    r"\b(?:not|never|nobody|no one|none|nothing|cannot|\w+n't|neither|nor|dont|wont|cant|didnt)\b"
)
CLOSED_LOOP: Final = re.compile(
    r"[,\s]*\b(?:(?:and|then|please|do|just)\s+)*(?:tell|let)\ (?:me|us)\ (?:know\ )?(?:when"
    r"|once|as\ soon|if|what|the\ moment)\b.*$"
    r"|[,\s]*\b(?:(?:and|then|please)\s+)*(?:shout|say|call\ out|sing\ out)(?:\ out)?\ when\b.*$"
    r"|[,\s]*\b(?:(?:and|then|please)\s+)*(?:repeat|read|say)\ (?:that|it|the\ (?:dose|order))?\ ?back\b.*$",
    re.VERBOSE,
)
NAMES: Final = (
    r"(?:nurse|sister|midwife|matron|doctor|dr|mr|mrs|ms|miss|staff|mum|dad|mummy|madam|sir"
    r"|colleague|registrar|charge|security)"
)
WHO: Final = (
    r"(?:you(?:\ guys|\ two|\ all|\ both|\ lot)?|someone(?:\ else)?|somebody|anyone|anybody"
    r"|one\ of\ (?:you|the\ \w+|my\ \w+)|the\ (?:nurse(?:\ in\ charge)?|midwife|team|porters?)|security"
    r"|reception"
    r"|switchboard|radiology|theatres?|the\ lab|pharmacy|icu|itu|anaesthetics|the\ \w+\ (?:team|reg"
    r"|registrar)|(?:nurse|sister|midwife|dr)\ \w+|everyone|everybody)"
)
YOU: Final = re.compile(
    rf"^(?:can|could|would|will|cud|can't|couldn't|won't)\ (?:{WHO}"
    rf"|u)\b(?!\ mind)\s*(?:{ADVERB}\s+|,\s*)*(?:be\ (?:able|willing|happy|prepared"
    rf"|ok(?:ay)?)\ to\s+|be\ so\ kind\ (?:as\ to|and)\s+|be\ kind\ enough\ to\s+)?"
    rf"|^(?:can|could|may|might|must)\ (?:i|we)\ (?:please\ |just\ "
    rf"|kindly\ )*ask\ (?:{WHO})\ (?:please\ |kindly\ )?to\s+"
    rf"|^(?:do\ you\ think\ (?:you|we)\ (?:could|can)|i\ wonder(?:ed)?\ if\ you\ (?:could|would"
    rf"|can)|i\ was\ wondering\ if\ you\ could|(?:i(?:'d|\ would)\ be\ (?:really\ "
    rf"|very\ )?grateful|it\ would\ (?:be\ (?:great|good|helpful|lovely|brilliant)"
    rf"|help))\ if\ you\ (?:could|would)"
    rf"|if\ (?:you|someone|somebody|one\ of\ you)(?:\ (?:could|would|can|will)|'d)|i(?:'ll"
    rf"|\ will)?\ (?:need|want|like|require|ask|get|have|(?:would|'d)\ like)\ (?:{WHO})\ to"
    rf"|i(?:'d|\ would)\ (?:like|want|appreciate)\ (?:it\ if\ you\ (?:could|would)"
    rf"|(?:{WHO})\ to)|i\ (?:need|want|am\ asking|would\ ask)\ (?:{WHO})\ to"
    rf"|(?:would|do)\ you\ mind(?!\ if\ (?:i|we)\b))\s+(?:{ADVERB}\s+)*",
    re.VERBOSE,
)
WE_NEED: Final = re.compile(
    rf"^(?:(?:i\ think\ |i\ reckon\ )?(?:we|she|he|they|this\ (?:lady|gentleman|woman|man|patient"
    rf"|child|boy|girl)|the\ patient|your\ patient|mrs?\ \w+|ms\ \w+|baby)(?:'ve"
    rf"|'ll)?\ (?:really\ |all\ |do\ |now\ |will\ |urgently\ )?(?:need|needs|must|require"
    rf"|requires|have\ got\ to|got\ to|have\ to|has\ to|gotta|want)"
    rf"|i(?:'ve|\ am|'m)?\ (?:really\ |now\ |urgently\ )?(?:need|want|wanna|must|have\ got\ to"
    rf"|have\ to|got\ to|gotta|require|requesting)|i(?:'d|\ would)\ (?:really\ |just\ )?(?:like|love)"
    rf"|(?:can|could"
    rf"|may)\ (?:i|we)\ (?:please\ |just\ |kindly\ |also\ |now\ )?(?:have|get)|(?:can|could|may)\ (?:she"
    rf"|he|they|the\ patient|mrs?\ \w+|ms\ \w+)\ (?:please\ |now\ |also\ )?(?:have|get)"
    rf"(?!\ (?:been|had|taken|got|\w+ed)\b)|(?:she|he|they)\ can\ have|(?:what\ )?(?:we"
    rf"|she|he)\ needs?(?:\ now)?\ is|it's\ time\ (?:for|to))"
    rf"(?:\ to(?=\s))?(?:\ be)?\s+(?:{ADVERB}\s+)*(?P<rest>.*)$",
    re.VERBOSE,
)
THEY_NEED: Final = re.compile(r"^(?:(?:can|could|may) )?(?:she|he|they|this|the|your|mrs?|ms|baby)\b")
"""That a patient needs something is an opinion, unless it is wanted now or has a dose."""
ANNOUNCES: Final = re.compile(
    rf"^(?:(?:i|we)(?:'m|'re|\ am|\ are)\ (?:now\ |just\ |also\ |all\ |quickly\ )*(?:going\ to"
    rf"|gonna|about\ to|off\ to)|(?:i|we)(?:'ll|\ will|\ shall)|let's|lets|let\ us|let\ me|lemme"
    rf"|time\ to|allow\ me\ to|permit\ me\ to|(?:i|we)\ (?:am|are)\ to|what\ (?:i'm"
    rf"|we're)\ going\ to\ do(?:\ (?:now|next|first))?\ is)"
    rf"\s+(?:{ADVERB}\s+)*(?:have\ to\ |need\ to\ |be\ |go\ and\ |go\ ahead\ and\ )?"
    rf"|^(?:excuse\ me|bear\ with\ me|give\ me\ an?\ (?:moment|second|minute|sec)"
    rf"|just\ a\ (?:moment|second|sec)|hang\ on|one\ (?:moment|second))[,\ ]+(?:while|whilst|and"
    rf"|so)\ (?:i(?:'ll|\ will|\ can)?)\s+(?:{ADVERB}\s+)*"
    rf"|^i(?:'ve|\ have)\ (?:got\ )?(?=(?:my|two|both|a)\ hands?\b)|^i(?:'m|\ am)\ on\ (?=(?:the\ )?airway\b)"
    rf"|^(?:i(?:'m|\ am)|we(?:'re|\ are))\ (?:{ADVERB}\s+)*(?=\w+ing\b)",
    re.VERBOSE,
)
GOING: Final = re.compile(r"\w+ing\b")
PERMISSION: Final = re.compile(
    rf"^(?:can|could|may|might|would\ you\ let|will\ you\ let)\ (?:i|we|me|us)\s+(?:{ADVERB}\s+)*"
    rf"|^(?:is\ it|would\ it\ be|is\ that|will\ it\ be|are\ you"
    rf"|would\ you\ be)\ (?:{ADVERB}\s+)*(?:ok(?:ay)?|all\ right|alright|fine|possible|happy"
    rf"|comfortable|willing)(?:\ (?:with\ you|by\ you))?\ (?:if|for|to\ let|with)\ (?:i|we|me"
    rf"|us)(?:\ (?:were|was))?(?:\ to)?\s+(?:{ADVERB}\s+)*"
    rf"|^(?:(?:would|do)\ you\ )?mind\ (?:if\ (?:i|we)|me)\s+(?:{ADVERB}\s+)*",
    re.VERBOSE,
)
OFFERS: Final = re.compile(
    r"^(?:would\ you\ like|you\ want\ (?:some|a)\b|do\ you\ want|would\ you\ prefer|do\ you\ need"
    r"|do\ you\ fancy|(?:can"
    r"|could|may|shall)\ (?:i|we)\ (?:offer|get|fetch|bring)\ you|(?:i|we)\ (?:can|could"
    r"|would\ like\ to)\ offer|(?:i|we)\ (?:can|could)\ (?:arrange|get|find|call|phone|ring|test|book)"
    r"|here,?\ (?:have"
    r"|take)|you're\ welcome\ to|you\ (?:are|'re)\ welcome\ to"
    r"|would\ it\ help(?:\ you)?\ (?:if|to)|would\ (?:a|some)|(?:have|take)\ (?:a"
    r"|some)\ (?:tissue|water|tea)|shall\ we|shall\ i|should\ i|should\ we|how\ about"
    r"|what\ about)\b",
    re.VERBOSE,
)
HERE_IS: Final = re.compile(
    r"^(?:here(?:'s|\ is|\ are)|there(?:'s|\ is|\ are)\ (?:a|some)\ (?:tissues?|water|leaflet|card"
    r"|booklet|drink|bed|place)\b|this\ is\ a\ card|take\ this|(?:i'd|i\ would)\ like\ to\ offer"
    r"|i(?:'m|\ am)\ offering)\b",
    re.VERBOSE,
)
GRANTS: Final = re.compile(
    r"^(?:you(?:'re|\ are)\ (?:free|good|fine|ok(?:ay)?|clear|safe)\ to|you\ (?:can|may|could)(?:\ both"
    r"|\ all)?)\s+(?:now\s+)?"
)
LEAD_IN: Final = re.compile(
    rf"^(?:(?:see\ if\ you\ can|go\ ahead\ and|go\ and|come\ and|try\ (?:to|and)|help\ (?:me|us)(?:\ to"
    rf"|\ and)?"
    rf"|help\ to|start\ by|begin\ by|be\ (?:sure|so\ kind\ as)\ to|make\ sure\ (?:that\ )?(?:you"
    rf"|we)|ensure\ (?:that\ )?(?:you|we)|see\ to\ it\ that\ you|do|someone|somebody|one\ of\ you"
    rf"|you\ two|get\ (?:someone|somebody)\ to|have\ (?:someone|somebody)(?:\ to)?|everyone"
    rf"|nurse\ to|team\ to|the\ nurse\ to|for\ you\ to|{ADVERB})\s+)+",
    re.VERBOSE,
)
QUESTION: Final = re.compile(
    r"^(?:what|when|where|which|who|whose|why|how|is|are|was|were|am|has|have\ (?:you|they|we|i"
    r"|any)|had|does|do\ (?:you|they|we|i)|did|should|shall|isn't|aren't|wasn't|hasn't|haven't"
    r"|didn't|doesn't|don't\ you|any|anything|anyone|will\ (?:she|he|it|this|that|they)"
    r"|would\ (?:she|he|it|this|that|they|your)|can\ (?:she|he|it|this|that|they)|could\ (?:she"
    r"|he|it|this|that|they))\b",
    re.VERBOSE,
)
PERSONAL: Final = re.compile(
    r"\b(?:i(?!/)|we|you|he|she|it|they|there|who|that's(?!\ \d)|it's|he's|she's|is|are|was|were|has"
    r"|had|have\ been|been|did|does|will|would|should|could|may|might|must"
    r"|given|made|came|went|became|bled|lost|got|kept|fell|told|asked|found|broke|taken|sent|done"
    r"|started|stopped|completed|called|finished|holds?|improved|arrived"
    r"|ordered|gone|began|seems?|looks?|means|says?|said|shows?|showed|works?|helps?|causes?"
    r"|caused|makes)\b",
    re.VERBOSE,
)
OF_THE_MIND: Final = re.compile(
    r"^(?:tell\ (?:me|us)|say|explain|describe|remember|recall|feel(?!\ (?:the|her|his|for)\b)|hear"
    r"|breathe|understand"
    r"|think|be\b|imagine|believe|know|mean|manage|swallow|speak|talk\ (?:me|to\ me)|walk"
    r"|explain|hear|see(?!\ (?:mrs|mr|ms))|cope|sleep|eat|still|ever|usually|normally"
    r"|have\ (?:an|children|sex)|afford|live|let\ me\ know|bear|wiggle|picture|stop\ (?:worrying"
    r"|crying|shouting))\b",
    re.VERBOSE,
)
RUN_IT: Final = re.compile(
    r"\bto be (?:\w+ed|given|held|sent|done|taken|put|withheld)\b|\b(?:run|give|put|push|start|hang"
    r"|squeeze|send|do) (?:it|them)\b|\bin it goes\b"
)
NOW: Final = re.compile(
    r"\b(?:please|pls|plz|kindly|stat|asap)\b"
    r"|\b(?:now|immediately|urgently|straight away|right away|at once|quickly|as soon as possible)\W*$|!$"
)
LONGEST_BARE, LONGEST_NAMED = 14, 4  # words
SPLIT: Final = re.compile(
    r"""(?:,\s*|\s+)(?=(?:and|but|so|because|since\ (?:i|we|she|he)|then)\s+(?:please\s+)?(?:i|i'm
    |i'll|i'd|i've|we|we'll|we're|we've|let's|let\ me|can|could|would|will|may|shall|should|you
    |he|he's|she|she's|they|it|it's|that|that's(?!\ \d)|this|there|tell\ me|let\ me\ know
    |do\ not|don't|if|when|once|is|are|has|have\ you|did|does|what|where|how|who)\b)
    |,\s*(?=(?:please\s+)?(?:i|i'm|i'll|i'd|i've|we|we'll|we're|let's|can\ (?:you|we|i|someone
    |somebody)|could\ (?:you|we|i|someone|somebody)|would\ you|will\ you|may\ i|do\ you
    |have\ you|is\ that|did\ you|are\ you|you|you're|you'll|you've|he|he's|she|she's|they
    |they're|it|it's|that's(?!\ \d)|this\ is|there's|tell\ me|let\ me|don't|do\ not|what
    |how\ much|nurse\b|sister\b|please\s+(?:can|could|will|would))(?![\w']))
    |,\s*(?=(?:is|are|has|have|does|did)\ (?:it|she|he|they|there|you)\b)|,\s*(?=make\ (?:i|we)\b)
    |\s+(?=while\s+you\s)|,\s*(?=so\b)|\s+(?=because\b)|:\s+|\s+(?=but\s+(?:do\ not|don't|not|keep|leave
    |first)\b)
    |\s+(?=so\ that\b)""",
    re.VERBOSE | re.IGNORECASE,
)
READY: Final = re.compile(
    r"(?<=ready)\b.*\b(?:in\ case|if|when|for\ when)\b.*$"
    r"|(?<=\bstandby)\b.*\b(?:in\ case|if|when)\b.*$"
    r"|\b(?:loaded|drawn\ up|prepared|at\ (?:the\ )?bedside|at\ hand|handy|nearby)\b.*\b(?:in\ case|if"
    r"|when)\b.*$"
    r"|(?<=\bprepar)(?:e|ing)\b.*\b(?:in\ case|when)\b.*$|(?:(?<=\bto\ start)|(?<=\bstarting)"
    r"|(?<=\bfirst\ dose))\ (?:when"
    r"|once)\b.*$|(?<=^prescribe)\b.*\b(?:when|once)\b.*$"
    r"|(?<=ready)\ in\ case\b.*$|(?<=^draw\ up)\b.*\bin\ case\b.*$|(?<=^have)\b.*\bin\ case\b.*$"
    r"|(?<=^get)\b.*\b(?:ready|drawn\ up|standby)\b.*\bin\ case\b.*$",
    re.VERBOSE,
)
"""What is made ready in case of something is made ready now."""
ASIDE: Final = re.compile(
    r"[,\s]+(?:(?:straight|right|just|immediately)\ )?(?:after|before|following)\ (?:the|that"
    r"|you|we|i|she|he|his|her|any|giving)\b.*$|[,\s]+(?:so\ (?:that\b|your|you|she|he|we|i|they"
    r"|it|the|nobody|no\b|only)|because|while|until|since|in\ order\ to|as\ (?:she|he|they|i|we"
    r"|you|it)(?:'s|'re)?\b).*$",
    re.VERBOSE,
)
ABOUT_YOURS: Final = re.compile(r"^(?:tell|ask|talk\ to|show|speak\ (?:to|with)|let)\ your\b", re.VERBOSE)
AND_IF: Final = re.compile(
    r"[,\s]+(?:and|but|then)\s+(?:if|once|when|as soon as)\b|[,\s]+otherwise\b", re.IGNORECASE
)
PAST: Final = re.compile(r"\b(?:ago|yesterday|last (?:night|week|time|year|month)|in the past|used to)\b")
HABIT: Final = re.compile(
    r"\b(?:usually|normally|always|often|generally|sometimes|typically|in general|most of the time"
    r"|everybody|all patients|(?:most|some|many) people)\b"
)
GRANTED_VERBS: Final = (
    r"(?:give|start|put|send|hang|run|set|connect|hook|attach|push|call|ring|bring|fetch|stop|draw|insert"
    r"|pass|page|bleep|check|hold|get|prepare|administer|infuse|raise|lay|lie)"
)
FOR_THE_TEAM: Final = re.compile(
    rf"(?:{ADVERB}\s+|go ahead and\s+)*{GRANTED_VERBS}\s+(?:her|him|the|that|this|in|on|up|out|a|an|it)\b"
)
YOURS: Final = re.compile(r"\byour(?:self)?\b")
WE_DO: Final = re.compile(
    rf"^(?:for \w+ )?(?P<who>i|we)\s+(?:{ADVERB}\s+|myself\s+|here\s+)*(?=[a-z])", re.VERBOSE
)
IN_THE_MIND: Final = re.compile(
    r"^(?:see(?! (?:mrs|mr|ms)\b)|have|treat|use|mean|look after|leave|wait for|like|hold on)\b"
)
CHANGING: Final = re.compile(
    r"^(?:stop|start|change|switch|hold|begin|write|put|call|ring|take|go|move|bring|send|ask|book|fix"
    r"|arrange|refer)\b"
)
MOVING: Final = re.compile(r"^(?:going|taking|moving|heading|transferring|shifting|wheeling|rushing)\b")
YOU_WILL: Final = re.compile(
    r"^(?:and\s+)?you(?:'ll| will| are to| shall| must| should| have to| need to|'re going to"
    r"| are going to)\s+"
)
OF_YOU: Final = re.compile(r"^(?:have|get|need|feel|see|be|help|find|stay|hear|want)\b")
SHE_GOES: Final = re.compile(
    r"^(?:(?:she|he|they|the patient|madam|this \w+|your \w+)"
    r"(?:'s|'ll| is| will| must| should| to)?\s+(?:now\s+)?"
    r"(?P<goes>go(?:es|ing)?|stay(?:s|ing)?|remain(?:s|ing)?|to (?:go|stay|be))\b"
    r"|(?:she|he|they)(?:'s|'re| is| are) (?:for|off to|to be|moving to)\b"
    r"|(?:(?:the|our|my) [\w ]{2,25}?|[\w ]{2,25}? team) (?:will|is going to|are going to|to) (?:see"
    r"|come|visit|call|ring|meet|review)\b"
    r"|your \w+ (?:will|is going to) \w+"
    r"|you come\b|(?:he|she|your \w+) can (?:take|drive|bring) you home\b|you(?:'re| are) (?:back"
    r"|coming back|coming in|booked|staying|seeing)\b)"
)
RELATIVE: Final = re.compile(
    r"[,\s]+(?:(?:that|which|who|where|what|before|after|while|as|so|for when|until|till)\s|the (?:one"
    r"|way)\b)"
    r".*$"
)
"""What only tells more about a thing: "the drip that is running"."""
MESSAGE: Final = re.compile(r"\b(?:tell|ask|inform|remind|warn|make sure|ensure|see to it|see that)\b")
"""What follows is a message: a negation in it does not refuse the order to pass it on."""
OF_THE_SENSES: Final = re.compile(r"^(?:feel|hear|see (?:her|his|the|that|those|your|it|bed))\b")
REPORTED: Final = re.compile(
    r"\b(?:says?|said|told|tells|advised|advises|recommends?|guidelines?|protocol|policy|textbook|book"
    r"|literature|suggested|suggests|wanted|asked)\b"
)
_AMBIGUOUS: Final = frozenset(
    "line monitor bag call check cover help hand head load look mark note order page phone plan plug review"
    " record report ring scan screen site suction support tap test time watch drip cast splint step treat"
    " transfer update use document stay start head slide mask cross balloon file group top press print pop"
    " book bolus bank level light catheter rest move wrap turn list sign release pump process".split()
)
NEXT_ORDER: Final = re.compile(
    rf"(?:,|\s[-–—]|\.)\s*(?:(?:and|then|so|please|kindly|abeg|just|now|also|first)\s+)*"
    rf"(?:(?:{'|'.join(sorted(BASE - _AMBIGUOUS))})\s+(?=\w)"
    rf"|(?:{'|'.join(sorted(BASE & _AMBIGUOUS))})\s+(?=(?:the|her|him|his|a|an|me|us|this|that|it|them|to|for"
    r"|some|off|up|down|on|out|in|over|with|my|security|dr|mr|mrs|two|one|\d+)\b))",
    re.IGNORECASE,
)
"""A comma, and an imperative after it: "she is not passing urine, give ..."."""
RUNS_ON: Final = re.compile(
    r"\b(?!(?:and|or|the|to|not|for|i|you|we|they|me|us|her|him|let|help|do|does|did|may|must|will|would"
    r"|can|could|shall|should|just|also|so|then|that|what|when|please)\b)([\w']+)"
    r"\s+(?=(?:i'm|i am|i'll|i will|we'll|let's|(?:can|could) (?:you|we|i|someone|somebody)|would you"
    rf"|you (?:can|may)|please|nurse|sister|(?:{'|'.join(sorted(BASE - _AMBIGUOUS))})\s+\w)\b)",
    re.IGNORECASE,
)
"""Where speech without marks goes on to another thing: "she is not well give her ..."."""
FINDS_OUT: Final = re.compile(
    r"\b((?:look|check|see|examine|inspect|feel|ask|assess|confirm|find out|decide|test"
    r"|tell)\b.*?)(?<!,) if\b"
)
TAG: Final = re.compile(r",?\s*\b(?:ok|okay|alright|all right)\s*\?\W*$", re.IGNORECASE)
"""What makes a statement sound like a question, and is none: "I'll listen to your chest, okay?"."""
YES_TAG: Final = re.compile(r"^\W*(?:i|i'll|i'm|let me|we'll)\b[^?]*,\s*yes\s*\?\W*$", re.IGNORECASE)
TERSE: Final = re.compile(
    r"^(?!(?:the|her|his|your|my|their|this|that|these|those|no|not|for|with|of|about|from|like|in|at|by"
    r"|as|than"
    r"|after|before|any|such|good|well|nice|bad|poor|low|high(?!.?flow)|severe|mild|classic|possible"
    r"|likely|due|very|too"
    r"|what|because|since|if|when|only|still|already|looks?|likely|sounds?)\b)(?=\W*[a-z0-9])"
)
FINDING: Final = re.compile(
    r"(?<!legs )(?<!feet )(?<!head )(?<!bed )(?<!end )\b(?:low|high(?!.?flow)|normal|raised|rising"
    r"|falling|dropping|swollen|unremarkable|positive|negative|soft|tender|clear"
    r"|equal|absent|present|weak|thready|pale|better|worse|worsening|improving|stable|unstable|dropped|fallen"
    r"|history|allergy|allergic|suspected|diagnosis|likely|thanks?|sorry)\b"
    r"|\b(?:bp|pressure|sats?|saturations?|pulse|rate|resps?|temp\w*|gcs|lactate|glucose|hb|sugar|bm)\W+"
    r"(?:of |is |at |only |now |still )*\d|'s (?:on|off|in|up|down|done|running|going|out|gone|had)\b"
)
"""What makes a phrase a finding or a report: "BP 80 over 40"."""
SOFTLY: Final = re.compile(r"^\W*(?:maybe|perhaps|possibly|probably)\b")
FRONTED: Final = re.compile(
    rf"^(?P<what>(?:(?:the|this|that|a|his|her) )?[a-z][\w -]{{2,40}}?) (?:i|we)(?:'ll| will"
    rf"| shall)? (?:now )?"
    rf"(?P<verb>{'|'.join(sorted(BASE))})(?P<rest> (?:on|up|down|off|in|now|also|today))*$"
)
"""The object first, as second-language speakers say: "the incident report I send"."""
IS: Final = re.compile(r"^\w+\s+(?:is|was|are|were|has|had|can|will|would|seems?|looks?|shows?|says?)\b")
"""A noun that is also a verb: "the trigger is the antibiotic"."""
OF_THE_PAST: Final = re.compile(r"\breaction to\b|\bdoses of\b|\bso far\b|\btwice already\b|\bno response\b")
STATES: Final = re.compile(
    r"(?<!^)(?<!and )(?<!then )(?<!, )(?<!to )(?<!please )\b(?:takes?|needs?|can|cannot|wants?|works?"
    r"|gives?|gets?|uses?"
    r"|helps?|comes?|goes|carry|carries|runs?|makes?|lasts?|opens?|risks?|increases?)\b(?!\W*$)"
)
"""A verb that makes a phrase a statement: "CT scans take twenty minutes"."""
RESULT: Final = re.compile(
    r"\b(?:platelets?|ha?emoglobin|wcc|crp|sodium|potassium|urea|creatinine|troponin|inr|fibrinogen|ph"
    r"|age|weight)"
    r"\W+(?:of |is |at )?\d"
)
