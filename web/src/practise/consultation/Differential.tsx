// My differential: diagnoses with how likely they are; it goes along with each move.
import { useState } from "react";
import { Button } from "#/design/Button.tsx";
import { Percent, TextBox } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { visible } from "#/design/text.ts";

export interface Thought {
  name: string;
  /** Per cent; `null` until it is said. */
  percent: number | null;
}

/** The differential as the doctor's reply has it: the likeliest first. */
export function workingDiagnoses(thoughts: Thought[]): { name: string; confidence: number | null }[] {
  return [...thoughts]
    .sort((a, b) => (b.percent ?? -1) - (a.percent ?? -1))
    .map(({ name, percent }) => ({ name, confidence: percent === null ? null : percent / 100 }));
}

export function Differential({
  thoughts,
  onChange,
  wanted,
}: {
  thoughts: Thought[];
  onChange: (thoughts: Thought[]) => void;
  wanted: boolean;
}) {
  const [name, setName] = useState("");
  const add = () => {
    const written = name.trim().slice(0, 300);
    if (!written) return;
    if (!thoughts.some((one) => one.name.toLowerCase() === written.toLowerCase()))
      onChange([...thoughts, { name: written, percent: null }]);
    setName("");
  };
  return (
    <section className="stack" aria-label="My differential">
      <div>
        <h2>My differential</h2>
        <p className="soft small">
          {wanted ? "Please say what you think so far. " : ""}What it could be, and how likely. It goes along with your next
          move.
        </p>
      </div>
      {thoughts.length > 0 && (
        <ul className="stack">
          {thoughts.map((one) => (
            <li key={one.name} className="thought">
              <Percent
                label={visible(one.name)}
                value={one.percent}
                onChange={(percent) => onChange(thoughts.map((each) => (each === one ? { ...each, percent } : each)))}
              />
              <Button
                look="quiet"
                aria-label={`Remove ${visible(one.name)}`}
                onPress={() => onChange(thoughts.filter((each) => each !== one))}
              >
                <Icon name="bin" size={20} />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form
        className="add"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <TextBox label="Add a diagnosis" value={name} onChange={setName} max={300} />
        <Button type="submit">Add</Button>
      </form>
    </section>
  );
}
