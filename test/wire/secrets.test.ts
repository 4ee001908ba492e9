/** What addresses and headers hide: every answer shows a mask in place of it unless asked not to, and no log line holds it. */
import { beforeEach, expect, it } from "vitest";
import { ROUTES } from "../../src/control/routes/index.js";
import { runScenario } from "../../src/scenarios/run.js";
import { request, talk } from "../hostile/raw.js";
import { recordOf } from "../recording/recorder.js";
import { read } from "../scenarios/support.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { settled } from "./client.js";

const SECRET = /PASSWORD1|KEY1|TOKEN1|SECRET1|HEADER1|SIG1/;
/** Loopback under a name that does not say so: a server there is open as far as anybody can tell. */
const OTHER_NAME = "127.1";
/** Nothing listens there. */
const ADDRESS =
  "http://alice:PASSWORD1@127.0.0.1:9/hook?tenant=5&key=KEY1&token=TOKEN1&s%65cret=SECRET1&sig=SIG1";
const MASKED =
  "http://alice:••••D1@127.0.0.1:9/hook?tenant=5&key=••••Y1&token=••••N1&s%65cret=••••T1&sig=••••G1";

let sim: Running;
let lines: string[];

beforeEach(async () => {
  lines = [];
  const log = (...words: unknown[]) => void lines.push(JSON.stringify(words));
  const logger = { debug: log, info: log, warn: log, error: log };
  const set = { "delivery.attempts": 1 } as const;
  sim = await startSimulator({ clock: "2026-01-01T09:00:00Z", set, logger, logCalls: true });
  await sim.control("DELETE /data/webhooks/1");
  const referer = "http://u:PASSWORD1@a.example/?code=SIG1";
  const headers = { "x-auth": "HEADER1", "x-functions-key": "HEADER1", referer };
  const extraHeaders = [{ name: "x-auth", value: "HEADER1" }];
  const body = { url: ADDRESS, subscribedEvents: ["messages"], extraHeaders };
  const made = await sim.api("POST /api/webhooks/?secret=SECRET1&page=2", body, { headers });
  expect([made.status, made.body.url]).toEqual([200, ADDRESS]);
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await settled(sim);
  const [delivery] = (await sim.control("GET /deliveries")).body;
  expect([delivery.status, delivery.url]).toEqual(["failed", MASKED]);
});

it("calls, deliveries and log lines show masks, matching compares real values", async () => {
  const { body } = await sim.control("GET /requests");
  expect(JSON.stringify(body)).not.toMatch(SECRET);
  expect(body[0]).toMatchObject({
    token: "acme-token",
    query: { secret: "••••T1", page: "2" },
    headers: { "x-auth": "••••R1", referer: "http://u:••••D1@a.example/?code=••••G1", token: "acme-token" },
    body: { url: MASKED, extraHeaders: [{ name: "x-auth", value: "••••R1" }] },
    response: { url: MASKED },
    warnings: [{ code: "insecure-url" }],
  });
  const shown = await sim.control("GET /requests?secrets=show");
  expect(shown.body[0].body).toMatchObject({ url: ADDRESS, extraHeaders: [{ value: "HEADER1" }] });
  expect((await sim.control("GET /requests?secrets=hide")).status).toBe(400);
  const [delivery] = (await sim.control("GET /deliveries")).body;
  expect(delivery).toMatchObject({ url: MASKED, headers: { "x-auth": "••••R1" } });
  expect(lines.join("\n")).toContain(`delivery d1 to ${MASKED} failed`);
  expect(lines.join("\n")).toContain("contract warning");
  expect(lines.join("\n")).not.toMatch(SECRET);
  const real = { requests: { body: { extraHeaders: [{ value: "HEADER1" }] } } };
  expect((await sim.control("POST /verify", real)).body.ok).toBe(true);
});

it("the simulated API and the state are what was written", async () => {
  expect(JSON.stringify((await sim.api("GET /api/webhooks/")).body)).toContain("HEADER1");
  for (const call of ["GET /state", "GET /data/webhooks"])
    expect(JSON.stringify((await sim.control(call)).body)).toContain(ADDRESS);
});

it("the description of the control API says that only state and data show secrets", async () => {
  const { paths } = (await sim.control("GET /control.json")).body;
  const saying = (words: string) =>
    Object.keys(paths).filter((path) =>
      Object.values(paths[path]).some((one) => (one as { description: string }).description.includes(words)),
    );
  const own = (path: string) => !path.startsWith("/__sim/sandboxes/{sandbox}/");
  const stored = ["/__sim/data/{collection}", "/__sim/data/{collection}/{id}", "/__sim/state"];
  expect(saying("Secrets in the answer are shown.").filter(own).sort()).toEqual(stored);
});

