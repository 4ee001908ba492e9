// Slow: processes that are suspended until another takes over their folder.
/** Acknowledged changes are kept, or the simulator says what is wrong. */
import * as fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { until } from "../support/until.js";
import { type Served, said, say, serve, serveWith } from "./command.js";
import { newFolder } from "./support.js";

const filesOf = (folder: string): string => join(folder, "sandboxes");
const documentOf = (folder: string): string => join(filesOf(folder), "default.json");
const modeOf = (path: string): number => fs.statSync(path).mode & 0o777;
const isReady = async (sim: Served): Promise<boolean> => (await sim.control("GET /ready")).status === 200;

describe.each(["batched", "strict"])("a suspended process, with %s durability", (durability) => {
  it("acknowledges nothing once another one has the folder, and damages nothing", async () => {
    const folder = newFolder();
    const first = await serve(folder, "--durability", durability);
    await say(first, "before");
    await first.control("PUT /sandboxes/kept");
    await first.control("POST /checkpoint");
    first.program.child.kill("SIGSTOP");
    const lock = join(folder, "lock");
    // The second process believes that the first one has ended: another has its id.
    fs.writeFileSync(lock, JSON.stringify({ ...JSON.parse(fs.readFileSync(lock, "utf8")), born: "0" }));
    const second = await serve(folder, "--durability", "strict");
    await say(second, "second");
    first.program.child.kill("SIGCONT");
    const { status, body } = await say(first, "late");
    expect(status).toBe(503);
    expect(body.error).toContain(`process ${second.program.child.pid} on `);
    expect(body.error).toContain("has taken over the folder: stop this one");
    expect(await isReady(first)).toBe(false);
    expect((await first.control("PUT /sandboxes/fresh")).status).toBe(503);
    expect((await first.control("DELETE /sandboxes/kept")).status).toBe(503);
    await say(second, "third");
    await first.stop();
    expect(fs.readdirSync(filesOf(folder)).filter((name) => /fresh|removed/.test(name))).toEqual([]);
    await second.kill();
    const again = await serve(folder);
    expect((await said(again)).slice(-3)).toEqual(["before", "second", "third"]);
    expect((await again.control("GET /sandboxes/kept")).status).toBe(200);
  });
});

describe("a folder in use", () => {
  it.each(["batched", "strict"])("whose document is removed gets a new one: %s", async (durability) => {
    const folder = newFolder();
    const sim = await serve(folder, "--durability", durability);
    await say(sim, "one");
    fs.rmSync(documentOf(folder));
    expect((await sim.control("GET /ready")).body.error.message).toContain("default.json was removed");
    expect((await say(sim, "two")).status).toBe(503);
    fs.rmSync(documentOf(folder), { force: true });
    fs.mkdirSync(documentOf(folder));
    await until(async () => (await sim.control("GET /ready")).body.error?.message.includes("default.json"));
    fs.rmdirSync(documentOf(folder));
    await until(() => isReady(sim));
    expect((await say(sim, "three")).status).toBe(200);
    await sim.kill();
    const texts = await said(await serve(folder));
    expect(texts).toEqual(expect.arrayContaining(["one", "three"]));
  });

  it("whose log is removed gets a new document, even without changes", async () => {
    const folder = newFolder();
    const sim = await serve(folder);
    await say(sim, "one");
    const logs = () => fs.readdirSync(filesOf(folder)).filter((name) => name.endsWith(".log"));
    await until(() => logs().length === 1);
    fs.rmSync(join(filesOf(folder), "default.1.log"));
    await until(() => logs().length === 1);
    expect(logs()).toEqual(["default.1.2.log"]);
    await until(() => isReady(sim));
    await sim.kill();
    expect(await said(await serve(folder))).toContain("one");
  });

  it("is private, and a warning names an existing one that others may read", async () => {
    const [folder, open] = [join(newFolder(), "data"), join(newFolder(), "open")];
    fs.mkdirSync(open, { mode: 0o755 });
    fs.chmodSync(open, 0o755);
    const sim = await serve(folder);
    await sim.control("POST /checkpoint");
    expect([folder, filesOf(folder)].map(modeOf)).toEqual([0o700, 0o700]);
    const files = [
      join(folder, "lock"),
      ...fs.readdirSync(filesOf(folder)).map((name) => join(filesOf(folder), name)),
    ];
    expect(files.map(modeOf)).toEqual(files.map(() => 0o600));
    expect(sim.program.stdout()).not.toContain("others may read");
    const other = await serve(open);
    expect(other.program.stdout()).toContain(`${open} keeps its mode 755: other users may read its content`);
    expect(modeOf(open)).toBe(0o755);
  });

  it("keeps clocks from going back with the machine's", async () => {
    const folder = newFolder();
    const ahead = pathToFileURL(join(newFolder(), "ahead.mjs"));
    fs.writeFileSync(ahead, "const now = Date.now; Date.now = () => now() + 3_600_000;");
    const first = await serveWith({ NODE_OPTIONS: `--import=${ahead}` }, folder);
    const timeOf = async (sim: Served): Promise<number> => (await sim.control("GET /clock")).body.now;
    let last = await timeOf(first);
    await first.stop();
    const seen = fs.statSync(filesOf(folder)).mtimeMs / 1000;
    fs.utimesSync(filesOf(folder), seen, seen + 0.0005);
    for (let n = 0; n < 2; n += 1) {
      const again = await serve(folder);
      const now = await timeOf(again);
      expect(now).toBeGreaterThanOrEqual(last);
      expect(now).toBe(Math.round(now));
      expect(now - last).toBeLessThan(600_000);
      last = now;
      await again.stop();
    }
  });
});
