import "./talk.css";
import type { ReactNode } from "react";
import { Face, seedOf, type Mood } from "#/design/Face.tsx";
import { visible } from "#/design/text.ts";

export interface Vital {
  name: string;
  value: string;
}

/** Who sits opposite: face by stated age and sex, name, and vital signs once they are known. */
export function PatientStrip({
  name,
  about,
  age,
  sex,
  mood,
  seed,
  vitals,
  heading,
  children,
}: {
  name: string;
  about?: string;
  age: number | null;
  sex: "female" | "male" | null;
  mood: Mood;
  seed: string;
  vitals?: Vital[];
  /** The heading of the screen; the name if there is none. */
  heading?: boolean;
  children?: ReactNode;
}) {
  const Name = heading ? "h1" : "p";
  return (
    <div className="strip">
      <Face age={age} sex={sex} mood={mood} seed={seedOf(seed)} size={48} />
      <div>
        <Name className="who">{visible(name)}</Name>
        {about && <p className="soft small">{visible(about)}</p>}
        {vitals && vitals.length > 0 && (
          <p className="vitals">
            <span className="unseen">Vital signs: </span>
            {vitals.map((one) => (
              <span key={one.name}>
                {one.name} <b>{visible(one.value)}</b>
              </span>
            ))}
          </p>
        )}
        {children}
      </div>
    </div>
  );
}

const SIGNS: [string, RegExp][] = [
  ["Pulse", /\b(?:pulse|heart rate)\b[^0-9.;]{0,24}(\d{2,3})\s*\/?\s*min/i],
  ["BP", /\bblood pressure\b[^0-9.;]{0,24}(\d{2,3}\/\d{2,3})/i],
  ["Resp", /\brespiratory rate\b[^0-9.;]{0,16}(\d{1,2})/i],
  ["SpO₂", /\b(?:oxygen )?saturation\b[^0-9.;]{0,16}(\d{2,3}) ?%/i],
  ["Temp", /\btemperature\b[^0-9.;]{0,16}(\d{2}(?:\.\d)?) ?°?C/i],
];

/** The vital signs that a report states plainly; none is guessed. */
export function vitalsIn(report: string): Vital[] {
  return SIGNS.flatMap(([name, pattern]) => {
    const value = pattern.exec(report)?.[1];
    if (!value) return [];
    return [{ name, value: name === "SpO₂" ? `${value} %` : name === "Temp" ? `${value} °C` : value }];
  });
}
