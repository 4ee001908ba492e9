import { it } from "vitest";
import { replaysSessions } from "./round-trip.js";

it("replays any session green, and as it was: many", () => replaysSessions(100));
