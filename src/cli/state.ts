import { SimError } from "../client/errors.js";
import { controlApi } from "../client/transport.js";
import { SERVE_OPTIONS } from "../config/options.js";
import { maskedAddress } from "../kernel/masking.js";
import { type CommandModule, textOf } from "./command.js";
import { OK, refuse, type Terminal, UNUSABLE } from "./terminal.js";

const DEFAULT_URL = `http://${SERVE_OPTIONS.host.default}:${SERVE_OPTIONS.port.default}`;

/** `messaging-sim state [--bundle] [--json]`: a running sandbox's state, or all of it, on standard output. */
export const STATE: CommandModule = {
  declare: (yargs) =>
    yargs.options({
      bundle: {
        type: "boolean",
        describe: "all of the sandbox in one file, for serve --bundle; secrets masked",
      },
      json: { type: "boolean", describe: "as it came, without line breaks of its own" },
      url: {
        type: "string",
        requiresArg: true,
        describe: "the simulator's address",
        defaultDescription: `MESSAGING_SIM_URL, else ${DEFAULT_URL}`,
      },
      sandbox: { type: "string", requiresArg: true, default: "default", describe: "the sandbox" },
      "control-token": { type: "string", requiresArg: true, describe: "the simulator's control token" },
    }),
  run: async (args, terminal) => {
    const url = textOf(args, "url") ?? (terminal.env.MESSAGING_SIM_URL || DEFAULT_URL);
    if (!(/^https?:\/\//i.test(url) && URL.canParse(url)))
      return refuse(terminal, [
        { path: "--url", message: `must be an http or https URL, but is "${maskedAddress(url)}"` },
      ]);
    const controlToken = textOf(args, "control-token") ?? terminal.env.MESSAGING_SIM_CONTROL_TOKEN;
    const server = controlApi(url.replace(/\/+$/, ""), { controlToken });
    const sandbox = server.ofSandbox(String(args.sandbox));
    try {
      if (args.bundle === true || args.json === true) {
        const response = await sandbox.send("GET", args.bundle === true ? "/bundle" : "/state");
        await pass(response.body, terminal);
      } else terminal.out(`${JSON.stringify(await sandbox.call("GET", "/state"), null, 2)}\n`);
      return OK;
    } catch (error) {
      terminal.err(`${error instanceof SimError ? error.message : brokenOff(error)}\n`);
      return UNUSABLE;
    }
  },
};

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
