import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random, seedOf } from "../../src/kernel/random.js";

const drawn = (random: Random, count: number) => Array.from({ length: count }, () => random.next());

describe("a stream of random numbers", () => {
  it("depends only on the seed", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const numbers = drawn(new Random(seed), 8);
        expect(drawn(new Random(seed), 8)).toEqual(numbers);
        expect(drawn(new Random(seed + 1), 8)).not.toEqual(numbers);
      }),
    );
  });

  it("is the same in every version, because payloads and ids depend on it", () => {
    expect(drawn(new Random(7), 3)).toMatchInlineSnapshot(`
      [
        3838393609,
        4210744933,
        801465066,
      ]
    `);
    expect(new Random(7).hex(32)).toMatchInlineSnapshot(`"e4c93d09fafade652fc562ea623cdf47"`);
  });

  it("continues from a saved position", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(50), (seed, skipped) => {
        const random = new Random(seed);
        drawn(random, skipped);
        const { position } = random;
        const rest = drawn(random, 5);
        const other = new Random(0);
        other.position = position;
        expect(drawn(other, 5)).toEqual(rest);
      }),
    );
  });

  it("spreads fractions evenly over [0, 1)", () => {
    const random = new Random(1);
    const tenths = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i += 1) {
      const fraction = random.fraction();
      const tenth = Math.floor(fraction * 10);
      expect(tenth).toBeGreaterThanOrEqual(0);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(tenths).toHaveLength(10);
    expect(Math.min(...tenths)).toBeGreaterThan(900);
    expect(Math.max(...tenths)).toBeLessThan(1_100);
  });

  it("makes eight hex digits of each number, and draws no more than it needs", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const [random, other] = [new Random(seed), new Random(seed)];
        expect(Number.parseInt(random.hex(8), 16)).toBe(other.next());
        expect(random.position).toBe(other.position);
      }),
    );
  });

  it.each([0, 1, 7, 8, 9, 32])("gives %i hex digits", (length) => {
    expect(new Random(3).hex(length)).toMatch(new RegExp(`^[0-9a-f]{${length}}$`));
  });
});

describe("seedOf", () => {
  it("keeps numbers and distinguishes texts", () => {
    expect(seedOf(42)).toBe(42);
    expect(seedOf("acme")).toMatchInlineSnapshot(`1174237615`);
    expect(new Set(["", "a", "b", "ab", "ba", "acme"].map(seedOf)).size).toBe(6);
  });
});
