/** Which calls of Node's own clients `messaging-sim/intercept` sends to the simulator, and how they arrive. Needs dist/. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { serverOf } from "../support/server.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const CLIENTS = `
  import http, { ClientRequest } from "node:http";
  import https from "node:https";
  import { text } from "node:stream/consumers";
  import * as undici from "undici";
  const answerOf = (call) => new Promise((resolve, reject) => call.on("response", resolve).on("error", reject).end())
    .then(async (response) => (await text(response)) || String(response.statusCode));
  const port = process.env.OTHER?.split(":").at(-1);
  const other = (options) => http.request({ host: "127.0.0.1", port, ...options });
`;
/** Runs a module with the interceptor; what its last line prints, and standard error if it fails. */
async function run(env: Record<string, string>, program: string): Promise<string> {
  const args = ["--import", "./dist/adapters/intercept.js", "--input-type=module", "--eval"];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, CLIENTS + program], {
    cwd: ROOT,
    env: { ...process.env, MESSAGING_SIM_INTERCEPT: "api.example", ...env },
  }).catch((error) => ({ stdout: `exit ${error.code}\n${error.stderr}` }));
  return stdout.trim();
}

const echo = (name: string) =>
  serverOf(async (request, response) => void response.end(`${name} ${request.url}`));

const PATHS = [
  "/api/path?a=%20",
  "//api/path",
  "//other.example/path",
  "/\\other.example/path",
  "/api/../path",
];
it.each(PATHS)("sends %s to the simulator as each client writes it", async (path) => {
  const url = JSON.stringify(`https://api.example${path}`);
  const MESSAGING_SIM_URL = await echo("simulator");
  const answers = await run(
    { MESSAGING_SIM_URL },
    `const raw = { host: "API.example.", path: ${JSON.stringify(path)} };
      const answers = [
        (await fetch(${url})).text(), (await undici.request(${url})).body.text(), answerOf(https.request(${url})),
        answerOf(http.get({ ...raw, agent: false })), answerOf(new ClientRequest({ ...raw, createConnection() {} })),
      ];
      console.log(JSON.stringify(await Promise.all(answers)));`,
  );
  const { pathname, search } = new URL(JSON.parse(url));
  const resolved = `simulator ${pathname}${search}`;
  const written = `simulator ${path}`;
  expect(JSON.parse(answers)).toEqual([resolved, resolved, resolved, written, written]);
});

it("leaves calls to other hosts alone, but takes those that a proxy would get for an intercepted one", async () => {
  const env = { MESSAGING_SIM_URL: await echo("simulator"), OTHER: await echo("other") };
  const paths = ["http://other.example/x", "//api.example/x", "http://api.example/x"];
  const answers = `Promise.all(${JSON.stringify(paths)}.map((path) => answerOf(other({ path }))))`;
  const told = paths.map((path, at) => `${at < 2 ? "other" : "simulator"} ${path}`);
  expect(await run(env, `console.log(...(await ${answers}));`)).toBe(told.join(" "));
});

it("gives programs answers without content, and refusals of calls that are not HTTP", async () => {
  const empty = () =>
    serverOf((_, response) => void response.writeHead(205, { "content-length": 2 }).end("{}"));
  const env = { MESSAGING_SIM_URL: await empty(), OTHER: await empty() };
  const program = `const statusOf = (call) => new Promise((resolve) =>
      call.on("response", (response) => resolve(response.resume().statusCode)).end());
    const host = "api.example";
    const calls = [http.request({ host }), other({}), http.request({ host, path: "?x=1" })];
    console.log((await Promise.all(calls.map(statusOf))).join());`;
  expect(await run(env, program)).toBe("205,205,400");
});
