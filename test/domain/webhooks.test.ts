import { describe, expect, it } from "vitest";
import {
  createWebhook,
  disableWebhook,
  saveWebhook,
  updateWebhook,
  urlObjection,
} from "../../src/service/domain/webhooks.js";
import { ana, webhook, worldWith } from "./records.js";
import { run } from "./run.js";

const URL = "https://bot.example/hook";
const DRAWN = expect.stringMatching(/^hook_[0-9a-f]{10}$/);

/** Two webhooks of Ana's organization; "crm" is also a hookId of the other one, whose record has the id "taken". */
const HELD = [
  webhook({ id: "1", hookId: "crm", enabled: false, extraHeaders: [{ name: "A", value: "b" }] }),
  webhook({ id: "2", hookId: "bot", legacy: true, subscribedEvents: ["messages"] }),
  webhook({ id: "taken", hookId: "crm", organizationId: "2" }),
];
const world = () => worldWith({ webhooks: HELD });
const _unknown = (hookId: string) => ({ refusal: { key: "webhooks.notFound", scope: { hookId } } });

describe("a new webhook", () => {
  const create = (input: Omit<Parameters<typeof createWebhook>[1], "caller">) =>
    run(createWebhook, { caller: ana, ...input }, { world: world() });

  it("has defaults filled in, and a drawn id", () => {
    const { result, ...rest } = create({ fields: { url: URL } });
    const id = result?.id;
    expect(result).toStrictEqual(
      webhook({ id: DRAWN, hookId: id as string, url: URL, subscribedEvents: ["messages"] }),
    );
    expect(rest).toStrictEqual({
      changes: { [`webhooks ${id}`]: result },
      counters: { random: expect.any(Number) },
    });
  });

  it.each([
    ["new", "new"],
    ["taken", DRAWN],
  ])("under the hookId %s has the id %s", (hookId, id) => {
    expect(create({ hookId, fields: { url: URL } }).result).toMatchObject({ id, hookId });
  });
});

describe("subscriptions", () => {
  const LENIENT = { "webhooks.emptySubscriptions": "accept", "webhooks.doubledEvents": "merge" } as const;
  const STRICT = { "webhooks.emptySubscriptions": "reject", "webhooks.doubledEvents": "reject" } as const;
  const BOTH = ["transfers", "messages"] as const;
  const TWICE = ["transfers", "messages", "transfers"] as const;

  it.each([
    [LENIENT, TWICE, BOTH],
    [STRICT, BOTH, BOTH],
    [STRICT, ["messages"], ["messages"]],
    [{ "webhooks.emptySubscriptions": "reject" }, TWICE, BOTH],
    [{ "webhooks.doubledEvents": "reject" }, [], []],
  ] as const)("with %j to %j are %j", (behaviour, subscribedEvents, expected) => {
    const fields = { url: URL, subscribedEvents };
    for (const outcome of [
      run(createWebhook, { caller: ana, fields }, { world: world(), behaviour }),
      run(updateWebhook, { caller: ana, hookId: "crm", fields }, { world: world(), behaviour }),
    ])
      expect(outcome.result?.subscribedEvents).toStrictEqual(expected);
  });

  it("a save through GraphQL gets the subscriptions of webhooks.graphqlEvents, which are not checked", () => {
    const behaviour = { ...STRICT, "webhooks.graphqlEvents": [] };
    const input = { caller: ana, hookId: "new", url: URL };
    const made = webhook({ id: "new", url: URL, subscribedEvents: [] });
    expect(run(saveWebhook, input, { world: world(), behaviour })).toStrictEqual({
      result: made,
      changes: { "webhooks new": made },
    });
  });
});

describe("headers that HTTP keeps for itself", () => {
  const note = (name: string) => ({
    code: "unsendable-header",
    message: `HTTP does not let a sender set the header ${name}: deliveries omit it`,
    section: "Resources and their fields / Webhook",
  });
  const headersOf = (...names: string[]) => names.map((name) => ({ name, value: "v" }));

  it("are kept, with one warning per name", () => {
    const extraHeaders = headersOf("X-A", "Upgrade", "te", "TE");
    const fields = { url: URL, extraHeaders };
    for (const outcome of [
      run(createWebhook, { caller: ana, fields }),
      run(updateWebhook, { caller: ana, hookId: "crm", fields }, { world: world() }),
    ]) {
      expect(outcome.result?.extraHeaders).toStrictEqual(extraHeaders);
      expect(outcome.notes).toStrictEqual([note("Upgrade"), note("te")]);
    }
  });
});

describe("a webhook's address", () => {
  it.each([
    ["https://bot.example", undefined],
    ["HTTPS://bot.example", undefined],
    ["sink:demo", undefined],
    [
      "http://bot.example/https:",
      "the service requires an HTTPS URL, but http://bot.example/https: is plain http",
    ],
  ])("%s is noted where it is not HTTPS", (url, message) => {
    const { result, notes } = run(createWebhook, { caller: ana, fields: { url } });
    expect(result).toMatchObject({ url });
    const section = "Resources and their fields / Webhook";
    expect(notes).toStrictEqual(message && [{ code: "insecure-url", message, section }]);
  });

  it.each([
    ["https://bot.example", [true, true, true]],
    ["HTTPS://bot.example", [true, true, true]],
    ["http://bot.example/https:", [true, false, false]],
    ["http://10.0.0.1/", [true, true, false]],
    ["http://bot:3000/", [true, true, false]],
    ["http://127.0.0.1:1/", [true, true, false]],
    ["http://localhost/", [true, true, false]],
    ["http://169.254.169.254/", [true, false, false]],
    ["http://[fe80::1]/", [true, false, false]],
    ["http://0.0.0.0/", [true, false, false]],
    ["sink:demo", [true, true, false]],
  ])("%s is taken under allow, loopback, reject: %j", (url, taken) => {
    const objections = (["allow", "loopback", "reject"] as const).map((policy) => urlObjection(url, policy));
    const objection = `must match [https], but is equal to "${url}"`;
    expect(objections).toStrictEqual(taken.map((isTaken) => (isTaken ? undefined : objection)));
  });
});

describe("an update", () => {
  const update = (fields: Parameters<typeof updateWebhook>[1]["fields"], hookId = "crm") =>
    run(updateWebhook, { caller: ana, hookId, fields }, { world: world() });

  it.each([
    [{ extraHeaders: [{ name: "C", value: "d", x: 1 }] }, { extraHeaders: [{ name: "C", value: "d" }] }],
    [{ url: undefined, enabled: undefined, subscribedEvents: undefined, extraHeaders: undefined }, {}],
    [{ id: "9", hookId: "other", organizationId: "2", legacy: true } as object, {}],
  ])("of %j changes %j", (fields, changed) => {
    expect(update(fields)).toStrictEqual({
      result: { ...HELD[0], ...changed },
      changes: { "webhooks 1": changed },
    });
  });

  it("warns about an address that is not HTTPS", () => {
    expect(update({ url: "http://127.0.0.1:1/" }).notes).toMatchObject([{ code: "insecure-url" }]);
    expect(update({ url: "sink:demo" }).notes).toBeUndefined();
  });
});

it("a webhook is disabled once", () => {
  const disable = (id: string) => run(disableWebhook, { id }, { world: world() });
  expect(disable("2")).toStrictEqual({ changes: { "webhooks 2": { enabled: false } } });
  expect([disable("1"), disable("none")]).toStrictEqual([{}, {}]);
});
