import { SimError } from "../client/errors.js";
import { controlApi } from "../client/transport.js";
import { recordingOf } from "../recording/record.js";
import { sessionLogOf } from "../recording/session-log.js";
import { recordingText } from "../recording/text.js";
import type { CommandModule } from "./command.js";
import { OK, refuse, UNUSABLE } from "./terminal.js";

/** `messaging-sim record --url URL [--sandbox ID]` */
export const RECORD: CommandModule = {
  declare: (yargs) =>
    yargs.options({
      url: { type: "string", requiresArg: true, describe: "the simulator's address" },
      sandbox: { type: "string", requiresArg: true, default: "default", describe: "the sandbox" },
      "control-token": { type: "string", requiresArg: true, describe: "the simulator's control token" },
    }),
  run: async ({ url, sandbox, "control-token": given }, terminal) => {
    const wrong = (message: string) => refuse(terminal, [{ path: "--url", message }]);
    if (url === undefined) return wrong("is missing: the address of a running simulator");
    const address = String(url);
    if (!(/^https?:\/\//i.test(address) && URL.canParse(address)))
      return wrong(`must be an http or https URL, but is "${address}"`);
    const controlToken = (given as string | undefined) ?? terminal.env.MESSAGING_SIM_CONTROL_TOKEN;
    const server = controlApi(address.replace(/\/+$/, ""), { controlToken });
    try {
      const recording = recordingOf(await sessionLogOf(server, String(sandbox)));
      terminal.out(recordingText(recording));
      for (const note of recording.notes) terminal.err(`${note}\n`);
      return OK;
    } catch (error) {
      if (!(error instanceof SimError)) throw error;
      terminal.err(`${error.message}\n`);
      return UNUSABLE;
    }
  },
};
