// The shelf: whom one may see, whom one was seeing, and going on from another device.
import "./shelf.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useSearch } from "wouter";
import { get, inWords, post } from "#/api/client.ts";
import type { SatDown, Shelf, ShelfCase } from "#/api/types-of.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Choose, TextBox } from "#/design/Fields.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { capital, plural, visible } from "#/design/text.ts";
import { STATUS_WORDS } from "#/practise/sitting/useSitting.ts";
import { chosen, NO_FILTERS, protocolWords, values, type Filters } from "./filters.ts";
import { SitDownDialog } from "./SitDownDialog.tsx";

export default function ShelfScreen() {
  const shelf = useQuery({ queryKey: ["shelf"], queryFn: () => get<Shelf>("/api/shelf"), staleTime: 0 });
  const search = new URLSearchParams(useSearch());
  const [address, go] = useLocation();
  const filters = Object.fromEntries(
    Object.keys(NO_FILTERS).map((name) => [name, search.get(name) ?? ""]),
  ) as unknown as Filters;
  const set = (part: Partial<Filters>) => {
    const wanted = Object.entries({ ...filters, ...part }).filter(([, value]) => value);
    go(`${address}${wanted.length ? `?${new URLSearchParams(wanted)}` : ""}`, { replace: true });
  };
  const [taken, take] = useState<ShelfCase | null>(null);

  return (
    <div className="shelf">
      <div>
        <h1>Whom would you like to see?</h1>
        <p className="soft">Simulated patients. For education and research only.</p>
      </div>
      {shelf.isPending && <Loading>The cases are being fetched</Loading>}
      {shelf.isError && <Fault error={shelf.error} again={() => void shelf.refetch()} />}
      {shelf.data && (
        <>
          <Sittings heading="Go on with" sittings={shelf.data.going_on} />
          <ByCode />
          <Sittings heading="Your debriefs" sittings={shelf.data.ended} folded />
          <section className="stack">
            <h2>{shelf.data.going_on.length ? "All cases" : "Cases"}</h2>
            <FilterBar cases={shelf.data.cases} filters={filters} set={set} />
            <Cases cases={chosen(shelf.data.cases, filters)} all={shelf.data.cases.length} take={take} clear={() => set(NO_FILTERS)} />
          </section>
        </>
      )}
      {taken && <SitDownDialog key={taken.id} one={taken} onClose={() => take(null)} />}
    </div>
  );
}

/** The visitor's own sittings: those to go on with, or, `folded`, those to look back on. */
function Sittings({ heading, sittings, folded = false }: { heading: string; sittings: Shelf["going_on"]; folded?: boolean }) {
  if (!sittings.length) return null;
  const list = (
    <ul className="going-on">
      {sittings.map((one) => (
        <li key={one.id}>
          <span>
            <b>{visible(one.title)}</b>
            <br />
            <span className="small">
              {protocolWords(one.protocol)}, {one.status === "ended" ? `${one.turn} turns` : `turn ${one.turn}`}, {STATUS_WORDS[one.status]}
            </span>
          </span>
          {one.status === "ended" ? (
            <LinkButton href={`/practise/${one.id}/debrief`} aria-label={`Debrief: ${visible(one.title)}`}>
              Debrief
            </LinkButton>
          ) : (
            <LinkButton look="main" href={`/practise/${one.id}`}>
              Go on
            </LinkButton>
          )}
        </li>
      ))}
    </ul>
  );
  if (folded)
    return (
      <details className="fold">
        <summary>
          <h2>{heading}</h2>
          <span className="soft small">{sittings.length}</span>
        </summary>
        {list}
      </details>
    );
  return (
    <section className="stack">
      <h2>{heading}</h2>
      {list}
    </section>
  );
}

