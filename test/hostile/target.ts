/** A simulator under attack: it may refuse, it may not fail. */
import { expect, onTestFinished } from "vitest";
import type { Logger } from "../../src/kernel/errors.js";
import type { SimulatorOptions } from "../../src/server/simulator.js";
import { type Running, startSimulator } from "../support/simulator.js";

/** How to wait for what comes of itself. */
export const LONG_POLL = { timeout: 20_000 };

export type State = Readonly<Record<string, string>>;

/** The collections in which two states differ. */
export const changedBetween = (before: State, after: State): string[] =>
  Object.keys(after).filter((collection) => before[collection] !== after[collection]);

export interface Target extends Running {
  /** Fails when anything has gone wrong inside the simulator so far. */
  expectHealthy(): void;
  /** The whole state: each collection as text. */
  state(): Promise<State>;
  /** Runs `attack` and expects that it changed nothing. */
  expectUnchanged(attack: () => Promise<void>): Promise<void>;
}

/** Starts a simulator whose log must stay free of errors until the end of the test. */
export async function startTarget(options: SimulatorOptions = {}): Promise<Target> {
  const failures: unknown[] = [];
  const silent = () => {};
  const logger: Logger = {
    debug: silent,
    info: silent,
    warn: silent,
    error: (...words) => failures.push(words),
  };
  const simulator = await startSimulator({ clock: "2026-01-01T09:00:00Z", ...options, logger });
  const expectHealthy = () => expect(failures).toEqual([]);
  onTestFinished(expectHealthy);
  const state = async () => {
    const { body } = await simulator.control("GET /state");
    return Object.fromEntries(Object.entries(body).map(([name, records]) => [name, JSON.stringify(records)]));
  };
  const expectUnchanged = async (attack: () => Promise<void>) => {
    const before = await state();
    await attack();
    expect(changedBetween(before, await state())).toEqual([]);
    expectHealthy();
  };
  return { ...simulator, expectHealthy, state, expectUnchanged };
}
