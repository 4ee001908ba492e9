import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { FileWatch } from "../../src/cli/file-watch.js";

/** Paths in a folder that goes with the test. */
function folder(): (name: string) => string {
  const path = mkdtempSync(join(tmpdir(), "messaging-sim-watch-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return (name) => join(path, name);
}

const { signal: never } = new AbortController();

it("tells of changes from before it was asked, those of several files together, each once", async () => {
  const path = folder();
  const [one, two, three] = ["one", "two", "three"].map(path) as [string, string, string];
  for (const file of [one, two, three]) writeFileSync(file, "1");
  const watch = new FileWatch([one, two, three]);
  writeFileSync(one, "22");
  writeFileSync(two, "22");
  expect(await watch.changes(never)).toEqual(new Set([one, two]));
  const next = watch.changes(never);
  writeFileSync(three, "22");
  expect(await next).toEqual(new Set([three]));
});

it("sees a file that another takes the place of, behind a link too", async () => {
  const path = folder();
  writeFileSync(path("file"), "1");
  symlinkSync(path("file"), path("link"));
  const watch = new FileWatch([path("link")]);
  writeFileSync(path("new"), "1");
  renameSync(path("new"), path("file"));
  expect(await watch.changes(never)).toEqual(new Set([path("link")]));
});

it("waits for a file that is gone for a moment, and tells of one that is gone for good", async () => {
  const path = folder();
  for (const name of ["file", "other"]) writeFileSync(path(name), "1");
  const watch = new FileWatch([path("file"), path("other")]);
  rmSync(path("file"));
  writeFileSync(path("other"), "22");
  const changes = watch.changes(never);
  writeFileSync(path("file"), "22");
  expect(await changes).toEqual(new Set([path("file"), path("other")]));
  rmSync(path("file"));
  expect(await watch.changes(never)).toEqual(new Set([path("file")]));
  writeFileSync(path("file"), "333");
  expect(await watch.changes(never)).toEqual(new Set([path("file")]));
});

it("watches other files when it is told to, and forgets no change of those that stay", async () => {
  const path = folder();
  for (const name of ["stays", "goes", "comes"]) writeFileSync(path(name), "1");
  const watch = new FileWatch([path("stays"), path("goes")]);
  writeFileSync(path("stays"), "22");
  writeFileSync(path("goes"), "22");
  watch.follow([path("stays"), path("comes")]);
  expect(await watch.changes(never)).toEqual(new Set([path("stays")]));
});

it("ends with nothing when it is told to", async () => {
  const ended = new AbortController();
  const changes = new FileWatch([]).changes(ended.signal);
  ended.abort();
  expect(await changes).toEqual(new Set());
  expect(await new FileWatch([]).changes(ended.signal)).toEqual(new Set());
});
