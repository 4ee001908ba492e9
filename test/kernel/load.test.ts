/** What is loaded when it is needed. */
import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { SILENT } from "../../src/kernel/errors.js";
import { filtered, mapped } from "../../src/kernel/objects.js";
import { lazily, loadPackage, loadPackageText, VERSION } from "../../src/kernel/packages.js";

it("loads a package by its name", () => {
  expect(loadPackage<typeof import("node:path")>("node:path").posix.join("a", "b")).toBe("a/b");
  expect(() => loadPackage("no-such-package")).toThrow(/no-such-package/);
});

it("reads the text of a file of a package", () => {
  expect(loadPackageText("ajv/package.json")).toMatch(/"name": "ajv"/);
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
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(VERSION).toBe(version);
  for (const level of ["debug", "info", "warn", "error"] as const)
    expect(SILENT[level]({ a: 1 }, "something")).toBeUndefined();
});
