import { signal } from "@preact/signals";
import { getOrInsert, numberOf } from "../../../src/kernel/objects.js";
import { BoundedMap } from "../lib/bounded-map";
import type { ControlNote } from "../story/control-note";
import { messageOfDelivery } from "./entries";
import type { DeliveryRecord, RecordChange } from "./types";

/** For how many calls the page keeps what they changed. */
const MAX_CALLS = 2_000;
/** For how many messages the page keeps which call wrote them. */
const MAX_MESSAGES = 20_000;

/** Which call of the simulated API (`r…`) or of the control API (`c…`) changed what, by the ids of the server. */
export class Causes {
  readonly #changes = new BoundedMap<RecordChange[]>(MAX_CALLS);
  readonly #writers = new BoundedMap<string>(MAX_MESSAGES);
  readonly #version = signal(0);

  /** Adds changes from the stream. */
  addChanges(changes: readonly RecordChange[]): void {
    for (const change of changes) {
      const { collection, id, before, causedBy } = change;
      if (causedBy === null) continue;
      getOrInsert(this.#changes, causedBy, () => []).push(change);
      if (collection === "messages" && before === null) this.#writers.set(id, causedBy);
    }
    this.#version.value += 1;
  }

  /** Adds the writers of messages that control calls name in their answers. */
  addControls(controls: readonly ControlNote[]): void {
    for (const { id, messageId } of controls) if (messageId !== undefined) this.#writers.set(messageId, id);
    this.#version.value += 1;
  }

  /**
   * Adds the writers of messages that deliveries name. A delivery that a call of the simulated API caused reports the
   * message that this call wrote; one that a control call caused may repeat an older event, and is ignored.
   */
  addDeliveries(deliveries: readonly DeliveryRecord[]): void {
    for (const delivery of deliveries) {
      const message = messageOfDelivery(delivery);
      if (message !== null && delivery.causedBy?.startsWith("r"))
        this.#writers.set(message, delivery.causedBy);
    }
    this.#version.value += 1;
  }

  /** What a call changed since the page was opened, in order. */
  changesBy(cause: string): readonly RecordChange[] {
    this.#version.value;
    return this.#changes.get(cause) ?? [];
  }

  /** The call that wrote a message; undefined where nothing says so. */
  writerOf(messageId: string): string | undefined {
    this.#version.value;
    return this.#writers.get(messageId);
  }

  /** The messages that calls of the simulated API and of the control API wrote after those with these numbers. */
  messagesAfter(request: number, control: number): string[] {
    this.#version.value;
    const isLater = ([, cause]: [string, string]) =>
      numberOf(cause) > (cause.startsWith("r") ? request : control);
    return [...this.#writers].filter(isLater).map(([id]) => id);
  }

  clear(): void {
    this.#changes.clear();
    this.#writers.clear();
    this.#version.value += 1;
  }
}
