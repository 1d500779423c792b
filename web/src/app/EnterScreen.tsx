// Coming in by a link: the token stands in the address's fragment, and is exchanged once for a cookie.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { post } from "#/api/client.ts";
import { Fault, Loading } from "#/design/States.tsx";
import { ME, type Me } from "./me.ts";

export default function EnterScreen() {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const token = window.location.hash.slice(1);
    window.history.replaceState(null, "", "/enter"); // the token is not kept in the history
    if (!token) return go("/", { replace: true });
    post<Me>("/api/enter", { token }).then(() => {
      void queries.invalidateQueries({ queryKey: ME });
      go("/", { replace: true });
    }, setError);
  }, [go, queries]);
  return (
    <>
      <h1 className="unseen">Coming in</h1>
      {error ? <Fault error={error} heading="This link does not open the door" /> : <Loading>Coming in</Loading>}
    </>
  );
}
