/** What is loaded when it is needed. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { expect, it, vi } from "vitest";
import { lazily, loadPackage, loadPackageText, loadPart } from "../../src/kernel/load.js";
import { SILENT } from "../../src/kernel/logger.js";
import { filtered, mapped } from "../../src/kernel/mapped.js";
import { VERSION } from "../../src/kernel/version.js";

/** With so many file descriptors left; returns how many are left open. */
async function withDescriptors(count: number, work: () => Promise<void> | void): Promise<number> {
  let open = 0;
  vi.spyOn(fs, "openSync").mockImplementation(() => {
    if (open === count) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
    open += 1;
    return 1_000 + open;
  });
  vi.spyOn(fs, "closeSync").mockImplementation(() => {
    open -= 1;
  });
  syncBuiltinESMExports();
  try {
    await work();
    return open;
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
}

const loadPath = () => loadPackage<typeof import("node:path")>("node:path").posix.join("a", "b");

it("loads a package by its name, and a part of the program, and leaves no descriptor open", async () => {
  const left = await withDescriptors(1_000, async () => {
    expect(loadPath()).toBe("a/b");
    expect(await loadPart(() => Promise.resolve("part"))).toBe("part");
  });
  expect(left).toBe(0);
});

it("loads nothing with too few file descriptors, says so, and takes none of them", async () => {
  const load = vi.fn(() => Promise.resolve("part"));
  const left = await withDescriptors(4, async () => {
    expect(loadPath).toThrow("too many open files");
    await expect(loadPart(load)).rejects.toThrow("too many open files");
  });
  expect([left, load.mock.calls.length]).toEqual([0, 0]);
});

it.each([
  [8, () => loadPath(), "a/b"],
  [64, () => loadPart(() => Promise.resolve("part")), "part"],
])("needs %i descriptors for it, and no more", async (count, load, loaded) => {
  await withDescriptors(count, async () => expect(await load()).toBe(loaded));
  await withDescriptors(count - 1, () => expect(async () => load()).rejects.toThrow("too many open files"));
});

it("reads the text of a file of a package", () => {
  expect(loadPackageText("ajv/package.json")).toMatch(/"name": "ajv"/);
});

it("passes on what cannot be loaded", async () => {
  expect(() => loadPackage("no-such-package")).toThrow(/no-such-package/);
  await expect(loadPart(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

it("makes a value once, at its first use, and again where that has failed", () => {
  const make = vi.fn<() => string | undefined>();
  const value = lazily(make);
  expect(make).not.toHaveBeenCalled();
  make.mockImplementationOnce(() => {
    throw new Error("not yet");
  });
  expect(value).toThrow("not yet");
  make.mockReturnValueOnce(undefined).mockReturnValue("later");
  expect([value(), value()]).toEqual([undefined, undefined]);
  expect(make).toHaveBeenCalledTimes(2);
});

it("maps items when they are read, and not before", () => {
  const double = vi.fn((item: number) => item * 2);
  const items = mapped([1, 2, 3], double);
  expect(items.next().value).toBe(2);
  expect(double).toHaveBeenCalledOnce();
  expect([...items]).toEqual([4, 6]);
});

it("picks items when they are read, and not before", () => {
  const isOdd = vi.fn((item: number) => item % 2 === 1);
  const items = filtered([1, 2, 3, 4], isOdd);
  expect(items.next().value).toBe(1);
  expect(isOdd).toHaveBeenCalledOnce();
  expect([...items]).toEqual([3]);
});

it("knows its own version, and a logger that says nothing", () => {
  const { version } = JSON.parse(fs.readFileSync("package.json", "utf8")) as { version: string };
  expect(VERSION).toBe(version);
  for (const level of ["debug", "info", "warn", "error"] as const)
    expect(SILENT[level]({ a: 1 }, "something")).toBeUndefined();
});
