import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROFILES } from "../../src/behaviour/table.js";
import { Transaction } from "../../src/domain/transaction.js";
import type { Webhook } from "../../src/world/records.js";
import type { WorldReader } from "../../src/world/world.js";
import { stateOf, World } from "../../src/world/world.js";
import { EMPTY } from "../world/documents.js";

const ORGANIZATIONS = ["200", "300"];
const IDS = ["1", "2", "3", "4", "5"];

const webhook = (id: string, organizationId: string): Webhook => ({
  id,
  hookId: id,
  organizationId,
  url: "sink:demo",
  enabled: true,
  subscribedEvents: ["messages"],
  extraHeaders: [],
  legacy: false,
});

type Write = readonly ["put", id: string, organizationId: string] | readonly ["remove", id: string];

const writes = fc.array(
  fc.oneof(
    fc.tuple(fc.constant("put" as const), fc.constantFrom(...IDS), fc.constantFrom(...ORGANIZATIONS)),
    fc.tuple(fc.constant("remove" as const), fc.constantFrom(...IDS)),
  ) as fc.Arbitrary<Write>,
  { maxLength: 8 },
);

const begin = (world: World) => new Transaction(world, 0, PROFILES.documented, 1);

function apply(tx: Transaction, list: readonly Write[]): void {
  for (const write of list) {
    if (write[0] === "put") tx.put("webhooks", webhook(write[1], write[2]));
    else tx.remove("webhooks", write[1]);
  }
}

/** All that a reader can ask for; the order does not matter where a record was taken out and put back. */
const seen = (reader: WorldReader) => ({
  count: reader.count("webhooks"),
  byId: IDS.map((id) => reader.get("webhooks", id) ?? null),
  all: [...reader.all("webhooks")].map(({ id }) => id).sort(),
  byOrganization: ORGANIZATIONS.map((organization) =>
    [...reader.find("webhooksByOrganization", organization)].map(({ id }) => id).sort(),
  ),
  byHookId: ORGANIZATIONS.flatMap((organization) =>
    IDS.map((id) => reader.findOne("webhooksByHookId", `${organization} ${id}`) ?? null),
  ),
});

describe("a transaction", () => {
  it("reads through every way of looking up what the world holds after its commit", () => {
    fc.assert(
      fc.property(writes, writes, (before, during) => {
        const world = new World(stateOf(EMPTY));
        const setup = begin(world);
        apply(setup, before);
        setup.commit();
        const untouched = seen(world);
        const tx = begin(world);
        apply(tx, during);
        const pending = seen(tx);
        expect(seen(world)).toEqual(untouched);
        tx.commit();
        expect(pending).toEqual(seen(world));
      }),
    );
  });

  it("shows replaced records in their place and new ones at the end", () => {
    const world = new World(stateOf(EMPTY));
    const setup = begin(world);
    for (const id of ["1", "2", "3"]) setup.put("webhooks", webhook(id, "200"));
    setup.commit();
    const tx = begin(world);
    tx.put("webhooks", webhook("4", "200"));
    tx.put("webhooks", { ...webhook("2", "200"), enabled: false });
    tx.remove("webhooks", "1");
    const ids = (reader: Transaction | World) =>
      [...reader.find("webhooksByOrganization", "200")].map(({ id, enabled }) => `${id} ${enabled}`);
    expect(ids(tx)).toEqual(["2 false", "3 true", "4 true"]);
    tx.commit();
    expect(ids(world)).toEqual(["2 false", "3 true", "4 true"]);
  });

  it("gives no id twice, and none to a world whose transaction is not committed", () => {
    const world = new World(stateOf(EMPTY));
    const tx = begin(world);
    expect([tx.nextId("threads"), tx.nextId("threads"), tx.nextParticipation()]).toEqual(["1", "2", 1]);
    expect(tx.drawId("webhooks", "hook_")).not.toBe(tx.drawId("webhooks", "hook_"));
    expect(world.counters).toEqual({ threads: 0, messages: 0, participations: 0, random: null });
    tx.commit();
    expect(world.counters).toMatchObject({ threads: 2, participations: 1 });
  });
});
