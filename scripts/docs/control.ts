/** The control API: a page for each group of routes, and one for the shapes that they share. */
import { METRICS_ROUTES } from "../../src/control/metrics.js";
import type { ControlRoute } from "../../src/control/route.js";
import { DATA_ROUTES } from "../../src/control/routes/data.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { SCENARIOS_ROUTES } from "../../src/control/routes/scenarios.js";
import { SERVER_ROUTES } from "../../src/control/routes/server.js";
import { SINKS_ROUTES } from "../../src/control/routes/sinks.js";
import { STATE_ROUTES } from "../../src/control/routes/state.js";
import { THREADS_ROUTES } from "../../src/control/routes/threads.js";
import { TRAFFIC_ROUTES } from "../../src/control/routes/traffic.js";
import { WAITING_ROUTES } from "../../src/control/routes/waiting.js";
import { OPERATOR_OPERANDS } from "../../src/kernel/matching.js";
import type { Schema } from "../../src/kernel/schema.js";
import { FAULT_PRESETS } from "../../src/sandbox/faults.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../../src/service/world/records.js";
import type { Blocks } from "./markdown.js";
import { anchor, code, page, table } from "./markdown.js";
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
  const { method, path, summary, scope, query, body, bodyOptional, success, open, others = [] } = route;
  const queryFields = query && fieldTable(query, shapes);
  return [
    `## \`${method} ${path}\``,
    `${summary}.`,
    scope === "server" && "Server only: not available below a sandbox.",
    open && "Needs no control token.",
    queryFields && ["Query:", queryFields],
    body && described(bodyOptional ? "Optional body" : "Body", body, shapes),
    described(`Returns ${success.status}`, success.schema, shapes),
    others.length > 0 &&
      `Other responses: ${others
        .map(
          ({ status, description }) =>
            `${status === "default" ? "any other status" : status} (${lowered(description)})`,
        )
        .join(", ")}.`,
  ];
}

/** Where the pages link to for a shape that is described outside of them, by its title. */
const OTHER_PAGES: ReadonlyMap<string, string> = new Map([
  ...COLLECTIONS.map((name) => [RECORD_SCHEMAS[name].title ?? "", `../fixtures.md#${name}`] as const),
  ["messaging-sim fixture", "../fixtures.md"],
  ["messaging-sim behaviour", "../behaviour.md"],
]);

/** What a group of routes has in common. */
interface Group {
  readonly title: string;
  readonly about: string;
  readonly routes: readonly ControlRoute[];
  /** What stands after its routes. */
  readonly more?: Blocks;
}

const QUERIES: Blocks = [
  "## Queries",
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
];

const MATCHING: Blocks = [
  "## Matching",
  "A match is a partial object. Objects match as subsets, arrays element by element, scalars by equality; an object with operators is a condition for a value, and all its operators must hold.",
  table(
    ["operator", "takes"],
    Object.entries(OPERATOR_OPERANDS).map(([name, takes]) => [code(name), takes]),
  ),
];

const PRESETS: Blocks = [
  "## Presets of faults",
  table(
    ["name", "what it does", "on"],
    Object.entries(FAULT_PRESETS).map(([name, { description, fits }]) => [
      code(name),
      description,
      fits.join(", "),
    ]),
  ),
];

/** By page. */
const GROUPS: Readonly<Record<string, Group>> = {
  server: {
    title: "Server and sandboxes",
    about: "What concerns the whole server: its health, its descriptions, its sandboxes.",
    routes: [...SERVER_ROUTES, ...METRICS_ROUTES],
  },
  state: {
    title: "State, clock, behaviour and faults",
    about: "Set up what a test starts from, and change it on the way.",
    routes: STATE_ROUTES,
    more: PRESETS,
  },
  records: {
    title: "Records",
    about: "Read and change single records of the live state.",
    routes: DATA_ROUTES,
    more: QUERIES,
  },
  threads: {
    title: "Threads",
    about: "Play the customer and the employees, and read what became of it.",
    routes: THREADS_ROUTES,
  },
  logs: {
    title: "Calls, deliveries and warnings",
    about: "What has happened in a sandbox.",
    routes: TRAFFIC_ROUTES,
  },
  waiting: {
    title: "Wait and verify",
    about: "Wait until something has happened, or check that it has.",
    routes: WAITING_ROUTES,
    more: MATCHING,
  },
  sinks: {
    title: "Sinks",
    about: "The built-in receivers of webhooks.",
    routes: SINKS_ROUTES,
  },
  scenarios: {
    title: "Scenarios and coverage",
    about: "Run scenarios in a sandbox, and see which outcomes a program has met.",
    routes: SCENARIOS_ROUTES,
  },
};

const SHAPES = "shapes.md";

const grouped = new Set(Object.values(GROUPS).flatMap(({ routes }) => routes));
const ungrouped = (ROUTES as readonly ControlRoute[]).filter((route) => !grouped.has(route));
if (ungrouped.length > 0) throw new Error(`no group has ${ungrouped.map(({ path }) => path).join(", ")}`);

/** Where a route is described, by its method and path: a link from docs/reference. */
export function routeAddress(line: string): string {
  const found = Object.entries(GROUPS).find(([, { routes }]) =>
    routes.some(({ method, path }) => `${method} ${path}` === line),
  );
  if (found === undefined) throw new Error(`no group has the route ${line}`);
  return `control/${found[0]}.md#${anchor(line)}`;
}

function indexOfRoutes(): string {
  return page(
    "Control API",
    "Controls a running simulator. Paths are below `/__sim`. Each route of a sandbox exists twice: as shown for the sandbox `default`, and below `/__sim/sandboxes/:sandbox`. Requests and responses are JSON; lists start with the oldest entry.",
    'A refusal is `{ "error": { "code", "message", "details": [{ "path", "message" }] } }`: 400 for invalid input, 401 without the control token if one is set, 403 for a foreign `Host` or origin, 404, 409 for conflicts; [Errors](../errors.md) lists all of them. A refused call changes nothing.',
    "OpenAPI: `GET /__sim/control.json`, or `messaging-sim schema control`.",
    Object.entries(GROUPS).map(([file, { title, about, routes }]) => [
      `## [${title}](${file}.md)`,
      about,
      table(
        ["route", ""],
        routes.map(({ method, path, summary }) => [
          `[${code(`${method} ${path}`)}](${file}.md#${anchor(`${method} ${path}`)})`,
          summary,
        ]),
      ),
    ]),
  );
}

/** The pages by their path below docs/reference. */
export function controlPages(): [path: string, text: string][] {
  const shapes = new Shapes(OTHER_PAGES, SHAPES);
  const groups = Object.entries(GROUPS).map(([file, { title, about, routes, more }]): [string, string] => [
    `control/${file}.md`,
    page(
      title,
      `${about} Paths are below \`/__sim\`; see [Control API](README.md).`,
      routes.map((route) => routePart(route, shapes)),
      more,
    ),
  ]);
  const about = "The objects that several routes of the [control API](README.md) take or return.";
  const shared = page("Shapes", about, shapes.sections());
  return [["control/README.md", indexOfRoutes()], ...groups, [`control/${SHAPES}`, shared]];
}
