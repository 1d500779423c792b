// An episode as a page of its own: the player of the watch screen over what stands in the page, without any server.
import "#/design/tokens.css";
import "#/design/base.css";
import "./page.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { held } from "./held.ts";
import { Page } from "./Page.tsx";
import { useHash, useHashSearch } from "./place.ts";

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Router hook={useHash} searchHook={useHashSearch}>
      <Page episode={held()} />
    </Router>
  </StrictMode>,
);
