import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fieldTable } from "../../scripts/docs/schemas.js";
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
const body = (event: DomainEvent, legacy = false, unit: "ms" | "s" = "ms") =>
  payloadOf(event, { ...PROFILES.documented, "timestamps.unit": unit }, legacy);

/** Written by `npm run docs`; it shows the tables of the specification, field by field, and the types of attachments. */
const PAGE = readFileSync(new URL("../../docs/reference/events.md", import.meta.url), "utf8");
const ajv = createAjv();
const keysOf = ({ properties = {} }: Schema) => Object.keys(properties);

describe("a payload has the fields and types of its table:", () => {
  const messages = [messageEvent(), messageEvent({ attachment: ATTACHMENT, employeeUserId: "51" })];

  it.each([
    ["MessageEvent", messageEventSchema, messages.map((event) => body(event))],
    ["TransferEvent", transferEventSchema, [body(transferEvent())]],
    ["LegacyPayload", legacyPayloadSchema, messages.map((event) => body(event, true))],
  ] as [string, Schema, Record<string, unknown>[]][])("%s", (title, schema, bodies) => {
    expect(schema.title).toBe(title);
    expect(PAGE).toContain(`\n\n${fieldTable(schema)}\n\n`);
    const data = schema.properties?.data;
    for (const told of bodies) {
      expect([ajv.validate(schema, told), ajv.errorsText()]).toEqual([true, "No errors"]);
      expect(Object.keys(told)).toEqual(keysOf(schema));
      if (data !== undefined) expect(Object.keys(told.data as object)).toEqual(keysOf(data));
    }
  });
});

const NO_ATTACHMENT = {
  messageAttachmentUUID: null,
  messageAttachmentContentType: null,
  messageAttachmentName: null,
  messageAttachmentContentLength: null,
};
const WITH_ATTACHMENT = {
  messageAttachmentUUID: "u-1",
  messageAttachmentContentType: "image/png",
  messageAttachmentName: "shoe.png",
  messageAttachmentContentLength: 512,
};
const COMMON = { customerId: "c1", customerThreadId: 91, messageId: 501, businessId: 11 };
const CUSTOMERS = { fromCustomer: true, invisible: false, messageBody: "Message 501" };
const EMPLOYEES = { fromCustomer: false, invisible: true, messageBody: "Note" };
const NOTE = {
  fromCustomer: false,
  invisible: true,
  text: "Note",
  employeeUserId: "51",
  attachment: ATTACHMENT,
  timestamp: 1_001,
};

describe("a message event", () => {
  it.each([
    ["vip", "prospect", customer({ id: "c1", type: "vip" })],
    ["prospect", "prospect", customer({ id: "c1" })],
    ["prospect", "prospect", undefined],
    ["vip", "lead", customer({ id: "c1", type: "vip" })],
    ["lead", "lead", customer({ id: "c1" })],
    ["", "", undefined],
  ])("has the customerType %j with the customers.unknownType %j", (customerType, unknownType, known) => {
    const behaviour = { ...PROFILES.documented, "customers.unknownType": unknownType };
    const { data } = payloadOf(messageEvent({}, { customer: known }), behaviour, false);
    expect(data).toMatchObject({ customerType });
  });
});

describe("an attachment's length", () => {
  it.each([
    ["integer", ATTACHMENT, 512],
    ["integer", { ...ATTACHMENT, contentLength: 0 }, 0],
    ["integer", null, null],
    ["string", ATTACHMENT, "512"],
    ["string", { ...ATTACHMENT, contentLength: 0 }, "0"],
    ["string", null, null],
  ] as const)("with the events.attachmentLength %s of %j is %j", (policy, attachment, length) => {
    const behaviour = { ...PROFILES.documented, "events.attachmentLength": policy };
    const event = messageEvent({ attachment });
    const told = { messageAttachmentContentLength: length };
    expect(payloadOf(event, behaviour, false).data).toMatchObject(told);
    expect(payloadOf(event, behaviour, true)).toMatchObject(told);
  });
});

describe("a legacy payload", () => {
  it("is flat", () => {
    expect(body(messageEvent(), true)).toStrictEqual({
      ...COMMON,
      ...CUSTOMERS,
      ...NO_ATTACHMENT,
      messageTimestamp: NOW,
      employeeUserId: 0,
      messageExternalId: null,
      customerType: "prospect",
    });
  });

  it("names the employee, and has customerType prospect for every customer", () => {
    const event = messageEvent(NOTE, { customer: customer({ id: "c1", type: "vip" }) });
    expect(body(event, true, "s")).toStrictEqual({
      ...COMMON,
      ...EMPLOYEES,
      ...WITH_ATTACHMENT,
      messageTimestamp: 1,
      employeeUserId: 51,
      messageExternalId: null,
      customerType: "prospect",
    });
  });
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
