/** Which sandbox and which process a call belongs to. */
import { expect, it, onTestFinished, vi } from "vitest";
import type { RequestRecord } from "../../src/client/index.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { LeaseHeldElsewhereError } from "../../src/sandbox/saver.js";
import { startSimulator } from "../support/simulator.js";
import { ask, DETAILS } from "./client.js";

it("every route of a sandbox is unknown for an unknown sandbox, and has `default` under its name too", async () => {
  const sim = await startSimulator();
  for (const { scope, method, path } of ROUTES) {
    if (scope === "server" || method === "ANY") continue;
    const call = `${method} /sandboxes/none${path.replace(":collection", "threads")}`;
    const { status, body } = await sim.control(call);
    expect([call, status, body.error.message]).toEqual([call, 404, expect.stringContaining('"none"')]);
  }
  await sim.control("POST /sandboxes/default/threads/9001/inbound", { text: "Hi" });
  expect((await sim.control("GET /data/messages")).body.at(-1).text).toBe("Hi");
});

it("the server tells its health", async () => {
  const sim = await startSimulator();
  await sim.control("POST /sandboxes", { id: "s" });
  const { status, body } = await sim.control("GET /health");
  const version = expect.stringMatching(/^\d+\.\d+\.\d+/);
  const health = { status: "ok", version, uptimeMs: expect.any(Number), sandboxes: 2 };
  expect([status, body]).toEqual([200, health]);
});

it("an answer of the simulated API has Retry-After if another process has the sandbox, as in the control API", async () => {
  const sim = await startSimulator();
  const gone = vi.spyOn(sim.registry.default.saver, "settled");
  onTestFinished(() => gone.mockRestore());
  gone.mockImplementation(() => Promise.reject(new LeaseHeldElsewhereError("default")));
  for (const line of [`GET ${DETAILS}`, "GET /__sim/clock"]) {
    const { status, head } = await ask(sim.url, line);
    expect([line, status, head]).toEqual([line, 421, expect.stringMatching(/^retry-after: 1$/im)]);
  }
});

it("an answer of the simulated API belongs to the sandbox of its token, or to the one that its token names, else to default", async () => {
  const sim = await startSimulator();
  await sim.control("POST /sandboxes", { id: "s" });
  for (const token of ["s.acme-token", "s.no", "none.acme-token", "default.acme-token"])
    await sim.api(`GET ${DETAILS}`, undefined, { token });
  const shown = ({ token, status }: RequestRecord) => `${token} ${status}`;
  const seen = async (path: string) => (await sim.control(`GET ${path}/requests`)).body.map(shown);
  expect(await seen("/sandboxes/s")).toEqual(["s.acme-token 200", "s.no 401"]);
  expect(await seen("")).toEqual(["none.acme-token 401", "default.acme-token 200"]);
});
