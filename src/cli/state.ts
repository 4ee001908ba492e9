/** Saves the state or the history of a running sandbox. */
import { SimError } from "../client/errors.js";
import { controlApi } from "../client/transport.js";
import { printable } from "../kernel/printable.js";
import { RECORDING_KINDS, recordingOf, recordingText } from "../scenarios/recording/record.js";
import { sessionLogOf } from "../scenarios/recording/session.js";
import { command, flag, oneOf, withDefault } from "./command.js";
import { clientOf, REMOTE } from "./control-commands.js";
import { OK, type Terminal, UNUSABLE } from "./terminal.js";

/** `messaging-sim state [--bundle] [--json]`: prints a running sandbox's state, or a bundle. */
export const STATE = command({
  options: {
    bundle: flag("print the whole sandbox for serve --bundle, with secrets masked"),
    ...REMOTE,
  },
  examples: {
    "messaging-sim state > now.json": "a fixture to start from",
    "messaging-sim state --bundle > case.json": "a file to open elsewhere with serve --bundle",
  },
  exits: {
    0: "the state was written",
    2: "the simulator refused the call or does not respond, or the response was cut off",
  },
  run: async ({ bundle, json, url, sandbox: id, controlToken }, terminal) => {
    const sandbox = controlApi(url, { controlToken }).ofSandbox(id);
    const client = clientOf({ url, sandbox: id, controlToken });
    try {
      if (!bundle && !json) terminal.out(`${JSON.stringify(await client.state(), null, 2)}\n`);
      else await pass((await sandbox.send("GET", bundle ? "/bundle" : "/state")).body, terminal);
      return OK;
    } catch (error) {
      if (error instanceof SimError) throw error;
      terminal.err(`${printable(brokenOff(error))}\n`);
      return UNUSABLE;
    }
  },
});

/** Writes an answer as it arrives, with backpressure. */
async function pass(body: ReadableStream<Uint8Array> | null, { out, drained }: Terminal): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    out(decoder.decode(chunk, { stream: true }));
    if ((await drained?.()) === false) return;
  }
  out("\n");
}

const brokenOff = (error: unknown): string =>
  `the response was cut off, so the output is incomplete: ${error instanceof Error ? error.message : String(error)}`;

/** `messaging-sim record --url URL [--sandbox ID] [--as test|replay]` */
export const RECORD = command({
  options: {
    url: REMOTE.url,
    sandbox: REMOTE.sandbox,
    as: withDefault(
      "test: expects what the system under test did; replay: repeats its calls, so that the scenario runs without it",
      oneOf("kind of recording", RECORDING_KINDS),
      "test",
    ),
    "control-token": REMOTE["control-token"],
  },
  examples: {
    "messaging-sim record --url http://127.0.0.1:4020 > session.yaml":
      "a test from the history of the sandbox default",
    "messaging-sim record --url http://127.0.0.1:4020 --as replay > session.yaml":
      "a scenario that repeats it without the system under test",
  },
  exits: { 0: "the scenario was written", 2: "the simulator does not respond, or there is no such sandbox" },
  run: async ({ url, sandbox, as, controlToken }, terminal) => {
    const log = await sessionLogOf(controlApi(url, { controlToken }), sandbox);
    const recording = recordingOf(log, as);
    terminal.out(recordingText(recording));
    for (const note of recording.notes) terminal.err(`${printable(note)}\n`);
    return OK;
  },
});
