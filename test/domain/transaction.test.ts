import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROFILES } from "../../src/service/behaviour/table.js";
import { Transaction } from "../../src/service/domain/transaction.js";
import { stateOf } from "../../src/service/world/state.js";
import { World, type WorldReader } from "../../src/service/world/world.js";
import { EMPTY } from "../world/documents.js";
import { message as messageRecord, thread as threadRecord, webhook as webhookRecord } from "./records.js";

const ORGANIZATIONS = ["200", "300"];
const IDS = ["1", "2", "3", "4", "5"];

const webhook = (id: string, organizationId: string) => webhookRecord({ id, organizationId });

const TEMPLATE = { id: "1", organizationId: "200", title: "hello", text: "Hello" };

/** A webhook of an organization, or none any more. */
const writes = fc.array(
  fc.tuple(fc.constantFrom(...IDS), fc.option(fc.constantFrom(...ORGANIZATIONS), { nil: null })),
  { maxLength: 8 },
);

const begin = (world: World) => new Transaction(world, 0, PROFILES.documented, 1);

function apply(
  tx: Transaction,
  list: readonly (readonly [id: string, organizationId: string | null])[],
): void {
  for (const [id, organizationId] of list)
    if (organizationId === null) tx.remove("webhooks", id);
    else tx.put("webhooks", webhook(id, organizationId));
}

const byId = (reader: WorldReader) => IDS.map((id) => reader.get("webhooks", id) ?? null);
const listed = (reader: WorldReader) => ({
  count: reader.count("webhooks"),
  all: [...reader.all("webhooks")],
  byOrganization: ORGANIZATIONS.map((id) => [...reader.find("webhooksByOrganization", id)]),
});

describe("a transaction", () => {
  it("reads its own writes by id, and lists what the world holds", () => {
    fc.assert(
      fc.property(writes, writes, (before, during) => {
        const world = new World(stateOf(EMPTY));
        const setup = begin(world);
        apply(setup, before);
        setup.commit();
        const untouched = { ids: byId(world), ...listed(world) };
        const tx = begin(world);
        apply(tx, during);
        const pending = byId(tx);
        expect({ ids: byId(world), ...listed(world) }).toEqual(untouched);
        expect(listed(tx)).toEqual(listed(world));
        tx.commit();
        expect(pending).toEqual(byId(world));
      }),
    );
  });

  it("gives out no id twice, and moves no counter before its commit", () => {
    const world = new World(stateOf(EMPTY));
    const tx = begin(world);
    expect([tx.nextId("threads"), tx.nextId("threads"), tx.nextParticipation()]).toEqual(["1", "2", 1]);
    expect(tx.drawId("webhooks", "hook_")).not.toBe(tx.drawId("webhooks", "hook_"));
    expect(world.counters).toEqual({ threads: 0, messages: 0, participations: 0, random: null });
    tx.commit();
    expect(world.counters).toMatchObject({ threads: 2, participations: 1 });
  });

  it("keeps records of different collections with the same id apart, and lists its changes in order", () => {
    const world = new World(stateOf(EMPTY));
    const tx = begin(world);
    const [one, two] = [
      { id: "1", name: "One" },
      { id: "2", name: "Two" },
    ];
    tx.put("organizations", one);
    tx.put("templates", TEMPLATE);
    tx.put("organizations", two);
    tx.remove("organizations", "1");
    expect([tx.get("organizations", "1"), tx.get("templates", "1")]).toEqual([undefined, TEMPLATE]);
    expect(tx.commit()).toStrictEqual([
      { collection: "organizations", id: "1", before: null, after: one },
      { collection: "templates", id: "1", before: null, after: TEMPLATE },
      { collection: "organizations", id: "2", before: null, after: two },
      { collection: "organizations", id: "1", before: one, after: null },
    ]);
    expect([...world.all("organizations"), ...world.all("templates")]).toEqual([two, TEMPLATE]);
  });
});

describe("an id", () => {
  const message = (id: string) => messageRecord({ id });

  it("of digits follows the highest that exists or was ever given out", () => {
    const world = new World(stateOf({ ...EMPTY, messages: [message("7")] }));
    const first = begin(world);
    expect([first.nextId("messages"), first.nextId("messages")]).toEqual(["8", "9"]);
    first.commit();
    const second = begin(world);
    expect(second.nextId("messages")).toBe("10");
    second.put("messages", message("40"));
    second.put("threads", threadRecord({ id: "50" }));
    second.commit();
    expect(world.counters).toMatchObject({ messages: 40, threads: 50 });
  });

  it("of digits is the lowest free one once fifteen digits are used up", () => {
    const last = 999_999_999_999_999;
    const used = [message("1"), message("2"), message("4"), message(String(last - 1))];
    const world = new World(stateOf({ ...EMPTY, messages: used }));
    const write = () => {
      const tx = begin(world);
      const { id } = tx.put("messages", message(tx.nextId("messages")));
      tx.commit();
      return id;
    };
    expect([write(), write(), write()]).toEqual([String(last), "3", "5"]);
    expect(world.counters.messages).toBe(last);
  });

  it("that is drawn follows from the seed, continues after the world's last one, and is always free", () => {
    const draw = (world: World, seed = 1) => {
      const tx = new Transaction(world, 0, PROFILES.documented, seed);
      const id = tx.drawId("webhooks", "hook_");
      tx.commit();
      return id;
    };
    const world = () => new World(stateOf(EMPTY));
    const one = world();
    const [first, second] = [draw(one), draw(one)];
    const other = world();
    expect([draw(other), draw(other)]).toEqual([first, second]);
    expect(second).not.toBe(first);
    expect(draw(world(), 2)).not.toBe(first);
    const occupied = new World(stateOf({ ...EMPTY, webhooks: [webhook(first!, "200")] }));
    expect(draw(occupied)).toBe(second);
  });
});

it.each<[boolean, (tx: Transaction) => unknown]>([
  [false, () => undefined],
  [true, (tx) => tx.put("webhooks", webhook("1", "200"))],
  [true, (tx) => tx.drawId("webhooks", "hook_")],
])("has writes once a record or a counter has changed: %s with %s", (hasWrites, write) => {
  const tx = begin(new World(stateOf(EMPTY)));
  write(tx);
  expect(tx.hasWrites).toBe(hasWrites);
});
