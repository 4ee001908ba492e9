/** Who may use the control API, asked of every route in the table. */
import { request } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { pathsOf } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { DETAILS } from "./client.js";

const TOKEN = "a control token";
const EVIL = "https://evil.example";

/** Every route under each of its addresses, and whether anybody may call it. */
const CALLS = ROUTES.flatMap((route) => {
  const { method, open = false } = route;
  const methods = method === "ANY" ? ["POST", "GET", "PATCH", "DELETE"] : [method];
  return pathsOf(route).flatMap((path) => {
    const at = path.replace(":collection", "threads").replaceAll(/:\w+/g, "default");
    return methods.map((verb) => ({ verb, at, open, line: `${verb} ${at}` }));
  });
});
const GUARDED = CALLS.filter(({ open }) => !open);
const OPEN = CALLS.filter(({ open }) => open);
const WRITES = GUARDED.filter(({ verb }) => verb !== "GET");

/** The status and error code of a call; its answer may be one that never ends. */
const outcome = (
  { url }: Running,
  { verb, at }: { verb: string; at: string },
  headers: Record<string, string>,
): Promise<readonly [status: number | undefined, code: unknown]> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/__sim${at}`, { method: verb, headers, agent: false }, async (response) => {
      const status = response.statusCode;
      if (response.headers["content-type"]?.startsWith("text/event-stream")) {
        sent.destroy();
        return resolve([status, undefined]);
      }
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      const isJson = response.headers["content-type"]?.startsWith("application/json");
      resolve([status, isJson ? JSON.parse(text)?.error?.code : undefined]);
    });
    sent.on("error", reject).end();
  });

describe("with a control token", () => {
  let sim: Running;
  beforeEach(async () => {
    sim = await startSimulator({ controlToken: TOKEN });
  });

  it("every route except health and sinks requires and accepts it, under each address", async () => {
    expect(GUARDED.length).toBeGreaterThan(80);
    expect((await sim.control("GET /clock")).headers.get("www-authenticate")).toMatch(/^Bearer/);
    for (const call of GUARDED) {
      expect([call.line, ...(await outcome(sim, call, {}))]).toEqual([call.line, 401, "unauthorized"]);
      const [status] = await outcome(sim, call, { authorization: `Bearer ${TOKEN}` });
      expect([call.line, status === 401 || status === 403]).toEqual([call.line, false]);
    }
  });

  it("health and sinks are open", async () => {
    const open = ["/health", "/sinks/default", "/sandboxes/default/sinks/default"];
    expect(new Set(OPEN.map(({ at }) => at))).toEqual(new Set(open));
    for (const call of OPEN)
      expect([call.line, ...(await outcome(sim, call, {}))]).toEqual([call.line, 200, undefined]);
  });

  it.each([
    ["GET", "/nothing", 404],
    ["DELETE", "/state", 405],
  ])("%s %s answers without it like any other route", async (verb, at, expected) => {
    expect(await outcome(sim, { verb, at }, {})).toEqual([401, "unauthorized"]);
    const [status] = await outcome(sim, { verb, at }, { authorization: `Bearer ${TOKEN}` });
    expect(status).toBe(expected);
  });

  it("the simulated API neither needs nor accepts it", async () => {
    expect((await sim.api(`GET ${DETAILS}`)).status).toBe(200);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await sim.api(`GET ${DETAILS}`, undefined, { token: null, headers })).status).toBe(401);
  });

  it("the simulator's own sinks, waits and scenarios still work", async () => {
    const authorization = { authorization: `Bearer ${TOKEN}` };
    await sim.control("POST /threads/9001/inbound", { text: "Hi" }, authorization);
    const scenario = { name: "one", thread: "9001", steps: [{ customer: "Hi" }, { delivered: "message" }] };
    const { body } = await sim.control("POST /scenarios/run", { scenario }, authorization);
    expect(body).toMatchObject({ ok: true });
    const received = await sim.control("GET /sinks/demo/received", undefined, authorization);
    expect(received.body).toHaveLength(2);
  });

  it("an empty one counts as none", async () => {
    const open = await startSimulator({ controlToken: "" });
    expect((await open.control("GET /clock")).status).toBe(200);
  });
});

it("without a control token every route except health and sinks refuses an unknown host", async () => {
  const sim = await startSimulator({ allowHosts: ["sim.test"] });
  const { port } = new URL(sim.url);
  for (const call of GUARDED) {
    const refused = await outcome(sim, call, { host: `evil.example:${port}` });
    expect([call.line, ...refused]).toEqual([call.line, 403, "unknown-host"]);
    const [status] = await outcome(sim, call, { host: "sim.test" });
    expect([call.line, status === 403]).toEqual([call.line, false]);
  }
});

it.each([undefined, TOKEN])("a page of another origin writes nowhere, given %s", async (controlToken) => {
  const sim = await startSimulator({ controlToken });
  const authorization = { authorization: `Bearer ${TOKEN}` };
  const before = (await sim.control("GET /state", undefined, authorization)).body;
  expect(WRITES.length).toBeGreaterThan(40);
  for (const call of WRITES) {
    const headers = { ...authorization, origin: EVIL };
    expect([call.line, ...(await outcome(sim, call, headers))]).toEqual([call.line, 403, "cross-origin"]);
  }
  expect((await sim.control("GET /state", undefined, authorization)).body).toEqual(before);
  const own = { ...authorization, origin: sim.url };
  expect((await sim.control("POST /reset", undefined, own)).status).toBe(200);
});

it("no answer is readable for a page of another origin", async () => {
  const sim = await startSimulator();
  for (const route of ["/state", "/requests", "/health"]) {
    const { headers } = await sim.control(`GET ${route}`, undefined, { origin: EVIL });
    expect([route, headers.get("access-control-allow-origin")]).toEqual([route, null]);
  }
  const preflight = { origin: EVIL, "access-control-request-method": "PUT" };
  expect((await sim.control("OPTIONS /state", undefined, preflight)).status).toBe(405);
});
