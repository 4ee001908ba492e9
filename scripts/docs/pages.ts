/** The generated pages and schemas, written from the tables in src. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { PRINTABLE } from "../../src/cli/schema.js";
import { withLayers } from "./architecture.js";
import { behaviourPage } from "./behaviour.js";
import { boundsPage } from "./bounds.js";
import { challengesPage } from "./challenges.js";
import { commandPages } from "./commands.js";
import { conformancePage } from "./conformance.js";
import { controlPages } from "./control.js";
import { errorsPage } from "./errors.js";
import { eventsPage } from "./events.js";
import { Examples } from "./examples.js";
import { fixturesPage } from "./fixtures.js";
import { galleryPage } from "./gallery.js";
import { clientPage, libraryPages } from "./library.js";
import { page, table } from "./markdown.js";
import { operationPage, operationsIndex } from "./operations.js";
import { optionsPage } from "./options.js";
import { scenarioPage } from "./scenarios.js";

const ROOT = join(import.meta.dirname, "..", "..");
const ARCHITECTURE = "docs/architecture.md";

const LLMS = "llms.txt";

/** Folders that contain only generated files. */
export const WRITTEN_FOLDERS = ["docs/reference", "schemas"] as const;

/** The schemas that editors use, under the names of `messaging-sim schema`. */
const SCHEMAS = ["scenario", "fixtures", "behaviour", "config"] as const;

/** Where editors find the schemas without the package. */
const SCHEMAS_ON_THE_WEB = "https://raw.githubusercontent.com/messaging-sim/messaging-sim/main/schemas";

/** The files that editors recognize by their names: entries for the catalog of SchemaStore. */
const CATALOG = [
  {
    name: "messaging-sim scenario",
    description: "A conversation with expectations, for `messaging-sim run`",
    fileMatch: ["*.messaging-sim.yaml", "*.messaging-sim.yml", "*.messaging-sim.json"],
    url: `${SCHEMAS_ON_THE_WEB}/scenario.json`,
  },
  {
    name: "messaging-sim config",
    description: "The options of `messaging-sim serve`",
    fileMatch: ["messaging-sim.config.yaml", "messaging-sim.config.yml", "messaging-sim.config.json"],
    url: `${SCHEMAS_ON_THE_WEB}/config.json`,
  },
];

/** The text of each generated file that is committed, by its path from the project's root. */
export async function writtenFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [path, text] of await referencePages()) files.set(`docs/reference/${path}`, text);
  for (const name of SCHEMAS)
    files.set(`schemas/${name}.json`, `${JSON.stringify(await PRINTABLE[name](), null, 2)}\n`);
  files.set("schemas/catalog.json", `${JSON.stringify(CATALOG, null, 2)}\n`);
  files.set(ARCHITECTURE, withLayers(readFileSync(join(ROOT, ARCHITECTURE), "utf8")));
  files.set(LLMS, llmsText());
  return files;
}

/** The index of the documentation for coding assistants (llmstxt.org), from the tables of guides and reference. */
function llmsText(): string {
  const listed = (folder: string, index: string): string[] =>
    [...index.matchAll(/^\| \[(.+?)\]\((.+?)\) \| (.+?) \|$/gm)].map(
      ([, title, file = "", topics]) => `- [${title}](${join("docs", folder, file)}): ${topics}`,
    );
  return [
    "# messaging-sim",
    "",
    "> A stateful local simulator of the Customer Messaging Integration API: conversations over WhatsApp, SMS and e-mail, messaging windows, templates, webhooks. Bots and integrations are tested against it.",
    "",
    "Start it with `npx messaging-sim serve`; the API key is `acme-token`, and thread ids start at 9001. `messaging-sim mcp` offers the same as tools. [SKILL.md](SKILL.md) teaches the loop: start, connect, play, wait, read why.",
    "",
    "## Guides",
    "",
    ...listed("guides", readFileSync(join(ROOT, "docs", "guides", "README.md"), "utf8")),
    "",
    "## Reference",
    "",
    ...listed("reference", indexPage()),
    "",
  ].join("\n");
}

/** The text of each page that only the site has, by its path from the project's root: they are built with it and not committed. */
export const sitePages = (): Map<string, string> =>
  new Map(
    [["gallery.md", galleryPage()] as const, ...libraryPages()].map(([path, text]) => [
      `docs/reference/${path}`,
      text,
    ]),
  );

/** The text of each committed page of the reference by its path below docs/reference. */
export async function referencePages(): Promise<Map<string, string>> {
  const examples = await Examples.start();
  try {
    const pages = new Map([
      ["README.md", indexPage()],
      ["api/README.md", operationsIndex()],
      ["behaviour.md", behaviourPage()],
      ["bounds.md", boundsPage()],
      ["challenges.md", challengesPage()],
      ["client.md", clientPage()],
      ["conformance.md", conformancePage()],
      ["errors.md", errorsPage()],
      ["events.md", await eventsPage(examples)],
      ["scenario.md", scenarioPage()],
      ["options.md", optionsPage()],
      ["fixtures.md", fixturesPage()],
      ...controlPages(),
      ...(await commandPages()),
    ]);
    for (const operation of OPERATIONS)
      pages.set(`api/${operation.id}.md`, await operationPage(operation, examples));
    return pages;
  } finally {
    await examples.close();
  }
}

const indexPage = (): string =>
  page(
    "Reference",
    "These pages are generated from the tables that the simulator itself uses, so they always match its behaviour. `npm run site` adds a reference of the library and a gallery of scenarios.",
    table(
      ["page", ""],
      [
        [
          "[The simulated API](api/README.md)",
          "one page per operation: fields, an example, responses by status",
        ],
        ["[Behaviour](behaviour.md)", "undocumented details of the service, and how to change them"],
        ["[Challenges](challenges.md)", "the changes that `challenge` makes"],
        ["[Client](client.md)", "each method of the client and of a sandbox, with an example"],
        ["[Events](events.md)", "the payloads of webhooks"],
        ["[Control API](control/README.md)", "the routes below `/__sim`, in groups"],
        ["[Errors](errors.md)", "the codes, statuses and messages of the control API"],
        ["[Scenarios](scenario.md)", "the format and its steps"],
        ["[Commands](commands/README.md)", "one page per command: options, examples, exit codes"],
        ["[Options of serve](options.md)", "flags, variables, config file"],
        ["[Fixtures](fixtures.md)", "the records of the initial state"],
      ],
    ),
    "## For contributors",
    table(
      ["page", ""],
      [
        ["[Conformance](conformance.md)", "every sentence of the specification, with its test"],
        ["[Bounds](bounds.md)", "limits, and what happens beyond them"],
      ],
    ),
  );
