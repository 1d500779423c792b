// What was heard and found, to tick as evidence: what is ticked and a few lines at first, all of it on demand.
import { useState } from "react";
import { Button } from "#/design/Button.tsx";
import { matching, TextBox, Tick } from "#/design/Fields.tsx";
import { visible } from "#/design/text.ts";

const FEW = 5;

export function Evidence({
  lines,
  chosen,
  onChange,
}: {
  lines: { id: string; text: string }[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}) {
  const [all, setAll] = useState(false);
  const [words, setWords] = useState("");
  if (!lines.length) return <p className="soft small">Nothing has been heard or found yet.</p>;
  const many = lines.length > FEW + 2;
  const found = matching(
    lines.map(({ id, text }) => ({ id, name: text })),
    words,
  );
  const rest = found.filter((one) => !chosen.includes(one.name));
  const shown = [...chosen.filter((text) => lines.some((one) => one.text === text)), ...rest.slice(0, many && !all && !words ? FEW : undefined).map((one) => one.name)];
  return (
    <>
      {many && <TextBox label="Find in what you heard and found" type="search" value={words} onChange={setWords} />}
      <div className="evidence" role="group" aria-label="What you heard and found">
        {shown.map((text) => (
          <Tick
            key={text}
            checked={chosen.includes(text)}
            onChange={(on) => onChange(on ? [...chosen, text] : chosen.filter((one) => one !== text))}
          >
            {visible(text)}
          </Tick>
        ))}
        {words && !rest.length && <p className="soft small">Nothing else holds these words.</p>}
      </div>
      {many && !words && (
        <div>
          <Button look="quiet" onPress={() => setAll(!all)} aria-expanded={all}>
            {all ? "Show fewer" : `Show all ${lines.length}`}
          </Button>
        </div>
      )}
    </>
  );
}
