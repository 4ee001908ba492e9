import type { ClockPosition } from "../kernel/clock.js";
import { Clock } from "../kernel/clock.js";
import type { SandboxNote } from "../sandbox/durable.js";
import type { Sandbox } from "../sandbox/sandbox.js";

/** A note as it is kept: the clock as a position, since it may run. */
type KeptNote = Omit<SandboxNote, "id" | "now" | "frozen"> & { readonly clock: ClockPosition };

/** What lists are told of a sandbox. */
export function noteOf({ run, expiresAt }: Sandbox): string {
  const { seed, ids = "same" } = run.start;
  const tokens = [...run.world.all("tokens")].map(({ id }) => id);
  const note: KeptNote = { tokens, seed, ids, clock: run.clock.position(), expiresAt: expiresAt ?? null };
  return JSON.stringify(note);
}

/** A note as it reads now. */
export function readNote(id: string, text: string): SandboxNote {
  const { clock, ...note }: KeptNote = JSON.parse(text);
  return { id, ...note, ...new Clock(clock).state() };
}