it("what a sink has received", async () => {
  const [{ id }] = (await sim.control("GET /data/webhooks?url:contains=hook")).body;
  const extraHeaders = [{ name: "X-Odd", value: "HEADER1" }];
  await sim.control(`PATCH /data/webhooks/${id}`, { url: "sink:s", extraHeaders });
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await settled(sim);
  const [call] = (await sim.control("GET /sinks/s/received")).body;
  expect(call.headers).toMatchObject({ "x-odd": "••••R1", "content-type": "application/json" });
  const [shown] = (await sim.control("GET /sinks/s/received?secrets=show")).body;
  expect(shown.headers["x-odd"]).toBe("HEADER1");
});

it("a masked value that is written back is refused with its place, and changes nothing", async () => {
  const [stored] = (await sim.control("GET /data/webhooks?url:contains=hook")).body;
  const behaviour = {
    "delivery.signature": {
      scheme: "standard-webhooks",
      secrets: ["whsec_U0VDUkVUMQ==", "whsec_U0VDUkVUMg=="],
    },
  };
  const effect = (cookie: string) => ({ status: 429, headers: { "Set-Cookie": cookie } });
  await sim.control("PATCH /behaviour", behaviour);
  await sim.control("POST /faults", { on: "request", match: { path: "/x" }, then: effect("sid=SECRET1") });
  const everything = async () => {
    const calls = ["GET /state", "GET /behaviour?secrets=show", "GET /faults?secrets=show"];
    return Promise.all(calls.map(async (call) => (await sim.control(call)).body));
  };
  const before = await everything();

  const rows = (await sim.control("GET /behaviour")).body;
  const { key, value } = rows.find((row: { key: string }) => row.key === "delivery.signature");
  const [{ on, then }] = (await sim.control("GET /faults")).body;
  const { fixtures } = (await sim.control("GET /start")).body;
  const start = { ...fixtures, webhooks: [{ ...stored, url: MASKED }] };
  expect([value.secrets, then]).toEqual([["••••==", "••••=="], effect("••••T1")]);
  const signature = '["delivery.signature"].secrets[0]';
  for (const [call, body, place] of [
    ["PATCH /behaviour", { [key]: value }, signature],
    ["POST /reset", { behaviour: { [key]: value } }, `behaviour${signature}`],
    ["POST /sandboxes", { behaviour: { [key]: value } }, `behaviour${signature}`],
    ["PUT /sandboxes/one", { fixtures: start }, "fixtures.webhooks[0].url"],
    ["POST /faults", { on, then }, "then.headers.Set-Cookie"],
    ["POST /connect", { url: MASKED }, "url"],
    ["PUT /state", start, "webhooks[0].url"],
    ["PUT /data/webhooks/1", { ...stored, id: "1", url: MASKED }, "url"],
    [
      `PATCH /data/webhooks/${stored.id}`,
      { extraHeaders: [{ name: "x", value: "••••R1" }] },
      "extraHeaders[0].value",
    ],
  ] as const) {
    const { status, body: refused } = await sim.control(call, body);
    const [problem] = refused.error.details;
    expect([call, status, problem]).toEqual([
      call,
      400,
      {
        path: place,
        message:
          "is masked: give the value itself (?secrets=show returns it), or leave it out to keep what is stored",
      },
    ]);
  }
  const escaped = JSON.stringify({ url: MASKED }).replaceAll("•", "\\u2022");
  expect((await sim.control("POST /connect", escaped)).status).toBe(400);
  const api = await sim.api(`POST /api/webhooks/${stored.hookId}/update`, { url: MASKED });
  const problem = { property: "@.url", message: "is masked: give the URL with its secrets" };
  expect([api.status, api.body.body]).toEqual([400, [problem]]);
  expect(await everything()).toEqual(before);

  // What is left out keeps its secrets; a text that merely looks like a mask is no secret.
  const kept = await sim.control(`PATCH /data/webhooks/${stored.id}`, { enabled: false });
  expect(kept.body).toEqual({ ...stored, enabled: false });
  expect((await sim.control("POST /threads/9001/inbound", { text: "••••42" })).status).toBe(201);
});

it.each([
  [{ controlToken: "secret" }, true],
  [{ controlToken: "secret", host: OTHER_NAME }, true],
  [{ host: OTHER_NAME }, false],
])("are shown to callers with a control token, else only on loopback: %o", async (options, isShown) => {
  const { control } = await startSimulator(options);
  const headers = { authorization: "Bearer secret" };
  await control("POST /connect", { url: "http://u:PASSWORD1@127.0.0.1:9/" }, headers);
  const { status, body } = await control("GET /controls?secrets=show", undefined, headers);
  expect([status, SECRET.test(JSON.stringify(body))]).toEqual([200, isShown]);
});

it("a call with an absolute target", async () => {
  await talk(sim.url, [request("GET ftp://alice:PASSWORD1@127.0.0.1/api/webhooks")]);
  const { body } = await sim.control("GET /requests?status=404");
  expect(body).toMatchObject([{ path: "ftp://alice:••••D1@127.0.0.1/api/webhooks" }]);
  expect(JSON.stringify(body)).not.toMatch(SECRET);
  expect(lines.join("\n")).toContain("GET ftp://alice:••••D1@127.0.0.1/api/webhooks 404");
  expect(lines.join("\n")).not.toMatch(SECRET);
});

