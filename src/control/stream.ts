import type { ServerResponse } from "node:http";
import { BOUNDS } from "../kernel/bounds.js";
import { contain } from "../kernel/contain.js";
import type { Later } from "../kernel/realtime.js";
import { later } from "../kernel/realtime.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { EventFeed } from "./event-feed.js";
import type { EventName, EventText } from "./event-text.js";
import { eventText } from "./event-text.js";

/** How many streams one sandbox may have open. */
export const MAX_STREAMS = BOUNDS.streams.limit;
/** A client that has left more than this unread when something new comes is cut off, bytes. */
const MAX_UNREAD_BYTES = BOUNDS.streamUnreadBytes.limit;
/** A client that hears nothing for longer may take the server for one that stands still. */
const HEARTBEAT_MS = 1_500;

/** Server-sent events about one sandbox, written to one client. */
export class EventStream {
  readonly #sandbox: Sandbox;
  readonly #response: ServerResponse;
  readonly #leave: () => void;
  #events: number;
  #heartbeat: Later;

  /** `events`: those that it tells of; left out: all. `lastId`: what the client has heard of another stream, whose ids go on. */
  constructor(
    sandbox: Sandbox,
    feed: EventFeed,
    response: ServerResponse,
    version: string,
    events?: ReadonlySet<EventName>,
    { lastId = 0, showsSecrets = false } = {},
  ) {
    this.#events = lastId;
    this.#sandbox = sandbox;
    this.#response = response;
    response.writeHead(200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    this.#leave = feed.join({
      events,
      showsSecrets,
      hear: (texts) => this.#hear(texts),
      end: () => void response.end(),
    });
    const { epoch, clock } = sandbox.run;
    this.#hear([eventText("hello", { sandbox: sandbox.id, version, clock: clock.state(), run: epoch })]);
    this.#heartbeat = this.#nextHeartbeat();
    sandbox.streams.enter();
    response.once("close", () => this.#close());
  }

  /** The texts are the same for all streams: only their ids are this one's. */
  #hear(events: readonly EventText[]): void {
    this.#write(
      events.flatMap((text) => {
        this.#events += 1;
        return [`id: ${this.#events}\n`, text];
      }),
    );
  }

  #write(parts: readonly (string | Buffer)[]): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    if (response.writableLength > MAX_UNREAD_BYTES) return void response.destroy();
    response.cork();
    for (const part of parts) response.write(part);
    response.uncork();
  }

  #nextHeartbeat(): Later {
    const beat = () => {
      this.#heartbeat = this.#nextHeartbeat();
      this.#write([": still here\n\n"]);
    };
    return later(HEARTBEAT_MS, () => contain(this.#sandbox.report, beat), { background: true });
  }

  #close(): void {
    this.#heartbeat.cancel();
    this.#leave();
    this.#sandbox.streams.leave();
  }
}
