/** The control API. */
import { CONTROL_ERRORS } from "../../src/control/errors.js";
import { type ControlRoute, tagOf } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { OPERATOR_OPERANDS } from "../../src/kernel/matching.js";
import type { Schema } from "../../src/kernel/schema.js";
import { FAULT_PRESETS } from "../../src/sandbox/faults.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../../src/service/world/records.js";
import type { Blocks } from "./markdown.js";
import { code, page, table } from "./markdown.js";
import { fieldTable, rulesOf, Shapes, typeOf } from "./schemas.js";

/** Describes a schema: a link where it has a name, its fields where it has some, else in a sentence. */
function described(what: string, schema: Schema, shapes: Shapes): Blocks {
  const fields = schema.title === undefined ? fieldTable(schema, shapes) : undefined;
  const type = typeOf(schema, shapes);
  const note = [schema.description, rulesOf(schema)].filter(Boolean).join("; ");
  return [`${what}: ${type}${note === "" ? "" : ` (${note})`}${fields === undefined ? "." : ":"}`, fields];
}

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

function routePart(route: ControlRoute, shapes: Shapes): Blocks {
  const { method, path, summary, scope, query, body, bodyOptional, success, open } = route;
  const { refusals = [], others = [] } = route;
  const errors = refusals.map((key) => {
    const { status, message, occasion } = CONTROL_ERRORS[key];
    return [status, occasion ?? code(message)] as const;
  });
  const answers = [...errors, ...others.map(({ status, description }) => [status, description] as const)];
  const queryFields = query && fieldTable(query, shapes);
  return [
    `### \`${method} ${path}\``,
    `${summary}.`,
    scope === "server" && "Server only: not available below a sandbox.",
    open && "Needs no control token.",
    queryFields && ["Query:", queryFields],
    body && described(bodyOptional ? "Optional body" : "Body", body, shapes),
    described(`Returns ${success.status}`, success.schema, shapes),
    answers.length > 0 &&
      `Other responses: ${answers
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
        .map(([status, text]) => `${status === "default" ? "any other status" : status} (${lowered(text)})`)
        .join(", ")}.`,
  ];
}

/** Where the page links to for a shape that another page describes, by its title. */
const OTHER_PAGES: ReadonlyMap<string, string> = new Map([
  ...COLLECTIONS.map((name) => [RECORD_SCHEMAS[name].title ?? "", `fixtures.md#${name}`] as const),
  ["messaging-sim fixture", "fixtures.md"],
  ["messaging-sim behaviour", "behaviour.md"],
]);

export function controlPage(): string {
  const shapes = new Shapes(OTHER_PAGES);
  const groups = [...new Set(ROUTES.map(tagOf))];
  const parts = groups.map((group) => [
    `## ${group}`,
    ROUTES.filter((route) => tagOf(route) === group).map((route) => routePart(route, shapes)),
  ]);
  return page(
    "Control API",
    "Controls a running simulator. Paths are below `/__sim`. Each route of a sandbox exists twice: as shown for the sandbox `default`, and below `/__sim/sandboxes/:sandbox`. Requests and responses are JSON; lists start with the oldest entry.",
    'A refusal is `{ "error": { "code", "message", "details": [{ "path", "message" }] } }`: 400 for unusable input, 401 without the control token if one is set, 403 for a foreign `Host` or origin, 404, 409 for conflicts; [Errors](errors.md) lists all of them. A refused call changes nothing.',
    "OpenAPI: `GET /__sim/control.json`, or `messaging-sim schema control`.",
    table(
      ["route", ""],
      ROUTES.map(({ method, path, summary }) => [code(`${method} ${path}`), summary]),
    ),
    parts,
    "## Queries over records",
    "`GET /data/:collection` supports json-server's query language, operators and pagination: `status=waiting`, `text:contains=invoice`, `timestamp:gt=1700000000000`, `id:in=9001,9002`, `_sort`, `_page` and `_per_page`, `_embed`, and the older `field_ne`. It differs from json-server in cases where a test could pass without testing anything:",
    [
      "- Unknown fields and operators, and an `_embed` of an unrelated collection, are errors that name them; json-server ignores them.",
      "- Filters and `_sort` name fields of the record itself, not of records that `_embed` adds: only what is found is embedded.",
      "- A value is parsed by the type of its field: ids stay strings, and an invalid value is an error.",
      "- A record without a value in a field does not match a filter on that field. `field=null` finds those records, `field:ne=null` the others.",
      "- An object never equals a string: filter by its fields (`whatsappSender.active=true`). In json-server it matches.",
      "- `lt`, `lte`, `gt` and `gte` compare numbers, and are refused for other fields.",
      "- `_where` is refused: conditions hold together, and `in` lists alternatives for a field.",
      "- A repeated parameter is refused, except `_embed`. A filter with an empty value has no effect.",
      "- Writes are validated like a fixture, a record cannot be deleted while others refer to it, and ids are only generated where the service does so.",
    ].join("\n"),
    "## Matching",
    "A match is a partial object. Objects match as subsets, arrays element by element, scalars by equality; an object with operators is a condition for a value, and all its operators must hold.",
    table(
      ["operator", "takes"],
      Object.entries(OPERATOR_OPERANDS).map(([name, takes]) => [code(name), takes]),
    ),
    "## Presets of faults",
    table(
      ["name", "what it does", "on"],
      Object.entries(FAULT_PRESETS).map(([name, { description, fits }]) => [
        code(name),
        description,
        fits.join(", "),
      ]),
    ),
    "## Shapes",
    shapes.sections(),
  );
}
