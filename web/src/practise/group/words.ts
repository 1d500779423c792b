// Words for groups and their seats.
import { capital, plural } from "#/design/text.ts";
import type { GroupState, Together } from "./api.ts";

/** A seat by its own name: "student 1", "tutor". */
export const seatName = (seat: string) => seat.replaceAll("_", " ");

export const groupName = (number: number, of: number) => (of === 1 ? "The group" : `Group ${number}`);

/** The seats of a group of so many students, the tutor's first. */
export function seatsFor(students: number): string[] {
  return ["tutor", ...Array.from({ length: students }, (_, k) => `student_${k + 1}`)];
}

export function statusOf({ status, round, rounds }: GroupState): { text: string; look: "good" | "warn" | "quiet" | "own" } {
  const which = rounds > 1 ? `round ${round} of ${rounds}` : "the round";
  switch (status) {
    case "gathering":
      return { text: "not begun", look: "quiet" };
    case "going_on":
      return { text: `${which} goes on`, look: "good" };
    case "between":
      return { text: `${which} is over`, look: "own" };
    case "over":
      return { text: rounds > 1 ? "all rounds are over" : "the round is over", look: "own" };
  }
}

/** What it means to share a round, in sentences for a learner. */
export function sharing({ students, groups, rounds, compared, watch }: Together): string[] {
  const round = `You share ${rounds > 1 ? plural(rounds, "ward round") : "one ward round"} with others of this room: a tutor and ${plural(students, "student")}.`;
  return [
    groups > 1 ? `${round} There are ${groups} groups.` : round,
    "Once you are in, you choose a seat. A seat that nobody has when a round begins is played by this computer.",
    ...(compared ? [`Your group meets ${compared} tutors, one in each round, and says after each how it was. You are not told which tutor is which.`] : []),
    ...(watch ? ["Learners without a seat may follow what is said openly."] : []),
  ];
}

export const seatTitle = (seat: string) => capital(seatName(seat));
