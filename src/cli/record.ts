/** `messaging-sim record`: the history of a running sandbox as a scenario. */
import { controlApi } from "../client/transport.js";
import { printable } from "../kernel/printable.js";
import { recordingOf, recordingText } from "../scenarios/recording/record.js";
import { sessionLogOf } from "../scenarios/recording/session.js";
import { REMOTE } from "./action.js";
import { command, refused } from "./command.js";
import { OK } from "./terminal.js";

/** `messaging-sim record --url URL [--sandbox ID]` */
export const RECORD = command({
  options: {
    url: REMOTE.url,
    sandbox: REMOTE.sandbox,
    "control-token": REMOTE["control-token"],
  },
  examples: {
    "messaging-sim record --url http://127.0.0.1:4020 > session.yaml":
      "a test from the history of the sandbox default",
  },
  exits: {
    0: "the scenario was written",
    2: "nothing has happened, the simulator does not respond, or there is no such sandbox",
  },
  run: async ({ url, sandbox, controlToken }, terminal) => {
    const log = await sessionLogOf(controlApi(url, { controlToken }), sandbox);
    const recording = recordingOf(log);
    if (recording.isEmpty)
      return refused(
        `nothing has happened in sandbox ${sandbox} since its start: there is nothing to record`,
      );
    terminal.out(recordingText(recording));
    for (const note of recording.notes) terminal.err(`${printable(note)}\n`);
    return OK;
  },
});
