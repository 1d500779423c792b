// The build of an episode as a page of its own: one script and one style, which a file holds with its data. A file fetches
// nothing, so fonts stand in the style; the script is no module, so that no browser takes a file for another origin.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import main from "./vite.config.ts";

const { resolve, build } = main({ command: "build", mode: "production" });

export default defineConfig({
  plugins: [react()],
  resolve,
  publicDir: false,
  build: {
    ...build,
    outDir: "../src/osler/web/dist/page",
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    rolldownOptions: {
      input: "src/page/main.tsx",
      output: { format: "iife", entryFileNames: "page.js", assetFileNames: "page[extname]" },
    },
  },
});
