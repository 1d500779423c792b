// A run's measures with their intervals, how its episodes ended, and what its models used.
import { Fault, Loading } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import { useFigures } from "../queries.ts";
import type { Figure, RunFigures } from "../types.ts";
import { money, number, plain, short, value } from "../words.ts";

export function Figures({ run }: { run: string }) {
  const { data, error, refetch } = useFigures(run);
  if (error) return <Fault error={error} again={() => void refetch()} />;
  if (!data) return <Loading>Adding up; a large run takes some seconds</Loading>;
  return (
    <div className="stack panel">
      <p>{visible(data.label)}</p>
      <Measures measures={data.measures} />
      <Endings figures={data} />
      <Use figures={data} />
    </div>
  );
}

export function Measures({ measures, label = "Measures" }: { measures: Figure[]; label?: string }) {
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label={label}>
      <table className="grid stacks">
        <caption className="unseen">Measures with 95 % intervals</caption>
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col" className="num">
              Value
            </th>
            <th scope="col">95 % interval</th>
            <th scope="col" className="num">
              n
            </th>
            <th scope="col" className="num">
              Unscored
            </th>
          </tr>
        </thead>
        <tbody>
          {measures.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                {capital(visible(one.words))}
                <span className="soft small means">
                  {visible(one.means)}
                  {one.better !== "neither" && `; ${one.better} is better`}
                </span>
              </th>
              <td className="num" data-of="Value">{one.bounds ? <span className="soft">see bounds</span> : one.value === null ? <span className="soft">not scored</span> : value(one.kind, one.value)}</td>
              <td data-of="95 % interval">
                <Reach figure={one} />
              </td>
              <td className="num" data-of="n">{number(one.n)}</td>
              <td className="num" data-of="Unscored">{number(one.unscored)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The interval of a figure; the bounds in its place where too many episodes are unscored. */
export function Reach({ figure: { kind, value: at, low, high, bounds } }: { figure: Figure }) {
  const [from, to] = bounds ?? [low, high];
  if (from === null || from === undefined || to === null || to === undefined) return <span className="soft small">none</span>;
  return (
    <>
      {kind === "share" && <Whisker low={from} high={to} at={bounds ? null : at} />}
      <span className="small">
        {value(kind, from)} to {value(kind, to)}
        {bounds && ": bounds, whatever the unscored would have scored"}
      </span>
    </>
  );
}

function Whisker({ low, high, at }: { low: number; high: number; at: number | null }) {
  return (
    <svg className="whisker" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden focusable="false">
      <path d="M0 5h100" className="base" />
      <path d={`M${100 * low} 5H${100 * high}`} className="span" />
      {at !== null && <path d={`M${100 * at} 1v8`} className="point" />}
    </svg>
  );
}

function Endings({ figures }: { figures: RunFigures }) {
  return (
    <section className="stack">
      <h2>How the episodes ended</h2>
      <ul className="endings">
        {Object.entries(figures.ended).map(([status, count]) => (
          <li key={status}>
            <b>{number(count)}</b> {visible(plain(status))}
            <span className="soft small">
              {Object.entries(figures.because[status] ?? {})
                .map(([why, times]) => ` ${times} × ${visible(plain(why))}`)
                .join(",")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Use({ figures }: { figures: RunFigures }) {
  if (!figures.use.length) return <p className="soft">No language model took part, so nothing was spent.</p>;
  return (
    <section className="stack">
      <h2>What the models used</h2>
      <div className="scrolls" tabIndex={0} role="region" aria-label="Use by seat">
        <table className="grid">
          <thead>
            <tr>
              {["Seat", "Endpoint", "Replies", "Calls", "Tokens in", "Tokens out", "Cost", "Seconds a call", "Retries", "Faults"].map((name, k) => (
                <th key={name} scope="col" className={k > 1 ? "num" : ""}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {figures.use.map((one) => (
              <tr key={`${one.seat} ${one.endpoint}`}>
                <th scope="row">{visible(plain(one.seat))}</th>
                <td>{visible(one.endpoint)}</td>
                <td className="num">{number(one.replies)}</td>
                <td className="num">{number(one.calls)}</td>
                <td className="num">{short(one.prompt_tokens)}</td>
                <td className="num">{short(one.completion_tokens)}</td>
                <td className="num">{money(one.cost)}</td>
                <td className="num">{one.answered && one.seconds !== null ? number(Math.round((100 * one.seconds) / one.answered) / 100) : "not recorded"}</td>
                <td className="num">{short(one.retries)}</td>
                <td className="num">{short(one.faults)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>Together: {money(figures.cost)}</p>
    </section>
  );
}
