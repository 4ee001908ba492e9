import { expect } from "vitest";
import type { Caller } from "../../support/simulator.js";
import type { Proofs } from "../row.js";
import type { WEBHOOKS } from "../rows/webhooks.js";
import {
  graphql as call,
  create,
  GRAPHQL,
  HOOK,
  HOOKS,
  hook,
  hooks,
  inbound,
  LEGACY,
  received,
  refused,
  save,
  send,
} from "../support.js";

const CREATE = `POST ${HOOKS}`;
const update = ({ api }: Caller, fields: object) => api(`POST ${HOOKS}crm/update`, fields);

const { url, subscribedEvents } = HOOK;
/** Creations with a field more, or with another value of one. */
const others = (...fields: readonly object[]) => fields.map((field) => ({ ...HOOK, ...field }));

/** A named operation whose variables are wrong. */
const refusedOperation = (query: string, variable: string, ...variables: readonly object[]) =>
  refused(GRAPHQL, `@.variables.${variable}`, ...variables.map((one) => ({ query, variables: one })));

export const webhooks: Proofs<typeof WEBHOOKS> = {
  "webhooks.create": "webhooks.list",
  "webhooks.createUrl": refused(
    CREATE,
    "@.url",
    { subscribedEvents },
    ...others({ url: 5 }, { url: "bot" }, { url: "http://bot.example" }, { url: "ftp://bot.example" }),
  ),
  "webhooks.createEnabled": async (s) => {
    await refused(CREATE, "@.enabled", ...others({ enabled: "yes" }))(s);
    expect((await create(s, { enabled: false })).enabled).toBe(false);
  },
  "webhooks.createDefault": "enabled.created",
  "webhooks.createEvents": async (s) => {
    await refused(CREATE, "@.subscribedEvents", { url }, ...others({ subscribedEvents: "messages" }))(s);
    await refused(CREATE, "@.subscribedEvents[0]", ...others({ subscribedEvents: ["message"] }))(s);
    for (const events of [["messages"], ["transfers"], ["messages", "transfers"]])
      expect((await create(s, { subscribedEvents: events })).subscribedEvents).toEqual(events);
  },
  "webhooks.createHeaders": async (s) => {
    await refused(CREATE, "@.extraHeaders", ...others({ extraHeaders: {} }))(s);
    await refused(CREATE, "@.extraHeaders[0].value", ...others({ extraHeaders: [{ name: "X-A" }] }))(s);
    await refused(CREATE, "@.extraHeaders[0].name", ...others({ extraHeaders: [{ value: "1" }] }))(s);
    const header = { name: "Authorization", value: "Bearer secret" };
    expect((await create(s, { extraHeaders: [{ ...header, note: 1 }] })).extraHeaders).toEqual([header]);
  },
  "webhooks.list": async (s) => {
    const made = await create(s);
    expect(made).toMatchObject(HOOK);
    expect(await hooks(s)).toEqual([await hook(s, "crm"), made]);
  },
  "webhooks.listOwn": async (s) => {
    await s.api(CREATE, HOOK, { token: "globex-token" });
    expect(await hooks(s)).toHaveLength(1);
    expect((await s.api(`GET ${HOOKS}`, undefined, { token: "globex-token" })).body).toHaveLength(1);
  },
  "webhooks.get": async (s) => expect((await hook(s, "crm")).hookId).toBe("crm"),
  "webhooks.update": async (s) => {
    const fields = { ...HOOK, enabled: false, extraHeaders: [{ name: "X-A", value: "1" }] };
    expect((await update(s, fields)).status).toBe(200);
    expect(await hook(s, "crm")).toEqual({ hookId: "crm", ...fields });
  },
  "webhooks.updateOptional": "webhooks.updateSupplied",
  "webhooks.updateTypes": async (s) => {
    const updates = `POST ${HOOKS}crm/update`;
    for (const [field, value] of Object.entries({ url: "http://b.example", enabled: 1, extraHeaders: "X-A" }))
      await refused(updates, `@.${field}`, { [field]: value })(s);
    await refused(updates, "@.subscribedEvents[0]", { subscribedEvents: [5] })(s);
  },
  "webhooks.updateSupplied": async (s) => {
    const before = await hook(s, "crm");
    const extraHeaders = [{ name: "X-A", value: "1" }];
    const flips = [false, true, true, false].map((enabled) => ({ enabled }));
    for (const one of [{}, { extraHeaders }, ...flips, { url }, { subscribedEvents }, { extraHeaders: [] }]) {
      Object.assign(before, one);
      expect((await update(s, one)).status).toBe(200);
      expect(await hook(s, "crm")).toEqual(before);
    }
  },
  "webhooks.delete": async (s) => {
    const { hookId } = await create(s, { enabled: false });
    for (const id of ["crm", hookId]) {
      expect((await s.api(`POST ${HOOKS}${id}/delete`)).status).toBe(200);
      expect((await s.api(`GET ${HOOKS}${id}`)).status).toBe(404);
    }
    expect(await hooks(s)).toEqual([]);
  },
  "legacy.path": "legacy.adds",
  "legacy.url": refused(LEGACY, "@.url", {}, { url: 5 }),
  "legacy.everyMessage": async (s) => {
    await s.api(LEGACY, { url: "sink:legacy" });
    await inbound(s, { text: "from the customer" });
    await send(s, { text: "from an employee" });
    await send(s, { customerThreadId: "9003", text: "in another thread" });
    const texts = (await received(s, "legacy")).map(
      ({ body }: { body: Record<string, unknown> }) => body.messageBody,
    );
    expect(texts).toEqual(["from the customer", "from an employee", "in another thread"]);
  },
  "legacy.adds": async (s) => {
    const before = await hooks(s);
    for (const _ of [1, 2]) expect((await s.api(LEGACY, { url })).status).toBe(200);
    const added = expect.objectContaining({ url, enabled: true });
    expect(await hooks(s)).toEqual([...before, added, added]);
  },
  "legacy.others": "legacy.adds",
  "legacy.warning": async (s) => {
    await create(s);
    expect((await s.control("GET /warnings")).body).toEqual([]);
    await s.api(LEGACY, { url });
    const warnings: { code: string }[] = (await s.control("GET /warnings")).body;
    expect(warnings.map(({ code }) => code)).toEqual(["deprecated-endpoint"]);
  },
  "graphql.path": "graphql.getFields",
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
    const all = (await call(s, "get-hook-query")).body.data.hook;
    expect(all).toMatchObject([{ hookId: "crm" }, { hookId: "g", url }]);
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
  "graphql.saveHookId": refusedOperation("save-hook-mutation", "hookId", { url }, { hookId: 5, url }),
  "graphql.saveCreates": "graphql.getAll",
  "graphql.saveUpdates": async (s) => {
    await s.api(`POST ${HOOKS}crm/update`, { enabled: false, extraHeaders: [{ name: "X-A", value: "1" }] });
    const before = await hook(s, "crm");
    await save(s, { hookId: "crm" });
    expect(await hooks(s)).toEqual([{ ...before, url }]);
  },
  "graphql.saveUrl": refusedOperation("save-hook-mutation", "url", { hookId: "g", enabled: true }),
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
  "graphql.deleteIds": refusedOperation("delete-hook-mutation", "hookId", {}, { hookId: "crm" }),
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
