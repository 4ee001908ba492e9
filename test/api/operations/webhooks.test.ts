import { describe, expect, it } from "vitest";
import { propertiesIn } from "../../support/problems.js";
import { openSandbox } from "../../support/simulator.js";

const CREATE = "POST /api/webhooks/";
const LIST = "GET /api/webhooks/";
const hook = { url: "https://bot.example/hook", subscribedEvents: ["messages"] };
const query = (name: string, variables?: unknown) => ({
  query: name,
  ...(variables === undefined ? {} : { variables }),
});

describe("webhooks (REST)", () => {
  it("requires HTTPS together with all other schema checks, before it looks up the webhook", async () => {
    const { api } = await openSandbox();
    const url = "http://bot.example/hook";
    const https = { message: `must match [https], but is equal to "${url}"`, property: "@.url" };
    const calls: [string, object][] = [
      [CREATE, { url, enabled: "yes", subscribedEvents: ["messages"] }],
      ["POST /api/webhooks/none/update", { url, enabled: "yes" }],
    ];
    for (const [call, body] of calls) {
      const answer = await api(call, body);
      const enabled = { message: "must be boolean, but is string", property: "@.enabled" };
      expect([answer.status, answer.body.body]).toEqual([400, [https, enabled]]);
      expect(answer.headers.get("x-sim-behaviour")).toBe("webhooks.insecureUrls");
    }
    expect((await api("POST /api/webhooks/none/update", { url })).body.body).toEqual([https]);
    const valid = await api("POST /api/webhooks/none/update", { url: "https://bot.example" });
    expect(valid.status).toBe(404);
    const variables = { hookId: 5, url };
    const saved = await api("POST /graphql", query("save-hook-mutation", variables));
    expect(propertiesIn(saved)).toEqual(["@.variables.hookId", "@.variables.url"]);
  });

  it("reports an invalid URL once, not also as insecure", async () => {
    const { api } = await openSandbox();
    const answer = await api(CREATE, { ...hook, url: "http://" });
    expect(answer.body.body).toHaveLength(1);
    expect(answer.headers.get("x-sim-behaviour")).toBe("errors.validation");
  });
});

describe("extraHeaders", () => {
  const headers = [
    { name: "Host", value: "shop.example" },
    { name: "Connection", value: "close" },
    { name: "connection", value: "x" },
    { name: "Content-Length", value: "1" },
    { name: "X-Own", value: "1" },
  ];
  const warnings = ["Connection", "Content-Length"].map((name) =>
    expect.objectContaining({
      code: "unsendable-header",
      message: `HTTP does not let a sender set the header ${name}: deliveries omit it`,
      requestId: expect.any(String),
    }),
  );

  it("are sent if HTTP lets a sender set them, with a warning for those left out", async () => {
    const { id, api, control, url } = await openSandbox();
    const hookUrl = `${url}/__sim/sandboxes/${id}/sinks/own`;
    await api(CREATE, { ...hook, url: hookUrl, extraHeaders: headers });
    const told = (await control("GET /warnings?code=unsendable-header")).body;
    expect(told).toEqual(warnings);
    await control("POST /threads/9001/inbound", { text: "Hi" });
    await control("POST /wait", { for: "idle" });
    const [received] = (await control("GET /sinks/own/received")).body;
    expect(received.headers).toMatchObject({ "x-own": "••••1", host: expect.stringContaining(":") });
    const delivery = (await control("GET /deliveries")).body.find(
      ({ url }: { url: string }) => url === hookUrl,
    );
    expect(delivery.omittedHeaders).toEqual(["Host", "Connection", "Content-Length"]);
    expect(Object.keys(delivery.headers)).toEqual(["content-type", "user-agent", "X-Own"]);
  });
});

it.each(["documented", "reject"])(
  "the legacy endpoint takes any http address, whatever others take (%s)",
  async (policy) => {
    const behaviour = policy === "reject" ? { "webhooks.insecureUrls": "reject" as const } : {};
    const { api, control } = await openSandbox({ behaviour });
    expect((await api("POST /api/update-hook-url", { url: "http://bot.example/old" })).status).toBe(200);
    expect((await api(LIST)).body.at(-1)).toMatchObject({ url: "http://bot.example/old" });
    const codes = (await control("GET /warnings")).body.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(["deprecated-endpoint"]);
    const answer = await api("POST /api/update-hook-url", { url: "ftp://bot.example" });
    expect([answer.status, answer.body.body[0].property]).toEqual([400, "@.url"]);
  },
);

it("refuses a URL or hookId that is too long, in every route", async () => {
  const { api, control } = await openSandbox();
  const long = (length: number) => `https://bot.example/${"x".repeat(length - 20)}`;
  expect((await api(CREATE, { ...hook, url: long(8_192) })).status).toBe(200);
  const shorter = "must be shorter than 8192 elements, but it has 8193";
  const at = (property: string) => ({ message: shorter, property });
  const url = long(8_193);
  expect((await api(CREATE, { ...hook, url })).body.body).toEqual([at("@.url")]);
  expect((await api("POST /api/webhooks/crm/update", { url })).body.body).toEqual([at("@.url")]);
  expect((await api("POST /api/update-hook-url", { url })).body.body).toEqual([at("@.url")]);
  const saved = await api("POST /graphql", query("save-hook-mutation", { hookId: "x".repeat(8_193), url }));
  expect(propertiesIn(saved)).toEqual(["@.variables.hookId", "@.variables.url"]);
  const record = { organizationId: "200", subscribedEvents: [], url, hookId: "x".repeat(8_193) };
  const inserted = await control("POST /data/webhooks", record);
  const connected = await control("POST /connect", { url });
  const paths = [inserted, connected].map(({ status, body }) => [
    status,
    body.error.details.map(({ path }: { path: string }) => path).sort(),
  ]);
  expect(paths).toEqual([
    [400, ["hookId", "url"]],
    [400, ["url"]],
  ]);
});

describe("GraphQL", () => {
  it("ignores nulls and extra fields from GraphQL clients, with a warning", async () => {
    const { api, control } = await openSandbox();
    const all = (await api("POST /graphql", query("get-hook-query"))).body;
    expect((await control("GET /warnings")).body).toEqual([]);
    const body = { ...query("get-hook-query", null), operationName: null, extensions: { persistedQuery: 1 } };
    expect((await api("POST /graphql", body)).body).toEqual(all);
    const named = {
      ...query("get-hook-query", { hookId: null }),
      operationName: "GetHook",
      extensions: null,
    };
    expect((await api("POST /graphql", named)).body).toEqual(all);
    const variables = { hookId: "crm", url: null, enabled: null };
    const saved = await api("POST /graphql", query("save-hook-mutation", variables));
    expect(saved.body.data.saveHook).toEqual({ hookId: "crm", url: "sink:demo", enabled: true });
    const told = (await control("GET /warnings")).body.map(
      ({ code, message }: { code: string; message: string }) => `${code} ${message.split(" ")[0]}`,
    );
    expect(told).toEqual([
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

  it("refuses null for a required variable", async () => {
    const { api } = await openSandbox();
    for (const [name, variables] of [
      ["save-hook-mutation", { hookId: null }],
      ["delete-hook-mutation", { hookId: null }],
      ["save-hook-mutation", null],
    ] as const) {
      const answer = await api("POST /graphql", query(name, variables));
      expect([answer.status, propertiesIn(answer)]).toEqual([400, ["@.variables.hookId"]]);
    }
    const created = await api("POST /graphql", query("save-hook-mutation", { hookId: "new", url: null }));
    expect([created.status, propertiesIn(created)]).toEqual([400, ["@.variables.url"]]);
  });
});
