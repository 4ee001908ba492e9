import type { Schema } from "../kernel/schema.js";
import { object, optional, string } from "../kernel/schema.js";
import type { Option } from "./option.js";
import { namesIn, SERVE_OPTIONS } from "./options.js";

/** JSON Schema of a config file: every option of `serve` under its long name. */
export const configSchema: Schema = object(
  {
    $schema: optional(string()),
    ...Object.fromEntries(
      namesIn("file").map((name) => {
        const { schema, description, default: preset }: Option = SERVE_OPTIONS[name];
        const { $schema: _, title: __, ...keywords } = schema;
        const rest = preset === undefined ? "" : `. Default: ${preset}`;
        return [name, optional({ ...keywords, description: `${description}${rest}` })];
      }),
    ),
  },
  { title: "messaging-sim config", $schema: "https://json-schema.org/draft/2020-12/schema" },
);
