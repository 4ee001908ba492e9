import { request } from "node:http";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../../src/api/operation.js";
import { OPERATIONS } from "../../../src/api/operations/index.js";
import { OPERATION_IDS } from "../../../src/behaviour/operation-ids.js";
import { CALLS } from "../../support/calls.js";
import { problemsIn } from "../../support/problems.js";
import { startSimulator } from "../../support/simulator.js";

const operations = OPERATIONS as readonly Operation[];

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const { call, body } = CALLS[id] as { call: string; body?: unknown };

  it("succeeds, and names its journal entry", async () => {
    const simulator = await startSimulator();
    const answer = await simulator.api(call, body);
    expect(answer.status).toBe(200);
    const [entry] = (await simulator.control("GET /requests")).body;
    expect(entry).toMatchObject({
      id: answer.headers.get("x-sim-request"),
      operation: id,
      status: 200,
      by: "client",
    });
    expect(entry.response).toEqual(answer.body);
    expect(entry.durationMs).toBeGreaterThan(0);
  });

  it("answers with and without a trailing slash", async () => {
    const simulator = await startSimulator();
    const [method, target] = call.split(" ") as [string, string];
    const [path, query] = target.split("?") as [string, string?];
    const other = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
    expect((await simulator.api(`${method} ${other}${query ? `?${query}` : ""}`, body)).status).toBe(200);
  });

  it.each([null, "nobody's"])(
    "refuses the token %s before anything else, and changes nothing",
    async (token) => {
      const simulator = await startSimulator();
      const before = (await simulator.control("GET /state")).body;
      const answer = await simulator.api(call, operation.method === "POST" ? "{ not json" : undefined, {
        token,
      });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("x-sim-behaviour")).toBe(token === null ? "auth.missing" : "auth.invalid");
      expect((await simulator.control("GET /state")).body).toEqual(before);
    },
  );

  it("names the methods that its path knows", async () => {
    const simulator = await startSimulator();
    const answer = await simulator.api(call.replace(/^\w+/, "PATCH"), {}, { token: null });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")?.split(", ")).toContain(operation.method);
  });

  if (operation.method === "POST") {
    it.each([
      ["broken JSON", "{", {}, "@", "must be valid JSON"],
      [
        "a lone surrogate half in UTF-8",
        Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
        {},
        "@",
        "must be valid UTF-8",
      ],
      ["200,000 nested arrays", "[".repeat(200_000), {}, "@", "must not be nested deeper than 200 levels"],
    ])("refuses %s", async (_, sent, headers, property, message) => {
      const simulator = await startSimulator();
      const response = await fetch(simulator.url + call.split(" ")[1], {
        method: "POST",
        headers: { token: "acme-token", "content-type": "application/json", ...headers },
        body: sent,
      });
      expect(response.status).toBe(400);
      expect(problemsIn(await response.json())).toEqual([`${property} ${message}`]);
    });

    it("refuses another content type, in the headers' list", async () => {
      const simulator = await startSimulator();
      const answer = await simulator.api(call, "a=b", { headers: { "content-type": "text/plain" } });
      expect(answer.status).toBe(400);
      expect(problemsIn(answer.body, "headers")).toEqual([
        '@.content-type must be equal to "application/json", but is equal to "text/plain"',
      ]);
    });

    it("refuses a body that is too large", async () => {
      const simulator = await startSimulator();
      const answer = await simulator.api(call, JSON.stringify({ text: "x".repeat(20_000_000) }));
      expect(answer.status).toBe(413);
      expect(answer.headers.get("x-sim-behaviour")).toBe("limits.bodyError");
    });
  }

  if (operation.method === "POST" && operation.body !== undefined) {
    it.each([[[]], ["text"], [1], [null], [true]])(
      "refuses the body %j, which is no object",
      async (sent) => {
        const simulator = await startSimulator();
        const answer = await simulator.api(call, JSON.stringify(sent));
        expect(answer.status).toBe(400);
        expect(problemsIn(answer.body)[0]).toMatch(/^@ must be object, but is/);
      },
    );
  }
});

it("has a call for every operation, and an id that behaviours can name", () => {
  expect([...OPERATION_IDS]).toEqual(operations.map(({ id }) => id));
  expect(Object.keys(CALLS).sort()).toEqual(operations.map(({ id }) => id).sort());
});

describe("what the specification does not name is told as a contract warning", () => {
  const json = { "content-type": "application/json" };

  it.each([
    ["GET", "/api/webhooks/?x=1&y=2&x=3", json, undefined, ["doubled-parameter"]],
    [
      "GET",
      "/api/get-customer-thread-details?customerThreadId=1&customerThreadId=9001",
      json,
      undefined,
      ["doubled-parameter"],
    ],
    ["GET", "/api/webhooks", json, undefined, ["trailing-slash"]],
    ["GET", "/api/webhooks/crm/", json, undefined, ["trailing-slash"]],
    ["POST", "/api/webhooks/crm/delete", {}, undefined, ["no-content-type"]],
    ["POST", "/api/webhooks/crm/delete", json, "{}", ["unexpected-body"]],
    ["GET", "/api/webhooks/", json, "{}", ["unexpected-body"]],
    ["GET", "/api/webhooks/", json, undefined, []],
    ["POST", "/api/webhooks/crm/delete", json, undefined, []],
  ] as const)("%s %s with %j and the body %j", async (method, target, headers, body, codes) => {
    const { url, control } = await startSimulator();
    const status = await new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": body.length };
      const options = { method, headers: { token: "acme-token", ...headers, ...length } };
      const call = request(url + target, options, (answer) => resolve(answer.resume().statusCode));
      call.on("error", reject).end(body);
    });
    expect(status).toBe(200);
    const warnings: { code: string }[] = (await control("GET /warnings")).body;
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });
});

it("answers an unknown path with JSON", async () => {
  const simulator = await startSimulator();
  const answer = await simulator.api("GET /api/nowhere", undefined, { token: null });
  expect(answer.status).toBe(404);
  expect(answer.body).toEqual({ error: "No such endpoint: GET /api/nowhere" });
  expect(answer.headers.get("x-sim-behaviour")).toBe("http.unknownPath");
});
