import { describe, expect, it } from "vitest";
import { Random, seedOf } from "../../src/kernel/random.js";

const drawn = (random: Random, count: number) => Array.from({ length: count }, () => random.next());

describe("a stream of random numbers", () => {
  it.each([0, 1, 7, 2 ** 31, 2 ** 32 - 1])("depends only on the seed %i and the position", (seed) => {
    const numbers = drawn(new Random(seed), 8);
    expect(drawn(new Random(seed + 1), 8)).not.toEqual(numbers);
    const [random, other] = [new Random(seed), new Random(0)];
    expect(drawn(random, 3)).toEqual(numbers.slice(0, 3));
    other.position = random.position;
    expect(drawn(other, 5)).toEqual(numbers.slice(3));
  });

  it("is the same in every version, because payloads and ids depend on it", () => {
    expect(drawn(new Random(7), 3)).toEqual([3838393609, 4210744933, 801465066]);
    expect(new Random(7).hex(32)).toBe("e4c93d09fafade652fc562ea623cdf47");
  });

  it("spreads fractions evenly over [0, 1)", () => {
    const random = new Random(1);
    const tenths = Array.from({ length: 10_000 }, () => Math.floor(random.fraction() * 10));
    for (let tenth = 0; tenth < 10; tenth += 1)
      expect(Math.abs(tenths.filter((drawn) => drawn === tenth).length - 1_000)).toBeLessThan(100);
  });

  it("makes eight hex digits of each number, and draws no more than it needs", () => {
    const [random, other] = [new Random(3), new Random(3)];
    for (const length of [8, 0, 1, 7, 9, 32]) {
      const numbers = drawn(other, Math.ceil(length / 8));
      const digits = numbers.map((number) => number.toString(16).padStart(8, "0")).join("");
      expect(random.hex(length)).toBe(digits.slice(0, length));
      expect(random.position).toBe(other.position);
    }
  });
});

it("a seed is a number, or the characters of a text", () => {
  expect([seedOf(42), seedOf("acme")]).toEqual([42, 1174237615]);
  expect(new Set(["", "a", "b", "ab", "ba", "acme"].map(seedOf)).size).toBe(6);
});
