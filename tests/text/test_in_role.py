"""Speech in a role: what is no answer of a patient, a doctor or anybody is told from what patients say."""

from __future__ import annotations

import time

import pytest

from osler.text.in_role.faults import Part, declines, fault_in

REFUSALS = """
I'm sorry, but I can't help with that.
I cannot fulfil this request.
Sorry, I'm not able to provide medical advice.
I'm afraid I can't take part in a role-play of this kind.
I cannot continue the dialogue as requested.
I must decline to continue with this scenario.
For medical concerns, please consult a qualified healthcare professional.
Please seek advice from a licensed medical practitioner.
That is against the content policy, so I will have to stop here.
I do apologise, but playing an ill person is not possible for me.
Answering health questions is beyond my remit.
I can't do what you're asking.
"I cannot assist with that."
"""
OF_ITSELF = """
As an AI, I don't have symptoms.
I'm just a computer program and have no medical history.
I was created by Alibaba Cloud and my name is Qwen.
Speaking as a neural network, I don't get headaches.
I'm not a real patient, but it hurts in my chest.
AI systems like me don't drink alcohol.
As a virtual assistant I have no past medical history.
"""
MARKS = """
###STOP###
It hurts here.<|im_end|>
[INST] How long has it been? [/INST] Two days.
Two days, doctor.</s>
TERMINATE
[END OF CONVERSATION]
It itches.<turn|>
%%STOP%%
{"answer": "It hurts here", "revealed_facts": ["f1"]}
It hurts here. {"revealed_facts": ["f1", "f2"]}
answer: It hurts here; revealed_facts: f1
<answer>I have a cough</answer>
say("my knee")
"""
THOUGHT = """
I need to stay in character as the patient. The facts say the pain began two days ago.
Okay, the user is asking about allergies. I should check the facts.
My character doesn't know about the scan.
So the doctor wants the onset; I'll give two days.
(As Mr Green) It began on Sunday.
Since the scenario gives no allergy, I make one up.
The patient would say that it hurts at night.
"""
BOTH_SIDES = """
Doctor: Where does it hurt? Patient: In my chest.
It's a dull ache. Doctor: I see. Any fever?
**Doctor:** Have you been sick? **Patient:** Twice.
Human: Tell me about the pain. AI: It's sharp.
The doctor nods and says, "Can you show me where?" I point to my chest.
"""
DOCTORS_PART = """
Can you walk that far?
Can you go over your symptoms again?
How can I help you today?
I'm going to examine your chest now.
Thank you for coming in today. Are you allergic to any medicines?
When did your symptoms start?
Does the pain spread to your jaw or your left arm?
On a scale of one to ten, how bad is your pain?
I'd like to take your blood pressure.
I'll order a blood test and an X-ray for you.
You should rest and drink plenty of fluids.
Based on your symptoms, this could be appendicitis.
Any nausea, vomiting or diarrhoea?
Take a deep breath in for me and hold it.
Who lives with you at home?
My advice would be to take ibuprofen three times a day with meals.
"Could you please describe your symptoms?"
"""
OF_PATIENTS = """
Could you go over it again?
Would you rephrase that, please?
Can you break it down for somebody simple?
Could you go through what you said once more?
Is it serious, doctor?
Do you think I need an operation?
Do you mean the pain in my chest?
Could it be my heart?
Can I get something for the pain?
I'd rather not say.
I can't answer that, doctor, I don't remember.
I'm sorry, I can't remember exactly when it started.
I can't help it, I just get so worried.
Sorry, did you ask if I have diabetes?
Are you going to give me antibiotics?
Have you seen this before?
I won't take those tablets, they make me sick.
My sister told me I should see a doctor.
I spoke to a health professional on the phone and she told me to come.
I'm sorry, I can't lift my arm any higher.
You know when you have a cold and your nose is blocked? It's like that.
You should see the bruise, it's huge.
The lady on the phone asked, "Are you having any chest pain?" and I said yes.
They took my temperature and told me to drink plenty of fluids.
I work with computers, I build software.
I'm an actor and play a patient in a soap.
I follow the instructions on the packet.
You need to do something, please!
I can't provide any more detail than that, sorry.
I'm the patient's wife; he can't speak.
Doctor, please help me, I can't breathe.
STOP! It hurts!
My blood pressure was 150/90, and the sugar < 5.
"""
OF_DOCTORS = """
What brings you in today?
I can't give you a diagnosis yet; I need to examine you first.
I'm not able to discuss your brother's care with you, I'm afraid.
We cannot give you any treatment without your consent.
Please see your GP in two weeks, or call an ambulance if it gets worse.
Is there anything else I can help you with today?
I have your results here: the ECG is normal.
"""
OF_A_TUTOR = """
## The heart
Never offer treatment without consent, and don't give the diagnosis away.
The draft does not follow the guidelines: **SAFETY** comes first.
Think of the heart as a pump. What would the patient say to that?
F32.1, a moderate depressive episode; BP <90/60.
"""


def lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


@pytest.mark.parametrize("said", lines(REFUSALS))
@pytest.mark.parametrize("part", ["patient", "companion", "nobody"])
def test_a_refusal_is_an_assistants(said: str, part: Part) -> None:
    found = fault_in(said, part)
    assert found
    assert found.cause == "refused"


@pytest.mark.parametrize("said", lines(OF_ITSELF + MARKS + THOUGHT + BOTH_SIDES))
def test_what_is_not_said_in_the_role_is_out_of_it(said: str) -> None:
    for part in ("patient", "companion"):
        found = fault_in(said, part)
        assert found, part
        assert found.cause == "out_of_role", part


@pytest.mark.parametrize("said", lines(DOCTORS_PART))
def test_a_patient_does_not_take_the_doctors_part(said: str) -> None:
    found = fault_in(said, "patient")
    assert found
    assert found.cause == "out_of_role"
    assert fault_in(said, "clinician") is None, "from a doctor it is right"


@pytest.mark.parametrize("said", lines(OF_PATIENTS))
def test_patients_ask_refuse_and_tell_what_others_said_within_their_role(said: str) -> None:
    assert fault_in(said, "patient") is None


@pytest.mark.parametrize("said", ["How are you feeling, love?", "You need to rest, Dad.", "Does it hurt?"])
def test_a_companion_may_ask_the_patient(said: str) -> None:
    assert fault_in(said, "companion") is None


@pytest.mark.parametrize("said", lines(OF_DOCTORS))
def test_doctors_decline_and_refer_within_their_role(said: str) -> None:
    assert fault_in(said, "clinician") is None


@pytest.mark.parametrize("said", lines(OF_A_TUTOR))
def test_other_seats_teach_and_judge(said: str) -> None:
    assert fault_in(said, "other") is None


@pytest.mark.parametrize("part", ["clinician", "other"])
@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("I'm sorry, but I can't assist with that request.", "refused"),
        ("I cannot participate in this role-play.", "refused"),
        ("As an AI language model, I have no clinic.", "out_of_role"),
        ("###STOP###", "out_of_role"),
        ('{"action": "ASK", "question": "Where?"}', "out_of_role"),
        ("Where does it hurt?<|im_end|>", "out_of_role"),
    ],
)
def test_in_every_seat_some_things_are_no_answer(said: str, cause: str, part: Part) -> None:
    found = fault_in(said, part)
    assert found
    assert found.cause == cause


@pytest.mark.parametrize("said", ["My chest hurts, doctor.", "I've been having this headache for two days."])
def test_a_doctor_does_not_take_the_patients_part(said: str) -> None:
    found = fault_in(said, "clinician")
    assert found
    assert found.cause == "out_of_role"
    assert fault_in(said, "patient") is None


def test_the_signs_of_an_answer_that_is_only_not_in_its_form_are_no_refusal() -> None:
    assert not declines('{"action": "DANCE"}')
    assert not declines("Where does it hurt?")


@pytest.mark.parametrize(
    "piece", ["\n", "*", "i can not ", "tell me ", "if it gets ", "doctor: ", "<", "\n*"]
)
def test_long_texts_are_read_in_a_moment(piece: str) -> None:
    began = time.perf_counter()
    for part in ("patient", "clinician", "other", "nobody"):
        fault_in(piece * 4000, part)
    assert time.perf_counter() - began < 5
