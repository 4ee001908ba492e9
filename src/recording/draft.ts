import { given } from "../kernel/given.js";

/** A step of a recording while later ones may still turn out to read its outcome. */
export interface Draft {
  /** What the step does, in the order in which its keys are written. */
  readonly step: Readonly<Record<string, unknown>>;
  /** What the step is called if a later one reads its outcome. */
  readonly noun: string;
  /** What was guessed in it. */
  readonly guess?: string | undefined;
  /** Set once one does. */
  id?: string;
}

/** Hands out ids of steps: `conversation`, `conversation2`, … */
export class Names {
  readonly #taken = new Set(["thread", "round"]);

  /** The id of a draft; it has one from now on. */
  of(draft: Draft): string {
    if (draft.id !== undefined) return draft.id;
    let id = draft.noun;
    for (let number = 2; this.#taken.has(id); number += 1) id = `${draft.noun}${number}`;
    this.#taken.add(id);
    draft.id = id;
    return id;
  }
}

/** A step as it is written into the scenario. */
export const writtenStep = ({ step, id }: Draft): Record<string, unknown> => ({ ...given({ id }), ...step });
