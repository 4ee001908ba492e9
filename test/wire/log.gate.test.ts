/** What the log of a program shows of an error that holds secrets. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { start } from "../cli/program.js";
import { newFolder } from "../persistence/support.js";
import { until } from "../support/until.js";

/** Once the file FAILING exists, renaming fails, with an error and a cause that hold secrets. */
const PRELOAD = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  if (!fs.existsSync(process.env.FAILING)) return renameSync(from, to);
  const [message, reason, url] = process.env.TEXTS.split(" | ");
  throw Object.assign(new Error(message, { cause: new Error(reason) }), { code: "EIO", url });
};
syncBuiltinESMExports();
`;

const TEXTS =
  "EIO: http://bot:PASSWORD1@disk.example/?key=KEY1 | closed by https://h.example/?token=TOKEN1 | http://u:PASSWORD1@h/";

it.each(["pretty", "json"])("no line of a %s log shows a secret that an error holds", async (format) => {
  const FAILING = join(newFolder(), "failing");
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(PRELOAD)}`;
  const words = ["serve", "--port=0", "--data", newFolder(), "--log-format", format];
  const program = start(words, { NODE_OPTIONS, FAILING, TEXTS });
  const url = await program.url();
  writeFileSync(FAILING, "");
  await fetch(`${url}/__sim/clock`, { method: "PUT", body: '{ "frozen": true }' });
  await until(() => /changes cannot be saved.*\n/.test(program.stdout()));
  program.child.kill("SIGTERM");
  await program.exited;
  const log = program.stdout();
  expect(log).toContain("EIO: http://bot:••••D1@disk.example/?key=••••Y1");
  expect(log + program.stderr()).not.toMatch(/PASSWORD1|TOKEN1|KEY1/);
  if (format === "pretty") return;
  const line = log.split("\n").find((text) => text.includes("changes cannot be saved")) ?? "";
  const { err } = JSON.parse(line);
  expect(err).toMatchObject({ type: "Error", code: "EIO", url: "http://u:••••D1@h/" });
  expect(err.message).toContain("closed by https://h.example/?token=••••N1");
  expect(err.stack).toMatch(/\n {4}at .*caused by.*\n {4}at /s);
});
