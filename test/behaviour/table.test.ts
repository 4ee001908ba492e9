import { describe, expect, it } from "vitest";
import { Behaviour, behaviourRowSchema } from "../../src/behaviour/behaviour.js";
import { BehaviourChecker } from "../../src/behaviour/check.js";
import type { Entry } from "../../src/behaviour/entry.js";
import type { BehaviourKey } from "../../src/behaviour/table.js";
import {
  BEHAVIOUR_KEYS,
  BEHAVIOUR_TABLE,
  behaviourSchema,
  differing,
  PROFILES,
  STRICT,
} from "../../src/behaviour/table.js";
import { createAjv } from "../../src/kernel/ajv.js";

/** The headings of the specification that leave something open, the ones below them after a slash. */
const SECTIONS = [
  "Resources and their fields / Customer profile",
  "Resources and their fields / Customer thread",
  "Resources and their fields / Webhook",
  "States and transitions / Thread status",
  "States and transitions / Messaging window",
  "States and transitions / Webhook enabled flag",
  "Endpoints",
  "Endpoints / Update customer profile",
  "Endpoints / Delete user by email",
  "Endpoints / Send message to a customer thread",
  "Endpoints / List WhatsApp templates",
  "Endpoints / Start a conversation from the widget route",
  "Endpoints / Update thread status",
  "Endpoints / Webhooks (REST)",
  "Endpoints / Edit organization webhook URL (legacy)",
  "Endpoints / Webhook operations (GraphQL)",
  "Authentication",
  "Events / Message event payload",
  "Events / Transfer event payload",
  "Events / Legacy delivery payload",
  "Events / Gaps in event delivery",
  "Errors",
  "Errors / Widget route",
  "Limits",
];

/** What each policy is where nobody asks for another (contract section 7). */
const POLICIES: Partial<Record<BehaviourKey, unknown>> = {
  "customers.unknownType": "prospect",
  "profile.access": "organization",
  "ids.foreign": "unknown",
  "widget.customerMatch": "exact",
  "widget.knownLocale": "keep",
  "widget.window": "open",
  "templates.channels": ["WHATSAPP"],
  "templates.internal": "accept",
  "transfers.employee": "lowest",
  "transfers.participation": "counter",
  "events.attachmentLength": "integer",
  "legacy.messageExternalId": null,
  "errors.validation": "validator",
  "webhooks.doubledEvents": "merge",
  "graphql.deleteNone": "refuse",
  "delivery.repeatedHeaders": "join",
  "delivery.contentType": "webhook",
  "timestamps.unit": "ms",
  "profile.emptyFields": "empty",
  "surveys.unanswered": "omit",
  "profile.displayName": "keep",
  "profile.emptyUpdate": "store",
  "users.deleteSelf": "allow",
  "users.deleteEcho": "stored",
  "window.undatedEnd": "never",
  "templates.scope": "organization",
  "body.nullFields": "reject",
  "query.repeated": "last",
  "limits.textUnit": "codePoint",
  "webhooks.createStatus": 200,
  "delivery.pendingUpdate": "original",
  "delivery.redirects": "fail",
  "delivery.autoDisable": null,
  "graphql.nullFields": "omit",
  "graphql.getNone": "empty",
  "profile.notEditable": "update",
  "surveys.createdAtUnit": "ms",
  "ids.acceptNumbers": "accept",
  "body.unknownFields": "ignore",
  "headers.contentTypeOnGet": "ignore",
  "headers.contentTypeOnEmptyPost": "ignore",
  "paths.trailingSlash": "accept",
  "webhooks.response": "record",
  "graphql.errors": "coded",
  "graphql.errorStatus": "refusal",
  "tokens.lifetime": null,
  "permissions.required": {},
  "threadStatus.transitions": "any",
  "threadStatus.autoMoves": "none",
  "threads.readAccess": "user",
  "widget.threadStatus": "waiting",
  "widget.emailFormat": "valid",
  "widget.threadAccess": "token",
  "widget.reuse": "never",
  "users.emailMatch": "caseless",
  "window.channels": ["WHATSAPP"],
  "window.duration": null,
  "window.internalMessages": "exempt",
  "messages.emptyText": "accept",
  "webhooks.insecureUrls": "loopback",
  "webhooks.graphqlEvents": ["messages"],
  "webhooks.emptySubscriptions": "accept",
  "graphql.deleteUnknown": "refuse",
  "webhooks.pendingAfterDisable": "drop",
  "delivery.attempts": 1,
  "delivery.backoff": ["1m", "5m", "30m"],
  "delivery.timeoutMs": 10_000,
  "delivery.order": "perWebhook",
  "delivery.success": "2xx",
  "delivery.signature": null,
  "events.internalMessages": "deliver",
  "legacy.customerEmployeeUserId": 0,
  "limits.textLength": null,
  "limits.webhooks": null,
  "limits.bodyBytes": 1_048_576,
  "limits.rate": null,
  "cors.origins": [],
};

