/** What a list shows of a sandbox that is not open in this process. */
export interface SandboxNote {
  readonly id: string;
  readonly tokens: readonly string[];
  readonly seed: number;
  readonly ids: "same" | "apart";
  readonly now: number;
  readonly frozen: boolean;
  readonly expiresAt: number | null;
}
