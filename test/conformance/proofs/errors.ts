import { expect } from "vitest";
import type { Caller } from "../../support/simulator.js";
import type { Proofs } from "../row.js";
import type { ERRORS } from "../rows/errors.js";
import {
  begin,
  DELETE_USER,
  HOOK,
  HOOKS,
  inbound,
  LEGACY,
  received,
  records,
  SEND,
  WIDGET,
} from "../support.js";

const PHONE = "+15550100";
const remove = async ({ api }: Caller, body?: object) => {
  const { status, body: answer } = await api(DELETE_USER, body);
  return [status, answer];
};
export const errors: Proofs<typeof ERRORS> = {
  "deleteErrors.notFound": async (s) => {
    const answer = [404, { error: "User not found in organization" }];
    for (const email of ["grace@globex.example", "nobody@acme.example", "no address"])
      expect(await remove(s, { email })).toEqual(answer);
    expect((await records(s, "users")).length).toBe(6);
  },
  "deleteErrors.missing": async (s) => {
    const problem = { message: "is missing and not optional", property: "@.email" };
    for (const sent of [{}, undefined])
      expect(await remove(s, sent)).toEqual([400, { body: [problem], headers: [] }]);
  },
  "deleteErrors.representative": "deleteUser.representative",
  "deleteErrors.pool": "deleteUser.pool",
  "deleteErrors.business": "deleteUser.pool",
  "shape.object": "deleteErrors.missing",
  "shape.items": async ({ api }) => {
    const { body } = (await api(WIDGET, {})).body;
    expect(body).toHaveLength(3);
    for (const item of body)
      expect(item).toEqual({ message: expect.any(String), property: expect.any(String) });
  },
  "shape.headers": "deleteErrors.missing",
  "widgetErrors.email": "widget.email",
  "widgetErrors.sms": "widget.sms",
  "widgetErrors.whatsapp": "widget.whatsapp",
  "widgetErrors.contacts": "widget.twoContacts",
  "widgetErrors.smsPrefix": "widget.prefix",
  "widgetErrors.whatsappPrefix": "widget.prefix",
  "widgetErrors.sender": "widget.sender",
  "widgetErrors.shape": "shape.items",
  "widgetErrors.headers": async (s) => {
    const headers = { "content-type": "text/plain" };
    const { status, body } = await s.api(WIDGET, "{}", { headers });
    expect([status, body.headers[0].property]).toEqual([400, "@.content-type"]);
  },
  "widgetErrors.noToken": "auth.token",
  "widgetErrors.badToken": "auth.token",
  "widgetErrors.business": async (s) => {
    const refusal = { developerMessage: "Business does not belong to this organization" };
    for (const businessId of ["2001", "7777"]) {
      const { status, body } = await begin(s, { sms: PHONE }, { businessId });
      expect([status, body]).toEqual([403, refusal]);
    }
  },
  "errors.codes": async (s) => {
    for (const call of [`GET ${HOOKS}none`, "GET /none"])
      expect(Object.keys((await s.api(call)).body)).toEqual(["error"]);
    expect((await s.api("POST /graphql", { query: "none" })).body.errors[0].code).toBe(40_000);
  },
  "limits.encoding": async ({ api }) => {
    const { status, body, headers } = await api(SEND, "{}", { headers: { "content-encoding": "zstd" } });
    expect([status, headers.get("x-sim-behaviour")]).toEqual([415, null]);
    expect(body).toEqual({ error: "Content-Encoding must be gzip, deflate or br, but is zstd" });
  },
  "version.paths": async ({ api }) => {
    expect((await api(`GET ${HOOKS}`)).status).toBe(200);
    for (const path of ["/v1/api/webhooks/", "/api/v1/webhooks/"])
      expect((await api(`GET ${path}`)).status).toBe(404);
  },
  "version.legacyEndpoint": "legacy.path",
  "version.legacyPayload": "legacyEvents.flat",
  "version.current": "subscription.others",
  "version.scheme": async (s) => {
    const { headers, body } = await s.api(LEGACY, { url: HOOK.url });
    await inbound(s);
    const [sent] = await received(s);
    const names = [...headers.keys(), ...[body, sent.headers, sent.body].flatMap((one) => Object.keys(one))];
    expect(names.filter((name) => /version|deprecat|sunset/i.test(name))).toEqual([]);
  },
};
