import type { Terminal } from "./terminal.js";

/** Whether what is printed may have colours: on a terminal, unless the environment says no. */
export const usesColor = ({ env }: Terminal): boolean => process.stdout.isTTY === true && !env.NO_COLOR;
