/** The tabs of the inspector. */
export const TABS = ["Requests", "Deliveries", "Warnings", "Faults", "Behaviour", "Scenarios", "Coverage"];

/** The buttons that open a dialog, and what it is called. */
export const DIALOGS: readonly (readonly [button: string, dialog: string])[] = [
  ["Connect your bot", "Connect your bot"],
  ["New conversation", "New conversation"],
  ["Profile", "Customer profile"],
  ["Users", "Users"],
  ["New sandbox", "New sandbox"],
  ["Snapshots and state", "Snapshots and state"],
  ["More of the clock", "Clock"],
  ["Save as test", "Save what was done"],
  ["Keyboard shortcuts", "Keyboard shortcuts"],
];

/** Widths at which each of them is looked at, and the size of text there, px. */
export const SIZES = [
  [390, 16],
  [768, 16],
  [1280, 16],
  [1920, 16],
  [390, 32],
  [1280, 32],
] as const;
