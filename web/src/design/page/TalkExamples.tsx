// The parts of a conversation, in each of their looks.
import { useState } from "react";
import { Feed } from "#/practise/talk/Feed.tsx";
import type { TalkItem } from "#/practise/talk/items.ts";
import { Left } from "#/practise/talk/Left.tsx";
import { PatientStrip } from "#/practise/talk/PatientStrip.tsx";
import { SayBox } from "#/practise/talk/SayBox.tsx";

const ITEMS: TalkItem[] = [
  { kind: "words", id: "1.1", who: "Patient", text: "I've got this ache in my chest, doctor." },
  { kind: "words", id: "2.0", who: "You", mine: true, text: "When did it start?" },
  { kind: "words", id: "2.1", who: "Ms Rowe", text: "Hidden characters are shown: \u202Etxet esreveR." },
  { kind: "act", id: "3.0", text: "You order an electrocardiogram" },
  {
    kind: "result",
    id: "3.1",
    name: "Full blood count",
    text: "Haemoglobin 128 g/L, white cells 7.2 x 10⁹/L, platelets 240 x 10⁹/L.",
    returned: true,
    minute: 45,
    picture: "",
    unread: false,
  },
  {
    kind: "result",
    id: "3.2",
    name: "Lumbar puncture",
    text: "Not available here.",
    returned: false,
    minute: 46,
    picture: "",
    unread: false,
  },
  { kind: "words", id: "4.1", who: "Consultant", look: "advice", text: "Ask about travel before you decide." },
  { kind: "words", id: "4.2", who: "Tutor", look: "draft", text: "What would you rule out first?" },
  { kind: "happening", id: "4.3", text: "Her eyes roll up and she goes limp." },
  { kind: "notice", id: "4.4", text: "This is your last turn." },
  { kind: "divider", id: "5.1", text: "Visit 2, day 8" },
];

export function TalkExamples() {
  const [words, setWords] = useState("");
  return (
    <section className="stack">
      <h2>A conversation</h2>
      <PatientStrip
        name="Ms Rowe, 58 years"
        about="Emergency department"
        age={58}
        sex="female"
        mood="distressed"
        seed="Ms Rowe"
        vitals={[
          { name: "Pulse", value: "114" },
          { name: "BP", value: "98/62" },
          { name: "SpO₂", value: "97 %" },
        ]}
      />
      <Left left={{ turns: 2, tests: 9, minutes: 227, cost: null, last_chance: false }} now={13} />
      <Feed items={ITEMS} thinking="The patient" named live={false} label="An example" />
      <SayBox label="Say something to the patient" value={words} onChange={setWords} onSay={() => setWords("")} />
    </section>
  );
}
