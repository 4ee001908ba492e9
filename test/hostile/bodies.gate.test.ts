// Slow: every operation and route takes dozens of hostile bodies, some of 20 MB.
/** Bodies, headers and queries that mean harm, against every operation of the simulated API and every route of the control API. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/api/operation.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import type { ControlRoute } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { FixtureLoader } from "../../src/service/world/load.js";
import { request, talk } from "./raw.js";
import { LONG_POLL, startTarget, type Target } from "./target.js";
import { hostileBody, hostileText, ODD_TEXTS } from "./values.js";

/** Every key that a schema names, however deep. */
function keysOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties } = schema as { properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(keysOf)];
}

const VALID_PARAMS: Readonly<Record<string, string>> = {
  collection: "threads",
  id: "9001",
  sandbox: "hostile",
  name: "x",
  hookId: "crm",
  webHookId: "crm",
  customerId: "cust_001",
};
/** An operation or route under attack, and how it is called: with this id in its path or with one that is there. */
function surface(
  { method, path, body, query }: Operation | ControlRoute,
  prefix: string,
  valid: unknown = {},
) {
  const line = (id?: string) =>
    `${method} ${path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(id ?? VALID_PARAMS[name] ?? "x"))}`;
  const call = ({ api, control }: Target, called: string, sent?: string) =>
    (prefix === "" ? api : control)(called, sent);
  const schema = method === "GET" ? query : body;
  return { name: line(), method, prefix, line, call, schema, valid: valid as Record<string, unknown> };
}

/** Routes that answer when something happens or never, and those that exist to change everything. */
const LEFT_OUT = new Set(["/stream", "/reset", "/sandboxes"]);
const SURFACES = [
  ...OPERATIONS.map((operation: Operation) => surface(operation, "", operation.example)),
  ...ROUTES.filter(({ path }) => !LEFT_OUT.has(path)).map((route: ControlRoute) =>
    surface(route, "/__sim", route.path === "/wait" ? { timeoutMs: 0 } : {}),
  ),
];
const READ = SURFACES.filter(({ method }) => method === "GET");
const WRITTEN = SURFACES.filter(
  ({ method, prefix, schema }) => method !== "GET" && (prefix === "" || schema !== undefined),
);

it.each(WRITTEN)(
  "$name answers any JSON with what it may answer, and a refusal changes nothing",
  async ({ name: line, call, schema, valid }) => {
    const keys = [...new Set([...keysOf(schema), "hookId", "url", "$regex", "$oneOf", "$not", "id"])];
    const target = await startTarget();
    let changes = 0;
    target.registry.default.observe({ state: () => (changes += 1) });
    await fc.assert(
      fc.asyncProperty(hostileBody(keys, valid), async (body) => {
        const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
        const given = isObject && line.endsWith("/wait") ? { ...body, ...valid } : body;
        const before = changes;
        const { status } = await call(target, line, hostileText(given));
        expect(status).toBeLessThan(500);
        if (status >= 400) expect(changes).toBe(before);
      }),
      { numRuns: 15 },
    );
    // Whatever was let through has left a state that could be loaded.
    const { body } = await target.control("GET /state");
    expect(new FixtureLoader().loadFixture(body).problems).toBeUndefined();
    target.expectHealthy();
  },
);

it.each(["/api/send-message-to-customer-thread", "/graphql", "/api/no-such-thing"])(
  "%s refuses 20 MB, declared, in chunks or without end, and keeps none of it",
  async (path) => {
    const target = await startTarget();
    const refusal = path === "/api/no-such-thing" ? 404 : 413;
    const megabyte = Buffer.alloc(1024 * 1024, 0x20);
    const type = { "content-type": "application/json" };
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), megabyte, Buffer.from("\r\n")]);
    const declared = request(`POST ${path}`, { ...type, "content-length": String(20 * megabyte.length) });
    const chunked = request(`POST ${path}`, { ...type, "transfer-encoding": "chunked" });
    await target.expectUnchanged(async () => {
      for (const bytes of [
        [declared, ...Array(20).fill(megabyte)],
        [chunked, ...Array(20).fill(chunk), "0\r\n\r\n"],
        [chunked, chunk, chunk],
      ])
        expect((await talk(target.url, bytes)).answers[0]?.status).toBe(refusal);
    });
    const { calls, logs } = target.registry.default.run;
    await expect.poll(() => calls.count, LONG_POLL).toBe(0);
    for (const { body } of logs.journal.from()) expect(body).toBeNull();
  },
);

describe.each(READ)("$name", ({ name, line, call, schema }) => {
  it("answers any id and any query with what it may answer, and changes nothing", async () => {
    const target = await startTarget();
    const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, "").slice(0, 1_000);
    const odd = fc
      .oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: "binary", maxLength: 30 }))
      .map(wellFormed);
    const known = [...keysOf(schema), "_sort", "_page", "_embed", "id", "id_gte", "whatsappSender.active"];
    const names = fc.constantFrom(...known, "__proto__", "constructor.prototype", "", "a[b]", "a[", '["x"');
    const values = fc.oneof(
      odd,
      fc.constantFrom("0", "-1", "9".repeat(20), "-threads", "a,b,-c", "business"),
    );
    const query = fc.array(fc.tuple(names, values), { maxLength: 4 });
    await target.expectUnchanged(async () => {
      await fc.assert(
        fc.asyncProperty(fc.option(odd, { nil: undefined }), query, async (id, parameters) => {
          const asked = `${line(id || undefined)}?${new URLSearchParams(parameters)}`;
          const { status } = await call(target, asked);
          expect(status).toBeLessThan(500);
        }),
        { numRuns: 15 },
      );
    });
  });

  it("answers a flood of parameters and a parameter given twice", async () => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      for (const flood of ["customerThreadId=9001&".repeat(300), "&".repeat(5_000), "%=%&%zz=%ff"])
        expect((await call(target, `${name}?${flood}`)).status).toBeLessThan(500);
    });
  });
});
