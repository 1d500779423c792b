import "#/design/tokens.css";
import "#/design/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "#/app/App.tsx";
import { applyTheme } from "#/app/theme.ts";

applyTheme();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
