/**
 * The share of changed entries that calibration finds in recordings of services with random settings, and the values that are wrong.
 * With --probes, the same for the package's probes with --write, or without it. With --sessions, the false statements about
 * short random sessions of several keys, with outages, latency and bodies that were not recorded.
 * Usage: node bench/calibrate.mjs [--settings 200] [--first 1] [--processes 2] [--probes write|read | --sessions]
 */
import { fork } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "rolldown";

const root = join(import.meta.dirname, "..");
const bundle = join(root, "dist/bench/calibrate.mjs");
const { values } = parseArgs({
  options: {
    settings: { type: "string", default: "200" },
    first: { type: "string", default: "1" },
    processes: { type: "string", default: "2" },
    probes: { type: "string" },
    sessions: { type: "boolean", default: false },
  },
});

if (process.send !== undefined) {
  const { manySettings, outcomeOf, probesOutcomeOf, sessionOutcome } = await import(bundle);
  const outcome = ({ seed, probes, sessions }) =>
    sessions
      ? sessionOutcome(seed)
      : probes === undefined
        ? outcomeOf(manySettings(seed))
        : probesOutcomeOf(manySettings(seed), probes === "write");
  process.on("message", async (asked) => process.send({ seed: asked.seed, ...(await outcome(asked)) }));
  process.send({});
} else {
  await build({
    input: join(root, "test/calibrate/random-sessions.ts"),
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
    external: (id) => !/^[./]/.test(id),
    output: { file: bundle, codeSplitting: false },
    logLevel: "warn",
  });
  let next = Number(values.first);
  const last = next + Number(values.settings) - 1;
  const { probes, sessions } = values;
  const total = { settings: 0, touched: 0, found: 0, wrong: 0 };
  const missed = new Map();
  await Promise.all(
    Array.from(
      { length: Number(values.processes) },
      () =>
        new Promise((resolve, reject) => {
          const child = fork(import.meta.filename);
          const ask = () => (next <= last ? child.send({ seed: next++, probes, sessions }) : child.kill());
          child.on("message", (outcome) => {
            if (outcome.seed !== undefined) {
              total.settings += 1;
              total.touched += outcome.touched ?? 0;
              total.found += outcome.found;
              total.wrong += outcome.wrong.length;
              for (const key of outcome.missed ?? []) missed.set(key, (missed.get(key) ?? 0) + 1);
              for (const wrong of outcome.wrong)
                console.log(
                  `wrong, settings ${outcome.seed} ${JSON.stringify(outcome.settings ?? "")}: ${wrong}`,
                );
            }
            ask();
          });
          child.on("exit", (code) =>
            code ? reject(new Error(`a process ended with code ${code}`)) : resolve(),
          );
        }),
    ),
  );
  const { touched, ...counts } = total;
  console.log(values.sessions ? counts : { ...total, share: Number((total.found / touched).toFixed(3)) });
  for (const [key, times] of [...missed].sort((a, b) => b[1] - a[1])) console.log(`missed ${times}: ${key}`);
}
