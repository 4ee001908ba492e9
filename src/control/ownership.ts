/** What control routes ask of whoever decides which process has which sandbox. */
import type { SandboxNote } from "../sandbox/note.js";
import type { Sandbox } from "../sandbox/sandbox.js";

/** Which of several processes has which sandbox. */
export interface OwnershipControl {
  /** Undefined where a sandbox is open here; else resolves when it is, or there is none. @throws Elsewhere, NotKept */
  opened(id: string): Promise<void> | undefined;
  /** Takes an id for a new sandbox; false where there is one. @throws NotKept */
  claim(id: string): Promise<boolean>;
  /** An id that is free by all that is known. */
  freeId(): Promise<string>;
  /** Lets a sandbox be opened wherever it is called next. */
  handOver(sandbox: Sandbox): Promise<void>;
  /** The sandboxes that are not open here. @throws NotKept */
  others(): Promise<readonly SandboxNote[]>;
}
