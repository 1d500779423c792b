import { lazy } from "react";
import type { Route } from "#/app/route.ts";

export const routes: Route[] = [
  { path: "/practise", screen: lazy(() => import("./shelf/ShelfScreen.tsx")) },
  { path: "/practise/:sitting", screen: lazy(() => import("./sitting/SittingScreen.tsx")), bare: true },
  { path: "/practise/:sitting/debrief", screen: lazy(() => import("./debrief/DebriefScreen.tsx")) },
  { path: "/practise/:sitting/questions", screen: lazy(() => import("./group/QuestionsScreen.tsx")) },
];
