import type { Report } from "../kernel/contain.js";
import { contain } from "../kernel/contain.js";
import { soon } from "../kernel/realtime.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Leases } from "./port.js";
import { noteOf } from "./sandbox-note.js";

interface NotesContext {
  /** Whether a sandbox is open in this process. */
  readonly isOpen: (sandbox: Sandbox) => boolean;
  readonly report: Report;
}

/** Keeps in the store what lists of all processes tell of the sandboxes that are open here. */
export class SandboxNotes {
  readonly #leases: Leases;
  readonly #context: NotesContext;
  /** Those of which something else is to be told. */
  readonly #changed = new Set<Sandbox>();

  constructor(leases: Leases, context: NotesContext) {
    this.#leases = leases;
    this.#context = context;
  }

  /** Writes the note of a sandbox anew, once for all that happens in a turn. */
  changed(sandbox: Sandbox): void {
    if (this.#changed.size === 0) soon(() => contain(this.#context.report, () => this.#writeAll()));
    this.#changed.add(sandbox);
  }

  async #writeAll(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const sandbox of changed) await this.#write(sandbox);
  }

  async #write(sandbox: Sandbox): Promise<void> {
    // Only what is kept is listed.
    await sandbox.log.settled()?.catch(() => {});
    if (!this.#context.isOpen(sandbox)) return;
    // The next one to open it says it again.
    await this.#leases.note(sandbox.id, noteOf(sandbox)).catch(() => {});
  }
}
