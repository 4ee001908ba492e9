// Slow: each comparison plays its probes again and again.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readScenarios } from "../../src/cli/scenario-files.js";
import { isBehaviourKey } from "../../src/service/behaviour/table.js";
import { start } from "../cli/program.js";
import { run } from "../cli/terminal.js";
import { filesFor } from "../support/folder.js";
import { startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";
import { outcomeOf, told } from "./random-settings.js";
import { fakeService, lyingService, probeWith, RECORDS, startService } from "./support.js";

const file = filesFor("probes");
/** Leaves time to see the webhooks of the probe that calls this last. */
const SLOW = { on: "request", match: { path: "/api/update-hook-url" }, then: { delayMs: 1_000 } };
const wordsFor = (url: string, token = "acme-token") => [
  "compare",
  "--against",
  url,
  "--token",
  token,
  "--yes",
];

test("each probe says what it does, and names entries of the table", async () => {
  const { scenarios, problems } = await readScenarios(["scenarios/probes"]);
  expect(problems).toEqual([]);
  for (const { name, probe } of scenarios) {
    expect(probe, name).toBeDefined();
    expect(probe?.tells.filter((key) => !isBehaviourKey(key))).toEqual([]);
  }
});

describe("what probes observe", () => {
  test.each([false, true])("with the defaults: all that they claim (--write: %s)", async (write) => {
    const { url } = await startService();
    const { code, report } = await probeWith(url, write ? ["--write"] : []);
    expect(code).toBe(0);
    const observed = report.observed.map(({ key }) => key);
    expect((await told(write)).filter((key) => !observed.includes(key))).toEqual([]);
    expect(report.open.filter((key) => observed.includes(key))).toEqual([]);
    for (const one of report.observed) {
      expect(one.value, one.key).toEqual(one.default);
      expect(one.evidence[0]).toEqual({
        scenario: expect.any(String),
        step: expect.stringMatching(/^steps\[\d+\]: /),
        operation: expect.any(String),
        at: expect.stringMatching(/^20\d\d-/),
        shows: expect.any(String),
      });
    }
  });

  test("of secret settings, with --write", async () => {
    const outcome = await outcomeOf(7, true);
    expect(outcome).toMatchObject({ wrong: [], contradictions: [] });
    expect(outcome.missed.length / outcome.changed.length).toBeLessThan(0.2);
  });
});

test("what probes observe does not depend on the records of the service", async () => {
  const fixture = JSON.parse(readFileSync("fixtures/default.json", "utf8"));
  const [hook] = fixture.webhooks;
  const [customer] = fixture.customers;
  const empty = { pictureHref: null, company: null, customerData: null, lastSurveys: null, editable: null };
  const simulator = await startSimulator({
    fixtures: {
      ...fixture,
      webhooks: [...Array(3)].map((_, index) => ({
        ...hook,
        id: `${index}5`,
        hookId: `h${index}`,
        enabled: index < 1,
      })),
      messages: [],
      templates: [],
      customers: [...fixture.customers, { ...customer, ...empty, id: "c-7" }],
      threads: [
        ...fixture.threads,
        { ...fixture.threads[0], id: "77001", customerId: "c-7", channel: "SMS", status: "resolved" },
      ],
    },
  });
  const { code, report } = await probeWith(
    simulator.url,
    ["--write"],
    ["--thread", "77001", "--customer", "c-7"],
  );
  const [first] = report.scenarios.flatMap(({ differences }) => differences);
  expect([first, report.contradictions, code]).toEqual([undefined, [], 0]);
  for (const one of report.observed) expect(one.value, one.key).toEqual(one.default);
});

describe("what probes send", () => {
  test("without --write reads, or is refused, and changes nothing", async () => {
    const service = await startService();
    const before = await service.state();
    await probeWith(service.url);
    expect(await service.state()).toEqual(before);
    for (const { method, path, status } of await service.calls())
      if (method !== "GET" && path !== "/graphql")
        expect(`${method} ${path} ${status >= 400}`).toMatch(/true$/);
    // A service may take no ids for all of them.
    for (const { body } of await service.calls())
      if (body?.query === "delete-hook-mutation") expect(body.variables.hookId).not.toEqual([]);
  });

  test("with --write is set back: webhooks, profile and status, but not what others made", async () => {
    const service = await startService();
    await service.asked("POST /faults", SLOW);
    const before = await service.state();
    const probing = probeWith(service.url, ["--write"]);
    await until(() => service.hasCalled("/api/webhooks/"));
    const url = "https://bot.example/of-somebody-else";
    await service.api("POST /api/webhooks/", { url, subscribedEvents: ["messages"] });
    expect((await probing).err).not.toContain("by hand");
    const after = await service.state();
    expect(after.webhooks).toEqual([...before.webhooks, expect.objectContaining({ url })]);
    for (const collection of ["customers", "threads"]) expect(after[collection]).toEqual(before[collection]);
    expect(after.messages.length).toBeGreaterThan(before.messages.length);
  });

  test("is undone also after an interrupt", async () => {
    const service = await startService();
    await service.asked("POST /faults", SLOW);
    const before = await service.state();
    const { child, exited, stderr } = start([...wordsFor(service.url), "--write", ...RECORDS]);
    await until(() => service.hasCalled("/api/update-thread-status"));
    // The second one does not end what the first one has begun.
    for (const _ of [1, 2]) child.kill("SIGINT");
    expect(await exited).toBe(130);
    expect(stderr()).toContain("being undone");
    const after = await service.state();
    for (const collection of ["webhooks", "customers", "threads"])
      expect(after[collection]).toEqual(before[collection]);
  });

  test("that cannot be undone is said", async () => {
    const { url } = await startService({ "profile.emptyFields": "null" });
    const { err } = await probeWith(url, ["--write"], ["--customer", "cust_003"]);
    expect(err).toContain("company of cust_003 was not restored: set it by hand");
  });

  test("is nothing where a record is not there, or the token is refused", async () => {
    const service = await startService();
    const { code, err } = await probeWith(service.url, ["--write"], ["--thread", "4040"]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("--thread: GET /api/get-customer-thread-details"),
    ]);
    const refused = await run([...wordsFor(service.url, "expired"), "--write"]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("--token: GET")]);
    expect((await service.calls()).filter(({ method }: { method: string }) => method !== "GET")).toEqual([]);
  });

  test.each([429, 503])("waits as long as Retry-After of %i asks", async (status) => {
    const { url, calls } = await fakeService((_, count) =>
      count === 3 ? { status, headers: { "retry-after": "1" } } : { status: count === 1 ? 200 : 404 },
    );
    await run(wordsFor(url));
    expect((calls[3]?.at ?? 0) - (calls[2]?.at ?? 0)).toBeGreaterThan(950);
    if (status === 429) expect(calls[3]?.line).toBe(calls[2]?.line);
  });

  test("ends where the service asks for a long pause", async () => {
    const { url, calls } = await fakeService((_, count) =>
      count === 2 ? { status: 429, headers: { "retry-after": "86400" } } : { status: 200 },
    );
    const { code, err } = await run(wordsFor(url));
    expect([code, err]).toEqual([2, expect.stringContaining("requires a pause of 86400 s")]);
    expect(calls).toHaveLength(2);
  });
});

