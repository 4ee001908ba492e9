import type { ScenarioControl } from "../control/services.js";

/** Runs scenarios against the simulator itself, through its own address. */
export const scenarioControl = (_url: () => string, _controlToken: string | undefined): ScenarioControl => ({
  list: async () => [],
  run: async () => ({ problems: [{ path: "", message: "no scenario runner is wired in" }] }),
});
