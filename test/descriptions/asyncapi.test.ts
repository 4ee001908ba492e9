/** The AsyncAPI description of the webhooks, checked against the official schema and against deliveries. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { expect, it } from "vitest";
import { describeWebhooks } from "../../src/api/descriptions.js";
import { ATTACHMENT } from "../conformance/support.js";
import { startSimulator } from "../support/simulator.js";
import { danglingIn, ownKeywordsIn, validatorFor } from "./checks.js";

interface Document {
  readonly asyncapi: string;
  readonly operations: Readonly<Record<string, unknown>>;
  readonly components: { readonly messages: Readonly<Record<string, { readonly payload: unknown }>> };
}

const document = describeWebhooks() as Document;
const require = createRequire(import.meta.url);

it("the description of the webhooks is valid AsyncAPI 3.1", () => {
  const file = require.resolve("@asyncapi/specs/schemas/3.1.0-without-$id.json");
  const ajv = new Ajv({ allErrors: true, strict: false });
  (formats as unknown as typeof formats.default)(ajv as never);
  const validate = ajv.compile(JSON.parse(readFileSync(file, "utf8")));
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
  expect(document.asyncapi).toBe("3.1.0");
  expect(validate({ ...document, info: undefined })).toBe(false);
});

it("the description of the webhooks has no keywords of our own and no dangling references", () => {
  expect(ownKeywordsIn(document)).toEqual([]);
  expect(danglingIn(document)).toEqual([]);
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});

it("the description of the webhooks has one operation for each kind of message", () => {
  expect(Object.keys(document.operations)).toHaveLength(Object.keys(document.components.messages).length);
});

it("the description of the webhooks is what the simulator serves, and describes what it delivers", async () => {
  const { control, api } = await startSimulator();
  expect((await control("GET /asyncapi.json")).body).toEqual(document);
  await api("POST /api/update-hook-url", { url: "sink:legacy" });
  await control("POST /threads/9001/inbound", { text: "Hello", attachment: ATTACHMENT });
  await control("POST /threads/9001/transfer", { businessId: "1002" });
  await control("POST /wait", { for: "idle" });
  const { body: deliveries } = await control("GET /deliveries");
  const problemOf = validatorFor(document);
  const seen = deliveries.map((delivery: { legacy: boolean; eventType: string; body: unknown }) => {
    const name = delivery.legacy ? "legacyMessage" : delivery.eventType;
    expect(problemOf(document.components.messages[name]?.payload, delivery.body)).toBeUndefined();
    return name;
  });
  expect(new Set(seen)).toEqual(new Set(Object.keys(document.components.messages)));
});
