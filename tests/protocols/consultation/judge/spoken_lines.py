"""Lines of our own, labelled by hand before the rules were tried on them, with ones that look alike."""

from __future__ import annotations

from typing import Final

QUESTIONS: Final[tuple[tuple[str, str], ...]] = (
    ("What brings you in today?", "open"),
    ("Could you tell me a bit more about the pain?", "open"),
    ("How has this been affecting your work?", "open"),
    ("Okay, and what were you hoping we could do for you?", "open"),
    ("Please describe a typical attack.", "open"),
    ("Is there anything else you would like to tell me?", "open"),
    ("Why do you think it started then?", "open"),
    ("Take me through last night from the beginning.", "open"),
    ("How long have you had the cough?", "closed"),
    ("What time did you take the tablets?", "closed"),
    ("Can you tell me how many cigarettes you smoke?", "closed"),
    ("On a scale of one to ten, how bad is it?", "closed"),
    ("Does the pain go anywhere else?", "closed"),
    ("Which arm was it?", "closed"),
    ("Do you live alone, with family or with friends?", "closed"),
    ("Is it worse on the right?", "closed"),
    ("How would you rate the pain out of ten?", "closed"),
    ("When you lie flat, do you get short of breath?", "closed"),
    ("You don't smoke, do you?", "leading"),
    ("So it only hurts when you walk, right?", "leading"),
    ("No chest pain?", "leading"),
    ("You're not taking anything else?", "leading"),
    ("Don't you think it could be stress?", "leading"),
    ("I take it you have never had this before?", "leading"),
    ("The pills haven't helped?", "leading"),
    ("Surely it hurt more at the start?", "leading"),
    ("Any fever, chills or night sweats?", "list"),
    ("Have you had headaches, vomiting, or a stiff neck?", "list"),
    ("Any fever or chills?", "closed"),
    ("After the fall, what happened?", "open"),
    ("How're you managing at home?", "open"),
    ("So there's no asthma in the family?", "leading"),
    ("What about your sleep?", "closed"),
    ("Tell me, are you allergic to anything?", "closed"),
    ("Is that right?", "none"),
    ("Does that make sense?", "none"),
    ("May I listen to your chest?", "none"),
    ("I would like to do a blood test.", "none"),
    ("Right.", "none"),
)
"""A doctor's sentence, and whether it is an open, closed or leading question, a list of things, or none."""

CUES: Final[tuple[tuple[str, bool], ...]] = (
    ("I'm really worried it might be my heart.", True),
    ("Could it be cancer, doctor?", True),
    ("I can't cope any more.", True),
    ("It frightened me, to be honest.", True),
    ("My wife is upset about it too.", True),
    ("I feel so alone since he died.", True),
    ("I just keep crying for no reason.", True),
    ("What if it's another stroke?", True),
    ("I am fed up with being ill.", True),
    ("I'm afraid I don't remember.", False),
    ("I'm not worried about it.", False),
    ("No, nothing scares me.", False),
    ("I have an upset stomach.", False),
    ("The rash is an angry red.", False),
    ("He told me it was something with the nervous system.", False),
    ("The baby was crying all night.", False),
    ("It came down after two hours.", False),
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
