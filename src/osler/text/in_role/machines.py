"""An assistant that speaks of itself: a machine, and "I"."""

from __future__ import annotations

import re
from typing import Final

from osler.text.tokens import any_of

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


def is_of_itself(sentence: str, *, by_patient: bool) -> bool:
    """Whether a sentence, in lower case and written out, tells of its speaker as a machine."""
    if _IS_MODEL.search(sentence) or (_NAMES_MODELS.search(sentence) and not _HER_WORK.search(sentence)):
        return True
    if not by_patient:
        return False
    if _NO_PERSON.search(sentence):
        return True
    machine = _MACHINE.search(sentence)
    return bool(machine and _I_AM.search(sentence) and not _HER_WORK.search(sentence))
