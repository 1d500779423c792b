import { useQuery } from "@tanstack/react-query";
import { get } from "#/api/client.ts";
import { LinkButton } from "#/design/Button.tsx";
import { Choose } from "#/design/Fields.tsx";
import { Fault, Loading } from "#/design/States.tsx";
import { visible } from "#/design/text.ts";
import { address, useAddress } from "../address.ts";
import { useRuns } from "../queries.ts";
import { playerFirst } from "../words.ts";

/** The run's report, alone or against another run of its protocol, in a frame in which nothing runs. */
export function Report({ run, protocol }: { run: string; protocol: string }) {
  const { get: of, set } = useAddress();
  const against = of("against");
  const others = (useRuns({ protocol }).data?.pages.flatMap((page) => page.items) ?? []).filter((one) => one.name !== run);
  const offered = against && !others.some((one) => one.name === against) ? [against] : [];
  return (
    <div className="stack panel">
      <div className="filters wide-choices">
        <Choose
          label="Beside another run"
          value={against}
          onChange={(name) => set({ against: name })}
          options={[{ id: "", text: "This run alone" }, ...offered.map((name) => ({ id: name, text: visible(name) })), ...others.map((one) => ({ id: one.name, text: playerFirst(one, one.name) }))]}
        />
      </div>
      <Written run={run} against={against} />
    </div>
  );
}

function Written({ run, against }: { run: string; against: string }) {
  const path = address(`/api/reports/${encodeURIComponent(run)}.html`, { against });
  // Asked for before the frame is, which could not say in words why there is none.
  const { error, isPending, refetch } = useQuery({
    queryKey: ["run", run, "report", against],
    queryFn: ({ signal }) => get<null>(path, signal),
  });
  if (error) return <Fault error={error} heading="There is no report to show" again={() => void refetch()} />;
  if (isPending) return <Loading>Writing the report; of a large run it takes some seconds</Loading>;
  return (
    <div className="stack">
      <div className="row spread">
        <p className="soft small report-words">
          Figures with intervals, how episodes ended, every case, and the worst episodes in their words. Saved, it is one
          page that opens without a network. Episodes whose people do not permit sharing are left out.
        </p>
        <div className="row">
          <LinkButton href={path} target="_blank">
            Open it alone
          </LinkButton>
          <LinkButton href={path} download={`report-${run}.html`}>
            Save the report
          </LinkButton>
        </div>
      </div>
      <iframe className="report-frame" title="Report of this run" src={path} sandbox="" />
    </div>
  );
}
