import { expect } from "vitest";
import type { Proofs } from "../row.js";
import type { GRAPHQL as ROWS } from "../rows/graphql.js";
import { graphql as call, create, GRAPHQL, HOOK, HOOKS, hook, hooks, refused, save } from "../support.js";

const CREATE = `POST ${HOOKS}`;
const { url } = HOOK;

/** A named operation whose variables are wrong. */
const refusedOperation = (query: string, variable: string, ...variables: readonly object[]) =>
  refused(GRAPHQL, `@.variables.${variable}`, ...variables.map((one) => ({ query, variables: one })));

export const graphql: Proofs<typeof ROWS> = {
  "graphql.path": async ({ api }) => {
    expect((await api(GRAPHQL, { query: "get-hook-query" })).status).toBe(200);
    expect((await api("GET /graphql")).status).toBe(405);
  },
  "graphql.query": refused(GRAPHQL, "@.query", {}, { query: 5 }, { query: "get-hooks" }),
  "graphql.variables": async (s) => {
    expect((await s.api(GRAPHQL, { query: "get-hook-query" })).status).toBe(200);
    await refused(GRAPHQL, "@.variables", { query: "get-hook-query", variables: "crm" })(s);
  },
  "graphql.get": "graphql.getFields",
  "graphql.getFields": async (s) => {
    const [one] = (await call(s, "get-hook-query")).body.data.hook;
    expect(one).toEqual({ hookId: "crm", url: "sink:demo", enabled: true });
  },
  "graphql.getAll": async (s) => {
    await save(s);
    await s.api(CREATE, HOOK, { token: "globex-token" });
    const ids = (await call(s, "get-hook-query")).body.data.hook.map(
      ({ hookId }: { hookId: string }) => hookId,
    );
    expect(ids).toEqual(["crm", "g"]);
  },
  "graphql.getSome": async (s) => {
    await save(s);
    await refusedOperation("get-hook-query", "hookId", { hookId: "g" })(s);
    await refusedOperation("get-hook-query", "hookId[0]", { hookId: [5] })(s);
    const { hook: found } = (await call(s, "get-hook-query", { hookId: ["g", "none"] })).body.data;
    expect(found.map(({ hookId }: { hookId: string }) => hookId)).toEqual(["g"]);
  },
  "graphql.save": async (s) => {
    const { body } = await call(s, "save-hook-mutation", { hookId: "g", url, enabled: false });
    expect(body).toEqual({ data: { saveHook: { hookId: "g", url, enabled: false } } });
  },
  "graphql.saveHookId": refusedOperation(
    "save-hook-mutation",
    "hookId",
    { url },
    { hookId: 5, url },
    { hookId: ["g"], url },
  ),
  "graphql.saveCreates": async (s) => {
    await save(s);
    expect(await hooks(s)).toHaveLength(2);
    expect(await hook(s, "g")).toMatchObject({ hookId: "g", url });
  },
  "graphql.saveUpdates": async (s) => {
    await s.api(`POST ${HOOKS}crm/update`, { enabled: false, extraHeaders: [{ name: "X-A", value: "1" }] });
    const before = await hook(s, "crm");
    await save(s, { hookId: "crm" });
    expect(await hooks(s)).toEqual([{ ...before, url }]);
  },
  "graphql.saveUrl": refusedOperation(
    "save-hook-mutation",
    "url",
    { hookId: "g" },
    { hookId: "g", enabled: true },
  ),
  "graphql.saveUrlOptional": async (s) => {
    for (const enabled of [false, true]) {
      const { data } = (await call(s, "save-hook-mutation", { hookId: "crm", enabled })).body;
      expect(data.saveHook).toEqual({ hookId: "crm", url: "sink:demo", enabled });
    }
    expect(await hooks(s)).toHaveLength(1);
  },
  "graphql.saveUrlType": refusedOperation("save-hook-mutation", "url", { hookId: "g", url: 5 }),
  "graphql.saveEnabled": async (s) => {
    await refusedOperation("save-hook-mutation", "enabled", { hookId: "g", url, enabled: 1 })(s);
    expect((await save(s)).enabled).toBe(true);
    expect((await save(s, { hookId: "h", enabled: false })).enabled).toBe(false);
  },
  "graphql.delete": async (s) => {
    const { body } = await call(s, "delete-hook-mutation", { hookId: ["crm"] });
    expect(body).toEqual({ data: { deleteHook: { flag: expect.any(Boolean) } } });
  },
  "graphql.deleteIds": refusedOperation(
    "delete-hook-mutation",
    "hookId",
    {},
    { hookId: "crm" },
    { hookId: 5 },
  ),
  "graphql.deleteFlag": async (s) => {
    const remove = async (...hookId: string[]) => {
      const { body, headers } = await call(s, "delete-hook-mutation", { hookId });
      return [body.data.deleteHook.flag, headers.get("x-sim-behaviour")];
    };
    await save(s);
    expect(await remove("crm", "none")).toEqual([false, "graphql.deleteUnknown"]);
    expect(await remove("g", "crm")).toEqual([true, null]);
    expect(await hooks(s)).toEqual([]);
    expect(await remove("crm")).toEqual([false, "graphql.deleteUnknown"]);
  },
  "graphql.emptyLists": async (s) => {
    expect((await call(s, "get-hook-query", { hookId: [] })).body.data.hook).toEqual([]);
    expect((await call(s, "delete-hook-mutation", { hookId: [] })).body.data.deleteHook.flag).toBe(false);
    expect(await hooks(s)).toHaveLength(1);
  },
  "graphql.sameWebhooks": async (s) => {
    const { hookId } = await create(s);
    expect((await call(s, "get-hook-query", { hookId: [hookId] })).body.data.hook).toHaveLength(1);
    await save(s);
    expect((await s.api(`POST ${HOOKS}g/delete`)).status).toBe(200);
    expect((await call(s, "get-hook-query", { hookId: ["g"] })).body.data.hook).toEqual([]);
  },
};
