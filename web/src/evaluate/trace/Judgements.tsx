// How an episode was judged, criterion by criterion; a quote leads to the words in the transcript.
import { Badge } from "#/design/Badge.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Empty } from "#/design/States.tsx";
import { capital, visible } from "#/design/text.ts";
import type { EpisodeDetail, Judged, Quote, Verdict } from "../types.ts";
import { plain, value } from "../words.ts";

type OnQuote = (id: string, words: string) => void;

export function Judgements({ episode, onQuote }: { episode: EpisodeDetail; onQuote: OnQuote }) {
  return (
    <section className="trace-judged" aria-label="Judgements">
      <h2>Judgements</h2>
      {episode.judgements.length === 0 && (
        <Empty heading={episode.ended ? "Not judged" : "Not ended yet"}>
          <p>{episode.ended ? "No judge has looked at this episode." : "An episode is judged when it has ended."}</p>
        </Empty>
      )}
      {episode.judgements.map((one) => (
        <Judgement key={`${one.grader} ${one.version}`} judged={one} onQuote={onQuote} />
      ))}
    </section>
  );
}

function Judgement({ judged, onQuote }: { judged: Judged; onQuote: OnQuote }) {
  return (
    <article className="card">
      <h3>
        {visible(plain(judged.grader))} <span className="soft small">{visible(judged.version)}</span>
      </h3>
      {judged.label && <p className="soft small">{visible(judged.label)}</p>}
      <dl className="scores">
        {judged.scores.map((one) => (
          <div key={one.name}>
            <dt>{capital(visible(one.words))}</dt>
            <dd>
              {one.value === null ? <span className="soft">none</span> : <b>{value(one.kind, one.value)}</b>}
              {one.reason && <span className="soft small"> {visible(plain(one.reason))}</span>}
            </dd>
            {one.quotes.length > 0 && (
              <dd className="score-quotes">
                <Quotes quotes={one.quotes} onQuote={onQuote} />
              </dd>
            )}
          </div>
        ))}
      </dl>
      {judged.verdicts.length > 0 && (
        <details open={judged.verdicts.length <= 12}>
          <summary>{judged.verdicts.length} criteria</summary>
          <ul className="verdicts">
            {judged.verdicts.map((one, k) => (
              <Criterion key={`${one.name} ${k}`} verdict={one} onQuote={onQuote} />
            ))}
          </ul>
        </details>
      )}
      <details>
        <summary>The whole judgement</summary>
        <pre className="whole">{JSON.stringify(judged.body, null, 2)}</pre>
      </details>
    </article>
  );
}

function Criterion({ verdict, onQuote }: { verdict: Verdict; onQuote: OnQuote }) {
  return (
    <li>
      <div className="row spread">
        <span>{visible(verdict.words || plain(verdict.name))}</span>
        <Badge>
          {visible(plain(verdict.verdict))}
          {verdict.points !== null && ` · ${verdict.points}`}
        </Badge>
      </div>
      {verdict.note && <p className="soft small">{visible(verdict.note)}</p>}
      <Quotes quotes={verdict.quotes} onQuote={onQuote} />
    </li>
  );
}

function Quotes({ quotes, onQuote }: { quotes: Quote[]; onQuote: OnQuote }) {
  return (
    <>
      {quotes.map((quote, k) => {
        const at = quote.at[0];
        return at === undefined ? (
          <p key={k} className="quote soft">
            {quote.of_case ? `${visible(quote.words)} (of the case; it never came out)` : <><q>{visible(quote.words)}</q> (not word for word in the transcript)</>}
          </p>
        ) : (
          <button key={k} type="button" className="quote" onClick={() => onQuote(at, quote.words)}>
            <Icon name="quote" size={16} /> <q>{visible(quote.words)}</q>
            <span className="unseen">: show it in the transcript</span>
          </button>
        );
      })}
    </>
  );
}
