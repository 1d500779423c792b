// Start a run: protocol, cases, who sits in each seat; what it is expected to cost; the command to copy.
import "../evaluate.css";
import "./start.css";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { post } from "#/api/client.ts";
import { Button } from "#/design/Button.tsx";
import { Choose, TextBox } from "#/design/Fields.tsx";
import { Fault, Loading } from "#/design/States.tsx";
import { modelsIn } from "#/design/players.ts";
import { visible } from "#/design/text.ts";
import { runPath } from "../address.ts";
import { Crumbs } from "../Crumbs.tsx";
import { useStartForm } from "../queries.ts";
import type { Estimated, RunPlan, Started, StartForm } from "../types.ts";
import { plain } from "../words.ts";
import { Estimate } from "./Estimate.tsx";
import { amount, BudgetBoxes, Models, NOTHING_WRITTEN, pricesOf, wholeAmount, type Written } from "./Models.tsx";
import { SeatPicker } from "./SeatPicker.tsx";

export default function StartScreen() {
  const { data, error, refetch } = useStartForm();
  return (
    <div className="stack wide-page">
      <Crumbs steps={[["Runs", "/evaluate"]]} />
      <h1>Start a run</h1>
      {error ? <Fault error={error} again={() => void refetch()} /> : data ? <Form form={data} /> : <Loading />}
    </div>
  );
}

/** The value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const later = window.setTimeout(() => settle(value), 400);
    return () => window.clearTimeout(later);
  }, [value]);
  return settled;
}

const whole = (text: string) => (/^-?\d+$/.test(text.trim()) ? Number(text) : null);

function Form({ form }: { form: StartForm }) {
  const [protocol, setProtocol] = useState(form.protocols[0]?.name ?? "consultation");
  const [cases, setCases] = useState("library");
  const [players, setPlayers] = useState<Record<string, string>>({});
  const [seed, setSeed] = useState("0");
  const [limit, setLimit] = useState("5");
  const [repeats, setRepeats] = useState("1");
  const [money, setMoney] = useState("");
  const [tokens, setTokens] = useState("");
  const [prices, setPrices] = useState<Record<string, Written>>({});
  const [, go] = useLocation();
  const queries = useQueryClient();
  const chosen = form.protocols.find((one) => one.name === protocol);
  const names = [...new Set(Object.values(players).flatMap(modelsIn))];
  const models = form.models.filter(({ value }) => names.includes(value.replace(/^model:/, "")));
  const given = models.flatMap(({ value, prices: theirs }) => {
    const name = value.replace(/^model:/, "");
    const one = theirs ? undefined : pricesOf(prices[name] ?? NOTHING_WRITTEN);
    return one ? [[name, one] as const] : [];
  });
  const plan: Partial<RunPlan> = {
    protocol,
    cases: cases.trim() || "library",
    players: Object.fromEntries(Object.entries(players).filter(([, name]) => name)),
    seed: whole(seed) ?? 0,
    limit: whole(limit),
    repeats: whole(repeats) ?? 1,
    max_money: models.length ? amount(money) || null : null,
    token_budget: models.length ? wholeAmount(tokens) : null,
    prices: Object.fromEntries(given),
  };
  const settled = useSettled(JSON.stringify(plan));
  const estimate = useQuery({
    queryKey: ["plan", settled],
    queryFn: () => post<Estimated>("/api/runs/plan", JSON.parse(settled)),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const start = useMutation({
    mutationFn: () => post<Started>("/api/runs", plan),
    onSuccess: ({ run }) => {
      void queries.invalidateQueries({ queryKey: ["runs"] });
      go(runPath(run));
    },
  });
  if (!chosen) return null;
  return (
    <form
      className="start"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate();
      }}
    >
      <div className="stack">
        <section className="card">
          <h2>What is played</h2>
          <div className="filters">
            <Choose
              label="Protocol"
              value={protocol}
              onChange={(name) => {
                setProtocol(name);
                setPlayers({});
              }}
              options={form.protocols.map(({ name, one }) => ({ id: name, text: one || plain(name) }))}
            />
            <TextBox label="Cases" hint="library, a file or a folder" value={cases} onChange={setCases} />
            <TextBox label={`Only the first … ${chosen.case}s`} hint="Empty: all" value={limit} onChange={setLimit} wrong={limit && !whole(limit) ? "Write a whole number" : ""} />
            <TextBox label="Repeats" hint="Of each case" value={repeats} onChange={setRepeats} wrong={whole(repeats) ? "" : "Write a whole number"} />
            <TextBox label="Seed" hint="Same seed, same chance" value={seed} onChange={setSeed} wrong={whole(seed) === null ? "Write a whole number" : ""} />
          </div>
        </section>
        <section className="card">
          <h2>Who plays</h2>
          <p className="soft small">
            Built-in players are baselines: rules, and no language models. The models are those of the server’s osler.toml.
          </p>
          <div className="seats">
            {chosen.seats.map((seat) => (
              <SeatPicker
                key={`${protocol} ${seat.seat}`}
                protocol={protocol}
                seat={seat}
                models={form.models}
                value={players[seat.seat] ?? ""}
                onChange={(name) => setPlayers((now) => ({ ...now, [seat.seat]: name }))}
              />
            ))}
          </div>
        </section>
        {models.length > 0 && (
          <section className="card">
            <h2>What the models cost</h2>
            <Models
              chosen={models}
              mayPrice={form.may_price}
              written={prices}
              onPrices={(name, now) => setPrices((all) => ({ ...all, [name]: now }))}
            />
            <BudgetBoxes money={money} tokens={tokens} onMoney={setMoney} onTokens={setTokens} />
            {form.max_money !== null && <p className="soft small">This server lets a run cost {form.max_money} at most.</p>}
          </section>
        )}
        {chosen.settings.length > 0 && (
          <details className="card">
            <summary>All settings</summary>
            <dl className="settings">
              {chosen.settings.map((one) => (
                <div key={one.name}>
                  <dt>{visible(plain(one.name))}</dt>
                  <dd>{visible(one.value)}</dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </div>
      <aside className="card plan" aria-label="The plan">
        <h2>The plan</h2>
        {estimate.error ? (
          <Fault error={estimate.error} heading="This cannot be played" again={() => void estimate.refetch()} />
        ) : estimate.data ? (
          <Estimate plan={estimate.data} many={chosen.many} money={plan.max_money ?? null} tokens={plan.token_budget ?? null} />
        ) : (
          <Loading>Estimating</Loading>
        )}
        {start.error && <Fault error={start.error} heading="It did not start" />}
        <Button type="submit" look="main" isDisabled={start.isPending || !!estimate.error}>
          {start.isPending ? "Starting" : "Start the run"}
        </Button>
      </aside>
    </form>
  );
}
