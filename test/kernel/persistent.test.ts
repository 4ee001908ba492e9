import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HashMap, Owner, Vector } from "../../src/kernel/persistent.js";
import {
  emptyMap,
  emptyVector,
  mapDelete,
  mapGet,
  mapKeys,
  mapSet,
  vectorAt,
  vectorSet,
  vectorValues,
} from "../../src/kernel/persistent.js";
import { Random } from "../../src/kernel/random.js";

const FNV_PRIME = 0x01000193;
const fold = (hash: number, code: number): number => Math.imul(hash ^ code, FNV_PRIME);

/** Two texts that lead the hash from one state to the same next one. */
function collidingPair(hash: number): { texts: [string, string]; next: number } {
  const random = new Random(1);
  const seen = new Map<number, string>();
  for (let tries = 0; tries < 2_000_000; tries += 1) {
    const text = random.hex(12);
    const next = [...text].reduce((state, letter) => fold(state, letter.charCodeAt(0)), hash);
    const other = seen.get(next);
    if (other !== undefined && other !== text) return { texts: [other, text], next };
    seen.set(next, text);
  }
  throw new Error("no two texts collide");
}

/** 2^`pairs` keys of one hash. */
function collidingKeys(pairs: number): string[] {
  let keys = [""];
  let hash = 0x811c9dc5;
  for (let pair = 0; pair < pairs; pair += 1) {
    const { texts, next } = collidingPair(hash);
    keys = keys.flatMap((key) => texts.map((text) => key + text));
    hash = next;
  }
  return keys;
}

const COLLIDING = collidingKeys(4);

const depthOf = (node: HashMap<unknown>["root"]): number =>
  1 + Math.max(0, ...node.entries.map((entry) => ("entries" in entry ? depthOf(entry) : 0)));

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

  it("is an array whose snapshots never change", () => {
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
    },
  );

  it("begins its values at any position", () => {
    const owner = {};
    let vector = emptyVector<number>(owner);
    for (let index = 0; index < 100; index += 1) vector = vectorSet(vector, owner, index, index);
    for (const from of [0, 1, 31, 32, 33, 64, 99, 100, 500]) {
      expect([...vectorValues(vector, from)]).toEqual(Array.from({ length: 100 }, (_, i) => i).slice(from));
    }
  });

  it("copies, of a million values, only the way to the one that changes", () => {
    const owner = {};
    let vector = emptyVector<number>(owner);
    for (let index = 0; index < 1_000_000; index += 1) vector = vectorSet(vector, owner, index, index);
    const changed = vectorSet(vector, {}, 500_000, -1);
    expect(vectorAt(vector, 500_000)).toBe(500_000);
    expect(vectorAt(changed, 500_000)).toBe(-1);
    const kept = vector.root?.slots.filter((slot, index) => slot === changed.root?.slots[index]).length;
    expect(kept).toBe((vector.root?.slots.length ?? 0) - 1);
  });
});

describe("a hash map", () => {
  const key = fc.oneof(
    fc.constantFrom(...COLLIDING),
    fc.constantFrom(
      "a",
      "b",
      "__proto__",
      "constructor",
      "toString",
      "",
      "key",
      "entries",
      "liquid",
      "costarring",
    ),
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
    expect([...mapKeys(map)].sort()).toEqual([...model.keys()].sort());
    for (const [name, value] of model) expect(mapGet(map, name)).toBe(value);
    for (const name of [...COLLIDING, "a", "__proto__", "nobody", "301"]) {
      expect(mapGet(map, name)).toBe(model.get(name));
    }
  };

  it("is a Map whose snapshots never change", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
        let owner: Owner = {};
        let map: HashMap<number> = emptyMap(owner);
        let model = new Map<string, number>();
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

  it("tells keys of one hash apart, in every version", () => {
    const versions: { map: HashMap<number>; model: Map<string, number> }[] = [];
    let map = emptyMap<number>({});
    const model = new Map<string, number>();
    for (const [index, name] of COLLIDING.entries()) {
      map = mapSet(map, {}, name, index);
      model.set(name, index);
      versions.push({ map, model: new Map(model) });
    }
    expect(new Set(COLLIDING).size).toBe(16);
    // Seven levels use up the 32 bits of a hash; only keys of one hash go deeper.
    expect(depthOf(map.root)).toBe(8);
    for (const name of COLLIDING) {
      map = mapDelete(map, {}, name);
      model.delete(name);
      versions.push({ map, model: new Map(model) });
    }
    expect(map.size).toBe(0);
    for (const held of versions) expectSame(held.map, held.model);
  });

  it("holds 100,000 keys, and lets half of them go", () => {
    const owner = {};
    let map = emptyMap<number>(owner);
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

  it("stays the same when a key is deleted that it does not have", () => {
    const map = mapSet(emptyMap<number>({}), {}, "a", 1);
    expect(mapDelete(map, {}, "b")).toBe(map);
  });
});
