import { existsSync } from "node:fs";
import type { RequestListener } from "node:http";
import { fileURLToPath } from "node:url";
import { FAILURE, sendJson } from "../http/answer.js";
import { lazy } from "../kernel/lazy.js";

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

async function createPage(mountPath: string): Promise<RequestListener> {
  const { default: express } = await import("express");
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

/**
 * Serves the built page below `mountPath`. The page holds no data and needs no token: it reads the control API with the
 * token that its user enters. Express is loaded at the first call, because most simulators are never looked at.
 */
export function dashboard(mountPath: string, report: (error: unknown) => void): RequestListener {
  const page = lazy(() => createPage(mountPath));
  return (request, response) => {
    page()
      .then((serve) => serve(request, response))
      .catch((error: unknown) => {
        report(error);
        sendJson(response, 500, FAILURE);
      });
  };
}
