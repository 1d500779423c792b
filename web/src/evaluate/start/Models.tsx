// The language models of a run: where they are, what they cost, and how much they may use.
import { Badge } from "#/design/Badge.tsx";
import { TextBox } from "#/design/Fields.tsx";
import { visible } from "#/design/text.ts";
import type { StartForm } from "../types.ts";
import { money } from "../words.ts";

/** Prices as they are written, per million tokens. */
export interface Written {
  sent: string;
  answered: string;
  cached: string;
}
export const NOTHING_WRITTEN: Written = { sent: "", answered: "", cached: "" };

/** An amount of zero or more, `null` for what is none. */
export const amount = (text: string) => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null);

/** The prices as the server takes them; `undefined` until both that are needed are written. */
export function pricesOf({ sent, answered, cached }: Written) {
  const [price_in, price_out] = [amount(sent), amount(answered)];
  return price_in === null || price_out === null ? undefined : { price_in, price_out, price_cached: amount(cached) };
}

type Choice = StartForm["models"][number];

export function Models({
  chosen,
  mayPrice,
  written,
  onPrices,
}: {
  chosen: Choice[];
  mayPrice: boolean;
  written: Record<string, Written>;
  onPrices: (name: string, now: Written) => void;
}) {
  return (
    <>
      {chosen.map((one) => {
        const name = one.value.replace(/^model:/, "");
        return (
          <div key={one.value} className="stack seat" role="group" aria-label={`The model ${name}`}>
            <h3>{visible(name)}</h3>
            <p className="small">{visible(one.words)}</p>
            {one.lacks && (
              <p>
                <Badge look="bad">Not ready</Badge> {visible(one.lacks)} at the server: set it, and start the server again.
              </p>
            )}
            {one.prices ? (
              <p className="soft small">
                Per million tokens: {money(one.prices.price_in)} sent, {money(one.prices.price_out)} answered
                {one.prices.price_cached !== null && one.prices.price_cached !== undefined && `, ${money(one.prices.price_cached)} cached`}
              </p>
            ) : mayPrice ? (
              <Prices written={written[name] ?? NOTHING_WRITTEN} onChange={(now) => onPrices(name, now)} />
            ) : (
              <p className="soft small">It has no prices in the server’s osler.toml, so what it costs is not known.</p>
            )}
          </div>
        );
      })}
    </>
  );
}

function Prices({ written, onChange }: { written: Written; onChange: (now: Written) => void }) {
  const wrong = (text: string) => (text && amount(text) === null ? "Write a number" : "");
  return (
    <>
      <p className="soft small">It has no prices here. With them the cost is known, and can be limited.</p>
      <div className="filters">
        <TextBox label="Price of tokens sent" hint="Per million" value={written.sent} onChange={(sent) => onChange({ ...written, sent })} wrong={wrong(written.sent)} />
        <TextBox label="Price of tokens answered" hint="Per million" value={written.answered} onChange={(answered) => onChange({ ...written, answered })} wrong={wrong(written.answered)} />
        <TextBox label="Price of cached tokens" hint="Empty: as sent" value={written.cached} onChange={(cached) => onChange({ ...written, cached })} wrong={wrong(written.cached)} />
      </div>
    </>
  );
}

/** What a run's models may use; at either it pauses, and can be resumed. */
export function BudgetBoxes({
  money: most,
  tokens,
  onMoney,
  onTokens,
}: {
  money: string;
  tokens: string;
  onMoney: (text: string) => void;
  onTokens: (text: string) => void;
}) {
  return (
    <div className="filters">
      <TextBox label="Pause at a cost of" hint="Empty: no limit" value={most} onChange={onMoney} wrong={most && !amount(most) ? "Write a number above 0" : ""} />
      <TextBox label="Pause at so many tokens" hint="Empty: no limit" value={tokens} onChange={onTokens} wrong={tokens && !wholeAmount(tokens) ? "Write a whole number above 0" : ""} />
    </div>
  );
}

/** A whole number above 0, `null` for what is none. */
export const wholeAmount = (text: string) => (/^[1-9]\d*$/.test(text.trim()) ? Number(text) : null);
