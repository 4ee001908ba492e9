import { describe, expect, it } from "vitest";
import { propertiesIn } from "../../support/problems.js";
import { startSimulator } from "../../support/simulator.js";

const CREATE = "POST /api/webhooks/";
const LIST = "GET /api/webhooks/";
const hook = { url: "https://bot.example/hook", subscribedEvents: ["messages"] };
const query = (name: string, variables?: unknown) => ({
  query: name,
  ...(variables === undefined ? {} : { variables }),
});

describe("webhooks (REST)", () => {
  it("creates, gets, lists, updates and deletes one record", async () => {
    const { api } = await startSimulator();
    const created = await api(CREATE, {
      ...hook,
      extraHeaders: [{ name: "Authorization", value: "Bearer s" }],
    });
    const { hookId } = created.body;
    const record = {
      hookId,
      ...hook,
      enabled: true,
      extraHeaders: [{ name: "Authorization", value: "Bearer s" }],
    };
    expect(created.body).toEqual(record);
    expect((await api(`GET /api/webhooks/${hookId}`)).body).toEqual(record);
    expect((await api(LIST)).body.map((webhook: { hookId: string }) => webhook.hookId)).toEqual([
      "crm",
      hookId,
    ]);
    const updated = await api(`POST /api/webhooks/${hookId}/update`, {
      enabled: false,
      subscribedEvents: ["transfers"],
    });
    expect(updated.body).toEqual({ ...record, enabled: false, subscribedEvents: ["transfers"] });
    expect((await api(`GET /api/webhooks/${hookId}`)).body).toEqual(updated.body);
    expect((await api(`POST /api/webhooks/${hookId}/delete`)).body).toEqual({});
    expect((await api(`GET /api/webhooks/${hookId}`)).status).toBe(404);
    expect((await api(LIST)).body).toHaveLength(1);
  });

  it.each([
    ["GET /api/webhooks/nothing", undefined],
    ["POST /api/webhooks/nothing/update", { enabled: true }],
    ["POST /api/webhooks/nothing/delete", undefined],
  ])("does not know the webhook of %s", async (call, body) => {
    const { api } = await startSimulator();
    const answer = await api(call, body);
    expect([answer.status, answer.body]).toEqual([404, { error: "Webhook not found" }]);
    expect(answer.headers.get("x-sim-behaviour")).toBe("webhooks.notFound");
  });

  it.each([
    [{}, ["@.url", "@.subscribedEvents"]],
    [{ ...hook, url: "nowhere" }, ["@.url"]],
    [{ ...hook, url: 5 }, ["@.url"]],
    [{ ...hook, url: "ftp://bot.example" }, ["@.url"]],
    [{ ...hook, url: "https://./hook" }, ["@.url"]],
    [{ ...hook, url: "http://bot.example/hook" }, ["@.url"]],
    [
      { ...hook, subscribedEvents: ["messages", "calls", 5] },
      ["@.subscribedEvents[1]", "@.subscribedEvents[2]", "@.subscribedEvents[2]"],
    ],
    [
      { ...hook, extraHeaders: [{ name: "A" }, { value: "b" }] },
      ["@.extraHeaders[0].value", "@.extraHeaders[1].name"],
    ],
    [
      {
        ...hook,
        extraHeaders: [
          { name: "A\r\nB", value: "c" },
          { name: "A", value: "b\r\nX: y" },
        ],
      },
      ["@.extraHeaders[0].name", "@.extraHeaders[1].value"],
    ],
    [{ ...hook, enabled: "true" }, ["@.enabled"]],
  ])("refuses %j at its places", async (body, properties) => {
    const { api } = await startSimulator();
    const answer = await api(CREATE, body);
    expect(answer.status).toBe(400);
    expect(answer.body.body.map((problem: { property: string }) => problem.property)).toEqual(properties);
    expect((await api(LIST)).body).toHaveLength(1);
  });

  it("asks for HTTPS with every other check of the schema, before it looks for the webhook", async () => {
    const { api } = await startSimulator();
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

  it("says only that an address is none where it is none", async () => {
    const { api } = await startSimulator();
    const answer = await api(CREATE, { ...hook, url: "http://" });
    expect(answer.body.body).toHaveLength(1);
    expect(answer.headers.get("x-sim-behaviour")).toBe("errors.validation");
  });

  it.each([
    ["http://bot:3000/hook", 200],
    ["http://192.168.1.7/hook", 200],
    ["http://2130706433/hook", 200],
    ["http://169.254.169.254/latest", 400],
    ["http://0xa9fea9fe/latest", 400],
    ["http://[fe80::1]/hook", 400],
    ["http://0.0.0.0:3000/hook", 400],
  ])("takes plain http where the outbound guard calls a host local: %s %i", async (url, status) => {
    const { api, control } = await startSimulator();
    const before = (await control("GET /data/webhooks")).body;
    const answer = await api(CREATE, { ...hook, url });
    expect(answer.status).toBe(status);
    const after = (await control("GET /data/webhooks")).body;
    expect(after).toHaveLength(before.length + (status === 200 ? 1 : 0));
    if (status === 400) expect(answer.headers.get("x-sim-behaviour")).toBe("webhooks.insecureUrls");
  });

  it("names the entry that lets plain http to other hosts through", async () => {
    const { api, control } = await startSimulator();
    const body = { ...hook, url: "http://bot.example/hook" };
    const refused = await api(CREATE, body);
    expect(refused.status).toBe(400);
    const entry = refused.headers.get("x-sim-behaviour") ?? "";
    await control("PATCH /behaviour", { [entry]: "allow" });
    expect((await api(CREATE, body)).body).toMatchObject({ url: body.url });
    expect((await api(LIST)).body).toHaveLength(2);
  });

  it("takes plain http to loopback, with a warning", async () => {
    const { api, control } = await startSimulator();
    expect((await api(CREATE, { ...hook, url: "http://127.0.0.1:1/hook" })).status).toBe(200);
    expect((await control("GET /warnings")).body).toEqual([
      expect.objectContaining({ code: "insecure-url" }),
    ]);
  });
});

describe("legacy hook URL", () => {
  it("always adds a webhook for messages, with a warning", async () => {
    const { api, control } = await startSimulator();
    for (const _ of [1, 2])
      expect((await api("POST /api/update-hook-url", { url: "https://bot.example/old" })).body).toEqual({});
    const webhooks = (await api(LIST)).body.slice(1);
    expect(webhooks).toHaveLength(2);
    expect(webhooks[0]).toMatchObject({
      url: "https://bot.example/old",
      enabled: true,
      subscribedEvents: ["messages"],
    });
    expect(webhooks[0].hookId).not.toBe(webhooks[1].hookId);
    const legacy = (await control("GET /state")).body.webhooks.map(
      (webhook: { legacy: boolean }) => webhook.legacy,
    );
    expect(legacy).toEqual([false, true, true]);
    const codes = (await control("GET /warnings")).body.map((warning: { code: string }) => warning.code);
    expect(codes).toEqual(["deprecated-endpoint", "deprecated-endpoint"]);
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
      message: `HTTP does not let a sender choose the header ${name}: deliveries go without it`,
      requestId: expect.any(String),
    }),
  );

  it("are sent as far as HTTP lets a sender set them, and what is left out is told", async () => {
    const simulator = await startSimulator();
    const { api, control, url } = simulator;
    const hookUrl = `${url}/__sim/sinks/own`;
    await api(CREATE, { ...hook, url: hookUrl, extraHeaders: headers });
    const told = (await control("GET /warnings?code=unsendable-header")).body;
    expect(told).toEqual(warnings);
    await control("POST /threads/9001/inbound", { text: "Hi" });
    await control("POST /wait", { for: "idle" });
    const [received] = (await control("GET /sinks/own/received")).body;
    expect(received.headers).toMatchObject({ "x-own": "1" });
    const delivery = (await control("GET /deliveries")).body.find(
      ({ url }: { url: string }) => url === hookUrl,
    );
    expect(delivery.omittedHeaders).toEqual(["Host", "Connection", "Content-Length"]);
    expect(Object.keys(delivery.headers)).toEqual(["content-type", "user-agent", "X-Own"]);
  });

  it("are told by an update too", async () => {
    const { api, control } = await startSimulator();
    await api("POST /api/webhooks/crm/update", { extraHeaders: headers });
    await api("POST /api/webhooks/crm/update", { enabled: true });
    expect((await control("GET /warnings")).body).toEqual(warnings);
  });
});

it.each(["documented", "reject"])(
  "the legacy endpoint takes any http address, whatever others take (%s)",
  async (policy) => {
    const set = policy === "reject" ? { "webhooks.insecureUrls": "reject" as const } : {};
    const { api, control } = await startSimulator({ set });
    expect((await api("POST /api/update-hook-url", { url: "http://bot.example/old" })).status).toBe(200);
    expect((await api(LIST)).body.at(-1)).toMatchObject({ url: "http://bot.example/old" });
    const codes = (await control("GET /warnings")).body.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(["deprecated-endpoint"]);
    const answer = await api("POST /api/update-hook-url", { url: "ftp://bot.example" });
    expect([answer.status, answer.body.body[0].property]).toEqual([400, "@.url"]);
  },
);

describe("GraphQL", () => {
  it("saves, gets and deletes the same records as REST", async () => {
    const { api } = await startSimulator();
    const saved = await api(
      "POST /graphql",
      query("save-hook-mutation", { hookId: "bot", url: "https://bot.example/hook" }),
    );
    expect(saved.body).toEqual({
      data: { saveHook: { hookId: "bot", url: "https://bot.example/hook", enabled: true } },
    });
    expect((await api("GET /api/webhooks/bot")).body).toMatchObject({
      hookId: "bot",
      subscribedEvents: ["messages"],
    });
    const all = await api("POST /graphql", query("get-hook-query"));
    expect(all.body).toEqual({
      data: {
        hook: [
          { hookId: "crm", url: "sink:demo", enabled: true },
          { hookId: "bot", url: "https://bot.example/hook", enabled: true },
        ],
      },
    });
    const some = await api("POST /graphql", query("get-hook-query", { hookId: ["bot", "none"] }));
    expect(some.body.data.hook).toHaveLength(1);
    const disabled = await api(
      "POST /graphql",
      query("save-hook-mutation", { hookId: "bot", enabled: false }),
    );
    expect(disabled.body).toEqual({
      data: { saveHook: { hookId: "bot", url: "https://bot.example/hook", enabled: false } },
    });
    const deleted = await api("POST /graphql", query("delete-hook-mutation", { hookId: ["bot"] }));
    expect(deleted.body).toEqual({ data: { deleteHook: { flag: true } } });
    expect((await api("GET /api/webhooks/bot")).status).toBe(404);
  });

  it("counts what clients send as null, or beside query and variables, as left out, with a warning", async () => {
    const { api, control } = await startSimulator();
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

  it("refuses null where a variable must be given", async () => {
    const { api } = await startSimulator();
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

  it("says flag false for an unknown webhook, and deletes none", async () => {
    const { api } = await startSimulator();
    const answer = await api("POST /graphql", query("delete-hook-mutation", { hookId: ["crm", "none"] }));
    expect(answer.body).toEqual({ data: { deleteHook: { flag: false } } });
    expect((await api(LIST)).body).toHaveLength(1);
  });

  it.each([
    [query("no-such-operation"), "@.query"],
    [query("query { hook { hookId } }"), "@.query"],
    [{}, "@.query"],
    [{ query: "get-hook-query", variables: [] }, "@.variables"],
    [query("get-hook-query", { hookId: "crm" }), "@.variables.hookId"],
    [query("save-hook-mutation", { url: "https://bot.example" }), "@.variables.hookId"],
    [query("save-hook-mutation"), "@.variables.hookId"],
    [query("save-hook-mutation", { hookId: "new" }), "@.variables.url"],
    [query("save-hook-mutation", { hookId: "new", url: "http://bot.example" }), "@.variables.url"],
    [query("delete-hook-mutation", {}), "@.variables.hookId"],
    [query("delete-hook-mutation", { hookId: [5] }), "@.variables.hookId[0]"],
  ])("refuses %j at %s", async (body, property) => {
    const { api } = await startSimulator();
    const answer = await api("POST /graphql", body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({ code: 40_000, message: expect.stringContaining(property) });
    expect(answer.body.errors[0].path.length).toBeGreaterThan(0);
    expect(answer.body.errors[0].message.split(" ")[0]).toBe(property);
    expect(Object.keys(answer.body)).toEqual(["errors"]);
    expect((await api(LIST)).body).toHaveLength(1);
  });

  it("speaks plainly when asked to", async () => {
    const { api } = await startSimulator({ set: { "graphql.errors": "plain", "graphql.errorStatus": "ok" } });
    const answer = await api("POST /graphql", query("nothing"));
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body.errors[0])).toEqual(["message"]);
  });
});
