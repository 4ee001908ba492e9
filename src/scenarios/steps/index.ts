import type { StepKind } from "../step.js";
import { CALLS } from "./calls.js";
import { CONVERSATION } from "./conversation.js";
import { EVENTS } from "./events.js";
import { EXPECTATIONS } from "./expect.js";
import { WORLD } from "./world.js";

/** The table of steps, in the order of the reference page. */
export const STEPS: readonly StepKind[] = [...CONVERSATION, ...EVENTS, ...CALLS, ...EXPECTATIONS, ...WORLD];

/** The row of the step that a report names. */
export const stepKind = (key: string): StepKind | undefined => STEPS.find((kind) => kind.key === key);
