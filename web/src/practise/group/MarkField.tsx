// A question to be answered with a mark on a scale, each with its word, or with "cannot say".
import { Label, Radio, RadioGroup } from "react-aria-components";
import { capital, visible } from "#/design/text.ts";
import type { Questionnaire } from "./api.ts";

export const CANNOT_SAY = "cannot say";
/** A mark as it is chosen in the form: a number in words, or that one cannot say. */
export type Given = number | typeof CANNOT_SAY;

interface MarkFieldProps {
  question: Questionnaire["questions"][number];
  value: Given | undefined;
  onChange: (mark: Given) => void;
}

export function MarkField({ question, value, onChange }: MarkFieldProps) {
  const { asks, least, levels } = question;
  const most = least + levels.length - 1;
  const chosen = typeof value === "number" ? (levels[value - least] ?? "") : "";
  return (
    <RadioGroup
      className="mark-field card"
      value={value === undefined ? null : String(value)}
      onChange={(id) => onChange(id === CANNOT_SAY ? CANNOT_SAY : Number(id))}
    >
      <Label className="asks">{visible(asks)}</Label>
      <div className="scale">
        {levels.map((level, k) => (
          <Radio key={level} value={String(least + k)} className="pill" aria-label={`${least + k}: ${visible(level)}`}>
            {least + k}
          </Radio>
        ))}
        <Radio value={CANNOT_SAY} className="pill cannot">
          Cannot say
        </Radio>
      </div>
      <p className="soft small" aria-hidden>
        {chosen
          ? `${value}: ${capital(visible(chosen))}`
          : `${least} is ${visible(levels[0] ?? "")}, ${most} ${visible(levels.at(-1) ?? "")}.`}
      </p>
    </RadioGroup>
  );
}
