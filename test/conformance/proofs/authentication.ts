import { expect } from "vitest";
import { CALLS as OPERATION_CALLS } from "../../support/calls.js";
import { problemsIn } from "../../support/problems.js";
import type { Caller } from "../../support/simulator.js";
import type { Proofs } from "../row.js";
import type { AUTHENTICATION } from "../rows/authentication.js";
import {
  answered,
  DETAILS,
  graphql,
  HOOK,
  HOOKS,
  inbound,
  PROFILE,
  received,
  records,
  SEND,
  STATUS,
  send,
  TEMPLATES,
  UPDATE_PROFILE,
} from "../support.js";

const CALLS = Object.values(OPERATION_CALLS).map(({ call, body }) => [call, body] as const);
const globex = { token: "globex-token" };
const profile = ({ api }: Caller, id: string) => api(PROFILE.replace("001", id));

export const authentication: Proofs<typeof AUTHENTICATION> = {
  "auth.token": async (s) => {
    for (const token of [null, "unknown"]) await answered(401, CALLS, token)(s);
    for (const [call, body] of CALLS) expect([call, (await s.api(call, body)).status]).toEqual([call, 200]);
  },
  "auth.contentType": async (s) => {
    await s.control("PATCH /behaviour", {
      "headers.contentTypeOnGet": "require",
      "headers.contentTypeOnEmptyPost": "require",
    });
    const headers = { "content-type": "text/plain" };
    for (const call of [`GET ${HOOKS}`, `POST ${HOOKS}crm/delete`]) {
      const refused = (await s.api(call, undefined, { headers })).body;
      expect(problemsIn(refused, "headers")).toEqual([expect.stringMatching(/^@\.content-type /)]);
      expect((await s.api(call)).status).toBe(200);
    }
  },
  "auth.user": async (s) => {
    await send(s, { text: "Hi" });
    expect((await records(s, "messages")).at(-1).employeeUserId).toBe("501");
    await s.api(SEND, { customerThreadId: "9001", text: "Hi" }, { token: "acme-no-delete" });
    expect((await records(s, "messages")).at(-1).employeeUserId).toBe("504");
  },
  "auth.ownThreads": async (s) => {
    const body = { customerThreadId: "9005", text: "Hi", status: "resolved" };
    await answered(403, [
      [SEND, body],
      [STATUS, body],
    ])(s);
    await s.control("PATCH /data/users/501", { businessIds: ["1001", "1002"] });
    expect((await send(s, { customerThreadId: "9005", text: "Hi" })).status).toBe(200);
  },
  "auth.threads": answered(404, [
    [DETAILS.replace("9001", "9101")],
    [TEMPLATES.replace("9001", "9101")],
    [SEND, { customerThreadId: "9101", text: "Hi" }],
    [STATUS, { customerThreadId: "9101", status: "resolved" }],
  ]),
  "auth.customers": answered(404, [
    [PROFILE.replace("001", "101")],
    [UPDATE_PROFILE.replace("001", "101"), { company: "X" }],
  ]),
  "auth.users": "deleteErrors.notFound",
  "auth.businesses": "widgetErrors.business",
  "auth.templates": async (s) => {
    const id = "HX00000000000000000000000000000009";
    await s.control("POST /data/templates", { id, organizationId: "300", title: "theirs", text: "Hi" });
    expect((await s.api(TEMPLATES)).body.templates).toHaveLength(3);
    expect((await send(s, { contentSid: id })).status).toBe(400);
  },
  "auth.webhooks": answered(
    404,
    [[`GET ${HOOKS}crm`], [`POST ${HOOKS}crm/update`, { enabled: false }], [`POST ${HOOKS}crm/delete`]],
    "globex-token",
  ),
  "auth.graphqlWebhooks": async (s) => {
    const ask = async (query: string, variables: object) =>
      (await s.api("POST /graphql", { query, variables }, globex)).body.data;
    expect(await ask("get-hook-query", { hookId: ["crm"] })).toEqual({ hook: [] });
    expect(await ask("delete-hook-mutation", { hookId: ["crm"] })).toEqual({ deleteHook: { flag: false } });
    expect((await graphql(s, "get-hook-query")).body.data.hook).toHaveLength(1);
  },
  "auth.deliveries": async (s) => {
    await s.api(`POST ${HOOKS}`, { ...HOOK, url: "sink:globex" }, globex);
    await inbound(s);
    await s.control("POST /threads/9101/inbound", { text: "Hi" });
    const threads = (deliveries: { body: { data: { customerThreadId: number } } }[]) =>
      deliveries.map(({ body }) => body.data.customerThreadId);
    expect(threads(await received(s, "globex"))).toEqual([9101]);
    expect(threads(await received(s))).toEqual([9001]);
  },
  "auth.deletion": "deleteUser.permission",
  "auth.extraHeaders": "events.headers",
  "auth.profiles": async (s) => expect((await profile(s, "005")).status).toBe(200),
  "auth.foreign": async (s) => {
    const [theirs, none] = [await profile(s, "101"), await profile(s, "999")];
    expect([theirs.status, theirs.body]).toEqual([none.status, none.body]);
  },
};
