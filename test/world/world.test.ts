import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INDEXES, type IndexName } from "../../src/service/world/indexes.js";
import { COLLECTIONS, type CollectionName, type Records } from "../../src/service/world/records.js";
import { type Counters, stateOf, type WorldState } from "../../src/service/world/state.js";
import { World } from "../../src/service/world/world.js";
import { business, customer, message, thread, user, webhook } from "../domain/records.js";
import { documentOf } from "../support/document.js";
import { EMPTY } from "./documents.js";

const id = fc.integer({ min: 1, max: 12 }).map(String);
const ids = fc.uniqueArray(id, { maxLength: 4 });
const organizationId = fc.constantFrom("1", "2");
const email = fc.constantFrom("a@x.example", "A@x.example", "b@x.example");
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

/** Records of every collection, from few ids and keys, so that they meet often. References are not the world's concern. */
const RECORDS: { [C in CollectionName]: fc.Arbitrary<Records[C]> } = {
  organizations: fc.record({ id, name: fc.constantFrom("Acme", "Initech") }),
  businesses: fc.record({ id, online: fc.boolean(), escalationPool: ids }).map(business),
  users: fc.record({ id, organizationId, email, businessIds: ids }).map(user),
  tokens: fc.record({ id, userId: id, permissions: fc.constant([]) }),
  customers: fc
    .record({
      id,
      organizationId,
      emailAddress: maybe(email),
      phoneNumber: maybe(fc.constantFrom("+1", "+2")),
    })
    .map(customer),
  threads: fc
    .record({ id, customerId: id, isMessagingWindowOpen: fc.boolean(), windowClosesAt: maybe(fc.nat(3)) })
    .map(thread),
  messages: fc.record({ id, threadId: id, timestamp: fc.nat(9) }).map(message),
  templates: fc.record({ id, organizationId, title: fc.constant("hi"), text: fc.constant("Hello") }),
  webhooks: fc
    .record({ id, hookId: fc.constantFrom("crm", "bot"), organizationId, enabled: fc.boolean() })
    .map(webhook),
};

const INDEX_NAMES = Object.keys(INDEXES) as IndexName[];
const keysOf = (index: IndexName, record: unknown): readonly string[] =>
  (INDEXES[index].keys as (record: unknown) => readonly string[])(record);

type Row = { readonly id: string };

/** The state as plain maps; its indexes are sets of ids under `index key`. Both keep the order in which something was added. */
class Model {
  rows = new Map(COLLECTIONS.map((name) => [name, new Map<string, Row>()]));
  lists = new Map<string, Set<string>>();
  counters: Counters = { threads: 0, messages: 0, participations: 0, random: null };

  copy(): Model {
    const copy = new Model();
    copy.rows = new Map([...this.rows].map(([name, rows]) => [name, new Map(rows)]));
    copy.lists = new Map([...this.lists].map(([key, ids]) => [key, new Set(ids)]));
    copy.counters = { ...this.counters };
    return copy;
  }

  list(index: IndexName, key: string): Set<string> {
    const name = `${index} ${key}`;
    if (!this.lists.has(name)) this.lists.set(name, new Set());
    return this.lists.get(name)!;
  }

  replace(collection: CollectionName, id: string, after: Row | undefined): Row | null {
    const rows = this.rows.get(collection)!;
    const before = rows.get(id) ?? null;
    if (after === undefined) rows.delete(id);
    else rows.set(id, after);
    for (const index of INDEX_NAMES.filter((name) => INDEXES[name].collection === collection)) {
      const entered = after === undefined ? [] : keysOf(index, after);
      const left = before === null ? [] : keysOf(index, before).filter((key) => !entered.includes(key));
      for (const key of left) this.list(index, key).delete(id);
      for (const key of entered) this.list(index, key).add(id);
    }
    if (after !== undefined && (collection === "threads" || collection === "messages"))
      this.counters = {
        ...this.counters,
        [collection]: Math.max(this.counters[collection], Number(id)),
      };
    return before;
  }
}

