import { SimError } from "../client/errors.js";
import { controlApi } from "../client/transport.js";
import { printable } from "../kernel/printable.js";
import { command } from "./command.js";
import { flag } from "./options.js";
import { REMOTE } from "./remote.js";
import { OK, type Terminal, UNUSABLE } from "./terminal.js";

/** `messaging-sim state [--bundle] [--json]`: a running sandbox's state, or all of it, on standard output. */
export const STATE = command({
  options: {
    bundle: flag("all of the sandbox in one file, for serve --bundle; secrets masked"),
    ...REMOTE,
  },
  examples: [
    ["messaging-sim state > now.json", "a fixture to start from"],
    ["messaging-sim state --bundle > case.json", "what serve --bundle opens somewhere else"],
  ],
  exits: { 0: "the state is written", 2: "no simulator answers, it refused, or the answer broke off" },
  run: async ({ bundle, json, url, sandbox: id, controlToken }, terminal) => {
    const sandbox = controlApi(url, { controlToken }).ofSandbox(id);
    try {
      if (bundle || json) {
        const response = await sandbox.send("GET", bundle ? "/bundle" : "/state");
        await pass(response.body, terminal);
      } else terminal.out(`${JSON.stringify(await sandbox.call("GET", "/state"), null, 2)}\n`);
      return OK;
    } catch (error) {
      terminal.err(`${printable(error instanceof SimError ? error.message : brokenOff(error))}\n`);
      return UNUSABLE;
    }
  },
});

/** Writes an answer as it comes, no faster than it is taken. */
async function pass(body: ReadableStream<Uint8Array> | null, { out, drained }: Terminal): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    out(decoder.decode(chunk, { stream: true }));
    if ((await drained?.()) === false) return;
  }
  out("\n");
}

const brokenOff = (error: unknown): string =>
  `the answer broke off, what was written is not whole: ${error instanceof Error ? error.message : String(error)}`;
