/** Challenges a bot as a user does. */
import type { ChallengeReport, ChallengeResult } from "../../src/lab/challenge/report.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { freePort } from "../support/free-port.js";
import { startSimulator } from "../support/simulator.js";
import { type Mistake, startBot, type Variant, WITH_TEMPLATE } from "./bot.js";

export const only = (...names: readonly string[]): string[] => names.flatMap((name) => ["--only", name]);

/** A simulator, a bot, and the command that challenges it. */
export async function botWith({
  mistake,
  variant,
  source = WITH_TEMPLATE,
}: {
  mistake?: Mistake;
  variant?: Variant;
  source?: string;
}) {
  const sim = await startSimulator();
  const hook = await startBot(() => sim.url, mistake, "acme-token", variant);
  const write = scratch();
  const file = write("conversation.yaml", source);
  const challenge = (...words: readonly string[]) =>
    run(["challenge", file, "--url", sim.url, "--hook", hook, ...words]);
  const challenged = async (...words: readonly string[]) => {
    const { code, out, err } = await challenge("--reporter", "json", ...words);
    return { code, report: JSON.parse(out) as ChallengeReport, err };
  };
  return { file, write, challenge, challenged, sim, hook };
}

/** A program that handles customer messages with the token that it was started with. */
export const program = (handle: string) => `
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { text } from "node:stream/consumers";
const { MESSAGING_SIM_URL: url, MESSAGING_SIM_TOKEN: token } = process.env;
const seen = new Set();
let newest = 0;
createServer(async (request, response) => {
  const { data } = JSON.parse(await text(request));
  response.end();
  const call = (path, body) =>
    fetch(url + "/api/" + path, {
      method: "POST",
      headers: { token, "content-type": "application/json" },
      body: JSON.stringify({ customerThreadId: String(data.customerThreadId), ...body }),
    });
  if (!data.fromCustomer) return;
  ${handle}
}).listen(Number(process.argv[2]), "127.0.0.1");
`;
export const SEND = "send-message-to-customer-thread";

/** Writes a program, and the options that start it at a free port, which is its first argument. */
export async function programOptions(text: string, ...args: unknown[]): Promise<string[]> {
  const port = await freePort();
  const start = ["node", scratch()("bot.mjs", text), port, ...args].join(" ");
  return ["--hook", `http://127.0.0.1:${port}/`, "--exec", start];
}

export const broken = ({ challenges }: ChallengeReport): ChallengeResult[] =>
  challenges.filter(({ held }) => !held);

/** The kinds of challenges that were tried. */
export const kindsIn = ({ challenges }: ChallengeReport): string[] =>
  [...new Set(challenges.map(({ name }) => name.split("/")[0] ?? ""))].sort();

export const HI = "  - customer: Hi\n";
export const HELLO = "  - reply: { contains: Hello }\n";

/** Challenges a program that handles customer messages. */
export async function challengeProgram(
  handle: string,
  steps: string,
  ...names: string[]
): Promise<ChallengeReport> {
  const file = scratch()("talk.yaml", `thread: "9001"\nsteps:\n${steps}`);
  const bot = await programOptions(program(handle));
  return JSON.parse((await run(["challenge", file, ...bot, "--reporter", "json", ...only(...names)])).out);
}

/** Greets and marks the thread; repeats each call until it succeeds. */
export const REPEATER = `const isDone = (...it) => call(...it).then(({ ok }) => ok, () => false);
  while (!(await isDone("${SEND}", { text: "Hello" }))) await setTimeout(200);
  while (!(await isDone("update-thread-status", { status: "replied" }))) await setTimeout(200);`;
