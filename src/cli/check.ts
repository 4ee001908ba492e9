import { controlApi } from "../client/transport.js";
import type { FixtureDocument } from "../client/types.js";
import { printable } from "../kernel/printable.js";
import { formatProblem, type Problem } from "../kernel/problems.js";
import { shippedFixture } from "../simulator/start.js";
import { command } from "./command.js";
import { kindOfDocument } from "./documents.js";
import { explain } from "./explain.js";
import { baseAddress, controlToken, optional, type Values, words } from "./options.js";
import { readDocument } from "./read-document.js";
import { documentsIn, type StandardFixture } from "./scenario-files.js";
import { OK, refuse, type Terminal, UNUSABLE } from "./terminal.js";

const CHECK_OPTIONS = {
  file: words("JSON or YAML files, or folders of them"),
  url: optional(
    "scenarios that name no fixture start from the state of this simulator (default: from the fixture that ships)",
    baseAddress,
  ),
  "control-token": controlToken("its control token"),
};

/** `messaging-sim check <file…>`: a line for each problem, or for each good file. */
export const CHECK = command({
  options: CHECK_OPTIONS,
  examples: [
    ["messaging-sim check acme.json greeting.yaml", "a line for each good file, or for each problem"],
    ["messaging-sim check scenarios/", "the files of a folder"],
  ],
  exits: { 0: "every file is good", 2: "a file is not" },
  run: async (values, terminal) => {
    const standard = standardFixture(values);
    let code = OK;
    try {
      for (const path of values.file) {
        const files = await documentsIn(path);
        if (files.length === 0)
          code = refuse(terminal, [{ file: path, path: "", message: "has no JSON or YAML files" }]);
        for (const file of files) if (!(await checkFile(file, standard, terminal))) code = UNUSABLE;
      }
      return code;
    } catch (error) {
      return explain(error, terminal);
    }
  },
});

/** What scenarios start from that name no fixture; asked for once. */
function standardFixture({ url, controlToken }: Values<typeof CHECK_OPTIONS>): StandardFixture {
  const read = async () =>
    url === undefined
      ? shippedFixture()
      : controlApi(url, { controlToken }).call<FixtureDocument>("GET", "/state");
  let fixture: ReturnType<typeof read> | undefined;
  return {
    fixture: async () => ({ ...(await (fixture ??= read())) }),
    name:
      url === undefined ? "with the fixture that ships; --url checks with another simulator's" : `at ${url}`,
  };
}

async function checkFile(file: string, standard: StandardFixture, { out }: Terminal): Promise<boolean> {
  const checked = await examine(file, standard);
  if (typeof checked === "string") out(`${printable(`${file}  ok (${checked})`)}\n`);
  else out(checked.map((problem) => `${formatProblem(problem)}\n`).join(""));
  return typeof checked === "string";
}

/** What the file is, as a phrase; or what is wrong with it. */
async function examine(file: string, standard: StandardFixture): Promise<string | readonly Problem[]> {
  const document = await readDocument(file);
  if (document.problems) return document.problems;
  const kind = kindOfDocument(document);
  if ("message" in kind) return [kind];
  const problems = await kind.check(document, standard);
  if (problems.length > 0) return problems;
  const summary = kind.summary(Object(document.value));
  return summary === "" ? kind.name : `${kind.name}: ${summary}`;
}