const invalid = (property: string, message: string) => ({ body: [{ message, property }], headers: [] });

/** Each answer: its status, and its body or the text of its error. */
const ANSWERS: Partial<Record<BehaviourKey, [status: number, body: string | object]>> = {
  "auth.missing": [401, "Missing API token"],
  "auth.invalid": [401, "Invalid API token"],
  "users.deleteSelfError": [403, "A token cannot delete its own user"],
  "users.deleteForbidden": [403, "The token lacks the permission user:delete"],
  "profile.notFound": [404, "Customer not found"],
  "profile.notAccessible": [403, "Customer is not accessible to this user"],
  "widget.unknownBusiness": [403, { developerMessage: "Business does not belong to this organization" }],
  "threads.notFound": [404, "Customer thread not found"],
  "threads.notAccessible": [403, "Customer thread is not accessible to this user"],
  "webhooks.notFound": [404, "Webhook not found"],
  "templates.unknown": [400, "Unknown contentSid for this customer thread"],
  "window.closedError": [400, "The messaging window is closed: send a template"],
  "widget.businessOffline": [400, invalid("@.user.whatsapp", "business is not online")],
  "widget.noSender": [400, invalid("@.user.whatsapp", "business has no active WhatsApp sender")],
  "threadStatus.transitionError": [400, "Status cannot change from ${from} to ${to}"],
  "permissions.requiredError": [403, "The token lacks the permission ${permission}"],
  "profile.notEditableError": [400, "Customer profile is not editable"],
  "limits.textLengthError": [
    400,
    invalid("${property}", "must be shorter than ${limit} elements, but it has ${length}"),
  ],
  "limits.webhooksError": [
    400,
    invalid("@", "must not have more than ${limit} webhooks in the organization"),
  ],
  "profile.updateResponse": [200, {}],
  "sendMessage.response": [200, {}],
  "threadStatus.response": [200, {}],
  "webhooks.deleteResponse": [200, {}],
  "hookUrl.response": [200, {}],
  "http.unknownPath": [404, "No such endpoint: ${method} ${path}"],
  "http.wrongMethod": [405, "Method ${method} is not allowed for ${path}: use ${allowed}"],
  "http.unknownHost": [
    403,
    "A browser may not call this server as ${host} (DNS rebinding): start it with --allow-host ${name} to let it through",
  ],
  "limits.bodyError": [413, "Request body is larger than ${limit} bytes"],
  "limits.rateError": [429, "Rate limit exceeded: retry in ${retryAfter} s"],
  "limits.overloadError": [503, "Service unavailable: ${reason}"],
};

const entries = Object.entries(BEHAVIOUR_TABLE) as [BehaviourKey, Entry][];
const checker = new BehaviourChecker();

