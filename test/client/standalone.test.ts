/** The client runs in any process or page: it imports nothing of the server at run time. */
import { expect, it } from "vitest";
import { readSources } from "../architecture/source.js";

it("imports only its own files, the protocol, the parser of event streams and printable.ts at run time", () => {
  const sources = new Map(
    [
      ...readSources("src/client"),
      ...readSources("src/protocol"),
      ...readSources("src/kernel").filter(({ path }) => /printable/.test(path)),
    ].map((file) => [file.path, file] as const),
  );
  const reached = new Set(["src/client/index.ts"]);
  const foreign: string[] = [];
  for (const path of reached)
    for (const { typeOnly, specifier, file = specifier } of sources.get(path)?.imports ?? []) {
      if (typeOnly) continue;
      if (sources.has(file)) reached.add(file);
      else foreign.push(`${path}: ${specifier}`);
    }
  expect(foreign).toEqual(["src/client/stream.ts: eventsource-parser"]);
  expect([...reached]).toContain("src/client/transport.ts");
  expect([...reached]).toContain("src/client/stream.ts");
});