function expectSame(world: World, model: Model, keys: ReadonlySet<string>): void {
  const document = [...model.rows].map(([name, rows]) => [name, [...rows.values()]]);
  expect(documentOf(world)).toEqual(Object.fromEntries(document));
  expect(world.counters).toEqual(model.counters);
  for (const [name, rows] of model.rows) {
    expect(world.count(name)).toBe(rows.size);
    for (const row of rows.values()) expect(world.get(name, row.id)).toBe(row);
    expect(world.get(name, "99")).toBeUndefined();
  }
  for (const entry of keys) {
    const [index, ...rest] = entry.split(" ") as [IndexName, ...string[]];
    const ids = [...world.find(index, rest.join(" "))].map((record) => record.id);
    expect(ids).toEqual([...model.list(index, rest.join(" "))]);
  }
}

const put = fc.oneof(
  ...COLLECTIONS.map((collection) =>
    RECORDS[collection].map((record) => ({ kind: "put" as const, collection, record: record as Row })),
  ),
);
const kind = <K extends string>(name: K) => fc.constant(name);
const action = fc.oneof(
  { weight: 8, arbitrary: put },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind("remove"), collection: fc.constantFrom(...COLLECTIONS), id }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("snapshot") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("restore"), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("count"), participations: fc.nat(50) }) },
);

describe("a world", () => {
  it("behaves like plain arrays with lists of ids, over puts, removals, snapshots and restores", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 120 }), (actions) => {
        const world = new World(stateOf(EMPTY));
        let model = new Model();
        const keys = new Set<string>();
        const snapshots: { state: WorldState; model: Model }[] = [];
        for (const step of actions) {
          if (step.kind === "put") {
            const { collection, record } = step;
            for (const index of INDEX_NAMES) {
              if (INDEXES[index].collection !== collection) continue;
              for (const key of keysOf(index, record)) keys.add(`${index} ${key}`);
            }
            const change = world.put(collection, record as never);
            const before = model.replace(collection, record.id, record);
            expect(change).toEqual({ collection, id: record.id, before, after: record });
          } else if (step.kind === "remove") {
            const change = world.remove(step.collection, step.id);
            const before = model.replace(step.collection, step.id, undefined);
            const { collection, id: gone } = step;
            expect(change).toEqual(before === null ? null : { collection, id: gone, before, after: null });
          } else if (step.kind === "snapshot") {
            snapshots.push({ state: world.snapshot(), model: model.copy() });
          } else if (step.kind === "restore" && snapshots.length > 0) {
            const snapshot = snapshots[step.which % snapshots.length]!;
            world.restore(snapshot.state);
            model = snapshot.model.copy();
          } else if (step.kind === "count") {
            world.counters = { ...world.counters, participations: step.participations };
            model.counters = { ...model.counters, participations: step.participations };
          }
        }
        expectSame(world, model, keys);
        for (const { state } of snapshots) new World(state).put("webhooks", webhook({ id: "99" }));
        for (const held of snapshots) expectSame(new World(held.state), held.model, keys);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps order, records and lists when most of a large collection is removed and more is added", () => {
    const numbered = (number: number) =>
      message({ id: String(number), threadId: String(1 + (number % 3)), timestamp: number });
    const messages = Array.from({ length: 1_000 }, (_, i) => numbered(i + 1));
    const world = new World(stateOf({ ...EMPTY, messages }));
    const full = world.snapshot();
    for (let number = 1; number <= 1_000; number += 1)
      if (number % 10 !== 0) world.remove("messages", String(number));
    for (let number = 1_001; number <= 1_010; number += 1) world.put("messages", numbered(number));
    const left = Array.from({ length: 1_010 }, (_, i) => i + 1).filter((n) => n % 10 === 0 || n > 1_000);
    expect([...world.all("messages")].map(({ timestamp }) => timestamp)).toEqual(left);
    expect(world.count("messages")).toBe(110);
    const found = [...world.find("messagesByThread", "1")].map(({ timestamp }) => timestamp);
    expect(found).toEqual(left.filter((number) => number % 3 === 0));
    for (const number of left) expect(world.get("messages", String(number))?.timestamp).toBe(number);
    expect(world.get("messages", "999")).toBeUndefined();
    expect([...new World(full).all("messages")]).toHaveLength(1_000);
  });
});