it("reports", async () => {
  const steps = "steps:\n  - customer: Hi\n  - delivered: message\n";
  const scenario = await read(`name: one\nthread: "9001"\nwithin: 50ms\n${steps}`);
  const report = JSON.stringify(await runScenario(scenario, { url: sim.url, sandbox: "default" }));
  expect(report).toContain("••••D1@127.0.0.1:9/hook");
  expect(report).not.toMatch(SECRET);
});

/** Every place where a secret can stand, with it: each call, and the body sent. */
function planted(secret: string): (readonly [string, unknown, Record<string, string>?])[] {
  const url = `http://bot:it's"<${secret}@127.0.0.1:9/h`;
  const header = { name: "X-Key", value: `Bearer ${secret}` };
  const hook = { url, subscribedEvents: ["messages"], extraHeaders: [header] };
  const signature = { "delivery.signature": { scheme: "standard-webhooks", secrets: [secret] } };
  const headers = { authorization: secret, cookie: secret };
  const cookie = { "Set-Cookie": secret };
  const pattern = { body: { extraHeaders: [] } };
  const near = { requests: { operation: "createWebhook", ...pattern } };
  const state = { state: { collection: "webhooks", values: { extraHeaders: [] } } };
  const steps = [
    { behaviour: signature },
    { set: { collection: "webhooks", id: "h1", values: { url, extraHeaders: [header] } } },
    { control: "POST /connect", body: { url } },
    { request: "POST /api/webhooks/", headers, body: hook, expect: pattern },
  ];
  const failing = { request: "GET /api/webhooks/", headers, expect: pattern };
  const two = { name: "two", steps: [...steps.slice(0, 3), failing] };
  return [
    ["PUT /data/webhooks/h1", { ...hook, id: "h1", organizationId: "200" }],
    ["PATCH /behaviour", signature],
    ["POST /api/webhooks/", hook, headers],
    ["POST /api/webhooks/h1", { extraHeaders: [{ ...header, value: `${secret}\n` }] }],
    ["POST /api/webhooks/", JSON.stringify(hook).replace(/}$/, ",}")],
    ["POST /api/webhooks/", { ...hook, url: `http:/bot:${secret}@h` }],
    ["POST /threads/9001/inbound", { text: "Hello" }],
    ["POST /wait", { for: "idle" }],
    ["POST /deliveries/d1/replay", undefined],
    ["POST /webhooks/h1/ping", undefined],
    ["GET /threads/9001/transcript?format=md", undefined],
    ["POST /wait", { for: { deliveries: { eventType: "message" } } }],
    ["POST /connect", { url: url.replace("//", "///") }],
    ["POST /connect", { url: `http:/bot:${secret}@h` }],
    ["POST /faults", { on: "delivery", then: { headers } }],
    ["POST /faults", { on: "request", match: { path: "/x" }, then: { status: 429, headers: cookie } }],
    ["PATCH /data/webhooks/h1", { extraHeaders: [{ ...header, value: `${secret}\n` }] }],
    ["POST /verify", near],
    ["POST /wait", { for: near, timeoutMs: 0 }],
    ["POST /wait", { for: state, timeoutMs: 0 }],
    ["POST /sinks/s", { hello: secret.length }, headers],
    ["POST /scenarios/run", { scenario: { name: "one", steps } }],
    ["POST /scenarios/run", { scenario: JSON.stringify(two) }],
  ];
}

it("no answer, stream or log shows a secret, wherever it was given", async () => {
  const [secret, known] = ["PLANTED-1", /PLANTED-1/];
  const response = await fetch(`${sim.url}/__sim/stream?secrets=show`);
  for (const [call, body, headers] of planted(secret)) {
    const isApi = call.includes("/api/");
    const answer = isApi
      ? await sim.api(call, body, headers && { headers })
      : await sim.control(call, body, headers);
    const isReadable = isApi || (call.includes("/data/") && answer.status < 300);
    if (!isReadable)
      expect([call, JSON.stringify(answer.body)]).toEqual([call, expect.not.stringMatching(known)]);
  }
  const ids: Record<string, string> = { ":id": "9001", ":name": "s", ":sandbox": "default" };
  for (const { method, path, secrets, success } of ROUTES) {
    if (method !== "GET" || success.contentType === "text/event-stream" || secrets === "shown") continue;
    const call = `GET ${path.replace(/:\w+/g, (name) => ids[name] ?? name)}`;
    const text = JSON.stringify((await sim.control(call)).body);
    expect([call, text]).toEqual([call, expect.not.stringMatching(known)]);
  }
  await sim.control("PUT /clock", { frozen: true });
  let events = "";
  for await (const bytes of response.body ?? []) {
    events += Buffer.from(bytes).toString();
    if (events.includes("event: ran") && events.includes("event: clock")) break;
  }
  expect(events).not.toMatch(known);
  expect(lines.join("\n")).not.toMatch(known);
});

it("recordings", async () => {
  const text = await recordOf(sim, "default");
  expect(text).toContain("customer: Hello");
  expect(text).not.toMatch(SECRET);
});
