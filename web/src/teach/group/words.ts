// Tutors that a room may compare, in words for the teacher.
import { insideAndAround, modelsIn } from "#/design/players.ts";
import { listed } from "#/design/text.ts";

/** A tutor's player in words for the teacher: "built in: socratic", "the language model tiny", "the
 * language models tiny and large (+discuss:model:large)", "a person of the room". */
export function tutorWords(player: string): string {
  if (player === "person") return "a person of the room";
  const [inside, around] = insideAndAround(player);
  const models = modelsIn(player);
  const who = modelsIn(inside).length
    ? `the language model${models.length > 1 ? "s" : ""} ${listed(models)}`
    : `built in: ${TUTORS.find((one) => one.id === inside)?.short ?? inside}`;
  return around ? `${who} (+${around})` : who;
}

/** The built-in tutors that a room may compare; the ward round has others, which are controls for studies. */
export const TUTORS = [
  { id: "socratic", short: "Socratic", text: "Built in: asks question after question (Socratic)" },
  { id: "lecturer", short: "lecturer", text: "Built in: tells the steps (lecturer)" },
  { id: "silent", short: "silent", text: "Built in: says nothing that teaches (a control)" },
] as const;
