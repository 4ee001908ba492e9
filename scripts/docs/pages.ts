/** Every file that is written from the tables in src. */
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
import { controlPage } from "./control.js";
import { errorsPage } from "./errors.js";
import { eventsPage } from "./events.js";
import { Examples } from "./examples.js";
import { fixturesPage } from "./fixtures.js";
import { galleryPage } from "./gallery.js";
import { libraryPages } from "./library.js";
import { page, table } from "./markdown.js";
import { operationPage, operationsIndex } from "./operations.js";
import { optionsPage } from "./options.js";
import { scenarioPage } from "./scenarios.js";

const ROOT = join(import.meta.dirname, "..", "..");
const ARCHITECTURE = "docs/architecture.md";

/** Folders that hold nothing but written files. */
export const WRITTEN_FOLDERS = ["docs/reference", "schemas"] as const;

/** The schemas that editors use, under the names of `messaging-sim schema`. */
const SCHEMAS = ["scenario", "fixtures", "behaviour", "config"] as const;

/** The text of each written file by its path from the project's root. */
export async function writtenFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [path, text] of await referencePages()) files.set(`docs/reference/${path}`, text);
  for (const name of SCHEMAS)
    files.set(`schemas/${name}.json`, `${JSON.stringify(await PRINTABLE[name](), null, 2)}\n`);
  files.set(ARCHITECTURE, withLayers(readFileSync(join(ROOT, ARCHITECTURE), "utf8")));
  return files;
}

/** The text of each page of the reference by its path below docs/reference. */
export async function referencePages(): Promise<Map<string, string>> {
  const examples = await Examples.start();
  try {
    const pages = new Map([
      ["README.md", indexPage()],
      ["api/README.md", operationsIndex()],
      ["behaviour.md", behaviourPage()],
      ["bounds.md", boundsPage()],
      ["challenges.md", challengesPage()],
      ["conformance.md", conformancePage()],
      ["control.md", controlPage()],
      ["errors.md", errorsPage()],
      ["events.md", await eventsPage(examples)],
      ["scenario.md", scenarioPage()],
      ["options.md", optionsPage()],
      ["fixtures.md", fixturesPage()],
      ["gallery.md", galleryPage()],
      ...(await commandPages()),
      ...libraryPages(),
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
    "Written from the tables that the simulator itself runs on, so it is always what the simulator does.",
    table(
      ["page", ""],
      [
        [
          "[The simulated API](api/README.md)",
          "a page for each operation: fields, example, answers by status",
        ],
        ["[Behaviour](behaviour.md)", "what the specification leaves open"],
        [
          "[Conformance](conformance.md)",
          "the specification sentence by sentence, with the tests that prove it",
        ],
        ["[Challenges](challenges.md)", "what `challenge` tries with a system under test"],
        ["[Bounds](bounds.md)", "how much of everything there may be, and what happens beyond it"],
        ["[Events](events.md)", "what webhooks are sent"],
        ["[Control API](control.md)", "the routes below `/__sim`"],
        ["[Errors](errors.md)", "the codes, statuses and messages of the control API"],
        ["[Scenarios](scenario.md)", "the format and its steps"],
        ["[Gallery](gallery.md)", "the scenarios that ship"],
        ["[Commands](commands/README.md)", "a page for each: options, examples, exit codes"],
        ["[Library and client](library/README.md)", "what `messaging-sim` and its parts export"],
        ["[Options of serve](options.md)", "flags, variables, config file"],
        ["[Fixtures](fixtures.md)", "the records that a world starts from"],
      ],
    ),
  );
