/** `serve --self-signed`: clients that trust the printed file reach the server under each of its names. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { start } from "./program.js";

const run = promisify(execFile);
const TMPDIR = tmpdir();

async function serve(...words: string[]) {
  const program = start(["serve", "--port=0", "--self-signed", ...words], { TMPDIR });
  const url = new URL(await program.url());
  let line = "";
  while (!line.startsWith("  dashboard")) line = await program.line();
  const file = /CA file +(\S+)/.exec(program.stdout())?.[1] ?? "";
  return { program, url, file };
}

/** The status of a call under a name, whose connection goes to loopback; or why there was none. */
function statusUnder(name: string, port: string, ca: string): Promise<number | string | undefined> {
  const lookup = (
    _name: string,
    { all }: { all?: boolean },
    done: (error: null, address: unknown, family?: number) => void,
  ) => (all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4));
  return new Promise((resolve) => {
    const call = request({
      host: name,
      port,
      path: "/__sim/health",
      ca,
      lookup: lookup as never,
      agent: false,
    });
    call.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    call.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.end();
  });
}

describe("serve --self-signed", () => {
  it("is called under each of its names by who trusts its file, and under no other", async () => {
    const { url, file } = await serve("--allow-host=api.example", "--allow-host", "simulator");
    expect(url.protocol).toBe("https:");
    const ca = await readFile(file, "utf8");
    for (const name of ["localhost", "127.0.0.1", "api.example", "simulator"])
      expect([name, await statusUnder(name, url.port, ca)]).toEqual([name, 200]);
    expect(await statusUnder("other.example", url.port, ca)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  });

  it("is called on IPv6 loopback", async () => {
    const { url, file } = await serve("--host=::1");
    expect(url.hostname).toBe("[::1]");
    const { stdout } = await run("curl", ["-sS", "--cacert", file, new URL("/__sim/health", url).href]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "ok" });
  });

  it("is trusted by the variable of Node, by curl, and by nobody else", async () => {
    const { url, file, program } = await serve();
    const health = new URL("/__sim/health", url).href;
    const script = `fetch(${JSON.stringify(health)}).then((answer) => console.log(answer.status),
      ({ cause }) => console.log(cause.code))`;
    const node = async (env: Record<string, string>) =>
      (await run(process.execPath, ["-e", script], { env })).stdout.trim();
    expect(program.stdout()).toContain("NODE_EXTRA_CA_CERTS");
    expect(await node({ NODE_EXTRA_CA_CERTS: file })).toBe("200");
    expect(await node({})).toMatch(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER/);
    await expect(run("curl", ["-sS", health])).rejects.toMatchObject({ code: 60 });

    const byVariable = await run("curl", ["-sS", health], { env: { ...process.env, CURL_CA_BUNDLE: file } });
    expect(JSON.parse(byVariable.stdout)).toMatchObject({ status: "ok" });

    const printed = /try +(curl .*)/.exec(program.stdout())?.[1] ?? "";
    expect(printed).toContain(`--cacert ${file}`);
    const { stdout } = await run("sh", ["-c", printed.replace("curl", "curl -sS")]);
    expect(JSON.parse(stdout)).toMatchObject({ customerChannel: "WHATSAPP" });
  });

  it("has a key and an authority of its own in each run, and leaves no file", async () => {
    const one = await serve();
    const other = await serve();
    expect(await statusUnder("localhost", one.url.port, await readFile(other.file, "utf8"))).toMatch(
      /VERIFY|ISSUER/,
    );
    one.program.child.kill("SIGTERM");
    expect(await one.program.exited).toBe(0);
    expect([existsSync(one.file), existsSync(other.file)]).toEqual([false, true]);
  });

  it("is told as JSON, and asked for its health", async () => {
    const program = start(["serve", "--port=0", "--self-signed", "--log-format=json"], { TMPDIR });
    const { port } = new URL(await program.url());
    const { caFile } = JSON.parse(program.stdout().split("\n")[0] ?? "");
    expect(await statusUnder("localhost", port, await readFile(caFile, "utf8"))).toBe(200);
    const asked = start(["health", "--self-signed", "--port", port]);
    expect([await asked.exited, asked.stdout()]).toEqual([
      0,
      expect.stringContaining(`https://127.0.0.1:${port}`),
    ]);
    const ofProcess = start(["health", "--pid", String(program.child.pid), "--port", port]);
    expect([await ofProcess.exited, ofProcess.stderr()]).toEqual([0, ""]);
  });

  it("stands not beside a certificate", async () => {
    const program = start(["serve", "--port=0", "--self-signed", "--tls-cert=c.pem", "--tls-key=k.pem"]);
    expect(await program.exited).toBe(2);
    expect(program.stderr()).toContain(
      "--self-signed: makes a certificate, so it stands not beside --tls-cert",
    );
  });
});
