// A group's round as it is set up: what a form holds, and the plan that it makes. Pure functions.
import type { ShelfCase } from "#/api/types-of.ts";
import type { GroupPlan } from "#/practise/group/api.ts";
import { seatsFor } from "#/practise/group/words.ts";

export const MOST_STUDENTS = 10;
export const MOST_GROUPS = 40;
const PERSON = "person";

/** What the form holds. `seats` are those that people may choose; `tutors` are compared if `compare` is set. */
export interface GroupForm {
  on: boolean;
  students: number;
  seats: string[];
  groups: string;
  watch: boolean;
  tutor: string;
  compare: boolean;
  tutors: string[];
}

export const FRESH: GroupForm = {
  on: false,
  students: 3,
  seats: seatsFor(3),
  groups: "1",
  watch: false,
  tutor: "socratic",
  compare: false,
  tutors: ["socratic", "lecturer"],
};

/** Whether a group can share every one of these cases. */
export function canShare(cases: ShelfCase[]): boolean {
  return cases.length > 0 && cases.every((one) => one.seats.includes("tutor"));
}

/** The seats that are offered: of the tutor's, the comparison decides, for it names a person or none. */
export function offered({ students, seats, compare, tutors }: GroupForm): string[] {
  return seatsFor(students).filter((seat) => (compare && seat === "tutor" ? tutors.includes(PERSON) : seats.includes(seat)));
}

/** Another number of students: the seats that come are offered too, those that go are not. */
export function withStudents(form: GroupForm, students: number): GroupForm {
  const fresh = seatsFor(students).filter((seat) => !seatsFor(form.students).includes(seat));
  return { ...form, students, seats: [...form.seats.filter((seat) => seatsFor(students).includes(seat)), ...fresh] };
}

export function planOf(form: GroupForm): GroupPlan {
  const { students, groups, watch, compare, tutors } = form;
  return { students, seats: offered(form), groups: Number(groups), watch, tutors: compare ? tutors : [] };
}

/** The tutor's player, where no person may take the seat and none is compared. */
export function tutorOf(form: GroupForm): Record<string, string> {
  return form.on && !form.compare && !offered(form).includes("tutor") ? { tutor: form.tutor } : {};
}

export interface Wrong {
  field: string;
  text: string;
}

const FIELDS = ["students", "seats", "groups", "tutors", "cases"];

/** The field that an error names, "" for one that has no place of its own in the form. */
export function fieldOf(where: string): string {
  return where.split(/[^a-z_]+/i).find((part) => FIELDS.includes(part)) ?? "";
}

/** What is wrong with the form before the server is asked, if anything. */
export function wrongIn(form: GroupForm, cases: number): Wrong | null {
  if (!form.on) return null;
  const groups = Number(form.groups);
  if (!Number.isInteger(groups) || groups < 1 || groups > MOST_GROUPS)
    return { field: "groups", text: `Say how many groups there are: 1 to ${MOST_GROUPS}.` };
  if (!offered(form).length) return { field: "seats", text: "Offer at least one seat, or nobody can come in." };
  if (form.compare && form.tutors.length < 2) return { field: "tutors", text: "Choose at least two tutors to compare." };
  if (form.compare && cases < form.tutors.length)
    return { field: "cases", text: `Each tutor is met with another case: choose at least ${form.tutors.length} cases.` };
  return null;
}
