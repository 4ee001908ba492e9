import { SimError } from "../client/errors.js";
import { controlApi } from "../client/transport.js";
import { recordingOf } from "../recording/record.js";
import { sessionLogOf } from "../recording/session-log.js";
import { recordingText } from "../recording/text.js";
import { command } from "./command.js";
import { asText, baseAddress, controlToken, required, withDefault } from "./options.js";
import { OK, UNUSABLE } from "./terminal.js";

/** `messaging-sim record --url URL [--sandbox ID]` */
export const RECORD = command({
  options: {
    url: required("the simulator's address", baseAddress, "the address of a running simulator"),
    sandbox: withDefault("the sandbox", asText, "default"),
    "control-token": controlToken("the simulator's control token"),
  },
  examples: [
    [
      "messaging-sim record --url http://127.0.0.1:4020 > session.yaml",
      "what the sandbox default has been through",
    ],
  ],
  exits: { 0: "the scenario is written", 2: "no simulator answers, or there is no such sandbox" },
  run: async ({ url, sandbox, controlToken }, terminal) => {
    try {
      const recording = recordingOf(await sessionLogOf(controlApi(url, { controlToken }), sandbox));
      terminal.out(recordingText(recording));
      for (const note of recording.notes) terminal.err(`${note}\n`);
      return OK;
    } catch (error) {
      if (!(error instanceof SimError)) throw error;
      terminal.err(`${error.message}\n`);
      return UNUSABLE;
    }
  },
});
