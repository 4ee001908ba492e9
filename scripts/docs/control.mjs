// The control API.

import { code, page, table } from "./markdown.mjs";
import { fieldTable, rulesOf, Shapes, typeOf } from "./schemas.mjs";

const groupOf = ({ path }) => path.split("/")[1].replace(/\..*$/, "");

/** Describes a schema: a link where it has a name, its fields where it has some, else words. */
function described(words, schema, shapes) {
  const fields = schema.title === undefined ? fieldTable(schema, shapes) : undefined;
  const type = typeOf(schema, shapes);
  const note = [schema.description, rulesOf(schema)].filter(Boolean).join("; ");
  return [`${words}: ${type}${note === "" ? "" : ` (${note})`}${fields === undefined ? "." : ":"}`, fields];
}

const lowered = (text) => `${text[0].toLowerCase()}${text.slice(1)}`;

function routePart(route, shapes, { ERROR_CODES, controlErrorEntry }) {
  const { method, path, summary, scope, query, body, bodyOptional, success, open } = route;
  const { refusals = [], others = [] } = route;
  const errors = refusals.map(controlErrorEntry).map(({ code, when }) => [ERROR_CODES[code], when]);
  const answers = [...errors, ...others.map(({ status, description }) => [status, description])];
  const queryFields = query && fieldTable(query, shapes);
  return [
    `### \`${method} ${path}\``,
    `${summary}.`,
    scope === "server" ? "Of the server: there is no such route below a sandbox." : undefined,
    open === true ? "Needs no control token." : undefined,
    queryFields && ["Query:", queryFields],
    body && described(bodyOptional ? "Body, which may be left out" : "Body", body, shapes),
    described(`Answers ${success.status}`, success.schema, shapes),
    answers.length > 0
      ? `Other answers: ${answers
          .sort(([a], [b]) => a - b)
          .map(([status, when]) => `${status} (${lowered(when)})`)
          .join(", ")}.`
      : undefined,
  ].flat();
}

/** Where the page links to for a shape that another page describes. */
function otherPages({ RECORD_SCHEMAS, COLLECTIONS }) {
  const places = new Map(
    COLLECTIONS.map((name) => [RECORD_SCHEMAS[name].title, `fixtures.md#${name.toLowerCase()}`]),
  );
  places.set("messaging-sim fixture", "fixtures.md").set("messaging-sim behaviour", "behaviour.md");
  return places;
}

export function controlPage(tables) {
  const { ROUTES, FAULT_PRESETS, OPERATOR_OPERANDS } = tables;
  const shapes = new Shapes(otherPages(tables));
  const groups = [...new Set(ROUTES.map(groupOf))];
  const parts = groups.flatMap((group) => [
    `## ${group}`,
    ...ROUTES.filter((route) => groupOf(route) === group).flatMap((route) =>
      routePart(route, shapes, tables),
    ),
  ]);
  return page(
    "Control API",
    "The tests' hand on a running simulator. Paths are below `/__sim`; each route of a sandbox exists twice, as shown for the sandbox `default` and below `/__sim/sandboxes/:sandbox`. JSON goes in and comes out, lists are oldest first.",
    'A refusal is `{ "error": { "code", "message", "details": [{ "path", "message" }] } }`: 400 for unusable input, 401 without the control token where one is set, 403 for a foreign `Host` or origin, 404, 409 for conflicts; [Errors](errors.md) lists all of them. A refused call changes nothing.',
    "OpenAPI: `GET /__sim/control.json`, or `messaging-sim schema control`.",
    table(
      ["route", ""],
      ROUTES.map(({ method, path, summary }) => [code(`${method} ${path}`), summary]),
    ),
    parts,
    "## Matching",
    "A match is a partial object. Objects match as subsets, arrays element by element, scalars by equality; an object with an operator stands for a condition wherever a value stands, and several operators must all hold.",
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
