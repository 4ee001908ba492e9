/** A simulator under attack: it may refuse, it may not fail. */
import { expect, onTestFinished } from "vitest";
import type { SimulatorOptions } from "../../src/server/simulator.js";
import { type Running, startSimulator } from "../support/simulator.js";

/** How to wait for what comes of itself. */
export const LONG_POLL = { timeout: 20_000 };

export interface Target extends Running {
  /** Fails when anything has gone wrong inside the simulator so far. */
  expectHealthy(): void;
  /** Runs `attack` and expects that it changed nothing. */
  expectUnchanged(attack: () => Promise<void>): Promise<void>;
}

/** Starts a simulator whose log must stay free of errors until the end of the test. */
export async function startTarget(options: SimulatorOptions = {}): Promise<Target> {
  const failures: unknown[] = [];
  const silent = () => {};
  const error = (...words: unknown[]) => failures.push(words);
  const logger = { debug: silent, info: silent, warn: silent, error };
  const simulator = await startSimulator({ clock: "2026-01-01T09:00:00Z", ...options, logger });
  const expectHealthy = () => expect(failures).toEqual([]);
  onTestFinished(expectHealthy);
  const state = async () => (await simulator.control("GET /state")).body;
  const expectUnchanged = async (attack: () => Promise<void>) => {
    const before = await state();
    await attack();
    expect(await state()).toEqual(before);
    expectHealthy();
  };
  return { ...simulator, expectHealthy, expectUnchanged };
}
