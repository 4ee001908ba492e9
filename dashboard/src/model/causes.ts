import { signal } from "@preact/signals";
import { BoundedMap } from "../lib/bounded-map";
import type { ControlNote } from "../story/control-note";
import { messageOfDelivery } from "./entries";
import type { DeliveryRecord, RecordChange } from "./types";

/** For how many messages the page keeps which call wrote them. */
const MAX_MESSAGES = 20_000;

/** Which call of the simulated API (`r…`) or of the control API (`c…`) wrote which message, by the ids of the server. */
export class Causes {
  readonly #writers = new BoundedMap<string>(MAX_MESSAGES);
  readonly #version = signal(0);

  /** Adds the writers of new messages. */
  addMessages(changes: readonly RecordChange<"messages">[]): void {
    for (const { id, before, causedBy } of changes)
      if (causedBy !== null && before === null) this.#writers.set(id, causedBy);
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

  /** The call that wrote a message; undefined where nothing says so. */
  writerOf(messageId: string): string | undefined {
    this.#version.value;
    return this.#writers.get(messageId);
  }

  clear(): void {
    this.#writers.clear();
    this.#version.value += 1;
  }
}
