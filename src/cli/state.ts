/** Saves the state or the history of a running sandbox. */
import { SimError } from "../client/errors.js";
import { controlApi } from "../client/transport.js";
import { reasonOf } from "../kernel/errors.js";
import { printable } from "../kernel/printable.js";
import { recordingOf, recordingText } from "../scenarios/recording/record.js";
import { sessionLogOf } from "../scenarios/recording/session.js";
import { REMOTE } from "./action.js";
import { command, refused } from "./command.js";
import { OK, refuse } from "./terminal.js";

/** `messaging-sim state [--json]`: prints a running sandbox's state. */
export const STATE = command({
  options: REMOTE,
  examples: {
    "messaging-sim state > now.json": "a fixture to start from",
  },
  exits: {
    0: "the state was written",
    2: "the simulator refused the call or does not respond, or the response was cut off",
  },
  run: async ({ json, url, sandbox, controlToken }, terminal) => {
    const transport = controlApi(url, { controlToken }).ofSandbox(sandbox);
    try {
      const text = await (await transport.send("GET", "/state")).text();
      terminal.out(`${json ? text : JSON.stringify(JSON.parse(text), null, 2)}\n`);
      return OK;
    } catch (error) {
      if (error instanceof SimError) throw error;
      return refuse(terminal, [{ path: "", message: `the response was cut off: ${reasonOf(error)}` }]);
    }
  },
});

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
