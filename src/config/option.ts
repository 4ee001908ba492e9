import type { Problem } from "../kernel/problems.js";
import type { Schema } from "../kernel/schema.js";

/** One option of `serve`: the flag, the environment variable and the key of the config file are made from it. */
export interface Option<T = unknown> {
  readonly group: "Serving" | "World" | "Behaviour" | "Webhooks" | "Records and logs" | "Configuration";
  /** What it does, for `--help` and the reference. */
  readonly description: string;
  /**
   * Its value in a config file. Flags and variables are texts that become such a value: a number, true or false,
   * the items of an array, the `key=value` pairs of an object.
   */
  readonly schema: Schema<T>;
  /** What holds when no source gives a value: the value, or words for it. */
  readonly default?: string | number;
  /** The value, or each of its items, names a file; in a config file relative to that file. */
  readonly file?: boolean;
  /** `file`: it is a key of the config file only. `outside`: the config file has no such key. */
  readonly only?: "file" | "outside";
  /** What is wrong with a value that only more than the schema can tell. In place of the schema. */
  readonly check?: (value: unknown) => Promise<readonly Problem[]>;
}

/** It is on or off: as a flag it needs no value. */
export const isSwitch = ({ schema }: Option): boolean => schema.type === "boolean";

/** It can be given more than once. */
export const isRepeatable = ({ schema }: Option): boolean =>
  schema.type === "array" || schema.type === "object";

/** `allow-host` → `MESSAGING_SIM_ALLOW_HOST` */
export const variableOf = (name: string): string =>
  `MESSAGING_SIM_${name.toUpperCase().replaceAll("-", "_")}`;
