import { printable } from "../kernel/printable.js";
import { paletteOf } from "../scenarios/reporters/pretty.js";
import { usesColor } from "./color.js";
import { command } from "./command.js";
import { EventWords } from "./event-words.js";
import { REMOTE, withClient } from "./remote.js";
import { OK } from "./terminal.js";

/** The exit code where the simulator ends, or its sandbox does. */
export const ENDED = 1;

/** When commands end with which code that follow a sandbox. */
export const FOLLOW_EXITS = {
  0: "nobody reads or types any more",
  1: "the simulator has ended, or the sandbox",
  2: "the simulator refused it, none answers, or an option or argument is unusable",
};

/** `messaging-sim tail`: calls, deliveries, warnings and state changes as they happen. */
export const TAIL = command({
  options: { ...REMOTE },
  examples: [
    ["messaging-sim tail", "what happens in the sandbox default, as lines"],
    ["messaging-sim tail --json", "an object for each event"],
  ],
  exits: FOLLOW_EXITS,
  run: (remote, terminal) =>
    withClient(remote, terminal, async (client) => {
      const words = new EventWords(paletteOf(usesColor(terminal)));
      for await (const event of client.stream()) {
        if (event.event === "hello") terminal.err(`Following sandbox ${remote.sandbox}; Ctrl+C ends it.\n`);
        const { event: name, data } = event;
        const lines = remote.json ? [printable(JSON.stringify({ event: name, data }))] : words.lines(event);
        for (const line of lines) terminal.out(`${line}\n`);
        if ((await terminal.drained?.()) === false) return OK;
      }
      terminal.err("The simulator has ended the stream.\n");
      return ENDED;
    }),
});
