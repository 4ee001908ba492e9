/** The reference: what the tables say, nothing that leads nowhere, examples that do what they show. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ENTRIES, unexplained } from "../../scripts/docs/library.js";
import { WRITTEN_FOLDERS, writtenFiles } from "../../scripts/docs/pages.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { CONDITIONS } from "../../src/api/responses.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { STEPS } from "../../src/scenarios/steps/index.js";
import { OPTION_NAMES } from "../../src/server/config/options.js";
import { BEHAVIOUR_KEYS } from "../../src/service/behaviour/table.js";
import { COLLECTIONS } from "../../src/service/world/records.js";
import { startSimulator } from "../support/simulator.js";
import { PAGES, textOf } from "./fences.js";

const ROOT = join(import.meta.dirname, "..", "..");
const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading as string);
const anchorsOf = (text: string): Set<string> =>
  new Set(
    headingsOf(text).map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

let files: Map<string, string>;
/** The pages of the reference, by their paths in its folder. */
let pages: Map<string, string>;
beforeAll(async () => {
  files = await writtenFiles();
  pages = new Map(
    [...files].flatMap(([path, text]) =>
      path.startsWith("docs/reference/") ? [[path.slice("docs/reference/".length), text]] : [],
    ),
  );
});

describe("the reference", () => {
  it("is current, as are the schemas and the table of layers: `npm run docs` writes them", () => {
    const there = WRITTEN_FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => /\.(md|json)$/.test(path))
        .map((path) => `${folder}/${path.split(sep).join("/")}`),
    );
    expect([...files.keys()]).toEqual(expect.arrayContaining(there));
    const stale = [...files].filter(([path, text]) => readFileSync(join(ROOT, path), "utf8") !== text);
    expect(stale.map(([path]) => path)).toEqual([]);
  });

  it("links to pages and headings that there are, as README and guides do", () => {
    const linking = [
      ...[...pages].map(([path, text]) => ({ page: `docs/reference/${path}`, text })),
      ...PAGES.map((page) => ({ page, text: textOf(page) })),
    ];
    const links = linking.flatMap(({ page, text }) =>
      [...text.matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, target = ""]) => ({ page, target })),
    );
    expect(links.length).toBeGreaterThan(40);
    for (const { page, target } of links) {
      const [file = "", anchor] = target.split("#");
      const path = file === "" ? page : normalize(join(dirname(page), file));
      expect(files.has(path) || existsSync(join(ROOT, path)), `${page}: ${target}`).toBe(true);
      if (anchor !== undefined)
        expect(anchorsOf(files.get(path) ?? textOf(path)), `${page}: ${target}`).toContain(anchor);
    }
  });

  it("holds no trace of a value that was not there", () => {
    for (const [path, text] of pages) {
      expect(text, path).not.toMatch(/\[object Object\]|\bNaN\b|^false$/m);
      // Types of the library may say it.
      if (!path.startsWith("library/")) expect(text, path).not.toMatch(/\bundefined\b/);
      for (const line of text.split("\n").filter((line) => line.startsWith("|")))
        expect(line, path).toMatch(/\|$/);
    }
  });

  it("says of the specification that it decides what it states, and nothing else", () => {
    const decided = OPERATIONS.map(({ id }) => {
      const rows = pages.get(`api/${id}.md`)?.match(/^\| \d{3} \|.*\| the specification \|/gm) ?? [];
      return [id, rows.map((row) => row.slice(2, 5)).join(" ")];
    });
    expect(Object.fromEntries(decided)).toEqual({
      getCustomerProfile: "200",
      updateCustomerProfile: "",
      deleteUserByEmail: "200 400 400 400 404",
      sendMessageToCustomerThread: "",
      sendMessageToBusiness: "200 400 403",
      getCustomerThreadDetails: "200",
      getWhatsappTemplates: "200",
      updateThreadStatus: "",
      createWebhook: "",
      listWebhooks: "",
      getWebhook: "",
      updateWebhook: "",
      deleteWebhook: "",
      updateHookUrl: "",
      graphql: "200",
    });
  });

  it("has a page for each entry point of the package, and words for all that users reach", () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const names = Object.keys(exports).filter((key) => key !== "./package.json");
    expect(ENTRIES.map(({ name }) => name)).toEqual(names.map((key) => key.replace(".", "messaging-sim")));
    for (const { page } of ENTRIES) expect([...pages.keys()]).toContain(`library/${page}`);
    expect(unexplained()).toEqual([]);
    const client = pages.get("library/messaging-sim-client.md") ?? "";
    for (const name of ["SimClient", "waitForReply", "customerSays", "connect", "advance", "ensureSandbox"])
      expect(headingsOf(client)).toContain(name);
    expect(client).toContain("advance(by: Duration): Promise<ClockReading>");
    expect(client).toContain("| `isMessagingWindowOpen` | boolean | yes |");
  });

  it("says in words what must hold for each operation", () => {
    for (const { id, refusals, permission } of OPERATIONS) {
      const page = pages.get(`api/${id}.md`);
      for (const key of [...refusals, ...(permission === undefined ? [] : [permission.refusal])]) {
        expect(CONDITIONS[key], `${key} needs a sentence in CONDITIONS`).toBeDefined();
        expect(page).toContain(`- ${CONDITIONS[key]}`);
      }
    }
    expect(pages.get("api/deleteUserByEmail.md")).toContain("has the permission `user:delete`");
    expect(pages.get("api/getCustomerThreadDetails.md")).toContain("`threads.readAccess` is `organization`");
    expect(pages.get("api/updateThreadStatus.md")).not.toContain("threads.readAccess");
    expect(pages.get("api/listWebhooks.md")).toContain("Every token may call the operation");
  });

  it("tells of everything that there is", () => {
    for (const { id, method, path } of OPERATIONS)
      expect(pages.get(`api/${id}.md`)).toContain(`\`${method} ${path}\``);
    for (const key of BEHAVIOUR_KEYS) expect(pages.get("behaviour.md")).toContain(`| \`${key}\` |`);
    for (const { method, path } of ROUTES)
      expect(headingsOf(pages.get("control.md") ?? "")).toContain(`\`${method} ${path}\``);
    for (const { key } of STEPS) expect(headingsOf(pages.get("scenario.md") ?? "")).toContain(key);
    for (const name of OPTION_NAMES) expect(pages.get("options.md")).toMatch(new RegExp(`\`(--)?${name}\``));
    for (const { name } of COMMANDS)
      expect(headingsOf(pages.get(`commands/${name}.md`) ?? "")).toEqual([
        `messaging-sim ${name}`,
        ...["Options", "Examples", "Exit codes"].slice(["completion", "schema"].includes(name) ? 1 : 0),
      ]);
    for (const name of COLLECTIONS) expect(headingsOf(pages.get("fixtures.md") ?? "")).toContain(name);
  });
});

describe("the example of", () => {
  it.each(OPERATIONS.map(({ id }) => id))("%s does what its page shows", async (id) => {
    const text = pages.get(`api/${id}.md`) ?? "";
    const command = /```sh\n([\s\S]*?)\n```/.exec(text)?.[1] ?? "";
    const shown = /It answers (\d+):\n\n```json\n([\s\S]*?)\n```/.exec(text);
    const target = /http:\/\/127\.0\.0\.1:4020([^'\s]*)/.exec(command)?.[1];
    const method = /-X (\w+)/.exec(command)?.[1] ?? "GET";
    const body = /-d '(.*)'$/m.exec(command)?.[1];
    const { api } = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
    const answer = await api(`${method} ${target}`, body);
    expect(answer.status).toBe(Number(shown?.[1]));
    expect(answer.body).toEqual(JSON.parse(shown?.[2] ?? ""));
  });
});
