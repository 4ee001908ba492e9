// @ts-check
// Bundles the program and the packages that it uses into dist/. See docs/decisions/0008-bundled-package.md.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";
import { minifySync } from "rolldown/utils";
import { licencesOf } from "./bundled-licences.mjs";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const isOwn = (/** @type {string} */ id) => id.startsWith(join(root, "src"));

/**
 * What `loadPackage` loads, each with a file of its own below dist/packages. Nothing else imports these packages.
 * @type {Readonly<Record<string, string>>}
 */
const LOADED = {
  "ajv/dist/2020.js": "ajv",
  express: "express",
  "graphql-yoga": "graphql-yoga",
  iovalkey: "iovalkey",
  "jsonc-parser": "jsonc-parser",
  re2js: "re2js",
  undici: "undici",
};

const LOADING = /(loadPackage<.*>)\("([^"]+)"\)/g;
const fileOfLoaded = (/** @type {string} */ _, /** @type {string} */ call, /** @type {string} */ name) => {
  if (LOADED[name] === undefined) throw new Error(`scripts/bundle.mjs does not bundle ${name}`);
  return `${call}("../packages/${LOADED[name]}.js")`;
};

/**
 * Lets `loadPackage` find a package's file in dist/packages from wherever in dist it ends up: two folders deep.
 * @type {import("rolldown").Plugin}
 */
const loadsBundled = {
  name: "loads-bundled",
  transform: {
    filter: { code: /loadPackage</ },
    handler: (text) => text.replace(LOADING, fileOfLoaded),
  },
};

/**
 * The fixtures of vitest are modules, as vitest is. They take the simulator and the client as everybody else does.
 * @type {import("rolldown").Plugin}
 */
const takesLibrary = {
  name: "takes-library",
  resolveId(source) {
    if (source === "../server/simulator.js") return { id: "../library/index.js", external: true };
    return source === "../client/index.js" ? { id: source, external: true } : undefined;
  },
};

/** Loggers of packages, which nobody turns on, and which open standard error to see whether it is a terminal. */
const QUIET =
  "module.exports = () => Object.assign(() => {}, { enabled: false }); module.exports.default = module.exports;";

/**
 * Leaves out of express what takes most of its start: how it reads bodies and nested queries, which the simulator reads itself, and
 * how it logs.
 * @type {import("rolldown").Plugin}
 */
const withoutUnused = {
  name: "without-unused",
  load: {
    filter: { id: /node_modules\/(?:body-parser\/index|qs\/lib\/index|debug\/src\/index)\.js$/ },
    handler: (id) => ({ code: id.includes("debug") ? QUIET : "module.exports = {};" }),
  },
};

/** The media types that express sends: those of the page's files, and of its own answers. */
const SENT =
  /^(?:text\/(?:html|css|javascript|markdown|plain)|application\/(?:json|octet-stream)|image\/svg\+xml)$/;

/**
 * Keeps of the table of all media types those that are sent: reading the others takes half of express's start.
 * @type {import("rolldown").Plugin}
 */
const withFewTypes = {
  name: "with-few-types",
  load: {
    filter: { id: /node_modules\/mime-db\/db\.json$/ },
    handler(id) {
      const all = Object.entries(JSON.parse(readFileSync(id, "utf8")));
      return {
        code: JSON.stringify(Object.fromEntries(all.filter(([type]) => SENT.test(type)))),
        moduleType: "json",
      };
    },
  },
};

/** What `generate` asks faker for: names of people, companies, cities and products, and sentences. */
const NAMES =
  /^(?:person\.(?!bio|job|western|gender|sex)|company\.|location\.city|commerce\.product_name|lorem\.|metadata\.)/;

const namesIn = (/** @type {[string, Readonly<Record<string, unknown>>]} */ [module, entries]) => [
  module,
  Object.fromEntries(Object.entries(entries).filter(([entry]) => NAMES.test(`${module}.${entry}`))),
];

/**
 * Leaves out of faker's languages what makes no names, where a language has a file of its own.
 * @type {import("rolldown").Plugin}
 */
const namesOnly = {
  name: "names-only",
  load: {
    filter: { id: /@faker-js\/faker\/dist\/(?:en|fr|de|es|nl)-[^/]+\.js$/ },
    async handler(id) {
      const exported = Object.entries(await import(id));
      const kept = exported.map(([name, definitions]) => {
        const text = JSON.stringify(Object.fromEntries(Object.entries(definitions).map(namesIn)));
        return `export const ${name} = ${text};`;
      });
      return { code: kept.join("\n") };
    },
  },
};

const isForeign = (/** @type {string} */ source) => source.includes("node_modules/");

/** Makes a file small that holds nothing but packages; what is the program's own stays readable. @param {string} file */
function minify(file) {
  const { code, errors } = minifySync(file, readFileSync(file, "utf8"));
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  writeFileSync(file, code);
}

/**
 * Timers and clocks of the packages are those of `src/kernel/timers.ts`: fakes of a test runner do not reach them.
 * @type {Readonly<Record<string, [file: string, name: string]>>}
 */
const REAL_TIME = Object.fromEntries(
  [
    ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "clearImmediate"],
    ...["queueMicrotask", "Date", "performance", "process.nextTick"],
  ].map((name) => [name, [join(root, "src", "kernel", "timers.ts"), name.replace("process.", "")]]),
);

/**
 * @param {import("rolldown").InputOptions} input
 * @param {import("rolldown").OutputOptions} output
 * @returns the files that it is made of
 */
