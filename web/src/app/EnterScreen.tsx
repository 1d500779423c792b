// Coming in by a link: the token stands in the address's fragment, and is exchanged once for a cookie.
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { post } from "#/api/client.ts";
import { Fault, Loading } from "#/design/States.tsx";

export default function EnterScreen() {
  const [, go] = useLocation();
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const token = window.location.hash.slice(1);
    window.history.replaceState(null, "", "/enter"); // the token is not kept in the history
    if (!token) return go("/", { replace: true });
    post("/api/enter", { token }).then(() => go("/", { replace: true }), setError);
  }, [go]);
  return (
    <>
      <h1 className="unseen">Coming in</h1>
      {error ? <Fault error={error} heading="This link does not open the door" /> : <Loading>Coming in</Loading>}
    </>
  );
}
