import { start } from "../cli/program.js";
import { type Answer, type Running, startSimulator, withCalls } from "../support/simulator.js";
import { imageOf, newFolder } from "./support.js";

/** Starts the built program on a data folder; `env`: its variables. */
export async function serveWith(env: Record<string, string>, folder: string, ...words: string[]) {
  const program = start(["serve", "--port", "0", "--data", folder, "--log-level", "warn", ...words], env);
  let line = await program.line();
  while (line !== "" && !line.includes(" ready at ")) line = await program.line();
  const [, url = ""] = / ready at (\S+)/.exec(line) ?? [];
  if (url === "") throw new Error(`not ready: ${program.stdout()} ${program.stderr()}`);
  const { control, api } = withCalls({ url } as Running);
  const end = (signal: NodeJS.Signals) => {
    program.child.kill(signal);
    return program.exited;
  };
  return {
    url,
    program,
    control,
    api,
    /** Kills it, as a crash does. */
    kill: () => end("SIGKILL"),
    /** Stops it with SIGTERM. @returns its exit code */
    stop: () => end("SIGTERM"),
  };
}

/** The program, and calls to it. */
export type Served = Awaited<ReturnType<typeof serveWith>>;

export const serve = (folder: string, ...words: string[]): Promise<Served> => serveWith({}, folder, ...words);

/** Starts the program on a folder that it refuses: its exit code and its message. */
export async function refused(folder: string, ...words: string[]) {
  const program = start(["serve", "--port", "0", "--data", folder, ...words]);
  const code = await program.exited;
  return { code, said: program.stderr() };
}

/** Sends a message in the thread 9001 of a sandbox; default: `default`. */
export const say = (sim: Pick<Running, "api">, text: string, sandbox?: string): Promise<Answer> =>
  sim.api(
    "POST /api/send-message-to-customer-thread",
    { customerThreadId: "9001", text },
    sandbox === undefined ? {} : { token: `${sandbox}.acme-token` },
  );

/** The texts that were sent in the thread 9001. */
export async function said(sim: Pick<Running, "control">, sandbox = "default"): Promise<string[]> {
  const path = `/sandboxes/${sandbox}/data/messages?threadId=9001&fromCustomer=false`;
  const { body } = await sim.control(`GET ${path}`);
  return body.map(({ text }: { text: string }) => text);
}

/** The texts that the next simulator on a folder finds in the thread 9001. */
export const saidIn = async (folder: string): Promise<string[]> =>
  said(await startSimulator({ data: folder }));

/** The folder of a process that was killed after it had sent these texts, each in an entry of its own. */
export async function writtenFolder(...texts: string[]): Promise<string> {
  const folder = newFolder();
  const sim = await startSimulator({ data: folder, durability: "strict" });
  for (const text of texts) await say(sim, text);
  const image = imageOf(folder);
  await sim.close();
  return image;
}

/** The texts of tests that a simulator on the folder has. */
export async function textsIn(folder: string): Promise<string[]> {
  const sim = await startSimulator({ data: folder });
  const texts = await said(sim);
  await sim.close();
  return texts.filter((text) => ["one", "two", "three", "four"].includes(text));
}
