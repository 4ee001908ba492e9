import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HashMap, Owner, Vector } from "../../src/kernel/persistent.js";
import {
  emptyVector,
  mapDelete,
  mapGet,
  mapOver,
  mapSet,
  vectorAt,
  vectorOf,
  vectorSet,
  vectorValues,
} from "../../src/kernel/persistent.js";

/** Words that collide in common 32-bit hashes. */
const ALIKE = ["liquid", "costarring", "declinate", "macallums", "altarage", "zinke"];
const COLLIDING = ALIKE.flatMap((word) => [word, `${word}1`, `${word}22`]);

describe("a vector", () => {
  const action = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("push" as const), times: fc.integer({ min: 1, max: 60 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("set" as const), at: fc.nat(), hole: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("snapshot" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore" as const), which: fc.nat() }) },
  );

  it("behaves like an array with immutable snapshots", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
        let owner: Owner = {};
        let vector: Vector<number> = emptyVector(owner);
        let model: (number | undefined)[] = [];
        let count = 0;
        const snapshots: { vector: Vector<number>; model: (number | undefined)[] }[] = [];
        for (const step of actions) {
          if (step.kind === "push") {
            for (let i = 0; i < step.times; i += 1) {
              count += 1;
              vector = vectorSet(vector, owner, vector.length, count);
              model.push(count);
            }
          } else if (step.kind === "set" && model.length > 0) {
            count += 1;
            const value = step.hole ? undefined : count;
            vector = vectorSet(vector, owner, step.at % model.length, value);
            model[step.at % model.length] = value;
          } else if (step.kind === "snapshot") {
            snapshots.push({ vector: { ...vector }, model: [...model] });
            owner = {};
          } else if (step.kind === "restore" && snapshots.length > 0) {
            const snapshot = snapshots[step.which % snapshots.length]!;
            vector = { ...snapshot.vector };
            model = [...snapshot.model];
            owner = {};
          }
        }
        for (const held of [...snapshots, { vector, model }]) {
          expect(held.vector.length).toBe(held.model.length);
          expect(held.model.map((_, index) => vectorAt(held.vector, index))).toEqual(held.model);
          expect([...vectorValues(held.vector)]).toEqual(held.model.filter((value) => value !== undefined));
        }
      }),
    );
  });

  it.each([0, 1, 31, 32, 33, 1_023, 1_024, 1_025, 32_768, 32_769, 70_000])(
    "holds %i values in order",
    (length) => {
      const owner = {};
      let vector = emptyVector<number>(owner);
      for (let index = 0; index < length; index += 1) vector = vectorSet(vector, owner, index, index);
      expect(vector.length).toBe(length);
      expect([...vectorValues(vector)]).toEqual(Array.from({ length }, (_, index) => index));
      expect([...vectorValues(vector, length - 1)]).toEqual(length === 0 ? [] : [length - 1]);
      const values = [...vectorValues(vector)];
      const atOnce = vectorOf(owner, values);
      expect(atOnce.length).toBe(length);
      expect([...vectorValues(atOnce)]).toEqual(values);
      const grown = vectorSet(vectorSet(atOnce, {}, length, -1), {}, 0, -2);
      expect([...vectorValues(grown)]).toEqual(length === 0 ? [-2] : [-2, ...values.slice(1), -1]);
      expect([...vectorValues(atOnce)]).toEqual(values);
    },
  );

  it("does not change the list that it is made from", () => {
    const owner = {};
    for (const length of [1, 32, 33, 2_000]) {
      const list = Array.from({ length }, (_, index) => index);
      const vector = vectorSet(vectorOf(owner, list), owner, 0, -1);
      expect([vectorAt(vector, 0), list[0]]).toEqual([-1, 0]);
    }
  });

  it("keeps 2,000 versions of 300,000 values, which would not fit into memory as copies", () => {
    const owner = {};
    let vector = emptyVector<number>(owner);
    for (let index = 0; index < 300_000; index += 1) vector = vectorSet(vector, owner, index, index);
    const versions = Array.from({ length: 2_000 }, (_, version) =>
      vectorSet(vector, {}, version * 100, -version - 1),
    );
    for (const [version, changed] of versions.entries()) {
      expect(vectorAt(changed, version * 100)).toBe(-version - 1);
      expect(vectorAt(changed, version * 100 + 1)).toBe(version * 100 + 1);
      expect(vectorAt(vector, version * 100)).toBe(version * 100);
    }
  });
});

describe("a hash map", () => {
  const key = fc.oneof(
    fc.constantFrom(...COLLIDING),
    fc.constantFrom("a", "b", "__proto__", "constructor", "toString", "", "key", "entries"),
    fc.nat(300).map(String),
  );
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("set" as const), key }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("delete" as const), key }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("snapshot" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore" as const), which: fc.nat() }) },
  );

  const expectSame = (map: HashMap<number>, model: Map<string, number>) => {
    expect(map.size).toBe(model.size);
    for (const [name, value] of model) expect(mapGet(map, name)).toBe(value);
    for (const name of [...COLLIDING, "a", "__proto__", "nobody", "301"]) {
      expect(mapGet(map, name)).toBe(model.get(name));
    }
  };

  it("behaves like a Map with immutable snapshots", () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 60 }), fc.array(action, { maxLength: 200 }), (base, actions) => {
        let owner: Owner = {};
        const plain = new Map(base.map((name, index) => [name, -1 - index]));
        let map: HashMap<number> = mapOver(owner, plain);
        let model = new Map(plain);
        let count = 0;
        const snapshots: { map: HashMap<number>; model: Map<string, number> }[] = [];
        for (const step of actions) {
          count += 1;
          if (step.kind === "set") {
            map = mapSet(map, owner, step.key, count);
            model.set(step.key, count);
          } else if (step.kind === "delete") {
            map = mapDelete(map, owner, step.key);
            model.delete(step.key);
          } else if (step.kind === "snapshot") {
            snapshots.push({ map: { ...map }, model: new Map(model) });
            owner = {};
          } else if (snapshots.length > 0) {
            const snapshot = snapshots[step.which % snapshots.length]!;
            map = { ...snapshot.map };
            model = new Map(snapshot.model);
            owner = {};
          }
        }
        for (const held of [...snapshots, { map, model }]) expectSame(held.map, held.model);
      }),
    );
  });

  it("holds 100,000 keys, and deletes half of them", () => {
    const owner = {};
    let map = mapOver<number>(owner, new Map());
    for (let i = 0; i < 100_000; i += 1) map = mapSet(map, owner, `thread ${i}`, i);
    const before = { ...map };
    const other = {};
    for (let i = 0; i < 100_000; i += 2) map = mapDelete(map, other, `thread ${i}`);
    expect(map.size).toBe(50_000);
    expect(before.size).toBe(100_000);
    const wrong = Array.from({ length: 100_000 }, (_, i) => i).filter(
      (i) =>
        mapGet(map, `thread ${i}`) !== (i % 2 === 0 ? undefined : i) || mapGet(before, `thread ${i}`) !== i,
    );
    expect(wrong).toEqual([]);
  });

  it("stays the same when a missing key is deleted", () => {
    const map = mapSet(mapOver<number>({}, new Map()), {}, "a", 1);
    expect(mapDelete(map, {}, "b")).toBe(map);
  });
});
