/** How the blocks of README and guides are parsed; blocks.gate.test.ts and blocks.all.test.ts run them. */
import { expect, it } from "vitest";
import { commandsOf, fencesOf, PAGES, patternOf, printedBy, RUN, textOf } from "./fences.js";

const FENCES = PAGES.flatMap(fencesOf);
/** Output or excerpts of files; `zsh`, `fish` and `console` need what this machine may not have. */
const SHOWN = ["", "js", "yaml", "json", "zsh", "fish", "console"];

/** The commands that no test runs: they install something, need a container engine, or run the tests. */
const NOT_RUN = [
  "cd ../your-project && npm i -D ../messaging-sim/messaging-sim-0.1.0.tgz",
  "docker build -t messaging-sim .",
  "docker run --rm -p 4020:4020 -e MESSAGING_SIM_CONTROL_TOKEN=test-control messaging-sim",
  "docker run --rm -p 4020:4020 -v sim-data:/data messaging-sim serve --host 0.0.0.0 --data /data",
  "docker run --rm -p 4020:4020 messaging-sim",
  "docker run -p 4020:4020 messaging-sim",
  "export MESSAGING_SIM_INTERCEPT=api.example",
  "java -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit -jar app.jar",
  "keytool -importcert -noprompt -alias messaging-sim -file $CA -keystore trust.p12 -storetype PKCS12 -storepass changeit",
  'NODE_OPTIONS="--import messaging-sim/intercept" npm start',
  "npm ci && npm pack",
  "npm ci && npm start",
  "npm ci && npm test",
  "npm i -D messaging-sim",
  "npm i -D messaging-sim vitest",
  'npx messaging-sim challenge conversation.yaml --hook http://127.0.0.1:4021/ --exec "node bot.js"',
  "npx messaging-sim load order.yaml --url http://127.0.0.1:4020 --hook http://localhost:3000/hook --customers 5000 --for 5m",
  "npx messaging-sim serve",
  "npx messaging-sim serve --set delivery.order=none",
  "sudo npx messaging-sim serve --port 443 --self-signed --allow-host api.example",
];

it("the blocks are all found, each in a language that is run or shown", () => {
  for (const page of PAGES) {
    const opened = textOf(page).match(/^[ >]*(```|~~~)/gm) ?? [];
    expect(opened.length, page).toBe(2 * fencesOf(page).length);
  }
  const languages = new Set(FENCES.map(({ language }) => language));
  expect([...languages].filter((language) => ![...RUN, ...SHOWN].includes(language))).toEqual([]);
  expect(FENCES.filter(({ language, file }) => language === "js" && file === undefined)).toEqual([]);
});

it("the blocks that no test runs are listed here", () => {
  const shown = FENCES.filter(({ language }) => language === "console");
  const commands = shown.flatMap(({ text }) => text.trim().split("\n"));
  expect(new Set(commands)).toEqual(new Set(NOT_RUN));
});

it("a block of commands is split into commands and their output", () => {
  const block = "# Why.\na\nb \\\n  c\n# one\n# …\nd\n# exit code 2\n\n# Why not.\ne # because\n";
  expect(commandsOf(block)).toEqual([
    { script: "a\nb \\\n  c\n", output: "one\n…", code: 0 },
    { script: "d\n", output: undefined, code: 2 },
    { script: "e # because\n", output: undefined, code: 0 },
  ]);
  expect(printedBy("console.log(1); // 1\nf(2); // no\nconsole.log(3); // …\n")).toBe("1\n…");
  expect("one\ntwo\nthree").toMatch(patternOf("one\n…"));
  expect("one (two)").not.toMatch(patternOf("one (t)"));
});
