import { it } from "vitest";
import { fencesOf, PAGES, RUN } from "./fences.js";
import { follow, SLOW } from "./reader.js";

// blocks.gate.test.ts has the README.
const GUIDES = PAGES.filter((page) => page !== "README.md");

it.each(GUIDES.filter((page) => fencesOf(page).some(({ language }) => RUN.includes(language))))(
  "the blocks of %s do what it says",
  { timeout: SLOW },
  follow,
);
