// The cases of a new room: found by words, ticked, and those ticked kept in sight.
import { useState } from "react";
import type { ShelfCase } from "#/api/types-of.ts";
import { Badge } from "#/design/Badge.tsx";
import { TextBox, Tick } from "#/design/Fields.tsx";
import { visible } from "#/design/text.ts";
import { protocolWords } from "#/practise/shelf/filters.ts";

interface CasePickerProps {
  cases: ShelfCase[];
  chosen: string[];
  choose: (ids: string[]) => void;
}

export function CasePicker({ cases, chosen, choose }: CasePickerProps) {
  const [words, setWords] = useState("");
  const low = words.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (one: ShelfCase) =>
    [one.title, one.complaint, one.system, one.level, protocolWords(one.protocol), ...one.skills]
      .join(" ")
      .toLowerCase();
  const near = cases.filter((one) => chosen.includes(one.id) || low.every((word) => text(one).includes(word)));
  return (
    <fieldset>
      <legend className="unseen">Cases</legend>
      <TextBox
        label="Cases"
        hint="Find some by words, and tick them."
        type="search"
        value={words}
        onChange={setWords}
        placeholder="chest, station, safeguarding"
      />
      <div className="picked">
        {near.map((one) => (
          <Tick
            key={one.id}
            checked={chosen.includes(one.id)}
            onChange={(on) => choose(on ? [...chosen, one.id] : chosen.filter((id) => id !== one.id))}
          >
            <b>{visible(one.title)}</b>
            <span className="meta soft small">
              {protocolWords(one.protocol)} · {visible(one.complaint)} · about {one.minutes} min · {one.level}
            </span>
            {one.distressing && <Badge look="warn">May be distressing</Badge>}
          </Tick>
        ))}
        {near.length === 0 && <p className="soft">No case is like that.</p>}
      </div>
    </fieldset>
  );
}