describe("the behaviour table", () => {
  it("promises nothing in the profile documented that the specification does not state", () => {
    const answers = Object.entries(ANSWERS).map(([key, [status, body]]) => [
      key,
      { status, body: typeof body === "string" ? { error: body } : body },
    ]);
    expect(PROFILES.documented).toEqual({ ...POLICIES, ...Object.fromEntries(answers) });
    expect(BEHAVIOUR_KEYS).toEqual(Object.keys(PROFILES.documented));
  });

  it("does in the profile realistic what a service of this kind usually does", () => {
    expect(differing(PROFILES.realistic)).toEqual({
      "threadStatus.autoMoves": "realistic",
      "window.duration": "24h",
      "window.undatedEnd": "lastMessage",
      "messages.emptyText": "reject",
      "limits.textLength": 4096,
      "delivery.attempts": 4,
      "limits.rate": { requests: 600, per: "1m" },
    });
    expect(Object.keys(PROFILES.realistic)).toEqual(BEHAVIOUR_KEYS);
    expect(differing(PROFILES.documented)).toEqual({});
  });

  it("refuses under --strict what is otherwise let through with a warning", () => {
    expect(STRICT).toEqual({
      "ids.acceptNumbers": "reject",
      "body.unknownFields": "reject",
      "headers.contentTypeOnGet": "require",
      "headers.contentTypeOnEmptyPost": "require",
      "paths.trailingSlash": "reject",
    });
  });

  it.each(entries)("asks under %s a question that a section of the specification leaves open", (_, entry) => {
    expect(SECTIONS).toContain(entry.section);
    expect(entry.question).toContain("?");
  });

  it("says which entries come from a need of simulating; all others are assumed", () => {
    const own = entries.filter(([, { source }]) => source !== "assumed");
    expect(own.map(([key, { source }]) => [key, source])).toEqual([
      ["limits.bodyBytes", "simulator"],
      ["cors.origins", "simulator"],
      ["webhooks.insecureUrls", "simulator"],
    ]);
  });

  it.each(["documented", "realistic"] as const)(
    "has a valid value for each key in the profile %s",
    (name) => {
      expect(checker.check(PROFILES[name])).toEqual({ values: PROFILES[name] });
      expect(Object.isFrozen(PROFILES[name])).toBe(true);
    },
  );

  it("is the schema of a behaviour file, in which every key may be left out", () => {
    const { properties, ...rest } = behaviourSchema as unknown as { properties: Record<string, object> };
    expect(rest).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "messaging-sim behaviour",
      type: "object",
      additionalProperties: false,
    });
    expect(Object.keys(properties)).toEqual(BEHAVIOUR_KEYS);
    for (const [key, { schema, question }] of entries)
      expect(properties[key]).toEqual({
        ...schema,
        description: expect.stringContaining(`${question} Default:`),
      });
    expect(properties["legacy.customerEmployeeUserId"]).toMatchObject({
      description: expect.stringMatching(/ Default: 0; instead: "omit" or null\.$/),
    });
  });
});

describe("the behaviour of a sandbox", () => {
  it("is the profile documented with what was given, frozen", () => {
    const { values } = new Behaviour({ "window.duration": "1h" });
    expect(values).toEqual({ ...PROFILES.documented, "window.duration": "1h" });
    expect(Object.isFrozen(values)).toBe(true);
    expect(new Behaviour().values).toEqual(PROFILES.documented);
  });

  it("changes in parts, while values that were read stay as they are", () => {
    const behaviour = new Behaviour({ "window.duration": "1h" });
    const before = behaviour.values;
    behaviour.patch({ "timestamps.unit": "s" });
    expect(behaviour.values).toEqual({ ...before, "timestamps.unit": "s" });
    expect(Object.isFrozen(behaviour.values)).toBe(true);
    expect(before["timestamps.unit"]).toBe("ms");
  });

  it("is shown row by row, with default and value", () => {
    const rows = new Behaviour({ "limits.rate": { requests: 1, per: "1s" } }).rows();
    expect(rows.map(({ key }) => key)).toEqual(BEHAVIOUR_KEYS);
    expect(rows.find(({ key }) => key === "limits.rate")).toEqual({
      key: "limits.rate",
      section: "Limits",
      question: BEHAVIOUR_TABLE["limits.rate"].question,
      default: null,
      alternatives:
        'an object with requests (an integer from 1 to 1000000000), per (a duration such as "90s" or "24h", or milliseconds)',
      value: { requests: 1, per: "1s" },
      source: "assumed",
    });
  });

  it("has rows of the form that is published, without which they would be none", () => {
    const isRow = createAjv().compile(behaviourRowSchema);
    const rows = new Behaviour().rows();
    expect(rows.filter((row) => !isRow(row))).toEqual([]);
    const [row] = rows;
    for (const field of Object.keys(row ?? {})) expect(isRow({ ...row, [field]: undefined })).toBe(false);
    expect(isRow({ ...row, more: 1 })).toBe(false);
    expect([[], ["a"], "a text", 5, null].map((alternatives) => isRow({ ...row, alternatives }))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it("differs from the default where a value does, not where it is written out", () => {
    expect(differing({ "window.channels": ["WHATSAPP"], "delivery.backoff": ["1m"] })).toEqual({
      "delivery.backoff": ["1m"],
    });
  });
});
