import { lazy } from "react";
import type { Route } from "#/app/route.ts";

export const routes: Route[] = [
  { path: "/evaluate", screen: lazy(() => import("./runs/RunsScreen.tsx")) },
  { path: "/evaluate/start", screen: lazy(() => import("./start/StartScreen.tsx")) },
  { path: "/evaluate/compare", screen: lazy(() => import("./compare/CompareScreen.tsx")) },
  { path: "/evaluate/compare-runs", screen: lazy(() => import("./compare-runs/CompareRunsScreen.tsx")) },
  { path: "/evaluate/search", screen: lazy(() => import("./search-words/WordSearch.tsx")) },
  { path: "/evaluate/desks/:key", screen: lazy(() => import("./desks/DesksScreen.tsx")) },
  { path: "/evaluate/results", screen: lazy(() => import("./results/ResultsScreen.tsx")) },
  { path: "/evaluate/results/:name", screen: lazy(() => import("./results/ResultScreen.tsx")) },
  { path: "/evaluate/studies/:name", screen: lazy(() => import("./results/StudyScreen.tsx")) },
  { path: "/evaluate/ratings/:scale", screen: lazy(() => import("./results/RatingScreen.tsx")) },
  { path: "/evaluate/judged/:run", screen: lazy(() => import("./results/JudgedScreen.tsx")) },
  { path: "/evaluate/runs/:run", screen: lazy(() => import("./run/RunScreen.tsx")) },
  { path: "/evaluate/runs/:run/:n", screen: lazy(() => import("./trace/TraceScreen.tsx")) },
];
