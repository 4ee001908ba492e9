/** What scripts/programs.mjs finds, installs and prints on machines with certain programs. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const ASK = `import("./scripts/programs.mjs").then(({ ensurePrograms, needs }) => {
  const seen = ensurePrograms("gate");
  process.stdout.write("\\0" + JSON.stringify({ ...seen, redis: needs("redis") }));
})`;

/** Runs it on a machine with these programs, written in `sh`. */
function ask(programs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "messaging-sim-programs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "log");
  writeFileSync(log, "");
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", ASK], {
    cwd: ROOT,
    env: { PATH: folder, HOME: folder, BIN: folder, LOG: log, ...env },
    encoding: "utf8",
  });
  const [words = "", seen = "null"] = stdout.split("\0");
  return { ...JSON.parse(seen), words, block: stderr, calls: readFileSync(log, "utf8") };
}

const CHROMIUM = "echo Chromium 1.2.3";
/** Debian: `sudo` runs a command as root, and `apt-get` installs Redis. */
const DEBIAN = {
  "apt-get": "",
  sudo: 'shift; [ "$1" = true ] || "$@"',
  env: 'echo "$@" >> $LOG; case "$*" in *install*) printf "#!/bin/sh\\necho Redis 7" > $BIN/redis-server; /bin/chmod +x $BIN/redis-server;; esac',
};

it("uses existing programs, and explains how to get the others and what is not proven without them", () => {
  const { ok, notProven, missing, redis, words, block } = ask({ chromium: CHROMIUM });
  expect({ ok, missing }).toEqual({ ok: true, missing: ["redis"] });
  expect(notProven).toEqual(["a store that several processes share (no Valkey or Redis)"]);
  expect(words).toMatch(/^\S+\/chromium: Chromium 1\.2\.3\n$/);
  for (const way of [/Debian +sudo apt install redis-server/, /Fedora +sudo dnf install valkey/, /WSL/])
    expect(block).toMatch(way);
  expect(redis).toEqual({ skip: true, meta: { needs: "redis" } });
});

it("installs all missing programs that apt-get knows at once", () => {
  const known = 'case "$2" in redis-server) exit 0;; *) exit 100;; esac';
  const { ok, notProven, redis, calls } = ask({ chromium: CHROMIUM, "apt-cache": known, ...DEBIAN });
  expect({ ok, notProven, redis }).toEqual({ ok: true, notProven: [], redis: { skip: false, meta: {} } });
  expect(calls.trim().split("\n")).toEqual([
    "DEBIAN_FRONTEND=noninteractive apt-get -q update",
    "DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends redis-server",
  ]);
  expect(ask({ chromium: CHROMIUM, "apt-cache": "exit 100", ...DEBIAN }).missing).toEqual(["redis"]);
});

it("fails if the browser is missing or does not start", () => {
  const wrong = ask({}, { CHROMIUM_PATH: "/none" });
  const block = "CHROMIUM_PATH is /none, which is not an executable file\n";
  expect(wrong).toMatchObject({ ok: false, block });
  const broken = ask({ chromium: "echo no library >&2; exit 127", "redis-server": "echo Redis 7" });
  expect(broken).toMatchObject({ ok: false, missing: [] });
  expect(broken.block).toContain("does not run: no library");
});
