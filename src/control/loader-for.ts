import type { BehaviourValues } from "../behaviour/table.js";
import type { FixtureLoader } from "../world/load.js";

/** The loader of records for a world with this behaviour: it takes what the simulated API takes there. */
export const loaderFor = (
  { "widget.emailFormat": emailFormat = "valid" }: Partial<BehaviourValues>,
  loader: FixtureLoader,
): FixtureLoader => (emailFormat === "valid" ? loader : loader.ofStored);
