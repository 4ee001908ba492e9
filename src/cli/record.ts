import { SimError } from "../client/errors.js";
import { controlApi } from "../client/transport.js";
import { printable } from "../kernel/printable.js";
import { RECORDING_KINDS, recordingOf } from "../recording/record.js";
import { sessionLogOf } from "../recording/session-log.js";
import { recordingText } from "../recording/text.js";
import { command } from "./command.js";
import { asText, baseAddress, controlToken, oneOf, required, withDefault } from "./options.js";
import { OK, UNUSABLE } from "./terminal.js";

/** `messaging-sim record --url URL [--sandbox ID] [--as test|replay]` */
export const RECORD = command({
  options: {
    url: required("the simulator's address", baseAddress, "the address of a running simulator"),
    sandbox: withDefault("the sandbox", asText, "default"),
    as: withDefault(
      "test: what the system under test did is expected of it; replay: its calls are steps too, so that it runs without it",
      oneOf("kind of recording", RECORDING_KINDS),
      "test",
    ),
    "control-token": controlToken("the simulator's control token"),
  },
  examples: [
    [
      "messaging-sim record --url http://127.0.0.1:4020 > session.yaml",
      "a test of what the sandbox default has been through",
    ],
    [
      "messaging-sim record --url http://127.0.0.1:4020 --as replay > session.yaml",
      "a scenario that does the same again, without the system under test",
    ],
  ],
  exits: { 0: "the scenario is written", 2: "no simulator answers, or there is no such sandbox" },
  run: async ({ url, sandbox, as, controlToken }, terminal) => {
    try {
      const recording = recordingOf(await sessionLogOf(controlApi(url, { controlToken }), sandbox), as);
      terminal.out(recordingText(recording));
      for (const note of recording.notes) terminal.err(`${printable(note)}\n`);
      return OK;
    } catch (error) {
      if (!(error instanceof SimError)) throw error;
      terminal.err(`${printable(error.message)}\n`);
      return UNUSABLE;
    }
  },
});
