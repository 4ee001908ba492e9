import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RequestHandler } from "express";
import express from "express";

/** Where the dashboard's page is, below `/__sim`. */
export const DASHBOARD_PATH = "/ui";

/** The built page lies beside the compiled program; where the source itself is run, in the build that is there. */
function pageFolder(): string {
  const beside = fileURLToPath(new URL("../dashboard/", import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL("../../dist/dashboard/", import.meta.url));
}

/** The page takes everything from its own server, and nothing from anywhere else. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** Serves the built page. It holds no data: what it shows it asks the control API for, with the token that guards it. */
export const dashboard = (): RequestHandler =>
  express.static(pageFolder(), {
    setHeaders: (response) => response.setHeader("Content-Security-Policy", POLICY),
  });
