/** A real browser whose page has a name that leads here (DNS rebinding) gets at nothing. */
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { useBrowser } from "./browser.js";

const open = useBrowser();

const CALLS = [
  ["GET", "/api/get-customer-thread-details?customerThreadId=9001"],
  ["POST", "/api/send-message-to-customer-thread"],
  ["POST", "/graphql"],
  ["GET", "/__sim/sinks/demo"],
  ["POST", "/__sim/sinks/demo"],
  ["GET", "/__sim/state"],
] as const;

test.each([
  ["nothing allows", [], [403, 403, 403, 403, 403, 403]],
  ["--allow-host names", ["page.rebound.test"], [200, 400, 400, 200, 200, 200]],
] as const)("a page under a name that %s", async (_what, allowHosts, expected) => {
  const sim = await startSimulator({ allowHosts });
  const url = sim.url.replace("127.0.0.1", "page.rebound.test");
  const page = await open({ url }, { tolerate: /status of 40\d/ });
  const statuses = await page.evaluate(async (calls) => {
    const answers = calls.map(([method, path]) =>
      fetch(path, {
        method,
        headers: { token: "acme-token", "content-type": "application/json" },
        ...(method === "POST" && { body: "{}" }),
      }),
    );
    return (await Promise.all(answers)).map(({ status }) => status);
  }, CALLS);
  expect(statuses).toEqual(expected);
  expect((await sim.control("GET /sinks/demo/received")).body).toHaveLength(allowHosts.length * 2);
});
