import { useQuery } from "@tanstack/react-query";
import { get } from "#/api/client.ts";
import { LinkButton } from "#/design/Button.tsx";
import { Fault, Loading } from "#/design/States.tsx";

/** The run's report, in a frame in which nothing runs. */
export function Report({ run }: { run: string }) {
  const path = `/api/reports/${encodeURIComponent(run)}.html`;
  // Asked for before the frame is, which could not say in words why there is none.
  const { error, isPending, refetch } = useQuery({
    queryKey: ["run", run, "report"],
    queryFn: ({ signal }) => get<null>(path, signal),
  });
  if (error) return <Fault error={error} heading="There is no report to show" again={() => void refetch()} />;
  if (isPending) return <Loading>Writing the report; of a large run it takes some seconds</Loading>;
  return (
    <div className="stack panel">
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
