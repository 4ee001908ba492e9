/** The control API under the same attacks: it is for tests, but a mistake in one must not end them all. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { ControlRoute } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { changedBetween, startTarget } from "./target.js";
import { hostileBody, hostileText, nested, ODD_TEXTS } from "./values.js";

// Many calls in one test, on machines that have other things to do.
vi.setConfig({ testTimeout: 60_000 });

/** Routes that answer when something happens or never, and those that exist to change everything. */
const LEFT_OUT = new Set(["/stream", "/reset", "/sandboxes"]);
const withBody = ROUTES.filter(({ body, path }) => body !== undefined && !LEFT_OUT.has(path));
const withoutBody = ROUTES.filter(({ method, path }) => method === "GET" && !LEFT_OUT.has(path));

const VALID_PARAMS: Readonly<Record<string, string>> = {
  collection: "threads",
  id: "9001",
  sandbox: "hostile",
  name: "x",
  hookId: "crm",
};
const pathOf = ({ path }: Pick<ControlRoute, "path">, id?: string): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(id ?? VALID_PARAMS[name] ?? "x"));

const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "").slice(0, 1_000);
const oddText = fc
  .oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: "binary", maxLength: 30 }))
  .map(wellFormed);

/** Every key that a schema names, however deep. */
function keysOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties } = schema as { properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(keysOf)];
}

describe.each(withBody.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s",
  (_, route) => {
    const keys = [...new Set([...keysOf(route.body), "$regex", "$oneOf", "$not", "id"])];

    it("answers any JSON below 500, and a refusal changes nothing", async () => {
      const target = await startTarget();
      let before = await target.state();
      const valid = { timeoutMs: 0 };
      await fc.assert(
        fc.asyncProperty(hostileBody(keys, valid), async (body) => {
          const given =
            route.path === "/wait" && typeof body === "object" && body !== null
              ? { ...body, timeoutMs: 0 }
              : body;
          const answer = await target.control(`${route.method} ${pathOf(route)}`, hostileText(given));
          expect(answer.status).toBeLessThan(500);
          const after = await target.state();
          if (answer.status >= 400) {
            expect(answer.body.error ?? answer.body.ok).toBeDefined();
            expect(changedBetween(before, after)).toEqual([]);
          }
          before = after;
        }),
        { numRuns: 50 },
      );
      target.expectHealthy();
    });

    it("refuses what is no JSON and what is nested without end", async () => {
      const target = await startTarget();
      await target.expectUnchanged(async () => {
        for (const body of [
          "{",
          "nonsense",
          nested(201),
          nested(100_000),
          '{"a":'.repeat(5_000),
          "\u0000",
          "[]",
          "1",
          "null",
        ]) {
          const answer = await target.control(`${route.method} ${pathOf(route)}`, body);
          expect([400, 404], `${body.slice(0, 20)}: ${JSON.stringify(answer.body)}`).toContain(answer.status);
        }
      });
    });
  },
);

describe.each(withoutBody.map((route) => [`GET ${route.path}`, route] as const))("%s", (_, route) => {
  it("answers any name and any query below 500 and changes nothing", async () => {
    const target = await startTarget();
    const known = [
      ...keysOf(route.query),
      "_sort",
      "_page",
      "_embed",
      "id",
      "id_gte",
      "whatsappSender.active",
    ];
    const names = fc.constantFrom(
      ...known,
      "__proto__",
      "constructor.prototype",
      "",
      "a[b]",
      "a[",
      '["x"',
      "_sort__proto__",
    );
    const values = fc.oneof(
      oddText,
      fc.constantFrom(
        "0",
        "-1",
        "1",
        "99999999999999999999",
        "-threads",
        "a,b,-c",
        "__proto__",
        "threads",
        "business",
      ),
    );
    await target.expectUnchanged(async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.option(oddText, { nil: undefined }),
          fc.array(fc.tuple(names, values), { maxLength: 4 }),
          async (id, query) => {
            const search = new URLSearchParams(query.map(([name, value]) => [name, value]));
            const { status } = await target.control(`GET ${pathOf(route, id || undefined)}?${search}`);
            expect(status).toBeLessThan(500);
          },
        ),
        { numRuns: 60 },
      );
    });
  });
});
