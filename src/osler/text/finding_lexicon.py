"""The lexicon for reading findings from text: every wording of every finding, and the cues of negation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from osler.knowledge.findings import Finding, findings
from osler.text.tokens import lowered

_TOKEN: Final = re.compile(
    r"[a-zβ]+(?:'[a-z]+)?|[.;:!?,)\n]|\((?:[hl]\))?|\[[hl]\]"
    r"|\d+(?:[.,/]\d+)*(?:\s?[-–]\s?\d+(?:\.\d+)?)?"  # a number, a pair such as 120/80, a range
    r"|[<≤>≥]\s?\d+(?:\.\d+)?|\++"  # a limit, a grade
)
_DROPPED: Final = frozenset(
    "my|the|a|an|his|her|their|your|our|its|some|any|very|really|so|quite|just".split("|")
)
_OWNERS: Final = frozenset(["my", "his", "her", "their", "our", "the"])
_SAME: Final = {
    word: one
    for one, words in {
        "i": "he|she|they|we|it|i'm|i've|he's|she's|they've|i'd|he'd|she'd|it's|we've|they're|there|there's",
        "not": "don't|doesn't|didn't|haven't|hasn't|hadn't|isn't|aren't|wasn't|weren't|ain't",
        "cant": "cannot",
        "denies": "declines",
    }.items()
    for word in words.split("|")
}
_CUES: Final[dict[str, str]] = {
    "negate": "no|not|never|denies|denied|deny|denying|without|none of|neither|nor|nobody|non|negative for"
    "|free of|absence of|no evidence of|no history of|rules out|rule out|ruled out|excludes"
    "|below threshold for|under threshold for|below cut off for|under cut off for|i declined|patient declined"
    "|wouldn't say i|can't say i|cannot say i",
    "stop": ".|;|!|?|\n|but|however|although|though|except|apart from|whereas|then|yet",
    "soft": ",|and|:|(|)",
    "subject": "i|has|have|had|reports|reported|admits|endorses|complains|notes|presents|presented|developed"
    "|began|feels|felt|positive for|owner",
    "relative": "father|mother|brother|sister|dad|mum|mom|aunt|uncle|grandmother|grandfather|cousin|parents"
    "|grandparent|family history",
    "speech": "says|said|reports|reported|noticed|tells|brought|brings|thinks|denies|denied|states|describes",
    "deny_back": "denied|none|absent|negative|not present|not seen|not palpable|not heard|not detected"
    "|ruled out|excluded|below threshold|below cut off",
    "high": "raised|elevated|high|increased|positive|above|prolonged|(h)|[h]|detected|reactive|rising|is up"
    "|are up|went up|gone up",
    "low": "low|reduced|decreased|below|suppressed|undetectable|(l)|[l]|depressed|impaired|diminished|fallen"
    "|fell|fall",
    "normal": "normal|negative|unremarkable|within normal|not detected|within reference|clear|not raised"
    "|not elevated|non reactive|nonreactive|not increased|not reduced|not low|not high",
}
# Set phrases that contain a wording or a cue but mean something else; they are matched and ignored.
_IDIOMS: Final = (
    "tricuspid regurgitation|mitral regurgitation|aortic regurgitation|pulmonary regurgitation"
    "|valve regurgitation|valvular regurgitation|vesicoureteric reflux|vesicoureteral reflux|venous reflux"
    "|hepatojugular reflux|pulmonary congestion|venous congestion|hepatic congestion|pelvic congestion"
    "|fell ill|fell sick|fell asleep|fell pregnant|fell behind|fell out with|fell in love|fell apart"
    "|fall ill|fall asleep|fall pregnant|fever fell|temperature fell|pressure fell|rate fell"
    "|saturation fell|count fell|level fell|fall in blood pressure|fall in pressure|fall in haemoglobin"
    "|by accident|accident and emergency|cerebrovascular accident|kidney injury|renal injury|liver injury"
    "|lung injury|myocardial injury|forget it|forget about it|forget which|never forget|not forget"
    "|can't forget|no interest in drugs|no interest in smoking|no interest in alcohol"
    "|no interest in drinking|not interested in drugs|not interested in smoking|not interested in drinking"
    "|not without|never without|not free of|never free of|not only|not just|no doubt|no matter"
    "|high sensitivity|high resolution|high dose|low dose|high flow|low flow|high power|low power"
    "|positive airway|positive pressure|no relief of|no relief from|no relief with|without relief"
    "|sweat chloride|fetal heart|foetal heart|fetal heart rate|foetal heart rate|urine ph|urinary ph"
    "|vaginal ph|nervous system|respiratory depression|depressed skull|depressed fracture"
    "|depressed consciousness|breast tenderness|tender breasts|breasts tender|breasts are tender"
    "|sternal tenderness|chest wall tenderness|joint tenderness|joint line tenderness|spinal tenderness"
    "|vertebral tenderness|muscle tenderness|bony tenderness|testicular tenderness|thyroid tenderness"
    "|facial tenderness|ear effusion|retinal exudates|hard exudates|faint murmur|faint systolic|faint rash"
    "|eye contact|hearing aids|walking aids|sweat glands|sweat ducts|sweat test|mild regurgitation"
    "|trivial regurgitation|moderate regurgitation|severe regurgitation|trace regurgitation"
    "|transferrin saturation|corneal reflexes brisk|collapsed by|collapsed vertebra|lining pale|mucosa pale"
    "|pale mucosa|disc pale|pale disc|pale openings|artery pulsating|arteries pulsating|weakness for"
    "|soft plaque|carotid plaque|atheromatous plaque|calcified plaque|plaque rupture|plaque without"
    "|tick boxes|creatinine clearance|albumin creatinine ratio|albumin to creatinine ratio|urine sodium"
    "|urine potassium|urine calcium|urine creatinine|urinary sodium|lens opacity|lens opacities"
    "|depression questionnaire|anxiety questionnaire|depression and anxiety questionnaire|depression scale"
    "|anxiety scale|depression score|anxiety score|fall silent|fell silent|chlamydia test"
    "|chlamydia and gonorrhoea test|chlamydia and gonorrhoea naat|chlamydia and gonorrhea test"
    "|flame gone yellow|not growing longer"
)
_OF_RELATIVES: Final = ("family_", "sick_contacts", "house_symptoms")


class Leaf(NamedTuple):
    """The meaning of a wording: findings affirmed or denied, laboratory names (all as indices), and cues."""

    affirms: tuple[int, ...] = ()
    denies: tuple[int, ...] = ()
    measures: tuple[int, ...] = ()
    cues: frozenset[str] = frozenset()


@dataclass(slots=True)
class Node:
    """A trie node: one word of one or more wordings, with a `leaf` if a wording ends here."""

    next: dict[str, Node] = field(default_factory=dict)
    leaf: Leaf | None = None


class Words(dict[str, str]):
    """A bounded cache from words to their normal form; "" for a word that no wording uses."""

    def __init__(self) -> None:
        super().__init__()
        self.known = set[str]()

    def __missing__(self, word: str) -> str:
        normal = _normal(word)
        result = normal if normal in self.known else ""
        if len(self) < 50_000:
            self[word] = result
        return result


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The data that a scan needs. `implied` is aligned with `items`; `of_relatives` holds indices into it."""

    items: tuple[Finding, ...]
    root: Node
    words: Words
    implied: tuple[tuple[int, ...], ...]
    of_relatives: frozenset[int]