function FilterBar({ cases, filters, set }: { cases: ShelfCase[]; filters: Filters; set: (part: Partial<Filters>) => void }) {
  const any = (text: string) => ({ id: "", text });
  const kinds = values(cases, (one) => [one.protocol]);
  const skills = values(cases, (one) => one.skills);
  const levels = values(cases, (one) => [one.level]);
  return (
    <search className="filters">
      <TextBox
        label="Search"
        type="search"
        value={filters.words}
        onChange={(words) => set({ words })}
        placeholder="chest, rash, tired"
      />
      <Choose
        label="Kind"
        value={filters.protocol}
        onChange={(protocol) => set({ protocol })}
        options={[any("All"), ...kinds.map((id) => ({ id, text: protocolWords(id) }))]}
      />
      <Choose
        label="Skill"
        value={filters.skill}
        onChange={(skill) => set({ skill })}
        options={[any("All"), ...skills.map((id) => ({ id, text: capital(id) }))]}
      />
      <Choose
        label="Level"
        value={filters.level}
        onChange={(level) => set({ level })}
        options={[any("All"), ...levels.map((id) => ({ id, text: capital(id) }))]}
      />
      <Choose
        label="Time"
        value={filters.minutes}
        onChange={(minutes) => set({ minutes })}
        options={[any("Any"), ...["10", "15", "20", "30"].map((id) => ({ id, text: `At most ${id} min` }))]}
      />
    </search>
  );
}

function Cases({
  cases,
  all,
  take,
  clear,
}: {
  cases: ShelfCase[];
  all: number;
  take: (one: ShelfCase) => void;
  clear: () => void;
}) {
  if (!all) return <Empty heading="There are no cases here" />;
  return (
    <>
      <p className="soft small" role="status">
        {cases.length === all ? plural(all, "case") : `${cases.length} of ${plural(all, "case")}`}
      </p>
      {cases.length === 0 && (
        <Empty icon="search" heading="No case is like that">
          <Button onPress={clear}>Show all cases</Button>
        </Empty>
      )}
      <ul className="cases">
        {cases.map((one) => (
          <li key={one.id}>
            <CaseCard one={one} take={take} />
          </li>
        ))}
      </ul>
    </>
  );
}

function CaseCard({ one, take }: { one: ShelfCase; take: (one: ShelfCase) => void }) {
  const named = `${visible(one.title)}, ${protocolWords(one.protocol).toLowerCase()}`;
  return (
    <article className="card case">
      <div className="stack" style={{ gap: "0.15rem" }}>
        <h3>{visible(one.title)}</h3>
        <p className="soft">{[one.complaint, one.system].filter(Boolean).map(visible).join(" · ")}</p>
      </div>
      <div className="meta" style={{ alignContent: "start" }}>
        <Badge>{protocolWords(one.protocol)}</Badge>
        <Badge>about {one.minutes} min</Badge>
        {one.level && <Badge look="own">{capital(one.level)}</Badge>}
        {one.distressing && (
          <Badge look="warn">
            <Icon name="warn" size={14} /> May be distressing
          </Badge>
        )}
      </div>
      {one.skills.length > 0 && <p className="small soft">{capital(one.skills.map(visible).join(", "))}</p>}
      <div className="row">
        {one.in_progress ? (
          <>
            <LinkButton look="main" href={`/practise/${one.in_progress}`} aria-label={`Go on with ${named}`}>
              Go on
            </LinkButton>
            <Button look="quiet" onPress={() => take(one)} aria-label={`Begin anew with ${named}`}>
              Begin anew
            </Button>
          </>
        ) : (
          <Button look="main" onPress={() => take(one)} aria-label={`Sit down with ${named}`}>
            Sit down
          </Button>
        )}
      </div>
    </article>
  );
}

function ByCode() {
  const [code, setCode] = useState("");
  const [wrong, setWrong] = useState("");
  const [, go] = useLocation();
  const resume = async () => {
    if (!code.trim()) return setWrong("Write the code first.");
    try {
      const { id } = await post<SatDown>("/api/sittings/resume", { code: code.trim() });
      go(`/practise/${id}`);
    } catch (error) {
      setWrong(inWords(error));
    }
  };
  return (
    <details className="fold">
      <summary>
        <h2>Go on from another device</h2>
      </summary>
      <form
        className="resume"
        onSubmit={(event) => {
          event.preventDefault();
          void resume();
        }}
      >
        <TextBox
          label="Code"
          value={code}
          onChange={(now) => {
            setCode(now);
            setWrong("");
          }}
          wrong={wrong}
          max={40}
        />
        <Button type="submit">Go on</Button>
      </form>
    </details>
  );
}
