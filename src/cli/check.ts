import { formatProblem, type Problem } from "../kernel/problems.js";
import { command } from "./command.js";
import { kindOfDocument } from "./documents.js";
import { words } from "./options.js";
import { readDocument } from "./read-document.js";
import { OK, type Terminal, UNUSABLE } from "./terminal.js";

/** `messaging-sim check <file…>`: a line for each problem, or for each good file. */
export const CHECK = command({
  options: { file: words("JSON or YAML files") },
  examples: [
    ["messaging-sim check acme.json greeting.yaml", "a line for each good file, or for each problem"],
  ],
  exits: { 0: "every file is good", 2: "a file is not" },
  run: async ({ file: files }, terminal) => {
    let code = OK;
    for (const file of files) {
      if (!(await checkFile(file, terminal))) code = UNUSABLE;
    }
    return code;
  },
});

async function checkFile(file: string, { out }: Terminal): Promise<boolean> {
  const checked = await examine(file);
  if (typeof checked === "string") out(`${file}  ok (${checked})\n`);
  else out(checked.map((problem) => `${formatProblem(problem)}\n`).join(""));
  return typeof checked === "string";
}

/** What the file is, as a phrase; or what is wrong with it. */
async function examine(file: string): Promise<string | readonly Problem[]> {
  const document = await readDocument(file);
  if (document.problems) return document.problems;
  const kind = kindOfDocument(document);
  if ("message" in kind) return [kind];
  const problems = await kind.check(document);
  if (problems.length > 0) return problems;
  const summary = kind.summary(Object(document.value));
  return summary === "" ? kind.name : `${kind.name}: ${summary}`;
}