async function bundle(input, output) {
  const build = await rolldown({
    cwd: root,
    platform: "node",
    // yargs asks for `import.meta.resolve` only where it reads a configuration that extends another.
    checks: { emptyImportMeta: false },
    transform: { inject: REAL_TIME },
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message);
    },
    ...input,
  });
  const done = await build.write({ dir: dist, ...output });
  for (const file of done.output) {
    if (file.type === "chunk" && output.minify !== true && file.moduleIds.every(isForeign))
      minify(join(dist, file.fileName));
  }
  return done.output.filter((file) => file.type === "chunk");
}

/** CommonJS loads everywhere: by `import`, by `require`, and in runners without `require` of modules. */
const COMMON_JS = /** @type {const} */ ({
  format: "cjs",
  exports: "named",
  entryFileNames: "[name].main.js",
  dynamicImportInCjs: false,
});

/** What the command does on a Node that is too old; other entries throw. */
const ENDS = `process.stderr.write(objection + "\\n");
  process.exit(2);`;
const THROWS = `var error = new Error(objection);
  error.stack = "Error: " + objection;
  throw error;`;

/**
 * Puts a file in front of an entry that an old Node can read, and that says there what is wanted. It names each export: that is
 * how Node and type checkers find them.
 * @param {string} entry such as `library/index`
 * @param {readonly string[]} names what it exports
 * @param {string} objects what happens on a Node that is too old
 */
function guard(entry, names, objects) {
  const program = `${basename(entry)}.main.js`;
  writeFileSync(
    join(dist, `${entry}.js`),
    `${entry === COMMAND ? "#!/usr/bin/env node\n" : ""}"use strict";
Object.defineProperties(exports, { __esModule: { value: true }, [Symbol.toStringTag]: { value: "Module" } });
var objection = require("../entry/node-version.js")();
if (objection !== undefined) {
  ${objects}
}
var main = require("./${program}");
${names.map((name) => `exports.${name} = main.${name};\n`).join("")}`,
  );
}

/** The same for a module, which is evaluated after what it imports first. @param {string} entry */
function guardModule(entry) {
  const text = `import "../entry/needs-node.mjs";\nexport * from "./${basename(entry)}.main.mjs";\n`;
  writeFileSync(join(dist, `${entry}.mjs`), text);
}

/** What only help needs, and what only `mcp` needs, each in a file of its own: these hold nothing but packages, so they are made small. */
const SMALL = {
  groups: [
    // In a file with packages it would keep that from being one of packages alone.
    { name: "timers", test: /src\/kernel\/timers\.ts$/, priority: 1 },
    {
      name: "mcp-sdk",
      test: /node_modules\/(?:@modelcontextprotocol\/sdk|zod|ajv|ajv-formats|fast-uri|fast-deep-equal|json-schema-traverse)\//,
    },
    { name: "yargs-parser", test: /node_modules\/yargs-parser\//, priority: 1 },
    {
      name: "yargs",
      test: /node_modules\/(?:yargs|cliui|escalade|get-caller-file|string-width|strip-ansi|wrap-ansi|ansi-[a-z]+|emoji-regex|get-east-asian-width|y18n)\//,
    },
  ],
};

const testRunners = (/** @type {string[]} */ ...names) =>
  Object.fromEntries(names.map((name) => [`adapters/${name}`, `src/adapters/${name}.ts`]));

const COMMAND = "cli/main";
/** Entries that load everywhere, with the sources that they are made of. */
const ENTRIES = {
  [COMMAND]: "src/cli/main.ts",
  "library/index": "src/index.ts",
  "client/index": "src/client/index.ts",
  ...testRunners(
    "jest",
    "jest-setup",
    "jest-teardown",
    "node-test",
    "node-test-setup",
    "playwright",
    "playwright-setup",
    "testcontainers",
  ),
  "adapters/intercept": "src/adapters/intercept/index.ts",
};
const MODULES = testRunners("vitest", "vitest-setup");

const chunks = await Promise.all([
  bundle(
    {
      input: Object.fromEntries(Object.entries(LOADED).map(([name, file]) => [file, name])),
      plugins: [withoutUnused, withFewTypes],
      // Its other form requires its parts in a way that no bundler follows.
      resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
    },
    {
      ...COMMON_JS,
      dir: join(dist, "packages"),
      entryFileNames: "[name].js",
      minify: true,
      chunkFileNames: "shared-[name].js",
    },
  ),
  bundle(
    {
      input: ENTRIES,
      external: ["@jest/globals", "@playwright/test", "testcontainers"],
      plugins: [loadsBundled, namesOnly],
    },
    { ...COMMON_JS, chunkFileNames: "chunks/[name].js", codeSplitting: SMALL },
  ),
  bundle(
    {
      input: MODULES,
      external: ["vitest"],
      plugins: [takesLibrary],
    },
    {
      format: "es",
      entryFileNames: "[name].main.mjs",
      chunkFileNames: "adapters/[name].mjs",
    },
  ),
]);
mkdirSync(join(dist, "entry"));
copyFileSync(join(root, "scripts", "node-version.cjs"), join(dist, "entry", "node-version.js"));
writeFileSync(
  join(dist, "entry", "needs-node.mjs"),
  `import objectionOf from "./node-version.js";
var objection = objectionOf();
if (objection !== undefined) {
  ${THROWS}
}
`,
);
const files = chunks.flat();
for (const entry of Object.keys(ENTRIES)) {
  const { exports = [] } = files.find(({ name, isEntry }) => isEntry && name === entry) ?? {};
  guard(entry, exports, entry === COMMAND ? ENDS : THROWS);
}
for (const entry of Object.keys(MODULES)) guardModule(entry);
writeFileSync(join(dist, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
writeFileSync(
  join(dist, "THIRD-PARTY-LICENSES.txt"),
  licencesOf(files.flatMap(({ moduleIds }) => moduleIds).filter((id) => !isOwn(id))),
);
