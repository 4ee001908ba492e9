import { writeFile } from "node:fs/promises";
import { hasCode, reasonOf } from "../kernel/os-errors.js";
import type { Problem } from "../kernel/problems.js";

/** Writes a report into the file that an option names. @returns what is wrong where that is not possible */
export async function writeReport(option: string, file: string, text: string): Promise<Problem[]> {
  try {
    await writeFile(file, text);
    return [];
  } catch (error) {
    const why = hasCode(error, "ENOENT") ? "there is no such folder" : reasonOf(error);
    return [{ path: option, message: `cannot write the report to ${file}: ${why}` }];
  }
}
