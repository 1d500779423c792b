// A pretended server with one patient, enough to draw the screens of a consultation.
type Answer = [number, unknown];
let feed: unknown[] = [];
let turn = 1;
let status = "yours";
const unread = new Set<string>();
let n = 0;

const CASES = [
  ["Chest ache since this morning", "Chest pain", "heart and circulation", "final year", 20, true],
  ["Tired and thirsty", "Fatigue", "hormones", "clinical years", 15, false],
  ["A rash that will not go", "Rash", "skin", "clinical years", 15, false],
].map(([title, complaint, system, level, minutes, distressing], k) => ({
  id: `c${k}`,
  protocol: k === 2 ? "scenario" : "consultation",
  title,
  complaint,
  system,
  level,
  minutes,
  skills: ["history", "tests"],
  seats: k === 1 ? ["doctor", "patient"] : ["doctor"],
  distressing,
  in_progress: null,
}));

function event(kind: string, fields: object, picture = ""): void {
  feed.push({ id: `${n}.${feed.length + 1}`, n, minute: n * 3, event: { kind, ...fields }, seat: "", reply: null, lines: [], mark: null, picture });
}

function state() {
  return {
    id: "s1",
    code: "KITE-4821",
    protocol: "consultation",
    seat: "doctor",
    title: "Chest ache since this morning",
    status,
    turn,
    ticket: status === "yours" ? `t${turn}` : null,
    notice: "",
    wanted: { act: "doctor", reply: {}, differential: false },
    view: {
      door_note: "Woman, 58 years. Emergency department. Chest ache since this morning.",
      patient_opening: "I've got this ache in my chest, doctor, and it won't go away.",
      age_years: 58,
      sex: "female",
      task: { kind: "diagnosis", question: "What is the most likely diagnosis?", options: null },
      max_total_turns: 26,
      max_tests_per_visit: 9,
      max_visits: 2,
      has_consultant: true,
      allowed_tests: null,
      memory_cards: [],
    },
    feed,
    left: { turns: 26 - turn, tests: 9, minutes: 240 - n * 3, cost: null, last_chance: false },
    thinking: status === "thinking" ? ["patient"] : [],
    clock: null,
    pause: null,
    disclosure: {
      plays: { patient: "Osler's built-in patient (a program, no language model)", examination: "Osler's case file" },
      marks: "Osler's rules, by comparing with the case",
      hosts: [],
      uses: ["practice"],
      consent: "",
    },
    distressing: true,
    room: null,
    ending: status === "ended" ? "You concluded." : "",
    unread: [...unread],
  };
}

export function answer(method: string, url: string, body: any): Answer {
  if (url === "/api/shelf") return [200, { cases: CASES, going_on: [] }];
  if (url === "/api/orderables")
    return [200, [{ name: "Electrocardiogram", kind: "imaging" }, { name: "Vital signs", kind: "examination" }, { name: "Full blood count", kind: "laboratory" }]];
  if (method === "POST" && url === "/api/sittings") {
    feed = []; turn = 1; status = "yours"; n = 0;
    return [201, { id: "s1", turn: 1, code: "KITE-4821" }];
  }
  if (url === "/api/sittings/s1") return [200, state()];
  if (url.endsWith("/moves/check")) {
    if (body.move.action === "ASK" && /ecg/i.test(body.move.question))
      return [200, [{ kind: "order", text: "This sounds like an order.", instead: { action: "REQUEST_TEST", test_name: "ECG" }, blocks: false }]];
    return [200, []];
  }
  if (url.endsWith("/moves")) {
    if (body.ticket !== `t${turn}`) return [409, { what: "stale", where: "", mend: "" }];
    n += 1;
    feed.push({ id: `${n}.0`, n, minute: n * 3, event: null, seat: "doctor", reply: body.move, lines: [], mark: null, picture: "" });
    status = "thinking";
    setTimeout(() => {
      const move = body.move;
      if (move.action === "ASK") event("said", { by: "patient", text: "It came on about two and a half hours ago, while I was sitting doing the invoices. It built up over a few minutes and it has stayed ever since." });
      if (move.action === "REQUEST_TEST") {
        event("taken", { order: n, name: move.test_name, ready_minute: n * 3 + 10 });
        const isEcg = /ecg|electro/i.test(move.test_name);
        event("result", { order: n, name: move.test_name, returned: true, text: isEcg ? "" : "Blood pressure 98/62 mmHg; pulse 114/min, regular; respiratory rate 22/min; oxygen saturation 94 % breathing air; temperature 36.4 °C. Pale and clammy." });
        if (isEcg) unread.add((feed.at(-1) as any).id);
      }
      status = move.action === "FINALIZE" ? "ended" : "yours";
      turn += 1;
    }, 1500);
    return [202, { ticket: body.ticket }];
  }
  if (url.endsWith("/readings")) {
    unread.delete(body.item);
    return [200, { ticket: "" }];
  }
  return [404, { what: "There is no such thing here.", where: url, mend: "" }];
}
