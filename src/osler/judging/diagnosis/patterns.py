"""The patterns that cut an answer into phrases: doubts, reasons, alternatives, links and short forms."""

from __future__ import annotations

import re
from typing import Final

HEDGE: Final = re.compile(
    r"\b(?:(?:most|very|highly|more|quite|almost certainly|clinically)\s+(?=likely|probabl|suggestive"
    r"|suspicious"
    r"|consistent)|(?:(?<!less )likely|probable|probably|possible|possibly|presumed|presumptive|presumably"
    r"|suspected"
    r"|suspicion of|suspiciou?s for|suspect|suspicious|concern for|concerning for|consistent with"
    r"|compatible with|suggestive of|in keeping with|indicative of|feature of|evidence of"
    r"|diagnosi?s of|clinical diagnosi?s|picture of|case of|confirmed|definite|definitely|certainly|apparent"
    r"|apparently|evolving|provisional|working|new onset|newly diagnosed|new|nos|not otherwise specified"
    r"|unspecified|i think|i believe|i suspect|i would say|i favou?r|we suspect|favou?r(?:ed|ing)?"
    r"|a form of|a type of|type of|form of|known|underlying)\b)"
)
LEAD: Final = re.compile(
    r"^.{0,200}?\b(?:(?:diagnosi?s|impression|answer|assessment|dx|aetiology|etiology|explanation)\b\s*"
    r"(?:(?:here|now)\s*)?(?:\s+(?:is|was|would be|remain|appear to be|of)\b|\s*[:=-])"
    r"|(?:(?:patient|he|she|this|it|picture|presentation|finding|case|symptom|history|feature)\s+"
    r"(?:clearly\s+|most\s+|likely\s+)*"
    r"(?:is|are|ha|has|have|had|appear to be|seem to be|represent|suggest|indicate|point to|suffer from"
    r"|is suffering from|fit|fit with|meet criteria for|support|reflect)\b))"
    r"(?:\s+(?:a|an|the|most|likely|probably|to be|that of|having)\b)*\s*"
)
SHOWS: Final = re.compile(
    r"^(?P<finding>.{4,200}?)[,;:]?\s+(?:most |highly |all |strongly )*(?:in keeping with"
    r"|consistent with|suggestive of"
    r"|compatible with|indicative of|diagnostic of|characteristic of|pointing to|indicating|suggesting)\s+"
)
REASON: Final = re.compile(
    r"\b(?:given|based on|because(?! of)|as evidenced by|evidenced by|supported by|as shown by|as seen on"
    r"|seen on"
    r"|confirmed by|as suggested by|suggested by|proven by|diagnosed by|in view of|considering|which|who"
    r"|explaining"
    r"|accounting for|requiring|treated with|responsive to|responding to|awaiting|pending|needing|need)\b.*"
)
SENTENCE: Final = re.compile(r"(?<=[a-z)\]]{2})\.\s+(?=\S)|\n+")
NUMBERED: Final = re.compile(r"(?:^|[\s;,])\d{1,2}[.)]\s+|(?:^|\n)\s*[-*•]\s+")
FIRST: Final = re.compile(r"(?:^|[\s;,:])1[.)]\s|(?:^|\n)\s*[-*•]\s")
SHORT: Final = (
    (re.compile(r"\b(?:vs|v)\.(?=\s)"), "versus"),
    (re.compile(r"\bc/b\b"), "complicated by"),
    (re.compile(r"\b(?:2/2|2nd to|2ry to|2\s?°(?: to)?|2\s?º(?: to)?)(?=\s|$)"), "due to"),
    (re.compile(r"\bd/t\b"), "due to"),
    (re.compile(r"\bw/o\b"), "without"),
    (re.compile(r"\bw/"), "with "),
    (re.compile(r"\bs/p\b"), "status post"),
    (re.compile(r"(?<=\w)\s?#(?!\w)|#\s?(?=[a-z])"), " fracture "),
    (re.compile(r"(?<![\w'])\(?l\)?(?=\s+[a-z])(?!\s+(?:and|or)\b)"), "left"),
    (re.compile(r"(?<![\w'])\(?r\)?(?=\s+[a-z])(?!\s+(?:and|or)\b)"), "right"),
    (re.compile(r"(?<=[,(] )o\.?d\.?(?=[\s,;)]|$)"), "right"),
    (re.compile(r"(?<=[,(] )o\.?s\.?(?=[\s,;)]|$)"), "left"),
    (re.compile(r"(?<=[,(] )o\.?u\.?(?=[\s,;)]|$)"), "bilateral"),
    (re.compile(r"\bh/o\b"), "history of"),
    (re.compile(r"\brisk (?:of|for)\b"), "susceptibility "),
    (re.compile(r"\br/o\b"), "rule out"),
)
OR: Final = re.compile(
    r"\b(?:and/or|or|vs|versus|alternatively|differential(?: diagnosi?s)?(?: includes?)?|ddx|else)\b\.?:?"
    r"|\?\s*(?=\w)|\|"
)
NOT: Final = re.compile(
    r"\b(?:rather than|instead of|as opposed to|not(?! otherwise)|less likely|unlikely|no evidence of"
    r"|without evidence of"
    r"|with no|but no|no|never|doe? not have|ruling out|ruled out|excluded|excluding|exclude"
    r"|cannot exclude|has been"
    r" ruled out|negative for|absence of|absent|i?s unlikely)\b.*"
)
DENIED: Final = re.compile(
    r"\b(?:ruled out|excluded|i?s unlikely|unlikely|not present|not likely|rule out|r/o|to exclude"
    r"|less likely\W*$)(?!\w)"
)
NOTHING: Final = re.compile(
    r"^\W*(?:none|unknown|unclear|undetermined|uncertain|na|n/a|nil|inconclusive|no diagnosi?s.*"
    r"|cannot .*|unable .*"
    r"|insufficient .*|more .* needed|further .*|multiple|deferred|(?:i )?do ?n.?o?t know.*"
    r"|.*\b(?:unclear|unknown"
    r"|undetermined|uncertain) (?:aetiology|etiology|cause|diagnosi?s)?\W*)\W*$"
)
INNER: Final = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
BREAK: Final = re.compile(
    r"(?P<cause>\b(?:secondary to|due to|caused by|because of|resulting from|as a result of|attributable to"
    r"|attributed to|from|owing to|related to|induced by|precipitated by|triggered by|mediated by|driven by"
    r"|provoked by|second to|2/2|2nd to|on the basi?s of)\b)"
    r"|(?P<setting>\b(?:in the setting of|in the context of|in a patient|in patient|in an?|on a background of"
    r"|superimposed on|on top of|following|after|during|history of|with a history of|status post|s/p|for"
    r"|upon|at risk of|with background|with underlying|with pre ?existing)\b)"
    r"|(?P<place>\b(?:in|at|through|within|throughout|across|involving|affecting|arising (?:from|in)"
    r"|located in|around|localized to|confined to)\b)"
    r"|(?P<with>\b(?:complicated by|associated with|accompanied by|presenting (?:with|a|as)"
    r"|manifesting (?:with|a|as)"
    r"|as (?:a )?part of|by|via|per|reaching|extending|spreading|sparing|measuring"
    r"|occurring"
    r"|arising|located|pressing|showing|demonstrating|revealing|until|despite|when|while|where|since"
    r"|manifested by|causing|leading to|resulting in|producing|progressing to|with (?:secondary"
    r"|associated|resulting"
    r"|concomitant|concurrent|superimposed|possible)|characterized by|plu?s|with|w/|c/b)(?:\b|(?<=/)))"
    r"|(?P<and>\band\b|\+)"
    r"|(?P<breaks>;|\n)"
    r"|(?P<bracket>\s-\s|-{2,})"
    r"|(?P<part>,|:|(?<=[a-z0-9])/(?=[a-z])|\s/\s|(?<=[a-z0-9)]{2})\.\s)"
)
SOURCE: Final = re.compile(
    r"\bwith (?P<source>[^,;()]{3,80}?) (?:as|acting as|serving as) "
    r"(?:(?:the|a|an|it|likely|underlying|probable)\s)*"
    r"(?:lead point|leadpoint|cause|source|trigger|origin|culprit|precipitant|nidus)\b"
)
JOINED: Final = frozenset({"induced", "related", "associated", "mediated", "provoked", "triggered"})
CONDITION: Final = re.compile(
    r"(?:itis|osis|iasis|oma|emia|pathy|plasia|penia|algia|rrhea|uria|lysis|ectasia|plegia|trophy|cele"
    r"|lithiasis"
    r"|rrhage|sclerosis|syndrome|disease)$"
)
PREFIXES: Final = (
    "hypo",
    "hyper",
    "micro",
    "macro",
    "endo",
    "ecto",
    "exo",
    "inter",
    "intra",
    "supra",
    "infra",
    "mono",
    "poly",
    "anti",
    "non",
    "pseudo",
    "pre",
    "post",
    "a",
    "dys",
    "un",
    "in",
)
LONGEST_SLIP: Final = 6
