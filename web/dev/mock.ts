// For development without a server: nothing here is ever built in. Replaced by OSLER_SERVER=http://127.0.0.1:8321.
import type { Plugin } from "vite";
import { answer } from "./mock-server.ts";

export function mock(): Plugin {
  return {
    name: "osler-mock",
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if (!request.url?.startsWith("/api/")) return next();
        let body = "";
        request.on("data", (part) => (body += part));
        request.on("end", () => {
          const [status, said] = answer(request.method ?? "GET", request.url ?? "", body ? JSON.parse(body) : null);
          response.statusCode = status;
          response.setHeader("Content-Type", "application/json");
          response.end(JSON.stringify(said));
        });
      });
    },
  };
}
