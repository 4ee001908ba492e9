import { describe, expect, it } from "vitest";
import { graphql, HOOK, HOOKS, hooks, LEGACY, received } from "../../conformance/support.js";
import { problemsIn, propertiesIn } from "../../support/problems.js";
import { openSandbox } from "../../support/simulator.js";

const CREATE = `POST ${HOOKS}`;
const OF_HTTP =
  "Connection content-length EXPECT Keep-Alive Proxy-Connection TE Trailer Transfer-Encoding Upgrade".split(
    " ",
  );

it("HTTPS is required together with all other schema checks, before the webhook is looked up", async () => {
  const s = await openSandbox();
  const url = "http://bot.example/hook";
  const https = `@.url must match [https], but is equal to "${url}"`;
  for (const [call, body] of [
    [CREATE, { ...HOOK, url, enabled: "yes" }],
    [`POST ${HOOKS}none/update`, { url, enabled: "yes" }],
  ] as const) {
    const answer = await s.api(call, body);
    expect(answer.status).toBe(400);
    expect(problemsIn(answer.body)).toEqual([https, "@.enabled must be boolean, but is string"]);
    expect(answer.headers.get("x-sim-behaviour")).toBe("webhooks.insecureUrls");
  }
  const saved = await graphql(s, "save-hook-mutation", { hookId: 5, url });
  expect(propertiesIn(saved)).toEqual(["@.variables.hookId", "@.variables.url"]);
});

it("plain http gets a warning when a webhook is made and changed, HTTPS and a sink get none", async () => {
  const s = await openSandbox();
  const url = "http://127.0.0.1:9/https:";
  const { hookId } = (await s.api(CREATE, { ...HOOK, url })).body;
  for (const fields of [{ url }, { url: "HTTPS://bot.example" }, { url: "sink:demo" }, { enabled: true }])
    await s.api(`POST ${HOOKS}${hookId}/update`, fields);
  const warning = {
    code: "insecure-url",
    message: `the service requires an HTTPS URL, but ${url} is plain http`,
  };
  expect((await s.control("GET /warnings")).body).toMatchObject([warning, warning]);
});

it("extraHeaders are sent if HTTP lets a sender set them, and the others get a warning", async () => {
  const s = await openSandbox();
  const { id, api, control } = s;
  const url = `${s.url}/__sim/sandboxes/${id}/sinks/own`;
  const names = ["Host", ...OF_HTTP, "X-Connection"];
  const extraHeaders = names.map((name) => ({ name, value: "1" }));
  const { hookId } = (await api(CREATE, { ...HOOK, url, extraHeaders })).body;
  await api(`POST ${HOOKS}${hookId}/update`, { extraHeaders });
  await control("POST /threads/9001/inbound", { text: "Hi" });
  const [{ headers }] = await received(s, "own");
  expect(headers).toMatchObject({ "x-connection": "1", host: expect.stringContaining(":") });
  const delivery = (await control("GET /deliveries")).body.find((one: { url: string }) => one.url === url);
  expect(Object.keys(delivery.headers)).toEqual(["content-type", "user-agent", "X-Connection"]);
  const warnings: { code: string; message: string }[] = (await control("GET /warnings")).body;
  const unsendable = warnings.filter(({ code }) => code === "unsendable-header");
  const messages = OF_HTTP.map((name) => expect.stringContaining(`set the header ${name}: `));
  expect(unsendable.map(({ message }) => message)).toEqual([...messages, ...messages]);
});

it.each(["loopback", "reject"] as const)(
  "the legacy endpoint takes any http address, even with webhooks.insecureUrls = %s",
  async (policy) => {
    const s = await openSandbox({ behaviour: { "webhooks.insecureUrls": policy } });
    const url = "http://bot.example/old";
    expect((await s.api(LEGACY, { url })).status).toBe(200);
    expect((await hooks(s)).at(-1)).toMatchObject({ url });
    const warnings: { code: string }[] = (await s.control("GET /warnings")).body;
    expect(warnings.map(({ code }) => code)).toEqual(["deprecated-endpoint"]);
    expect(propertiesIn(await s.api(LEGACY, { url: "ftp://bot.example" }))).toEqual(["@.url"]);
  },
);

it("refuses a URL or hookId that is too long, in every route", async () => {
  const s = await openSandbox();
  const long = (length: number) => `https://bot.example/${"x".repeat(length - 20)}`;
  const [url, hookId] = [long(8_193), "x".repeat(8_193)];
  expect((await s.api(CREATE, { ...HOOK, url: long(8_192) })).status).toBe(200);
  const tooLong = ["@.url must be shorter than 8192 elements, but it has 8193"];
  for (const call of [CREATE, `POST ${HOOKS}crm/update`, LEGACY])
    expect(problemsIn((await s.api(call, { ...HOOK, url })).body)).toEqual(tooLong);
  const saved = await graphql(s, "save-hook-mutation", { hookId, url });
  expect(propertiesIn(saved)).toEqual(["@.variables.hookId", "@.variables.url"]);
  for (const [call, body, paths] of [
    ["POST /data/webhooks", { organizationId: "200", ...HOOK, url, hookId }, ["hookId", "url"]],
    ["POST /connect", { url }, ["url"]],
  ] as const) {
    const { status, body: answer } = await s.control(call, body);
    const places = answer.error.details.map(({ path }: { path: string }) => path).sort();
    expect([status, places]).toEqual([400, paths]);
  }
});

describe("GraphQL", () => {
  it("ignores nulls and extra fields from GraphQL clients, with a warning", async () => {
    const s = await openSandbox();
    const all = (await graphql(s, "get-hook-query")).body;
    expect((await s.control("GET /warnings")).body).toEqual([]);
    for (const more of [
      { variables: null, operationName: null, extensions: { persistedQuery: 1 } },
      { variables: { hookId: null }, operationName: "GetHook", extensions: null },
    ])
      expect((await s.api("POST /graphql", { query: "get-hook-query", ...more })).body).toEqual(all);
    const saved = await graphql(s, "save-hook-mutation", { hookId: "crm", url: null, enabled: null });
    expect(saved.body.data.saveHook).toEqual({ hookId: "crm", url: "sink:demo", enabled: true });
    const warnings: { code: string; message: string }[] = (await s.control("GET /warnings")).body;
    expect(warnings.map(({ code, message }) => `${code} ${message.split(" ")[0]}`)).toEqual([
      "unknown-field @.operationName",
      "unknown-field @.extensions",
      "null-field @.variables",
      "unknown-field @.operationName",
      "unknown-field @.extensions",
      "null-field @.variables.hookId",
      "null-field @.variables.url",
      "null-field @.variables.enabled",
    ]);
  });

  it.each([
    ["save-hook-mutation", { hookId: null }, "hookId"],
    ["delete-hook-mutation", { hookId: null }, "hookId"],
    ["save-hook-mutation", null, "hookId"],
    ["save-hook-mutation", { hookId: "new", url: null }, "url"],
  ])("%s with %j is refused: null for a required variable", async (query, variables, name) => {
    const { api } = await openSandbox();
    const answer = await api("POST /graphql", { query, variables });
    expect([answer.status, propertiesIn(answer)]).toEqual([400, [`@.variables.${name}`]]);
  });
});
