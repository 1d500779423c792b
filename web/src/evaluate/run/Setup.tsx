import { capital, visible } from "#/design/text.ts";
import { Command } from "../Copy.tsx";
import type { RunDetail, Setting } from "../types.ts";

/** How a run was set up, and the commands that play it again and go on with it. */
export function Setup({ detail }: { detail: RunDetail }) {
  const { setup, configuration, versions, reproduce, resume } = detail;
  return (
    <div className="stack panel">
      {reproduce && (
        <section className="stack">
          <h2>Play it again</h2>
          <Command label="Command that plays this run again" text={reproduce} />
        </section>
      )}
      {resume && (
        <section className="stack">
          <h2>Go on in a terminal</h2>
          <Command label="Command that goes on with this run" text={resume} />
        </section>
      )}
      <Settings name="Who played" settings={setup} />
      <Settings name="Settings" settings={configuration} />
      <Settings name="Versions" settings={versions} />
    </div>
  );
}

function Settings({ name, settings }: { name: string; settings: Setting[] }) {
  if (!settings.length) return null;
  return (
    <section className="stack">
      <h2>{name}</h2>
      <dl className="settings">
        {settings.map((one) => (
          <div key={one.name}>
            <dt>{capital(visible(one.name.replace(/^settings\./, "").replaceAll(".", ", ")))}</dt>
            <dd>{visible(one.value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
