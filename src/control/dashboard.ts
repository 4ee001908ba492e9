import { existsSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Where the dashboard's page is, below `/__sim`. */
export const DASHBOARD_PATH = "/ui";

/** Express takes a good part of a start, and most simulators are never looked at: the first call loads it. */
const require = createRequire(import.meta.url);

/** The built page lies beside the compiled program; where the source itself is run, in the build that is there. */
function pageFolder(): string {
  const beside = fileURLToPath(new URL("../dashboard/", import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL("../../dist/dashboard/", import.meta.url));
}

/** The page takes everything from its own server, and nothing from anywhere else. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/**
 * Serves the built page below `mountPath`. The page holds no data and needs no token: it reads the control API with the
 * token that its user enters.
 */
export function dashboard(mountPath: string): RequestListener {
  let page: RequestListener | undefined;
  return (request, response) => {
    page ??= createPage(mountPath);
    page(request, response);
  };
}

function createPage(mountPath: string): RequestListener {
  const express = require("express") as typeof import("express");
  const app = express();
  app.disable("x-powered-by");
  app.use(
    mountPath,
    express.static(pageFolder(), {
      setHeaders: (response) => response.setHeader("Content-Security-Policy", POLICY),
    }),
  );
  return app;
}
