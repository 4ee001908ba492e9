import { describe, expect, it } from "vitest";
import type { Schema } from "../../src/kernel/schema.js";
import { createAjv } from "../../src/kernel/schema-problems.js";
import { PROFILES } from "../../src/service/behaviour/table.js";
import type { DomainEvent } from "../../src/service/domain/events.js";
import {
  legacyPayloadSchema,
  messageEventSchema,
  notificationsOf,
  payloadOf,
  transferEventSchema,
} from "../../src/service/domain/events.js";
import { messageEvent, transferEvent } from "./events.js";
import { customer, NOW, webhook, worldWith } from "./records.js";

const ATTACHMENT = { uuid: "u-1", contentType: "image/png", name: "shoe.png", contentLength: 512 };
const body = (event: DomainEvent, legacy = false) => payloadOf(event, PROFILES.documented, legacy);

const ajv = createAjv();
const keysOf = ({ properties = {} }: Schema) => Object.keys(properties);

describe("a payload has the fields and types of its table:", () => {
  const messages = [messageEvent(), messageEvent({ attachment: ATTACHMENT, employeeUserId: "51" })];

  it.each<[string, Schema, Record<string, unknown>[]]>([
    ["MessageEvent", messageEventSchema, messages.map((event) => body(event))],
    ["TransferEvent", transferEventSchema, [body(transferEvent())]],
    ["LegacyPayload", legacyPayloadSchema, messages.map((event) => body(event, true))],
  ])("%s", (title, schema, bodies) => {
    expect(schema.title).toBe(title);
    const data = schema.properties?.data;
    for (const told of bodies) {
      expect([ajv.validate(schema, told), ajv.errorsText()]).toEqual([true, "No errors"]);
      expect(Object.keys(told)).toEqual(keysOf(schema));
      if (data !== undefined) expect(Object.keys(told.data as object)).toEqual(keysOf(data));
    }
  });
});

it("a legacy payload has seconds where timestamps.unit says so", () => {
  for (const [unit, expected] of [
    ["ms", NOW],
    ["s", Math.floor(NOW / 1000)],
  ] as const) {
    const told = payloadOf(messageEvent(), { ...PROFILES.documented, "timestamps.unit": unit }, true);
    expect(told).toMatchObject({ messageTimestamp: expected });
  }
});

it.each([
  ["vip", "prospect", customer({ id: "c1", type: "vip" })],
  ["prospect", "prospect", customer({ id: "c1" })],
  ["lead", "lead", customer({ id: "c1" })],
  ["", "", undefined],
])(
  "a message event has the customerType %j with the customers.unknownType %j",
  (expected, unknown, known) => {
    const behaviour = { ...PROFILES.documented, "customers.unknownType": unknown };
    const { data } = payloadOf(messageEvent({}, { customer: known }), behaviour, false);
    expect(data).toMatchObject({ customerType: expected });
  },
);

it.each([
  ["integer", ATTACHMENT, 512],
  ["integer", { ...ATTACHMENT, contentLength: 0 }, 0],
  ["string", ATTACHMENT, "512"],
  ["string", { ...ATTACHMENT, contentLength: 0 }, "0"],
  ["string", null, null],
] as const)("with the events.attachmentLength %s, the length of %j is %j", (policy, attachment, length) => {
  const behaviour = { ...PROFILES.documented, "events.attachmentLength": policy };
  const event = messageEvent({ attachment });
  const told = { messageAttachmentContentLength: length };
  expect(payloadOf(event, behaviour, false).data).toMatchObject(told);
  expect(payloadOf(event, behaviour, true)).toMatchObject(told);
});

it("an event goes to every webhook that receives it, oldest first", () => {
  const webhooks = [
    webhook({ id: "3" }),
    webhook({ id: "4", enabled: false }),
    webhook({ id: "1", legacy: true }),
    webhook({ id: "2" }),
  ];
  const receivers = (event: DomainEvent) =>
    notificationsOf(worldWith({ webhooks }), event, PROFILES.documented).map((one) => one.webhook.id);
  expect(receivers(messageEvent())).toEqual(["3", "1", "2"]);
  expect(receivers(transferEvent())).toEqual(["3", "2"]);
});
