// Slow: processes that are suspended until another takes over their folder.
/** Acknowledged changes are kept, or the simulator says what is wrong. */
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";
import { type Served, said, saidIn, say, serve } from "./command.js";
import { newFolder } from "./support.js";

const documentOf = (folder: string): string => join(folder, "default.json");
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
    fs.writeFileSync(lock, JSON.stringify({ ...JSON.parse(fs.readFileSync(lock, "utf8")), startTime: "0" }));
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
    // The second may be writing.
    const names = fs.readdirSync(folder).filter((name) => !name.endsWith(".new"));
    expect(names.sort()).toEqual(["default.json", "kept.json", "lock"]);
    await second.kill();
    const again = await startSimulator({ data: folder });
    expect((await said(again)).slice(-3)).toEqual(["before", "second", "third"]);
    expect((await again.control("GET /sandboxes/kept")).status).toBe(200);
  });
});

describe("a folder in use", () => {
  it("with another's name in its lock refuses changes", async () => {
    const folder = newFolder();
    const sim = await serve(folder, "--durability", "strict");
    const lock = join(folder, "lock");
    const own = fs.readFileSync(lock, "utf8");
    fs.writeFileSync(lock, JSON.stringify({ ...JSON.parse(own), id: "x", pid: 7, host: "elsewhere" }));
    const { status, body } = await say(sim, "refused");
    expect([status, body.error]).toEqual([503, expect.stringContaining("process 7 on elsewhere has taken")]);
    expect((await sim.control("GET /ready")).body.error.message).toContain("process 7 on elsewhere");
    fs.writeFileSync(lock, own);
    await until(() => isReady(sim));
    expect((await say(sim, "on")).status).toBe(200);
  });

  describe.each(["batched", "strict"])("whose document is touched, with %s durability", (durability) => {
    it.each([
      ["was removed", (path: string) => fs.rmSync(path)],
      ["was replaced", (path: string) => fs.writeFileSync(path, fs.readFileSync(path))],
      [
        "was replaced",
        (path: string) => {
          fs.rmSync(path);
          fs.mkdirSync(path);
        },
      ],
    ])("refuses changes and touches nothing: it %s", async (message, change) => {
      const folder = newFolder();
      const sim = await serve(folder, "--durability", durability);
      await sim.control("POST /checkpoint");
      const kept = `${folder}.kept`;
      fs.renameSync(documentOf(folder), kept);
      fs.copyFileSync(kept, documentOf(folder));
      change(documentOf(folder));
      await until(async () => (await say(sim, "refused")).status === 503);
      const { status, body } = await sim.control("GET /ready");
      expect([status, body.error.message]).toEqual([503, expect.stringContaining(`default.json ${message}`)]);
      const there = fs.existsSync(documentOf(folder)) && fs.statSync(documentOf(folder));
      if (there !== false && there.isFile())
        expect(fs.readFileSync(documentOf(folder), "utf8")).not.toContain("refused");
      // Its own file is back.
      fs.rmSync(documentOf(folder), { recursive: true, force: true });
      fs.renameSync(kept, documentOf(folder));
      await until(() => isReady(sim));
      expect((await say(sim, "after")).status).toBe(200);
      await sim.stop();
      expect(await saidIn(folder)).toContain("after");
    });
  });

  it("is not ready once a document was removed, even without changes", async () => {
    const folder = newFolder();
    const sim = await serve(folder);
    fs.rmSync(documentOf(folder));
    expect((await sim.control("GET /ready")).body.error.message).toContain("default.json was removed");
  });

  it("never writes over a file that is there already", async () => {
    const folder = newFolder();
    const sim = await serve(folder, "--durability", "strict");
    fs.writeFileSync(join(folder, "fresh.json"), "mine");
    const { status, body } = await sim.control("PUT /sandboxes/fresh");
    expect([status, body.error.message]).toEqual([
      503,
      expect.stringContaining("fresh.json is there already"),
    ]);
    expect(fs.readFileSync(join(folder, "fresh.json"), "utf8")).toBe("mine");
    // The sandbox was not created, and no other is concerned.
    expect((await sim.control("GET /sandboxes/fresh")).status).toBe(404);
    await until(() => isReady(sim));
    expect((await say(sim, "on")).status).toBe(200);
  });

  it("is private, and a warning names an existing one that others may read", async () => {
    const [folder, open] = [join(newFolder(), "data"), join(newFolder(), "open")];
    fs.mkdirSync(open, { mode: 0o755 });
    fs.chmodSync(open, 0o755);
    const sim = await serve(folder);
    await sim.control("POST /checkpoint");
    expect(modeOf(folder)).toBe(0o700);
    expect(fs.readdirSync(folder).sort()).toEqual(["default.json", "lock"]);
    for (const name of fs.readdirSync(folder))
      expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600]);
    expect(sim.program.stdout()).not.toContain("others may read");
    const other = await serve(open);
    expect(other.program.stdout()).toContain(`${open} keeps its mode 755: other users may read its content`);
    expect(modeOf(open)).toBe(0o755);
  });
});
