// Tutors that a room may compare, in words for the teacher.

/** A tutor's player in words for the teacher: "built in: socratic", "the language model tiny", "a person". */
export function tutorWords(player: string): string {
  if (player === "person") return "a person of the room";
  if (player.startsWith("model:")) return `the language model ${player.slice(6)}`;
  return `built in: ${TUTORS.find((one) => one.id === player)?.short ?? player}`;
}

/** The built-in tutors that a room may compare; the ward round has others, which are controls for studies. */
export const TUTORS = [
  { id: "socratic", short: "Socratic", text: "Built in: asks question after question (Socratic)" },
  { id: "lecturer", short: "lecturer", text: "Built in: tells the steps (lecturer)" },
  { id: "silent", short: "silent", text: "Built in: says nothing that teaches (a control)" },
] as const;
