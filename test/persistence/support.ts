import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that goes with the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "messaging-sim-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a machine that stops now leaves of a folder. */
export function imageOf(folder: string): string {
  const image = newFolder();
  cpSync(folder, image, { recursive: true });
  rmSync(join(image, "lock"), { force: true });
  return image;
}
