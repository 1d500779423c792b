"""Counterfactual twins: a case with one trait of the patient changed, and nothing else.

A twin is named `TRAIT/VALUE`, such as `income/well above the average`. Its trait is on the registration form;
if it is the patient's sex, the door note and the pronouns of the case change with it. A case whose facts
would not be the same in the other sex has no such twin, and is left as it is.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from osler.cases.model import Case
from osler.errors import BadInput
from osler.knowledge.biases import Trait, biases
from osler.knowledge.conditions import knowledge
from osler.protocols.consultation.settings import Form

Sex = Literal["female", "male"]
_PRONOUNS: Final[dict[Sex, frozenset[str]]] = {
    "female": frozenset({"she", "her", "hers", "herself"}),
    "male": frozenset({"he", "him", "his", "himself"}),
}
_NOUNS: Final = (("woman", "man"), ("girl", "boy"), ("female", "male"), ("lady", "gentleman"))
_MEANS_ONE_SEX: Final = re.compile(
    r"\b(?:pregnan\w*|menstru\w*|periods?|menopaus\w*|gravid\w*|parity|uter\w+|ovar\w+|vagin\w+|cervix|vulv\w+|prostat\w*|testi[cs]\w*|scrot\w+|peni[ls]\w*|erect\w+|contracept\w*|breasts?|smears?|hcg|psa)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[A-Za-z]+")
_THING_FOLLOWS: Final = re.compile(
    r"\s+(?!(?:and|or|but|to|in|on|at|for|from|with|when|while|as|if|that|this|by|up|down|out|off|about|again"
    r"|after|before|because|so|since|until|there|then|now|very|too|not|has|have|had|is|are|was|were|be|been"
    r"|will|would|can|could|may|might|did|does|do|who|which|like|than|over|under|without|through|once|a|an|the|vomit|feel|sleep|eat|walk|breathe)\b)\w"
)


def twin_named(text: str) -> tuple[str, Trait, str]:
    """Parse `TRAIT/VALUE` into the trait's name, the trait and the value. Raises BadInput that lists the
    known ones."""
    name, _, value = text.partition("/")
    traits = biases().twins
    if name not in traits:
        raise BadInput(f"no trait is called {name!r}", where="twin", hint=f"known: {', '.join(traits)}")
    if value not in traits[name].values:
        hint = f"one of: {', '.join(traits[name].values)}"
        raise BadInput(f"{value!r} is not a value of {name}", where="twin", hint=hint)
    return name, traits[name], value


def form_of(case: Case, twin: str) -> Form | None:
    """Return the registration form of a twin; `None` if the case has no such twin."""
    name, trait, value = twin_named(twin)
    if trait.sex and (case.sex != value or not sex_may_differ(case)):
        return None
    return Form(trait=name, value=value, text=trait.form.format(value=value))


def twin_of(case: Case, twin: str) -> Case:
    """Return the case as its twin: the same facts and findings, reworded for the other sex if that is the
    trait."""
    _, trait, value = twin_named(twin)
    if not trait.sex or case.sex == value or not sex_may_differ(case):
        return case
    sex: Sex = "female" if value == "female" else "male"
    third_person = case.speaker != "patient"

    def spoken(text: str | None) -> str | None:
        return in_words_of(text, sex) if text and third_person else text

    opening = case.opening.model_copy(
        update={
            "door_note": in_words_of(case.opening.door_note, sex),
            "words": spoken(case.opening.words),
        }
    )
    facts = [
        fact.model_copy(update={"text": in_words_of(fact.text, sex), "spoken": spoken(fact.spoken)})
        for fact in case.facts
    ]
    findings = [
        finding.model_copy(update={"result": in_words_of(finding.result, sex)}) for finding in case.findings
    ]
    changed = {"sex": sex, "opening": opening, "facts": tuple(facts), "findings": tuple(findings)}
    return case.model_copy(update=changed)


def sex_may_differ(case: Case) -> bool:
    """Whether the same facts and findings could be those of a patient of the other sex, and the gendered
    words in the case all refer to the patient."""
    if case.sex is None:
        return False
    condition = knowledge().condition(case.diagnosis.name if case.diagnosis else case.task.answer)
    if condition is not None and min(condition.sex.values(), default=1.0) <= 0.1:
        return False
    # A normal result of a sex-specific test may stay: no one orders that test in the other sex.
    results = [finding.result for finding in case.findings if finding.abnormal is not False]
    texts = [*(fact.text for fact in case.facts), *results]
    own_words = [case.opening.words, *(fact.spoken or "" for fact in case.facts)]
    if case.speaker != "patient":
        texts += own_words
    if any(map(_MEANS_ONE_SEX.search, (*texts, *own_words, case.opening.door_note))):
        return False
    other: Sex = "male" if case.sex == "female" else "female"
    nobodys = _PRONOUNS[other] | {noun for pair in _NOUNS for noun in pair}
    back = (in_words_of(in_words_of(text, other), case.sex) for text in texts)
    return not any(_words(text) & nobodys for text in texts) and list(back) == texts


def in_words_of(text: str, sex: Sex) -> str:
    """Swap the gendered words of a text about a patient of the other sex to those for `sex`."""
    nouns = {pair[sex == "female"]: pair[sex != "female"] for pair in _NOUNS}

    def other(match: re.Match[str]) -> str:
        word = match.group()
        lower = word.lower()
        thing = bool(_THING_FOLLOWS.match(text, match.end()))
        changed = nouns.get(lower) or _pronoun(lower, sex, thing)
        if changed == lower:
            return word
        return changed.capitalize() if word[0].isupper() else changed

    return _WORD.sub(other, text)


def _pronoun(word: str, sex: Sex, thing_follows: bool) -> str:
    """Return the pronoun for this sex; a word that is not a pronoun of the other sex is returned as it is."""
    if sex == "female":
        female = {"he": "she", "him": "her", "his": "her" if thing_follows else "hers", "himself": "herself"}
        return female.get(word, word)
    male = {"she": "he", "her": "his" if thing_follows else "him", "hers": "his", "herself": "himself"}
    return male.get(word, word)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}