test("a service that contradicts the specification in five places: each is named with its section", async () => {
  const url = await lyingService({
    '"user":{"email":"probe@localhost"': () => ({
      status: 200,
      body: { result: "ok", customerThreadId: "1" },
    }),
    "POST /api/user/delete-by-email {}": ({ body }) => ({ status: 422, body }),
    "GET /api/customers/cust_001/profile": ({ body }) => ({
      body: { ...body, customerData: { TIER: "gold" } },
    }),
    "GET /api/get-whatsapp-templates": ({ body }) => ({
      body: { templates: (body.templates as object[]).map((one) => ({ ...one, contentSid: 7 })) },
    }),
    '"query":"delete-hook-mutation"': () => ({ body: { data: { deleteHook: { flag: "no" } } } }),
  });
  const { code, report } = await probeWith(url);
  expect(code).toBe(1);
  expect(new Set(report.contradictions.map(({ section }) => section))).toEqual(
    new Set([
      "Errors / Widget route",
      "Errors / Delete user by email",
      "Endpoints / Get customer profile",
      "Endpoints / List WhatsApp templates",
      "Endpoints / Webhook operations (GraphQL)",
    ]),
  );
  for (const one of report.contradictions) {
    expect(one.scenario).not.toBe("");
    expect(one.step).toMatch(/^steps\[\d+\]: /);
    expect(one.expected).not.toBe(one.seen);
  }
});

test("no secret is in a report or a behaviour file", async () => {
  const { url } = await startSimulator({
    behaviour: {
      "webhooks.response": "wrapped",
      "auth.invalid": { status: 401, body: { error: "not acme-token-of-the-service" } },
      "sendMessage.response": { status: 200, body: { sent: "by acme-token-of-the-service" } },
    },
    fixtures: secretFixture(),
  });
  const out = file("secrets.yaml", "");
  const address = url.replace("http://", "http://someone:pass-word-9@");
  const words = [...wordsFor(address, "acme-token-of-the-service"), "--out", out];
  for (const more of [
    ["--write", ...RECORDS, "--reporter", "json"],
    ["--reporter", "markdown"],
  ]) {
    const { out: report, err, code } = await run([...words, ...more]);
    expect(code, err).toBe(1);
    const all = `${report}${err}${readFileSync(out, "utf8")}`;
    expect(all).not.toMatch(/token-of-the-service|hidden-header-value|pass-word-9|hook-pass-word/);
    if (more.includes("--write")) expect(all).toContain("webhooks.response: wrapped");
  }
});

function secretFixture() {
  const fixture = JSON.parse(readFileSync("fixtures/default.json", "utf8"));
  const extraHeaders = [{ name: "X-Any", value: "hidden-header-value" }];
  const [hook] = fixture.webhooks;
  return {
    ...fixture,
    tokens: [...fixture.tokens, { id: "acme-token-of-the-service", userId: "501", permissions: [] }],
    webhooks: [{ ...hook, url: "https://user:hook-pass-word@bot.example/", extraHeaders }],
  };
}
