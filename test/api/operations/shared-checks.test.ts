import { request } from "node:http";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../../src/api/operation.js";
import { OPERATIONS } from "../../../src/api/operations/index.js";
import { CALLS } from "../../support/calls.js";
import { problemsIn } from "../../support/problems.js";
import { openSandbox } from "../../support/simulator.js";

const operations = OPERATIONS as readonly Operation[];
const POSTS = operations.filter(({ method }) => method === "POST");
const callOf = ({ id }: Operation) => CALLS[id] as { call: string; body?: unknown };

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const { call, body } = callOf(operation);

  it("succeeds with and without a trailing slash, and names its journal entry", async () => {
    const { api, control } = await openSandbox();
    const [method, target] = call.split(" ") as [string, string];
    const [path, query] = target.split("?") as [string, string?];
    const other = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
    for (const at of [path, other]) {
      await control("POST /reset");
      const answer = await api(`${method} ${at}${query ? `?${query}` : ""}`, body);
      expect(answer.status).toBe(200);
      const [entry] = (await control("GET /requests")).body;
      expect(entry).toMatchObject({
        id: answer.headers.get("x-sim-request"),
        operation: id,
        status: 200,
        by: "client",
        response: answer.body,
      });
      expect(entry.durationMs).toBeGreaterThan(0);
    }
  });

  it("refuses a wrong method and a missing or unknown token before anything else", async () => {
    const { api, control } = await openSandbox();
    const before = (await control("GET /state")).body;
    const wrong = await api(call.replace(/^\w+/, "PATCH"), {}, { token: null });
    expect([wrong.status, wrong.headers.get("allow")?.split(", ")]).toEqual([
      405,
      expect.arrayContaining([operation.method]),
    ]);
    for (const token of [null, "nobody's"]) {
      const sent = operation.method === "POST" ? "{ not json" : undefined;
      const { status, headers } = await api(call, sent, { token });
      const key = token === null ? "auth.missing" : "auth.invalid";
      expect([status, headers.get("x-sim-behaviour")]).toEqual([401, key]);
    }
    expect((await control("GET /state")).body).toEqual(before);
  });
});

describe.each(POSTS.map((operation) => [operation.id, operation] as const))("the body of %s", (_, post) => {
  const { call } = callOf(post);

  it("must be JSON in UTF-8, not too deep and not too large", async () => {
    const { url, api, control, tokenOf } = await openSandbox({ behaviour: {} });
    // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body
    const ask = async (sent: string | Uint8Array<ArrayBuffer>, type = "application/json"): Promise<any> => {
      const headers = { token: tokenOf(), "content-type": type };
      const answer = await fetch(url + call.split(" ")[1], { method: "POST", headers, body: sent });
      expect(answer.status).toBe(400);
      return answer.json();
    };
    const half = new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]);
    for (const [sent, message] of [
      ...["{", "[1,]", "{a:1}", '["a\\"]', "1 2", '["\u0000"]'].map(
        (text) => [text, "must be valid JSON"] as const,
      ),
      [half, "must be valid UTF-8"],
      ["[".repeat(200_000), "must not be nested deeper than 200 levels"],
    ] as const)
      expect(problemsIn(await ask(sent))).toEqual([`@ ${message}`]);
    const answer = await ask("a=b", "text/plain");
    const type = '@.content-type must be equal to "application/json", but is equal to "text/plain"';
    expect([problemsIn(answer, "headers"), answer.body ?? []]).toEqual([[type], []]);
    await control("PATCH /behaviour", { "limits.bodyBytes": 100 });
    const { status, headers } = await api(call, { text: "x".repeat(100) });
    expect([status, headers.get("x-sim-behaviour")]).toEqual([413, "limits.bodyBytes"]);
  });

  if (post.body === undefined) return;
  it("must be an object", async () => {
    const { api } = await openSandbox();
    for (const sent of [[], "text", 1, null, true]) {
      const { status, body } = await api(call, JSON.stringify(sent));
      expect([status, problemsIn(body)[0]]).toEqual([400, expect.stringMatching(/^@ must be object,/)]);
    }
  });
});

describe("undocumented usage gets a contract warning", () => {
  const json = { "content-type": "application/json" };

  it.each([
    ["GET", "/api/webhooks/?x=1&y=2&x=3", json, undefined, ["doubled-parameter"]],
    ["GET", "/api/webhooks", json, undefined, ["trailing-slash"]],
    ["GET", "/api/webhooks/crm/", json, undefined, ["trailing-slash"]],
    ["POST", "/api/webhooks/crm/delete", {}, undefined, ["no-content-type"]],
    ["POST", "/api/webhooks/crm/delete", json, "{}", ["unexpected-body"]],
    ["GET", "/api/webhooks/", json, "{}", ["unexpected-body"]],
    ["GET", "/api/webhooks/", json, undefined, []],
    ["POST", "/api/webhooks/crm/delete", json, undefined, []],
  ] as const)("%s %s with %j and the body %j", async (method, target, headers, body, codes) => {
    const { url, control, tokenOf } = await openSandbox();
    const status = await new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": body.length };
      const options = { method, headers: { token: tokenOf(), ...headers, ...length } };
      const call = request(url + target, options, (answer) => resolve(answer.resume().statusCode));
      call.on("error", reject).end(body);
    });
    expect(status).toBe(200);
    const warnings: { code: string }[] = (await control("GET /warnings")).body;
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });

  it("a hundred times, with a count of the others", async () => {
    const { api, control } = await openSandbox();
    const fields = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`field${index}`, index]));
    const body = { customerThreadId: "9001", text: "Hello", ...fields };
    expect((await api("POST /api/send-message-to-customer-thread", body)).status).toBe(200);
    const [{ warnings }] = (await control("GET /requests")).body;
    expect(warnings).toHaveLength(101);
    expect(warnings[0].message).toBe("@.field0 is not a field of this request");
    expect(warnings.at(-1)).toMatchObject({ code: "more-warnings", message: "and 39900 more" });
  });
});

it.each([
  ["1ms", "1"],
  ["1s", "1"],
  ["1001ms", "2"],
  ["1m", "60"],
])(
  "a call beyond limits.rate is told in whole seconds, rounded up, when to come again: %s",
  async (per, s) => {
    const behaviour = { "limits.rate": { requests: 1, per } };
    const { call } = CALLS.getCustomerThreadDetails!;
    const { api } = await openSandbox({ clock: "2026-01-01T09:00:00Z", behaviour });
    expect((await api(call)).status).toBe(200);
    const { status, headers, body } = await api(call);
    expect([status, headers.get("retry-after")]).toEqual([429, s]);
    expect(body).toEqual({ error: `Rate limit exceeded: retry in ${s} s` });
  },
);
