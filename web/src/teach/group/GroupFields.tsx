// The part of a new room's form for a round that a group shares.
import { useEffect, useRef, type ReactNode } from "react";
import { Choose, OneOf, Tick } from "#/design/Fields.tsx";
import { modelsIn } from "#/design/players.ts";
import { capital, listed, visible } from "#/design/text.ts";
import { seatName, seatsFor } from "#/practise/group/words.ts";
import { Amount } from "../rooms/Amount.tsx";
import { MOST_STUDENTS, offered, withStudents, type GroupForm, type Wrong } from "./plan.ts";
import { TUTORS } from "./words.ts";

interface GroupFieldsProps {
  form: GroupForm;
  change: (now: GroupForm) => void;
  models: string[];
  wrong: Wrong | null;
}

export function GroupFields({ form, change, models, wrong }: GroupFieldsProps) {
  const set = (part: Partial<GroupForm>) => change({ ...form, ...part });
  const tutors = [...TUTORS, ...models.map((id) => ({ id, text: `Language model ${listed(modelsIn(id))}` }))];
  return (
    <>
      <OneOf
        label="Who shares an encounter"
        hint="A group is a tutor and students on one ward round, several of them people."
        options={[
          { id: "each", text: "One encounter each" },
          { id: "group", text: "One encounter for a group" },
        ]}
        value={form.on ? "group" : "each"}
        onChange={(id) => set({ on: id === "group" })}
      />
      {form.on && (
        <section className="card" aria-label="The group">
          <div className="pairs">
            <Choose
              label="Students in a group"
              value={String(form.students)}
              onChange={(count) => change(withStudents(form, Number(count)))}
              options={Array.from({ length: MOST_STUDENTS }, (_, k) => ({ id: String(k + 1), text: String(k + 1) }))}
            />
            <Amount label="Groups" value={form.groups} onChange={(groups) => set({ groups })} />
          </div>
          <At field="students" wrong={wrong} />
          <At field="groups" wrong={wrong} />
          <fieldset>
            <legend>Seats that people may choose</legend>
            <p className="soft small">A seat that nobody has when a round begins is played by a built-in player.</p>
            <div className="seat-ticks">
              {seatsFor(form.students)
                .filter((seat) => !form.compare || seat !== "tutor")
                .map((seat) => (
                  <Tick
                    key={seat}
                    checked={form.seats.includes(seat)}
                    onChange={(on) => set({ seats: on ? [...form.seats, seat] : form.seats.filter((one) => one !== seat) })}
                  >
                    {capital(seatName(seat))}
                  </Tick>
                ))}
            </div>
            <At field="seats" wrong={wrong} />
          </fieldset>
          {!form.compare && !offered(form).includes("tutor") && (
            <Choose label="The tutor" value={form.tutor} onChange={(tutor) => set({ tutor })} options={tutors} />
          )}
          <Tick checked={form.watch} onChange={(watch) => set({ watch })}>
            Learners without a seat may follow what is said openly
          </Tick>
          <Tick checked={form.compare} onChange={(compare) => set({ compare })}>
            Compare several tutors
          </Tick>
          {form.compare && (
            <fieldset>
              <legend>Tutors to compare</legend>
              <p className="soft small">
                Each group meets each of them once, with another case each time, in the order of a Latin square. After each
                round the students say how it was; they are not told which tutor it is.
              </p>
              {[...tutors, { id: "person", text: "A person of the room, in the tutor's seat" }].map(({ id, text }) => (
                <Tick
                  key={id}
                  checked={form.tutors.includes(id)}
                  onChange={(on) => set({ tutors: on ? [...form.tutors, id] : form.tutors.filter((one) => one !== id) })}
                >
                  {visible(text)}
                </Tick>
              ))}
              <At field="tutors" wrong={wrong} />
            </fieldset>
          )}
        </section>
      )}
    </>
  );
}

/** What is wrong with a field, right under it; it comes into sight by itself. */
export function At({ field, wrong }: { field: string; wrong: Wrong | null }): ReactNode {
  const note = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    void note.current?.scrollIntoView({ block: "center" }); // newer browsers return a promise
  }, [wrong]);
  if (wrong?.field !== field) return null;
  return (
    <p className="notice" role="alert" ref={note}>
      {visible(wrong.text)}
    </p>
  );
}
