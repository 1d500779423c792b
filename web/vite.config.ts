// The build: stable file names, no source maps, nothing inlined, so that a strict content policy holds.
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { mock } from "./dev/mock.ts";

const server = process.env.OSLER_SERVER; // a running `osler serve`, for development against the real one

export default defineConfig(({ command }) => ({
  plugins: [react(), command === "serve" && !server ? mock() : null],
  resolve: { alias: { "#": fileURLToPath(new URL("src", import.meta.url)) } },
  server: server ? { proxy: { "/api": { target: server, changeOrigin: true, headers: { origin: server } } } } : {},
  build: {
    outDir: "../src/osler/web/dist",
    emptyOutDir: true,
    target: ["chrome123", "edge123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
}));
