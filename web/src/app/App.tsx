// The frame of everything: data, toasts, and the screen that the address names.
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Component, Suspense, useEffect, type ReactNode } from "react";
import { RouterProvider } from "react-aria-components";
import { Route, Switch, useLocation } from "wouter";
import { Problem } from "#/api/client.ts";
import { dropRefused } from "#/api/withdrawal.ts";
import { Fault, Loading } from "#/design/States.tsx";
import { Toasts } from "#/design/Toasts.tsx";
import { focusHeading } from "./focus.ts";
import NotFound from "./NotFound.tsx";
import { ROUTES } from "./routes.tsx";
import { Shell } from "./Shell.tsx";

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: dropRefused }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && !(error instanceof Problem && error.status < 500),
    },
  },
});

export function App() {
  const [address, go] = useLocation();
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider navigate={(path) => go(path)}>
        <FocusOnHeading address={address} />
        <Switch>
          {ROUTES.map(({ path, screen: Screen, bare }) => (
            <Route key={path} path={path}>
              <Boundary key={address}>
                {bare ? (
                  <Suspense fallback={<Loading />}>
                    <Screen />
                  </Suspense>
                ) : (
                  <Shell>
                    <Suspense fallback={<Loading />}>
                      <Screen />
                    </Suspense>
                  </Shell>
                )}
              </Boundary>
            </Route>
          ))}
          <Route>
            <Shell>
              <NotFound />
            </Shell>
          </Route>
        </Switch>
        <Toasts />
      </RouterProvider>
    </QueryClientProvider>
  );
}

/** Moves the focus to the new screen's heading, and names the window after it. */
function FocusOnHeading({ address }: { address: string }) {
  useEffect(() => {
    let first = true;
    const settle = () => {
      const heading = document.querySelector("h1");
      if (!heading) return false;
      document.title = heading.textContent ? `${heading.textContent} · Osler` : "Osler";
      if (first && document.activeElement === document.body) focusHeading();
      first = false;
      return true;
    };
    (document.activeElement as HTMLElement | null)?.blur();
    window.scrollTo(0, 0);
    if (settle()) return;
    const watch = new MutationObserver(() => settle() && watch.disconnect());
    watch.observe(document.body, { childList: true, subtree: true });
    return () => watch.disconnect();
  }, [address]);
  return null;
}

/** Shows what went wrong in a screen instead of an empty window. */
class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  state = { error: null as Error | null };
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  render() {
    if (!this.state.error) return this.props.children;
    return (
      <Shell>
        <Fault error={this.state.error} again={() => this.setState({ error: null })} />
      </Shell>
    );
  }
}
