// All pages of the reference.

import { behaviourPage } from "./behaviour.mjs";
import { controlPage } from "./control.mjs";
import { errorsPage } from "./errors.mjs";
import { startExamples } from "./examples.mjs";
import { galleryPage } from "./gallery.mjs";
import { operationPage, operationsIndex } from "./operations.mjs";
import { eventsPage, fixturesPage, indexPage, optionsPage, scenarioPage } from "./others.mjs";
import { loadTables } from "./tables.mjs";

/**
 * Writes every page.
 * @param load imports a module of the simulator by its path, such as `simulator.js`
 * @returns {Promise<Map<string, string>>} the text of each page by its path below docs/reference
 */
export async function referencePages(load) {
  const tables = await loadTables(load);
  const examples = await startExamples(tables);
  try {
    const pages = new Map([
      ["README.md", indexPage()],
      ["api/README.md", operationsIndex(tables)],
      ["behaviour.md", behaviourPage(tables)],
      ["control.md", controlPage(tables)],
      ["errors.md", errorsPage(tables)],
      ["events.md", eventsPage(tables, await examples.payloads())],
      ["scenario.md", scenarioPage(tables)],
      ["options.md", optionsPage(tables)],
      ["fixtures.md", fixturesPage(tables)],
      ["gallery.md", galleryPage()],
    ]);
    for (const operation of tables.OPERATIONS)
      pages.set(`api/${operation.id}.md`, await operationPage(operation, tables, examples));
    return pages;
  } finally {
    await examples.close();
  }
}
