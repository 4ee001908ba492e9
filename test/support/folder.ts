import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

/** Writes files into a folder that exists for the tests of one module, and returns their paths. */
export function filesFor(name: string): (file: string, text: string) => string {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), `messaging-sim-${name}-`));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (file, text) => {
    const path = join(folder, file);
    writeFileSync(path, text);
    return path;
  };
}
