import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/behaviour/table.js";
import {
  createWebhook,
  deleteWebhook,
  deleteWebhooks,
  deletionDecidedBy,
  saveWebhook,
  updateWebhook,
  urlObjection,
  webhookFor,
  webhooksOf,
} from "../../src/domain/webhooks.js";
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

describe("the webhooks of an organization", () => {
  it.each([
    [undefined, ["1", "2"]],
    [
      ["bot", "crm", "none"],
      ["1", "2"],
    ],
    [["bot"], ["2"]],
    [["taken"], []],
    [[], []],
  ])("with the hookIds %j are %j", (hookIds, ids) => {
    expect(webhooksOf(view({ world: world() }), ana, hookIds).map(({ id }) => id)).toEqual(ids);
  });

  it("are known by their hookIds, not by their ids", () => {
    const reader = view({ world: world() });
    expect(webhookFor(reader, ana, "crm")).toStrictEqual(HELD[0]);
    for (const hookId of ["1", "taken", "none"])
      expect({ refusal: refusalOf(() => webhookFor(reader, ana, hookId)) }).toStrictEqual(unknown(hookId));
  });
});

describe("a new webhook", () => {
  const create = (input: Omit<Parameters<typeof createWebhook>[1], "caller">, limit: number | null = null) =>
    run(
      createWebhook,
      { caller: ana, ...input },
      { world: world(), behaviour: { "limits.webhooks": limit } },
    );
  const headers = [{ name: "A", value: "b" }];

  it.each([
    ["no more than it must", { fields: { url: URL } }, {}],
    ["disabled", { fields: { url: URL, enabled: false } }, { enabled: false }],
    ["enabled", { fields: { url: URL, enabled: true } }, {}],
    [
      "subscriptions",
      { fields: { url: URL, subscribedEvents: ["transfers"] as const } },
      { subscribedEvents: ["transfers"] },
    ],
    ["no subscription", { fields: { url: URL, subscribedEvents: [] } }, { subscribedEvents: [] }],
    ["headers", { fields: { url: URL, extraHeaders: headers } }, { extraHeaders: headers }],
    ["legacy", { fields: { url: URL }, legacy: true }, { legacy: true }],
  ])("can be made with %s", (_, input, expected) => {
    const { result, changes, counters, ...rest } = create(input);
    const { id, hookId, ...fields } = result!;
    expect(id).toEqual(DRAWN);
    expect(hookId).toBe(id);
    expect(fields).toStrictEqual({
      organizationId: "1",
      url: URL,
      enabled: true,
      subscribedEvents: ["messages"],
      extraHeaders: [],
      legacy: false,
      ...expected,
    });
    expect(changes).toStrictEqual({ [`webhooks ${id}`]: result });
    expect(counters).toStrictEqual({ random: expect.any(Number) });
    expect(rest).toStrictEqual({});
  });

  it("keeps nothing of a header but its name and value, and shares nothing with the input", () => {
    const extraHeaders = [{ name: "A", value: "b", secret: true }];
    const subscribedEvents = ["messages" as const];
    const { result } = create({ fields: { url: URL, extraHeaders, subscribedEvents } });
    expect(result?.extraHeaders).toStrictEqual(headers);
    expect(result?.subscribedEvents).not.toBe(subscribedEvents);
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
  const EMPTY = {
    refusal: [{ property: "@.subscribedEvents", message: "must be longer than 1 elements, but it has 0" }],
    decidedBy: "webhooks.emptySubscriptions",
  };
  const DOUBLED = {
    refusal: [{ property: "@.subscribedEvents", message: "must not name an event more than once" }],
    decidedBy: "webhooks.doubledEvents",
  };
  const LENIENT = { "webhooks.emptySubscriptions": "accept", "webhooks.doubledEvents": "merge" } as const;
  const STRICT = { "webhooks.emptySubscriptions": "reject", "webhooks.doubledEvents": "reject" } as const;
  const BOTH = ["transfers", "messages"] as const;
  const TWICE = ["transfers", "messages", "transfers"] as const;

  it.each([
    [LENIENT, [], []],
    [LENIENT, TWICE, BOTH],
    [STRICT, BOTH, BOTH],
    [STRICT, ["messages"], ["messages"]],
    [STRICT, [], EMPTY],
    [STRICT, TWICE, DOUBLED],
    [{ "webhooks.emptySubscriptions": "reject" }, TWICE, BOTH],
    [{ "webhooks.doubledEvents": "reject" }, [], []],
  ] as const)("with %j to %j are %j", (behaviour, subscribedEvents, expected) => {
    const circumstances = () => ({ world: world(), behaviour });
    const fields = { url: URL, subscribedEvents };
    const created = run(createWebhook, { caller: ana, fields }, circumstances());
    const updated = run(updateWebhook, { caller: ana, hookId: "crm", fields }, circumstances());
    for (const outcome of [created, updated]) {
      if (Array.isArray(expected)) expect(outcome.result?.subscribedEvents).toStrictEqual(expected);
      else expect(outcome).toStrictEqual(expected);
    }
  });

  it("that nobody names are not judged", () => {
    const circumstances = () => ({ world: world(), behaviour: STRICT });
    const fields = { url: URL };
    expect(run(createWebhook, { caller: ana, fields }, circumstances()).result).toMatchObject({
      subscribedEvents: ["messages"],
    });
    const input = { caller: ana, hookId: "crm", fields };
    expect(run(updateWebhook, input, circumstances()).result).toMatchObject({
      subscribedEvents: [...BOTH].reverse(),
    });
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
    message: `HTTP does not let a sender choose the header ${name}: deliveries go without it`,
    section: "Resources and their fields / Webhook",
  });
  const headersOf = (...names: string[]) => names.map((name) => ({ name, value: "v" }));

  it.each([
    [[], undefined],
    [["Authorization", "Host"], undefined],
    [["TE"], [note("TE")]],
    [
      ["X-A", "Upgrade", "te", "TE"],
      [note("Upgrade"), note("te")],
    ],
  ])("are kept and noted: of %j %j", (names, notes) => {
    const extraHeaders = headersOf(...names);
    const created = run(createWebhook, { caller: ana, fields: { url: URL, extraHeaders } });
    const input = { caller: ana, hookId: "crm", fields: { extraHeaders } };
    const updated = run(updateWebhook, input, { world: world() });
    for (const outcome of [created, updated]) {
      expect(outcome.result?.extraHeaders).toStrictEqual(extraHeaders);
      expect(outcome.notes).toStrictEqual(notes);
    }
  });

  it("are noted only where they are given", () => {
    const held = [webhook({ id: "1", hookId: "crm", extraHeaders: headersOf("TE") })];
    const input = { caller: ana, hookId: "crm", fields: { enabled: false } };
    expect(run(updateWebhook, input, { world: worldWith({ webhooks: held }) }).notes).toBeUndefined();
  });
});

describe("a webhook's address", () => {
  const HTTPS = { refused: false, notes: undefined };
  const plain = (url: string) => ({
    code: "insecure-url",
    message: `the service asks for an HTTPS URL, and ${url} is plain http`,
    section: "Resources and their fields / Webhook",
  });
  const let_ = (note: object) => ({ refused: false, notes: [note] });

  it.each([
    ["https://bot.example", HTTPS],
    ["HTTPS://bot.example", HTTPS],
    ["http://bot.example/https:", let_(plain("http://bot.example/https:"))],
    ["sink:demo", HTTPS],
  ])("%s is noted where it is not HTTPS", (url, expected) => {
    const { refusal, notes } = run(createWebhook, { caller: ana, fields: { url } });
    expect({ refused: refusal !== undefined, notes }).toStrictEqual(expected);
  });

  it("the address of a legacy webhook is never noted", () => {
    const notesOf = (url: string) => run(createWebhook, { caller: ana, fields: { url }, legacy: true }).notes;
    expect(notesOf("http://bot.example")).toBeUndefined();
    expect(notesOf("sink:demo")).toBeUndefined();
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
    [{ url: "https://new.example" }, { url: "https://new.example" }],
    [{ enabled: true }, { enabled: true }],
    [{ subscribedEvents: ["transfers" as const] }, { subscribedEvents: ["transfers"] }],
    [{ extraHeaders: [{ name: "C", value: "d", x: 1 }] }, { extraHeaders: [{ name: "C", value: "d" }] }],
    [{ extraHeaders: [] }, { extraHeaders: [] }],
    [{ url: undefined, enabled: undefined, subscribedEvents: undefined, extraHeaders: undefined }, {}],
    [{}, {}],
    [{ id: "9", hookId: "other", organizationId: "2", legacy: true } as object, {}],
  ])("of %j changes %j", (fields, changed) => {
    expect(update(fields)).toStrictEqual({
      result: { ...HELD[0], ...changed },
      changes: { "webhooks 1": changed },
    });
  });

  it("leaves a legacy webhook legacy", () => {
    expect(update({ url: "https://new.example" }, "bot").result).toMatchObject({ legacy: true });
  });

  it("notes an address that is not HTTPS", () => {
    expect(update({ url: "http://127.0.0.1:1/" }).notes).toMatchObject([{ code: "insecure-url" }]);
    expect(update({ url: "sink:demo" }).notes).toBeUndefined();
  });

  it.each(["1", "taken", "none"])("of %s is refused", (hookId) => {
    expect(update({ enabled: true }, hookId)).toStrictEqual(unknown(hookId));
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
    [["crm"], ["1"]],
    [
      ["bot", "crm"],
      ["2", "1"],
    ],
    [["crm", "crm"], ["1"]],
    [["crm", "none"], []],
    [["taken"], []],
    [[], []],
  ])("of the hookIds %j takes the records %j", (hookIds, ids) => {
    const outcome = run(deleteWebhooks, { caller: ana, hookIds }, { world: world() });
    const changes = Object.fromEntries(ids.map((id) => [`webhooks ${id}`, null]));
    expect(outcome).toStrictEqual(ids.length > 0 ? { result: true, changes } : { result: false });
  });

  it.each([
    [["crm", "none"], { result: true, changes: { "webhooks 1": null } }],
    [["none"], { result: true }],
    [[], { result: false }],
  ])("of the hookIds %j leaves out unknown ones where graphql.deleteUnknown says so", (hookIds, expected) => {
    const behaviour = { "graphql.deleteUnknown": "skip" as const };
    expect(run(deleteWebhooks, { caller: ana, hookIds }, { world: world(), behaviour })).toStrictEqual(
      expected,
    );
  });
});

describe("a deletion of no webhook or of unknown ones", () => {
  it.each([
    ["refuse", false],
    ["succeed", true],
  ] as const)("with the graphql.deleteNone %s succeeds: %s", (policy, result) => {
    const remove = (hookIds: string[]) =>
      run(
        deleteWebhooks,
        { caller: ana, hookIds },
        { world: world(), behaviour: { "graphql.deleteNone": policy } },
      );
    expect(remove([])).toStrictEqual({ result });
    expect(remove(["none"])).toStrictEqual({ result: false });
    expect(remove(["crm"])).toStrictEqual({ result: true, changes: { "webhooks 1": null } });
  });

  it.each([
    [[], "graphql.deleteNone"],
    [["none"], "graphql.deleteUnknown"],
    [["taken"], "graphql.deleteUnknown"],
    [["crm", "none"], "graphql.deleteUnknown"],
    [["none", "crm"], "graphql.deleteUnknown"],
    [["crm"], undefined],
    [["crm", "bot"], undefined],
  ])("of the hookIds %j is decided by %s", (hookIds, entry) => {
    expect(deletionDecidedBy(view({ world: world() }), ana, hookIds)).toBe(entry);
  });
});

describe("a save", () => {
  const save = (input: object, behaviour: Partial<BehaviourValues> = {}) =>
    run(saveWebhook, { caller: ana, hookId: "crm", ...input }, { world: world(), behaviour });

  it.each([
    [{ url: "https://new.example" }, { url: "https://new.example" }],
    [{ enabled: true }, { enabled: true }],
    [{}, {}],
  ])("of a known webhook changes what is given: %j", (input, changed) => {
    const behaviour = { "webhooks.graphqlEvents": ["transfers" as const] };
    expect(save(input, behaviour)).toStrictEqual({
      result: { ...HELD[0], ...changed },
      changes: { "webhooks 1": changed },
    });
  });

  it.each([
    [{}, ["messages"], { enabled: true, subscribedEvents: ["messages"] }],
    [
      { enabled: false },
      ["transfers", "messages"],
      { enabled: false, subscribedEvents: ["transfers", "messages"] },
    ],
    [{}, [], { enabled: true, subscribedEvents: [] }],
  ])("of a new one with %j, subscribed to %j, makes it", (input, events, expected) => {
    const graphqlEvents = events as BehaviourValues["webhooks.graphqlEvents"];
    const made = webhook({ id: "new", url: URL, ...(expected as object) });
    expect(
      save({ hookId: "new", url: URL, ...input }, { "webhooks.graphqlEvents": graphqlEvents }),
    ).toStrictEqual({
      result: made,
      changes: { "webhooks new": made },
    });
  });

  it("the save of a new webhook needs its address", () => {
    expect(save({ hookId: "new", enabled: true })).toStrictEqual({
      refusal: [{ property: "@.variables.url", message: "is missing and not optional" }],
    });
  });
});
