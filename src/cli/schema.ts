import { publishedFile } from "../kernel/schema.js";
import { configSchema, SERVE_OPTIONS } from "../server/config/options.js";
import { command, oneOf, word } from "./command.js";
import { OK } from "./terminal.js";

/** The API descriptions of a server at the default address. */
const descriptions = async () =>
  (await import("../server/services.js")).describe(
    () => `http://${SERVE_OPTIONS.host.default}:${SERVE_OPTIONS.port.default}`,
  );

/** Everything that can be printed, loaded on demand. */
export const PRINTABLE = {
  fixtures: async () => publishedFile((await import("../service/world/records.js")).fixtureSchema),
  behaviour: async () => publishedFile((await import("../service/behaviour/table.js")).behaviourSchema),
  scenario: async () => (await import("../server/scenario-format.js")).scenarioFormat().schema(),
  config: async () => publishedFile(configSchema),
  openapi: async () => (await descriptions()).openapi(),
  control: async () => (await descriptions()).control(),
  asyncapi: async () => (await descriptions()).asyncapi(),
} satisfies Record<string, () => Promise<unknown>>;

/** `messaging-sim schema <name>` */
export const SCHEMA = command({
  options: { name: word(Object.keys(PRINTABLE).join(", "), oneOf("schema", PRINTABLE)) },
  examples: {
    "messaging-sim schema scenario > scenario.json": "for an editor or a validator",
    "messaging-sim schema openapi > openapi.json": "for a client generator",
  },
  exits: { 0: "the schema was printed", 2: "there is no schema of that name" },
  run: async ({ name }, terminal) => {
    terminal.out(`${JSON.stringify(await PRINTABLE[name](), null, 2)}\n`);
    return OK;
  },
});
