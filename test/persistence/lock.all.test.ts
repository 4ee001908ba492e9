/** A folder serves one process, on any machine. Waiting for a sign of life takes seconds. */
import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FolderStore } from "../../src/storage/folder.js";
import { until } from "../support/until.js";
import { refused, say, serve } from "./command.js";
import { newFolder } from "./support.js";

it("a folder serves one process, even if another container has the same host name", async () => {
  const folder = newFolder();
  const sim = await serve(folder);
  const lock = join(folder, "lock");
  const holder = JSON.parse(readFileSync(lock, "utf8"));
  // Here the id belongs to another process.
  writeFileSync(lock, JSON.stringify({ ...holder, pid: process.pid, pidNamespace: "pid:[1]" }));
  const { code, said } = await refused(folder);
  expect([code, said]).toEqual([2, expect.stringContaining(`in use by process ${process.pid}`)]);
  expect((await say(sim, "still here")).status).toBe(200);
  await sim.kill();
  await serve(folder);
});

it("a folder shows until it is closed that its holder is alive", async () => {
  const folder = newFolder();
  const store = await FolderStore.open(folder, () => {});
  const lock = join(folder, "lock");
  utimesSync(lock, 0, 0);
  await until(() => statSync(lock).mtimeMs > 0);
  await store.close();
});

it("a folder of a machine without a sign of life is free after some seconds", async () => {
  const folder = newFolder();
  const holder = { pid: 1, host: "elsewhere", startTime: "1", since: "x", id: "x" };
  writeFileSync(join(folder, "lock"), JSON.stringify(holder));
  await serve(folder);
});
