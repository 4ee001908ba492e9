// Slow: fifteen random sessions are recorded and replayed.
import { it } from "vitest";
import { replaysSessions } from "./round-trip.js";

it("replays any session green, and as it was: a few", () => replaysSessions(15));
