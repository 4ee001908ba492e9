import { describe, expect, it } from "vitest";
import {
  createWebhook,
  deleteWebhook,
  deleteWebhooks,
  deletionDecidedBy,
  disableWebhook,
  saveWebhook,
  updateWebhook,
  urlObjection,
  webhooksNamed,
} from "../../src/service/domain/webhooks.js";
import { ana, webhook, worldWith } from "./records.js";
import { refusalOf, run, view } from "./run.js";

const URL = "https://bot.example/hook";
const DRAWN = expect.stringMatching(/^hook_[0-9a-f]{10}$/);

/** Two webhooks of Ana's organization; "crm" is also a hookId of the other one, whose record has the id "taken". */
const HELD = [
  webhook({ id: "1", hookId: "crm", enabled: false, extraHeaders: [{ name: "A", value: "b" }] }),
  webhook({ id: "2", hookId: "bot", legacy: true, subscribedEvents: ["messages"] }),
  webhook({ id: "taken", hookId: "crm", organizationId: "2" }),
];
const world = () => worldWith({ webhooks: HELD });
const unknown = (hookId: string) => ({ refusal: { key: "webhooks.notFound", scope: { hookId } } });

describe("a new webhook", () => {
  const create = (input: Omit<Parameters<typeof createWebhook>[1], "caller">, limit: number | null = null) =>
    run(
      createWebhook,
      { caller: ana, ...input },
      { world: world(), behaviour: { "limits.webhooks": limit } },
    );
  it("has what is left out filled in, and an id that is drawn", () => {
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

  it.each([
    [null, true],
    [3, true],
    [2, false],
    [0, false],
  ])("with the limits.webhooks %j is made: %s", (limit, made) => {
    const { result, refusal } = create({ fields: { url: URL } }, limit);
    expect(result !== undefined).toBe(made);
    expect(refusal).toStrictEqual(made ? undefined : { key: "limits.webhooksError", scope: { limit } });
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

  it.each([
    ["webhooks.emptySubscriptions", [], "must be longer than 1 elements, but it has 0"],
    ["webhooks.doubledEvents", TWICE, "has value [transfers] more than once at indexes [0, 2]"],
  ] as const)("are refused by %s: %j", (key, subscribedEvents, message) => {
    const circumstances = () => ({ world: world(), behaviour: { [key]: "reject" } });
    const refused = { refusal: [{ property: "@.subscribedEvents", message }], decidedBy: key };
    const fields = { url: URL, subscribedEvents };
    expect(run(createWebhook, { caller: ana, fields }, circumstances())).toStrictEqual(refused);
    expect(run(updateWebhook, { caller: ana, hookId: "crm", fields }, circumstances())).toStrictEqual(
      refused,
    );
  });

  it("the subscriptions of a save through GraphQL are those of webhooks.graphqlEvents, which are not judged", () => {
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

  it("are kept and noted, each name once", () => {
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

  it("notes an address that is not HTTPS", () => {
    expect(update({ url: "http://127.0.0.1:1/" }).notes).toMatchObject([{ code: "insecure-url" }]);
    expect(update({ url: "sink:demo" }).notes).toBeUndefined();
  });
});

describe("a deletion", () => {
  it("takes the webhook of the caller's organization", () => {
    expect(run(deleteWebhook, { caller: ana, hookId: "crm" }, { world: world() })).toStrictEqual({
      result: HELD[0],
      changes: { "webhooks 1": null },
    });
    for (const hookId of ["1", "taken", "none"])
      expect(run(deleteWebhook, { caller: ana, hookId }, { world: world() })).toStrictEqual(unknown(hookId));
  });

  it.each([
    [undefined, ["bot", "crm", "crm"], { result: true, changes: { "webhooks 1": null, "webhooks 2": null } }],
    [undefined, ["crm", "none"], { result: false }],
    [undefined, ["taken"], { result: false }],
    ["graphql.deleteUnknown", ["none"], { result: true }],
    ["graphql.deleteUnknown", [], { result: false }],
    ["graphql.deleteNone", ["none"], { result: false }],
  ] as const)("with another %s of the hookIds %j answers %j", (key, hookIds, expected) => {
    const behaviour = key && { [key]: key === "graphql.deleteNone" ? "succeed" : "skip" };
    expect(
      run(deleteWebhooks, { caller: ana, hookIds }, { world: world(), ...(behaviour && { behaviour }) }),
    ).toStrictEqual(expected);
  });

  it.each([
    [[], "graphql.deleteNone"],
    [["none"], "graphql.deleteUnknown"],
    [["taken"], "graphql.deleteUnknown"],
    [["crm", "none"], "graphql.deleteUnknown"],
    [["crm", "bot"], undefined],
  ])("of the hookIds %j is decided by %s", (hookIds, entry) => {
    expect(deletionDecidedBy(view({ world: world() }), ana, hookIds)).toBe(entry);
  });
});

it("a save of a known webhook leaves its subscriptions as they are", () => {
  const behaviour = { "webhooks.graphqlEvents": ["transfers" as const] };
  const input = { caller: ana, hookId: "crm", url: "https://new.example" };
  const changed = { url: "https://new.example" };
  expect(run(saveWebhook, input, { world: world(), behaviour })).toStrictEqual({
    result: { ...HELD[0], ...changed },
    changes: { "webhooks 1": changed },
  });
});

it("a save of an unknown webhook needs an address", () => {
  expect(run(saveWebhook, { caller: ana, hookId: "new", enabled: true }, { world: world() })).toStrictEqual({
    refusal: [{ property: "@.variables.url", message: "is missing and not optional" }],
  });
});

it("a webhook is disabled once", () => {
  const disable = (id: string) => run(disableWebhook, { id }, { world: world() });
  expect(disable("2")).toStrictEqual({ changes: { "webhooks 2": { enabled: false } } });
  expect([disable("1"), disable("none")]).toStrictEqual([{}, {}]);
});

it.each([
  ["empty", ["bot"], ["2"]],
  ["refuse", undefined, ["1", "2"]],
  ["empty", [], []],
  ["all", [], ["1", "2"]],
] as const)("with the graphql.getNone %s the hookIds %j name %j", (none, hookIds, ids) => {
  const reader = view({ world: world(), behaviour: { "graphql.getNone": none } });
  expect(webhooksNamed(reader, ana, hookIds).map(({ id }) => id)).toEqual(ids);
});

it("with the graphql.getNone refuse an empty list of hookIds is refused", () => {
  const reader = view({ world: world(), behaviour: { "graphql.getNone": "refuse" } });
  expect(refusalOf(() => webhooksNamed(reader, ana, []))).toStrictEqual([
    { property: "@.variables.hookId", message: "must be longer than 1 elements, but it has 0" },
  ]);
});
