import { LinkButton } from "#/design/Button.tsx";
import { Empty } from "#/design/States.tsx";

export default function NotFound() {
  return (
    <>
      <h1 className="unseen">Not found</h1>
      <Empty icon="search" heading="There is nothing at this address">
        <p>It may have been deleted, or belong to somebody else.</p>
        <LinkButton href="/">To the front door</LinkButton>
      </Empty>
    </>
  );
}
