// Who is better than the baseline, in a sentence for each run; a pair that cannot be compared is refused, with the reason.
import { Badge } from "#/design/Badge.tsx";
import { Button } from "#/design/Button.tsx";
import { capital, plural, visible } from "#/design/text.ts";
import { useAddress } from "../address.ts";
import { goDown } from "../goDown.ts";
import type { RunPair, RunsCompared } from "../types.ts";
import { CASES, Letter, letter } from "./letters.tsx";

const OUTCOMES: Record<RunPair["outcome"], { text: string; look: "good" | "bad" | "warn" | "quiet" | "own" }> = {
  better: { text: "Better than the baseline", look: "good" },
  worse: { text: "Worse than the baseline", look: "bad" },
  tie: { text: "A tie: not told apart", look: "own" },
  differs: { text: "Differs", look: "own" },
  bounds: { text: "Too many unscored", look: "warn" },
  "no interval": { text: "No interval", look: "warn" },
  "nothing in common": { text: "Nothing scored in both", look: "warn" },
  refused: { text: "Not comparable", look: "warn" },
};

export function Verdicts({ data }: { data: RunsCompared }) {
  const pairs = data.pairs.filter((pair) => pair.first === 0);
  const headline = data.figures[0]?.[0];
  return (
    <section className="stack">
      <h2>Against the baseline{headline ? `: ${visible(headline.words)}` : ""}</h2>
      <ul className="verdict-list">
        {pairs.map((pair) => (
          <Line key={pair.second} pair={pair} />
        ))}
      </ul>
      <p className="soft small">
        Pairs are the same world in both: case, seed, persona and repeat. Intervals are 95 %, clustered by case
        {data.pairs.length > 1 && `; p is adjusted (Holm) over ${visible(data.adjusted)}`}. Judged by {visible(data.judge)}.
      </p>
    </section>
  );
}

function Line({ pair }: { pair: RunPair }) {
  const { text, look } = OUTCOMES[pair.outcome];
  return (
    <li className="card">
      <div className="row">
        <Letter at={pair.second} />
        <Badge look={look}>{text}</Badge>
      </div>
      {pair.refused.length > 0 ? (
        <ul className="refusals">
          {pair.refused.map((reason) => (
            <li key={reason}>{capital(visible(reason))}</li>
          ))}
        </ul>
      ) : (
        <>
          <p className="verdict-words">{visible(pair.sentence)}</p>
          <div className="row">
            <CasesOf better={pair.first} worse={pair.second} />
            <CasesOf better={pair.second} worse={pair.first} />
          </div>
        </>
      )}
      {pair.unpaired > 0 && (
        <p className="soft small">{plural(pair.unpaired, "episode")} unpaired: only one of the two played their world.</p>
      )}
    </li>
  );
}

/** Goes down to the cases in which one of two runs did better. */
function CasesOf({ better, worse }: { better: number; worse: number }) {
  const { set } = useAddress();
  return (
    <Button
      look="quiet"
      onPress={() => {
        set({ pair: `${better}-${worse}`, show: "" });
        goDown(CASES);
      }}
    >
      Cases where {letter(better)} did better than {letter(worse)}
    </Button>
  );
}
