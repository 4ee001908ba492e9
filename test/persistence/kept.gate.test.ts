// Slow: processes that are suspended until another takes over their folder.
/** What was acknowledged is there, or the simulator says what is wrong. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { start } from "../cli/program.js";
import { until } from "../support/until.js";
import { refused, type Served, said, say, serve, serveWith } from "./command.js";
import { imageOf, newFolder } from "./support.js";

const filesOf = (folder: string): string => join(folder, "sandboxes");
const documentOf = (folder: string): string => join(filesOf(folder), "default.json");
const modeOf = (path: string): number => statSync(path).mode & 0o777;
const isReady = async (sim: Served): Promise<boolean> => (await sim.control("GET /ready")).status === 200;

describe.each(["batched", "strict"])("a process that was stopped, with %s durability", (durability) => {
  it("acknowledges nothing once another one has the folder, and harms nothing", async () => {
    const folder = newFolder();
    const first = await serve(folder, "--durability", durability);
    await say(first, "before");
    await first.control("POST /checkpoint");
    first.program.child.kill("SIGSTOP");
    const lock = join(folder, "lock");
    // To the second process the first one has ended: another has its number.
    writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, "utf8")), born: "0" }));
    const second = await serve(folder, "--durability", "strict");
    await say(second, "second");
    first.program.child.kill("SIGCONT");
    const { status, body } = await say(first, "late");
    expect(status).toBe(503);
    expect(body.error).toContain(`process ${second.program.child.pid} on `);
    expect(body.error).toContain("has taken over the folder: stop this one");
    expect(await isReady(first)).toBe(false);
    await say(second, "third");
    await first.stop();
    await second.kill();
    const texts = await said(await serve(folder));
    expect(texts.slice(-3)).toEqual(["before", "second", "third"]);
  });
});

describe("a folder in use", () => {
  it("whose document is removed refuses changes until it is back", async () => {
    const folder = newFolder();
    const sim = await serve(folder);
    await say(sim, "one");
    renameSync(documentOf(folder), `${folder}.json`);
    expect((await sim.control("GET /ready")).body.error.message).toContain(
      "default.json was removed: restore it",
    );
    expect((await say(sim, "two")).status).toBe(503);
    renameSync(`${folder}.json`, documentOf(folder));
    await until(() => isReady(sim));
    await say(sim, "three");
    await sim.stop();
    const texts = await said(await serve(folder));
    expect(texts.slice(-2)).toEqual(["one", "three"]);
  });

  it("is for its owner alone, and one that was there before is named where others may read it", async () => {
    const [folder, open] = [join(newFolder(), "data"), join(newFolder(), "open")];
    mkdirSync(open, { mode: 0o755 });
    chmodSync(open, 0o755);
    const sim = await serve(folder);
    await sim.control("POST /checkpoint");
    expect([folder, filesOf(folder)].map(modeOf)).toEqual([0o700, 0o700]);
    const files = [
      join(folder, "lock"),
      ...readdirSync(filesOf(folder)).map((name) => join(filesOf(folder), name)),
    ];
    expect(files.map(modeOf)).toEqual(files.map(() => 0o600));
    expect(sim.program.stdout()).not.toContain("others may read");
    const other = await serve(open);
    expect(other.program.stdout()).toContain(`${open} keeps its mode 755: other users may read its content`);
    expect(modeOf(open)).toBe(0o755);
  });

  it("has clocks that do not go back with the machine's", async () => {
    const folder = newFolder();
    const ahead = pathToFileURL(join(newFolder(), "ahead.mjs"));
    writeFileSync(ahead, "const now = Date.now; Date.now = () => now() + 3_600_000;");
    const first = await serveWith({ NODE_OPTIONS: `--import=${ahead}` }, folder);
    const timeOf = async (sim: Served): Promise<number> => (await sim.control("GET /clock")).body.now;
    let last = await timeOf(first);
    await first.stop();
    for (let n = 0; n < 2; n += 1) {
      const again = await serve(folder);
      const now = await timeOf(again);
      expect(now).toBeGreaterThanOrEqual(last);
      expect(now - last).toBeLessThan(600_000);
      last = now;
      await again.stop();
    }
  });
});

it("a place that is neither a folder nor a server is refused", async () => {
  const { code, said } = await refused("ftp://me:secret@127.0.0.1/x");
  expect(code).toBe(2);
  expect(said).toBe(
    "--data: ftp://me:••••et@127.0.0.1/x is neither a folder nor a server: valkey, valkeys, redis and rediss are\n",
  );
});

describe("--data-repair", () => {
  async function repaired(spoil: (folder: string) => void): Promise<{ text: string; texts: string[] }> {
    const folder = newFolder();
    const sim = await serve(folder, "--durability", "strict");
    for (const text of ["one", "two", "three"]) await say(sim, text);
    const image = imageOf(folder);
    await sim.kill();
    spoil(image);
    const before = readdirSync(filesOf(image)).map((name) => readFileSync(join(filesOf(image), name)));
    expect((await refused(image)).code).toBe(2);
    const program = start(["serve", "--data", image, "--data-repair"]);
    expect(await program.exited).toBe(0);
    expect(readdirSync(filesOf(image)).map((name) => readFileSync(join(filesOf(image), name)))).toEqual(
      before,
    );
    const text = program.stdout();
    const [, target = ""] = /start with --data (\S+)/.exec(text) ?? [];
    const texts = text.includes("default: lost") ? [] : await said(await serve(target));
    return { text, texts: texts.filter((each) => ["one", "two", "three"].includes(each)) };
  }
  const logOf = (folder: string): string => join(filesOf(folder), "default.1.log");
  const rewrite = (path: string, change: (text: string) => string) =>
    writeFileSync(path, change(readFileSync(path, "utf8")));

  it("saves what comes before a damaged line and counts what comes after", async () => {
    const { text, texts } = await repaired((at) =>
      rewrite(logOf(at), (all) => all.replace('"text":"two"', '"text":"twO"')),
    );
    expect(text).toMatch(/lost: .*default\.1\.log: entry \d+ and \d+ after it/);
    expect(texts).toEqual(["one"]);
  });

  it("saves all of a log with other line ends, lines in disorder and lines there twice", async () => {
    const { text, texts } = await repaired((at) =>
      rewrite(logOf(at), (all) => {
        const lines = all.split("\n").slice(0, -1);
        return [...lines.reverse(), ...lines].map((line) => `${line}\r\n`).join("");
      }),
    );
    expect(text).not.toContain("lost");
    expect(texts).toEqual(["one", "two", "three"]);
  });

  it("saves the document where the log is gone, and says where there is no document", async () => {
    const gone = await repaired((at) => rmSync(logOf(at)));
    expect(gone.text).toMatch(/default\.1\.log: is missing, with everything after it/);
    expect(gone.texts).toEqual([]);
    expect((await repaired((at) => rmSync(documentOf(at)))).text).toMatch(
      /^default: lost, .*default\.json {2}is missing/,
    );
  });

  it("needs a folder with data", async () => {
    const nowhere = start(["serve", "--data-repair", "--data", "/nowhere"]);
    expect(await nowhere.exited).toBe(2);
    expect(nowhere.stderr()).toBe("--data-repair: there is no data in /nowhere\n");
    const program = start(["serve", "--data-repair"]);
    expect(await program.exited).toBe(2);
    expect(program.stderr()).toBe("--data-repair: needs --data, the folder that is damaged\n");
  });
});
