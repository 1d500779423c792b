// One run: its figures, its episodes, how it was set up, and its report.
import "../evaluate.css";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { post } from "#/api/client.ts";
import { Badge } from "#/design/Badge.tsx";
import { Button, LinkButton } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Fault, Loading, PausedBar, problemOf } from "#/design/States.tsx";
import { Tabs } from "#/design/Tabs.tsx";
import { capital, visible } from "#/design/text.ts";
import { toast } from "#/design/Toasts.tsx";
import { compareRunsPath, floorPath, runApi, searchPath, useAddress } from "../address.ts";
import { Crumbs } from "../Crumbs.tsx";
import { useRun, useRunFollowed } from "../queries.ts";
import { Progress } from "../runs/Progress.tsx";
import type { Budget, RunDetail, Started } from "../types.ts";
import { KINDS, RUN_STATES, plain, when } from "../words.ts";
import { Episodes } from "./Episodes.tsx";
import { Figures } from "./Figures.tsx";
import { Report } from "./Report.tsx";
import { Setup } from "./Setup.tsx";
import { Spending } from "./Spending.tsx";

export default function RunScreen() {
  const { run: name = "" } = useParams();
  const { data, error, refetch } = useRun(name);
  const running = data?.run.status === "running";
  useRunFollowed(name, running, !running && !!data?.here);
  const { get, set } = useAddress();
  if (error && !data)
    return (
      <>
        <h1 className="unseen">Run</h1>
        <Fault error={error} again={() => void refetch()} />
      </>
    );
  if (!data) return <Loading>Opening the run</Loading>;
  return (
    <div className="stack wide-page">
      <Head detail={data} />
      <Tabs
        label="Parts of this run"
        chosen={get("tab") || "episodes"}
        onChoose={(tab) => set({ tab: tab === "episodes" ? "" : tab })}
        items={[
          { id: "episodes", title: "Episodes", body: <Episodes run={name} /> },
          { id: "figures", title: "Figures", body: <Figures run={name} /> },
          { id: "setup", title: "Set-up", body: <Setup detail={data} /> },
          { id: "report", title: "Report", body: <Report run={name} protocol={data.run.protocol} /> },
        ]}
      />
    </div>
  );
}

function Head({ detail }: { detail: RunDetail }) {
  const { run, here, why, notice } = detail;
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: ({ what, budget }: { what: "pause" | "resume"; budget?: Budget }) =>
      post<Started>(`${runApi(run.name)}/${what}`, budget),
    onSuccess: ({ note }) => {
      if (note) toast(note);
      void queries.invalidateQueries({ queryKey: ["run", run.name] });
    },
    onError: (problem) => {
      const { what, mend } = problemOf(problem);
      toast(mend ? `${what}: ${mend}` : what);
    },
  });
  const state = RUN_STATES[run.status];
  const unfinished = run.done < run.planned;
  return (
    <div className="stack">
      <Crumbs steps={[["Runs", "/evaluate"]]} />
      <div className="row spread">
        <div className="row">
          <h1>{visible(run.name)}</h1>
          <Badge look={state.look}>{state.text}</Badge>
          {run.kind !== "ordinary" && <Badge>{KINDS[run.kind]}</Badge>}
        </div>
        <div className="row">
          <LinkButton href={compareRunsPath([run.name])}>Compare with other runs</LinkButton>
          <LinkButton href={searchPath(run.name)}>Search its words</LinkButton>
          <LinkButton href={floorPath(run.name)}>Watch the floor</LinkButton>
          <Progress done={run.done} planned={run.planned} />
          {run.status === "running" ? (
            <Button onPress={() => act.mutate({ what: "pause" })} isDisabled={act.isPending}>
              <Icon name="pause" /> Pause
            </Button>
          ) : (
            unfinished && (
              <Button look="main" onPress={() => act.mutate({ what: "resume" })} isDisabled={act.isPending}>
                <Icon name="again" /> Go on
              </Button>
            )
          )}
        </div>
      </div>
      <dl className="facts">
        <Fact name="Protocol" text={plain(run.protocol)} />
        <Fact name="Cases" text={run.cases} />
        {Object.entries(run.cast).map(([seat, player]) => (
          <Fact key={seat} name={capital(plain(seat))} text={player} />
        ))}
        <Fact name="Begun" text={when(run.created)} />
        {run.branch_of && <Fact name="Branch of" text={run.branch_of} />}
        {run.holders.length > 0 && <Fact name="Played by" text={here ? "this server" : run.holders.join(", ")} />}
      </dl>
      {why && <PausedBar>{visible(why)}</PausedBar>}
      {Object.keys(run.models).length > 0 && (
        <Spending run={run} busy={act.isPending} onGoOn={(budget) => act.mutate({ what: "resume", budget })} />
      )}
      {notice && <p className="soft small">{visible(notice)}</p>}
    </div>
  );
}

export function Fact({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{visible(name)}</dt>
      <dd>{visible(text)}</dd>
    </div>
  );
}
