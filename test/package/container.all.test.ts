/** The Dockerfile, as far as it can be tried without a container engine. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { start } from "../cli/program.js";
import { run } from "../cli/terminal.js";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** Instructions of the Dockerfile: name and the rest, continued lines joined, comments left out. */
const instructions = read("Dockerfile")
  .replace(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [, name = "", rest = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    return { name, rest };
  });
const all = (name: string) => instructions.filter((one) => one.name === name).map((one) => one.rest);
const last = (name: string) => all(name).at(-1) ?? "";

const manifest = JSON.parse(read("package.json")) as {
  bin: Record<string, string>;
  files: string[];
};

/** Paths that a COPY instruction takes from the project. */
const copied = all("COPY").flatMap((rest) =>
  rest
    .split(/\s+/)
    .filter((word) => !word.startsWith("--"))
    .slice(0, -1)
    .map((path) => path.replace(/^\/app\//, "")),
);

describe("the container image", () => {
  it("copies only what the project has", () => {
    expect(copied).toContain("package-lock.json");
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("holds every folder that the package publishes", () => {
    const folders = manifest.files.filter((path) => !path.includes("."));
    expect(copied).toEqual(expect.arrayContaining(folders));
  });

  it("lets the build see what it copies, and nothing that is not there", () => {
    const [everything, ...others] = read(".dockerignore").trim().split("\n");
    expect(everything).toBe("*");
    expect(others.filter((line) => !line.startsWith("!"))).toEqual([]);
    const seen = others.map((line) => line.slice(1));
    const there = readdirSync(ROOT);
    const pattern = (path: string) => new RegExp(`^${path.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
    expect(seen.filter((path) => !there.some((name) => pattern(path).test(name)))).toEqual([]);
    const made = ["node_modules", "dist", "."];
    expect(copied.filter((path) => !made.includes(path) && !seen.includes(path))).toEqual([]);
  });

  it("builds and starts the package's command in the foreground, as a user who is not root and has /data", () => {
    expect(JSON.parse(last("ENTRYPOINT"))).toEqual(["node", manifest.bin["messaging-sim"]]);
    expect(JSON.parse(last("CMD"))).toEqual(["serve", "--host", "0.0.0.0"]);
    expect(last("USER")).toBe("node");
    expect(all("RUN")).toEqual(
      expect.arrayContaining([
        expect.stringContaining("npm run build"),
        "mkdir /data && chown node:node /data",
      ]),
    );
  });

  it("is healthy when the simulator that process 1 runs says so, and only then", async () => {
    const [, words = "[]"] = /CMD (\[.*\])$/.exec(last("HEALTHCHECK")) ?? [];
    const [program, main, ...check] = JSON.parse(words) as string[];
    expect([program, main]).toEqual(JSON.parse(last("ENTRYPOINT")));
    expect(check.slice(-2)).toEqual(["--pid", "1"]);
    const served = start(["serve", "--port=0", "--control-token", "secret"]);
    const { port } = new URL(await served.url());
    const own = async () =>
      (await run([...check.slice(0, -1), String(served.child.pid), "--port", port])).code;
    expect(await own()).toBe(0);
    served.child.kill("SIGSTOP");
    expect(await own()).toBe(1);
    served.child.kill("SIGKILL");
    await served.exited;
    expect((await run([...check.slice(0, -2), "--port", port])).code).toBe(1);
  });
});
