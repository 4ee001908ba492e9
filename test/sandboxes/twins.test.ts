import { it } from "vitest";
import { expectTwins } from "./twins.js";

it("a sandbox that is started again goes on like its twin that never stopped, whatever was done to it", () =>
  expectTwins(1));
