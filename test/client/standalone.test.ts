/** The client runs in any process or page: it imports nothing of the server at run time. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { reachedFrom, readSources } from "../architecture/source.js";

const runtimeSources = () =>
  readSources("src").map(({ path, imports, ...file }) => {
    return { ...file, path, imports: imports.filter(({ typeOnly }) => !typeOnly) };
  });

it("imports only its own files, the parser of event streams and leaves of the kernel at run time", () => {
  const sources = runtimeSources();
  const reached = reachedFrom(["src/client/index.ts"], sources);
  expect([...reached]).toContain("src/client/transport.ts");
  const own = /^src\/client\/|^src\/kernel\/(durations|errors|names|objects|printable|replies)\.ts$/;
  expect([...reached].filter((path) => !own.test(path))).toEqual([]);
  const imports = sources.flatMap((file) => (reached.has(file.path) ? file.imports : []));
  const packages = imports.flatMap(({ file, specifier }) => (file === undefined ? specifier : []));
  expect(packages).toEqual(["eventsource-parser"]);
});

it("needs nothing that Jest's jsdom leaves out", () => {
  for (const path of reachedFrom(["src/client/index.ts"], runtimeSources()))
    expect([path, readFileSync(path, "utf8")]).toEqual([
      path,
      expect.not.stringMatching(/\bstructuredClone\(|\bsetImmediate\(/),
    ]);
});
