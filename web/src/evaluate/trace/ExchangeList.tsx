// The exchanges of an episode; only those in sight are drawn.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { clock, visible } from "#/design/text.ts";
import type { ExchangeLine } from "../types.ts";
import { plain, short } from "../words.ts";

const ROW = 52;

export function ExchangeList({
  exchanges,
  chosen,
  onChoose,
  ended,
}: {
  exchanges: ExchangeLine[];
  chosen: number;
  onChoose: (n: number) => void;
  ended: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: exchanges.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  useEffect(() => virtual.scrollToIndex(chosen), [chosen, virtual]);
  return (
    <section className="trace-list" aria-label="Exchanges">
      <h2>
        {exchanges.length} exchanges{ended ? "" : " so far"}
      </h2>
      <div ref={box} className="exchange-box" role="list" aria-label="Exchanges" tabIndex={0}>
        <div style={{ height: virtual.getTotalSize(), position: "relative" }} role="presentation">
          {virtual.getVirtualItems().map(({ index, start }) => {
            const one = exchanges[index]!;
            return (
              <div
                key={one.n}
                role="listitem"
                aria-setsize={exchanges.length}
                aria-posinset={index + 1}
                style={{ position: "absolute", insetInline: 0, height: ROW, transform: `translateY(${start}px)` }}
              >
                <button
                  type="button"
                  className="exchange-row"
                  {...(index === chosen ? { "aria-current": "true" as const } : {})}
                  onClick={() => onChoose(one.n)}
                >
                  <span className="exchange-n">{one.n}</span>
                  <span className="exchange-what">
                    <b>{visible(plain(one.seat))}</b> {visible(plain(one.act))}
                    <span className="soft exchange-words">{one.words ? visible(one.words) : "nothing said"}</span>
                  </span>
                  <span className="exchange-side soft small">
                    {clock(one.minute)}
                    <span>{[one.tokens !== null && `${short(one.tokens)} tk`, one.retries > 0 && `${one.retries} retries`, one.refused > 0 && `${one.refused} refused`, one.inner > 0 && `${one.inner} inner`].filter(Boolean).join(" · ")}</span>
                  </span>
                </button>
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}