def kept(text: str) -> list[str]:
    """The tokens of a text without stop words.

    A possessive or "the" after a comma or "and" is kept, as "owner", because it marks a new subject.
    """
    result: list[str] = []
    for token in _tokens(text):
        if token not in _DROPPED:
            result.append(token)
        elif token in _OWNERS and result and result[-1] in (",", "and"):
            result.append("owner")
    return result


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon of the packaged findings."""
    items, root, words = findings(), Node(), Words()
    for i, item in enumerate(items):
        for form in item.forms + item.positive:
            _grow(root, words, form, Leaf(affirms=(i,)))
        for form in item.negative:
            _grow(root, words, form, Leaf(denies=(i,)))
        for form in item.analytes:
            _grow(root, words, form, Leaf(measures=(i,)))
    for cue, forms in _CUES.items():
        for form in forms.split("|"):
            _grow(root, words, form, Leaf(cues=frozenset([cue])))
    for idiom in _IDIOMS.split("|"):
        _grow(root, words, idiom, Leaf())
    relatives = frozenset(i for i, item in enumerate(items) if item.id.startswith(_OF_RELATIVES))
    return Lexicon(items, root, words, _closure(items), relatives)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(lowered(text))


def _normal(word: str) -> str:
    """The normal form of a word: pronouns and "n't" unified, possessive and plural endings cut."""
    word = _SAME.get(word, word)
    if word.endswith("'s"):
        word = word[:-2]
    word = word.replace("'", "")
    if len(word) > 3 and word[-1] == "s" and not word.endswith(("ss", "us", "is", "as")):
        word = word[:-1]
    return word


def _grow(root: Node, words: Words, form: str, leaf: Leaf) -> None:
    node = root
    for token in _tokens(form):
        if token in _DROPPED:
            continue
        normal = _normal(token)
        words.known.add(normal)
        node = node.next.setdefault(normal, Node())
    old = node.leaf or Leaf()
    node.leaf = Leaf(
        old.affirms + tuple(i for i in leaf.affirms if i not in old.affirms),
        old.denies + tuple(i for i in leaf.denies if i not in old.denies),
        old.measures + tuple(i for i in leaf.measures if i not in old.measures),
        old.cues | leaf.cues,
    )


def _closure(items: tuple[Finding, ...]) -> tuple[tuple[int, ...], ...]:
    """For each finding, the indices of all that it implies, transitively."""
    at = {item.id: i for i, item in enumerate(items)}

    def reach(i: int, seen: frozenset[int]) -> frozenset[int]:
        for name in items[i].implies:
            if at[name] not in seen:
                seen = reach(at[name], seen | {at[name]})
        return seen

    return tuple(tuple(sorted(reach(i, frozenset()) - {i})) for i in range(len(items)))
