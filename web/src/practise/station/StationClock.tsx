// The station clock: large minutes and seconds, the bell in words, and what happens at the end.
import "./clock.css";
import { Icon } from "#/design/Icon.tsx";
import { minutes, spoken, type Time } from "./clock.ts";

export const AT_THE_END =
  "When the time is up, the station ends by itself and is marked as it stands. What you have not sent does not count.";

/** Two times that are not to be taken for each other: the task's minutes are the patient's. */
export const STORY_TIME = "Minutes in the task are the patient's time, which passes with what you say and do.";

export function StationClock({ time }: { time: Time }) {
  const { phase, left } = time;
  return (
    <p className={`station-clock ${phase === "bell" || phase === "over" ? "last" : ""}`} role="timer" aria-live="off">
      <span aria-hidden className="digits">
        {minutes(left)}
      </span>
      <span aria-hidden className="what">
        {phase === "reading" ? "to read" : "left"}
      </span>
      <span className="unseen">
        {spoken(left)} {phase === "reading" ? "of reading time left" : "left"}
      </span>
    </p>
  );
}

/** The bell: quiet, in words, heard by screen readers, and there until the end. */
export function Bell({ time }: { time: Time }) {
  const { phase, bellMinutes } = time;
  return (
    <div role="status" className={phase === "bell" || phase === "over" ? "bell" : "unseen"}>
      {phase === "bell" && (
        <>
          <Icon name="wait" size={20} />
          <span>
            <b>{bellMinutes === 1 ? "One minute left." : bellMinutes === 2 ? "Two minutes left." : `${bellMinutes} minutes left.`}</b>{" "}
            Then the station ends by itself.
          </span>
        </>
      )}
      {phase === "over" && (
        <>
          <Icon name="wait" size={20} />
          <b>The time is up.</b>
        </>
      )}
    </div>
  );
}
