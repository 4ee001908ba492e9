/** How the blocks of README and guides are parsed; blocks.gate.test.ts and blocks.all.test.ts run them. */
import { describe, expect, it } from "vitest";
import { commandsOf, fencesOf, PAGES, patternOf, printedBy, RUN, textOf } from "./fences.js";

const FENCES = PAGES.flatMap(fencesOf);
/** Output or excerpts of files; `zsh`, `fish` and `console` need what this machine may not have. */
const SHOWN = ["", "js", "yaml", "json", "zsh", "fish", "console"];

/** The commands that no test runs, by page: they install something, need a container engine, or run the tests. */
const NOT_RUN: Readonly<Record<string, readonly string[]>> = {
  "README.md": [
    "npm ci && npm start",
    "npm ci && npm test",
    "npm i -D messaging-sim vitest",
    "npx messaging-sim serve",
  ],
  "docs/guides/getting-it.md": [
    "npm i -D messaging-sim",
    "npx messaging-sim serve",
    "npm ci && npm pack",
    "cd ../your-project && npm i -D ../messaging-sim/messaging-sim-0.1.0.tgz",
    "docker build -t messaging-sim .",
    "docker run -p 4020:4020 messaging-sim",
    "npm ci && npm start",
  ],
  "docs/guides/test-runners.md": ["npm i -D messaging-sim"],
  "docs/guides/base-address.md": [
    "export MESSAGING_SIM_INTERCEPT=api.example",
    'NODE_OPTIONS="--import messaging-sim/intercept" npm start',
    "sudo npx messaging-sim serve --port 443 --self-signed --allow-host api.example",
    "keytool -importcert -noprompt -alias messaging-sim -file $CA -keystore trust.p12 -storetype PKCS12 -storepass changeit",
    "java -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit -jar app.jar",
  ],
  "docs/guides/challenge.md": [
    'npx messaging-sim challenge conversation.yaml --hook http://127.0.0.1:4021/ --exec "node bot.js"',
  ],
  "docs/guides/load.md": [
    "npx messaging-sim serve --set delivery.order=none",
    "npx messaging-sim load order.yaml --url http://127.0.0.1:4020 --hook http://localhost:3000/hook --customers 5000 --for 5m",
  ],
  "docs/guides/container.md": [
    "docker build -t messaging-sim .",
    "docker run --rm -p 4020:4020 messaging-sim",
    "docker run --rm -p 4020:4020 -e MESSAGING_SIM_CONTROL_TOKEN=test-control messaging-sim",
    "docker run --rm -p 4020:4020 -v sim-data:/data messaging-sim serve --host 0.0.0.0 --data /data",
  ],
};

describe("the blocks", () => {
  it("are all found, each in a language that is run or shown", () => {
    for (const page of PAGES) {
      const opened = textOf(page).match(/^[ >]*(```|~~~)/gm) ?? [];
      expect(opened.length, page).toBe(2 * fencesOf(page).length);
    }
    const languages = new Set(FENCES.map(({ language }) => language));
    expect([...languages].filter((language) => ![...RUN, ...SHOWN].includes(language))).toEqual([]);
    expect(FENCES.filter(({ language, file }) => language === "js" && file === undefined)).toEqual([]);
  });

  it("that no test runs are listed here", () => {
    const shown = FENCES.filter(({ language }) => language === "console");
    const pages = PAGES.filter((page) => shown.some((fence) => fence.page === page));
    const commandsIn = (page: string) =>
      shown.filter((fence) => fence.page === page).flatMap(({ text }) => text.trim().split("\n"));
    expect(Object.fromEntries(pages.map((page) => [page, commandsIn(page)]))).toEqual(NOT_RUN);
  });
});

describe("a block of commands", () => {
  it("is split into commands and their output", () => {
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
});
