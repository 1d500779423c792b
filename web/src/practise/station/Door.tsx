// At the door: what to do, where, and who waits inside; read before going in.
import { ThemeSwitch } from "#/app/Shell.tsx";
import { Button } from "#/design/Button.tsx";
import { plural, visible } from "#/design/text.ts";
import { minutes, spoken, type Time } from "./clock.ts";
import { AT_THE_END, STORY_TIME } from "./StationClock.tsx";
import type { StationView } from "./log.ts";

export function Door({
  title,
  view,
  time,
  lasts,
  onStart,
  leave,
}: {
  title: string;
  view: StationView;
  time: Time | null;
  /** How many minutes the station lasts, if it has a clock. */
  lasts: number;
  onStart: () => void;
  leave: () => void;
}) {
  const reading = time?.phase === "reading";
  return (
    <main className="station-door">
      <div className="sheet">
        <header className="row spread" style={{ flexWrap: "nowrap", alignItems: "flex-start" }}>
          <h1>{visible(title)}</h1>
          <span className="row" style={{ flexWrap: "nowrap", gap: 0 }}>
            <ThemeSwitch />
            <Button look="quiet" onPress={leave}>
              Leave
            </Button>
          </span>
        </header>
        <section aria-labelledby="task">
          <h2 id="task">Your task</h2>
          <p>{visible(view.instructions)}</p>
          <p className="soft small">{STORY_TIME}</p>
        </section>
        <section aria-labelledby="setting">
          <h2 id="setting">Where you are</h2>
          <p>{visible(view.setting)}</p>
          {view.opening && <p>{visible(view.opening)}</p>}
        </section>
        {view.whole_case && (
          <section aria-labelledby="whole">
            <h2 id="whole">Everything that is known</h2>
            <p>{visible(view.whole_case)}</p>
          </section>
        )}
        <section aria-labelledby="people">
          <h2 id="people">Who is there</h2>
          <ul className="stack" style={{ gap: "0.25rem" }}>
            {view.people.map((one) => (
              <li key={one.id}>
                <b>{visible(one.name)}</b>
                {one.about && `, ${visible(one.about)}`}
              </li>
            ))}
          </ul>
        </section>
      </div>
      <footer className="start">
        {time ? (
          <p>
            {reading ? (
              <>
                <span className="unseen">{spoken(time.left)} of reading time left. </span>
                <span aria-hidden>
                  Reading time: <b className="digits">{minutes(time.left)}</b>
                </span>{" "}
                Then you have {plural(lasts, "minute")}.
              </>
            ) : (
              <>The clock is running: {spoken(time.left)} left.</>
            )}{" "}
            {AT_THE_END}
          </p>
        ) : (
          <p>Take your time to read: there is no clock on the wall.</p>
        )}
        <p role="status" className={reading || !time ? "unseen" : "bell"}>
          {time && !reading ? <b>You may go in now.</b> : ""}
        </p>
        <Button look="main" onPress={onStart} isDisabled={reading}>
          Start
        </Button>
      </footer>
    </main>
  );
}
