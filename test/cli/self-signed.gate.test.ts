/** `serve --self-signed`: clients that trust the printed file reach the server under each of its names. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { serve } from "./terminal.js";

const execute = promisify(execFile);

async function selfSigned(...words: string[]) {
  const served = await serve(["--self-signed", ...words]);
  const file = /CA file +(\S+)/.exec(served.out())?.[1] ?? "";
  return { ...served, file, address: new URL("/__sim/health", served.url) };
}

/** The status of a call under a name, whose connection goes to loopback; or why there was none. */
async function statusUnder(name: string, port: string, ca: string): Promise<number | string | undefined> {
  const host = "127.0.0.1";
  const own = { servername: name === host ? "" : name, headers: { host: `${name}:${port}` }, agent: false };
  const call = request({ ...own, host, port, ca, path: "/__sim/health" }).end();
  try {
    const [response] = await once(call, "response");
    response.resume();
    return response.statusCode;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

it("is called under each of its names by who trusts its file, and under no other", async () => {
  const { address, file } = await selfSigned("--allow-host=api.example", "--allow-host", "simulator");
  expect(address.protocol).toBe("https:");
  const ca = await readFile(file, "utf8");
  for (const name of ["localhost", "127.0.0.1", "api.example", "simulator"])
    expect([name, await statusUnder(name, address.port, ca)]).toEqual([name, 200]);
  expect(await statusUnder("other.example", address.port, ca)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
});

it("is called on IPv6 loopback", async () => {
  const { address, file } = await selfSigned("--host=::1");
  expect(address.hostname).toBe("[::1]");
  const { stdout } = await execute("curl", ["-sS", "--cacert", file, address.href]);
  expect(JSON.parse(stdout)).toMatchObject({ status: "ok" });
});

it("is trusted by the variable of Node, by curl, and by nobody else", async () => {
  const { address, file, out } = await selfSigned();
  const script = `fetch(${JSON.stringify(address)}).then((answer) => console.log(answer.status),
    ({ cause }) => console.log(cause.code))`;
  const node = async (env: Record<string, string>) =>
    (await execute(process.execPath, ["-e", script], { env })).stdout.trim();
  expect(out()).toContain("NODE_EXTRA_CA_CERTS");
  expect(await node({ NODE_EXTRA_CA_CERTS: file })).toBe("200");
  expect(await node({})).toMatch(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER/);

  const curl = ["-sS", address.href];
  await expect(execute("curl", curl)).rejects.toMatchObject({ code: 60 });
  const byVariable = await execute("curl", curl, { env: { ...process.env, CURL_CA_BUNDLE: file } });
  expect(JSON.parse(byVariable.stdout)).toMatchObject({ status: "ok" });
  const { stdout } = await execute("curl", [...curl, "--cacert", file]);
  expect(JSON.parse(stdout)).toMatchObject({ status: "ok" });
});

it("has a key and an authority of its own in each run, and leaves no file", async () => {
  const [one, other] = [await selfSigned(), await selfSigned()];
  const ca = await readFile(other.file, "utf8");
  expect(await statusUnder("localhost", one.address.port, ca)).toMatch(/VERIFY|ISSUER/);
  await one.close();
  expect([existsSync(one.file), existsSync(other.file)]).toEqual([false, true]);
});

it("is told as JSON", async () => {
  const { url, out } = await selfSigned("--log-format=json");
  const { port } = new URL(url);
  const { caFile } = JSON.parse(out().split("\n")[0] ?? "");
  expect(await statusUnder("localhost", port, await readFile(caFile, "utf8"))).toBe(200);
});
