import { start } from "../cli/program.js";
import type { Answer, Running } from "../support/simulator.js";
import { withCalls } from "../support/simulator.js";

/** The built program on a data folder, and calls to it. */
export interface Served extends Pick<Running, "url" | "control" | "api"> {
  readonly program: ReturnType<typeof start>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Ends it as a stop does. @returns its exit code */
  stop(): Promise<number | null>;
}

export const serve = (folder: string, ...words: string[]): Promise<Served> => serveWith({}, folder, ...words);

/** `env`: variables of the program. */
export async function serveWith(
  env: Record<string, string>,
  folder: string,
  ...words: string[]
): Promise<Served> {
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
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
  };
}

/** The program on a folder that it refuses: its exit code and what it says. */
export async function refused(
  folder: string,
  ...words: string[]
): Promise<{ code: number | null; said: string }> {
  const program = start(["serve", "--port", "0", "--data", folder, ...words]);
  const code = await program.exited;
  return { code, said: program.stderr() };
}

export const say = (sim: Pick<Running, "api">, text: string): Promise<Answer> =>
  sim.api("POST /api/send-message-to-customer-thread", { customerThreadId: "9001", text });

/** What was said in the thread 9001. */
export async function said(sim: Pick<Running, "control">): Promise<string[]> {
  const { body } = await sim.control("GET /data/messages?threadId=9001&fromCustomer=false");
  return body.map(({ text }: { text: string }) => text);
}
