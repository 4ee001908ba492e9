import { it } from "vitest";
import { follow, SLOW } from "./reader.js";

it("every block of README.md does what it says", { timeout: SLOW }, () => follow("README.md"));
