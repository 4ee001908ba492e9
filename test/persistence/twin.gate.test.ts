import { it } from "vitest";
import { expectSameAsTwin } from "./twin.js";

it("a sandbox whose process stops continues like its twin that never stopped", { timeout: 120_000 }, () =>
  expectSameAsTwin(5),
);
