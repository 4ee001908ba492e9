import type { StepKind } from "../step.js";
import { control, request } from "./calls.js";
import { customer, employee, status, transfer, window } from "./conversation.js";
import { advance, delivered, emit, log, repeat, wait } from "./events.js";
import { expect } from "./expect.js";
import { reply, silent } from "./reply.js";
import { behaviour, clearFaults, fault, reset, restore, set, snapshot } from "./world.js";

/** The kind of step that a report names. */
export const stepKind = (key: string): StepKind | undefined => STEPS.find((kind) => kind.key === key);

/** Every kind of step, in the order of the reference page. */
export const STEPS: readonly StepKind[] = [
  customer,
  employee,
  reply,
  silent,
  delivered,
  window,
  transfer,
  status,
  emit,
  set,
  request,
  expect,
  advance,
  wait,
  fault,
  clearFaults,
  behaviour,
  snapshot,
  restore,
  control,
  reset,
  log,
  repeat,
];
