/** The contents of the base document of a data folder. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fromKeys } from "../../src/kernel/objects.js";
import type { Schema } from "../../src/kernel/schema.js";
import type { CollectionName } from "../../src/service/world/records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../../src/service/world/records.js";
import { FORMAT } from "../../src/storage/base-document.js";
import { DocumentFile } from "../../src/storage/document-file.js";
import { startSimulator } from "../support/simulator.js";
import { say } from "./command.js";
import { newFolder } from "./support.js";

const defaultsOf = (collection: CollectionName): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries<Schema>(RECORD_SCHEMAS[collection].properties ?? {})
      .filter(([, schema]) => schema.default !== undefined)
      .map(([name, schema]) => [name, schema.default]),
  );

const pathIn = (folder: string): string => join(folder, "sandboxes", "default.json");
const documentIn = (folder: string): Record<CollectionName, object[]> & { simulator: object } =>
  JSON.parse(readFileSync(pathIn(folder), "utf8"));

/** A folder whose document has everything, and its last state. */
async function keptFolder(): Promise<{ folder: string; state: Record<CollectionName, object[]> }> {
  const folder = newFolder();
  const sim = await startSimulator({ data: folder });
  await say(sim, "one");
  await sim.control("POST /checkpoint");
  const { body: state } = await sim.control("GET /state");
  await sim.close();
  return { folder, state };
}

async function stateOf(folder: string): Promise<unknown> {
  const sim = await startSimulator({ data: folder });
  const { body } = await sim.control("GET /state");
  await sim.close();
  return body;
}

describe("the base document", () => {
  it("omits defaults of fields, which are filled in when it is read", async () => {
    const { folder, state } = await keptFolder();
    const document = documentIn(folder);
    for (const collection of COLLECTIONS) {
      const standard = defaultsOf(collection);
      for (const record of document[collection])
        for (const [name, value] of Object.entries(record)) expect(value).not.toEqual(standard[name]);
    }
    expect(document.messages.at(-1)).toEqual({
      id: expect.any(String),
      threadId: "9001",
      fromCustomer: false,
      text: "one",
      employeeUserId: expect.any(String),
      timestamp: expect.any(Number),
    });
    expect(JSON.stringify(await stateOf(folder))).toBe(JSON.stringify(state));
  });

  it("may have every field, as earlier versions wrote them", async () => {
    const { folder, state } = await keptFolder();
    const { checksum: _, ...simulator } = documentIn(folder).simulator as { checksum: string };
    const full = fromKeys(COLLECTIONS, (collection) => state[collection]);
    await new DocumentFile(pathIn(folder)).write({ ...documentIn(folder), ...full, simulator });
    expect(JSON.stringify(await stateOf(folder))).toBe(JSON.stringify(state));
  });

  const PROFILE =
    "type editable pictureHref displayName emailAddress phoneNumber firstName lastName company channel customerData lastSurveys".split(
      " ",
    );
  it("has fixed defaults: other ones need a new format", () => {
    expect({ format: FORMAT, ...fromKeys(COLLECTIONS, defaultsOf) }).toEqual({
      format: 3,
      organizations: {},
      businesses: { online: true, whatsappSender: null, escalationPool: [] },
      users: { contactable: true },
      tokens: { permissions: [] },
      customers: fromKeys(PROFILE, () => null),
      threads: {},
      messages: { invisible: false, contentSid: null, employeeUserId: null, attachment: null },
      templates: {},
      webhooks: { enabled: true, extraHeaders: [], legacy: false },
    });
  });
});
