/** HEAD answers as GET does, without the body; answers that have none say no length. */
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { pathsOf } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { request, talk } from "../hostile/raw.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { ask, DETAILS, SEND } from "./client.js";

/** A known answer after the one that is looked at: it follows at once where that one has no body. */
const NEXT = request("GET /__sim/health");

/** The status line and headers of a call that must have no body, in order, without what differs from call to call. */
async function headOf({ url }: Running, line: string, headers = {}, body = ""): Promise<string[]> {
  const { text } = await talk(url, [request(line, headers, body) + NEXT], { until: 2, head: true });
  const [head = "", next = ""] = text.split("\r\n\r\n");
  expect([line, next.split("\r\n")[0]]).toEqual([line, "HTTP/1.1 200 OK"]);
  return lasting(head);
}

const VARYING = /^(date|x-sim-request|last-modified|transfer-encoding|keep-alive|connection):/i;
const lasting = (head: string): string[] => head.split("\r\n").filter((line) => !VARYING.test(line));

async function getHead({ url }: Running, line: string): Promise<string[]> {
  const { answers } = await talk(url, [request(line, { connection: "close" })], { until: 99 });
  return lasting(answers[0]?.head ?? "");
}

/** Routes whose answers always differ, or never end. */
const OWN = ["stream", "metrics", "health"];
const PATHS = [
  ...OPERATIONS.filter(({ method }) => method === "GET").map(({ path }) => path.replace(/:\w+/g, "cust_001")),
  DETAILS,
  ...ROUTES.filter(({ method, id }) => method === "GET" && !OWN.includes(id)).flatMap((route) =>
    pathsOf(route).map(
      (path) => `/__sim${path.replace(":collection", "threads").replaceAll(/:\w+/g, "default")}`,
    ),
  ),
  "/__sim/data/threads/9001",
  "/__sim/ui/",
  "/__sim/ui",
  "/__sim/ui/nothing.js",
  "/__sim/nowhere",
];

it("HEAD answers with the headers of GET", async () => {
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
  expect(PATHS.length).toBeGreaterThan(40);
  for (const path of PATHS) {
    const got = await getHead(sim, `GET ${path}`);
    const seen = await headOf(sim, `HEAD ${path}`);
    expect([path, ...seen]).toEqual([path, ...got]);
  }
});

it("HEAD works for answers that always differ", async () => {
  const sim = await startSimulator();
  for (const path of ["/__sim/health", "/__sim/metrics"])
    expect((await headOf(sim, `HEAD ${path}`))[0]).toBe("HTTP/1.1 200 OK");
});

it("HEAD opens no stream", async () => {
  const sim = await startSimulator();
  const head = await headOf(sim, "HEAD /__sim/stream");
  expect(head.join("\n")).toMatch(/content-type: text\/event-stream/i);
  expect(sim.registry.default.streams.count).toBe(0);
});

it("HEAD is in the journal as HEAD", async () => {
  const sim = await startSimulator();
  await headOf(sim, `HEAD ${DETAILS}`);
  expect((await sim.control("GET /requests?method=HEAD")).body).toMatchObject([
    { method: "HEAD", operation: "getCustomerThreadDetails", status: 200, response: null },
  ]);
});

it.each([
  [`HEAD ${SEND}`, "POST"],
  ["OPTIONS /api/webhooks/", "POST, GET, HEAD"],
  ["OPTIONS /__sim/clock", "GET, HEAD, PUT"],
  ["DELETE /__sim/health", "GET, HEAD"],
])("HEAD is in Allow where GET is allowed, and refused where GET is: %s", async (line, allowed) => {
  const { url } = await startSimulator();
  const { status, head } = await ask(url, line);
  expect([status, /^allow: (.*)/im.exec(head)?.[1]]).toEqual([405, allowed]);
});

it.each(["nothing", "%E0%A4%A", "%00", "..%2f..%2fpackage.json"])(
  "the dashboard refuses in JSON: /__sim/ui/%s",
  async (path) => {
    const { url } = await startSimulator();
    const { status, body } = await ask(url, `GET /__sim/ui/${path}`);
    expect([status, JSON.parse(body).error.code]).toEqual([404, "unknown-route"]);
  },
);

it("an answer of 205 has an empty body, whatever a fault gives it", async () => {
  const sim = await startSimulator();
  await sim.control("POST /faults", { on: "request", then: { status: 205, body: { any: "body" } } });
  const head = (await headOf(sim, `GET ${DETAILS}`)).join("\n");
  expect(head).toMatch(/^HTTP\/1\.1 205 .*^content-length: 0$/ims);
});

describe.each([204, 304])("an answer of %i has neither body nor length", (status) => {
  const fault = { on: "request", then: { status, body: { any: "body" } } };
  const malformed = { on: "request", then: { status, malformed: true } };
  const behaviour = { "webhooks.deleteResponse": { status, body: { gone: true } } };

  it.each<[from: string, given: object, line: string]>([
    ["POST /faults", fault, `GET ${DETAILS}`],
    ["POST /faults", malformed, `GET ${DETAILS}`],
    ["PATCH /behaviour", behaviour, "POST /api/webhooks/crm/delete"],
    ["PUT /sinks/demo", { status, body: null }, "POST /__sim/sinks/demo"],
    ["PUT /sinks/demo", { status, body: { any: "body" } }, "POST /__sim/sinks/demo"],
  ])("that is given by %s: %j", async (from, given, line) => {
    const sim = await startSimulator({ set: {} });
    expect((await sim.control(from, given)).status).toBeLessThan(300);
    const [first, ...headers] = await headOf(sim, line, {}, line.endsWith("demo") ? "{}" : "");
    expect(first).toContain(`HTTP/1.1 ${status}`);
    expect(headers.join("\n")).not.toMatch(/^(content-length|content-type|transfer-encoding):/im);
    for (const { response } of (await sim.control("GET /requests")).body) expect(response).toBeNull();
  });
});
