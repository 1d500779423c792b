// Who sits where in a round that a group shares, and for whom it waits. Pure functions.
import type { SittingState } from "#/api/types-of.ts";
import { capital, listed, visible } from "#/design/text.ts";
import type { GroupState } from "./api.ts";
import { seatName } from "./words.ts";

/** One seat: the name it goes by in the round, and the pseudonym of the person in it, "" for a simulated one;
 * of one that is `hidden`, nobody is told who plays it. */
export interface Seated {
  seat: string;
  name: string;
  who: string;
  you: boolean;
  hidden: boolean;
}

const SIMULATED = /^a (built-in player|language model)/;
const PERSON = "another person";

/** The seats of tutor and students, with people's pseudonyms as far as the group tells them. */
export function seatedIn(state: SittingState, names: (seat: string) => string, group: GroupState): Seated[] {
  const people = new Map(group.seats.map((one) => [one.seat, one]));
  return Object.keys(state.disclosure.plays)
    .filter((seat) => seat === "tutor" || seat.startsWith("student_"))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .sort((a, b) => Number(b === "tutor") - Number(a === "tutor"))
    .map((seat) => {
      const you = seat === state.seat;
      const played = state.disclosure.plays[seat]!;
      const who = you || played === PERSON ? people.get(seat)?.who || "a person" : "";
      return { seat, name: names(seat), who, you, hidden: !who && !SIMULATED.test(played) };
    });
}

/** For whom a round waits, in a sentence: "Waiting for Wren (student 2)"; a tutor is writing a draft. */
export function waitsFor(asked: string[], seated: Seated[]): string {
  const people = seated.filter((one) => asked.includes(one.seat) && one.who && !one.you);
  if (people.some((one) => one.seat === "tutor"))
    return `The tutor, ${visible(people.find((one) => one.seat === "tutor")!.who)}, is writing a draft`;
  if (people.length) return `Waiting for ${listed(people.map((one) => `${visible(one.who)} (${seatName(one.seat)})`))}`;
  if (asked.includes("tutor")) return "The tutor is writing a draft";
  if (asked.some((seat) => seat === "specialist" || seat === "supervisor")) return "The tutor's draft is being reviewed";
  const thinking = seated.filter((one) => asked.includes(one.seat) && !one.you).map((one) => visible(one.name));
  if (thinking.length) return `${capital(listed(thinking))} ${thinking.length > 1 ? "are" : "is"} thinking`;
  return asked.length ? `The ${seatName(asked[0]!)} is thinking` : "The group is thinking";
}
