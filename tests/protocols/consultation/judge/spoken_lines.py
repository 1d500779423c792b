"""Lines of our own, labelled by hand before the rules were tried on them, with ones that look alike."""

from __future__ import annotations

from typing import Final

QUESTIONS: Final[tuple[tuple[str, str], ...]] = (
    ("What brings you in today?", "open"),
    ("Could you tell me a bit more about the pain?", "open"),
    ("Okay, and what were you hoping we could do for you?", "open"),
    ("Please describe a typical attack.", "open"),
    ("Why do you think it started then?", "open"),
    ("How long have you had the cough?", "closed"),
    ("Can you tell me how many cigarettes you smoke?", "closed"),
    ("On a scale of one to ten, how bad is it?", "closed"),
    ("Does the pain go anywhere else?", "closed"),
    ("Do you live alone, with family or with friends?", "closed"),
    ("When you lie flat, do you get short of breath?", "closed"),
    ("You don't smoke, do you?", "leading"),
    ("So it only hurts when you walk, right?", "leading"),
    ("No chest pain?", "leading"),
    ("Don't you think it could be stress?", "leading"),
    ("I take it you have never had this before?", "leading"),
    ("Any fever, chills or night sweats?", "list"),
    ("Have you had headaches, vomiting, or a stiff neck?", "list"),
    ("Any fever or chills?", "closed"),
    ("After the fall, what happened?", "open"),
    ("So there's no asthma in the family?", "leading"),
    ("What about your sleep?", "closed"),
    ("Is that right?", "none"),
    ("May I listen to your chest?", "none"),
    ("Right.", "none"),
)
"""A doctor's sentence, and whether it is an open, closed or leading question, a list of things, or none."""

CUES: Final[tuple[tuple[str, bool], ...]] = (
    ("I'm really worried it might be my heart.", True),
    ("Could it be cancer, doctor?", True),
    ("I can't cope any more.", True),
    ("My wife is upset about it too.", True),
    ("What if it's another stroke?", True),
    ("I'm afraid I don't remember.", False),
    ("I'm not worried about it.", False),
    ("I have an upset stomach.", False),
    ("The rash is an angry red.", False),
    ("The baby was crying all night.", False),
)
"""What a patient says, and whether it tells of a feeling or a fear."""

JARGON: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("Have you had any dyspnoea or orthopnoea?", ("dyspnoea", "orthopnoea")),
    ("I think you have had a myocardial infarction.", ("myocardial infarction",)),
    ("Do you suffer from hypertension?", ("hypertension",)),
    ("Does the pain radiate?", ("radiate",)),
    ("You may have angina.", ("angina",)),
    ("You have hypertension, that is, high blood pressure.", ()),
    ("It is a clot in the lung, what we call a pulmonary embolism.", ()),
    ("Is there oedema, I mean swelling of the ankles?", ()),
    ("Do you get short of breath lying flat?", ()),
    ("We will do an endoscopy, which is a thin camera to look at your stomach.", ()),
    ("Have you had trouble with your bowels?", ()),
)
"""What a doctor says, and the medical words in it that nothing explains; the patient has said "angina" in
none of them."""
