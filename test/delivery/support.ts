import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { expect, onTestFinished } from "vitest";
import fixture from "../../fixtures/default.json" with { type: "json" };
import type { Delivery } from "../../src/sandbox/deliveries.js";
import { type DeliveryOptions, DeliveryService } from "../../src/sandbox/delivery/service.js";
import type { FaultInput } from "../../src/sandbox/faults.js";
import { Sandbox } from "../../src/sandbox/sandbox.js";
import { NOT_SAVED, type Saver } from "../../src/sandbox/saver.js";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import { emitGiven } from "../../src/service/domain/threads.js";
import { FixtureLoader } from "../../src/service/world/load.js";
import type { Webhook } from "../../src/service/world/records.js";
import { stateOf } from "../../src/service/world/state.js";
import { freePort } from "../support/free-port.js";
import { serverOf } from "../support/server.js";

/** The instant at which the clocks of these tests stand. */
export const NOON = Date.UTC(2026, 0, 1, 12);

/** A request as a receiver saw it, and its connection. */
export interface Seen {
  readonly socket: Socket;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  /** `data.messageId` of the payload; NaN where there is none. */
  readonly number: number;
}

type Respond = (response: ServerResponse, seen: Seen) => void;

const ok: Respond = (response) => response.end("{}");

/** Answers with these statuses in turn, and then with the last one again. */
export const answering =
  (...statuses: number[]): Respond =>
  (response) =>
    response.writeHead(statuses.length > 1 ? statuses.shift()! : statuses[0]!).end();

/** A receiver on a free port that ends with the test. */
export async function receiver(respond: Respond = ok, tls?: { cert: string; key: string }) {
  const seen: Seen[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method = "", url: path = "", headers, socket } = request;
    seen.push({ socket, method, path, headers, text, number: numberIn(text) });
    for (const { count, resolve } of waiting) if (seen.length >= count) resolve();
    respond(response, seen.at(-1)!);
  };
  return {
    url: `${await serverOf(listener, tls)}/hook`,
    seen: seen as readonly Seen[],
    /** The numbers of these requests. */
    numbers: () => seen.map(({ number }) => number),
    /** Resolves when this many requests have come in whole. */
    received: (count: number): Promise<void> =>
      seen.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
  };
}

export type Receiver = Awaited<ReturnType<typeof receiver>>;

function numberIn(text: string): number {
  try {
    return JSON.parse(text).data.messageId;
  } catch {
    return Number.NaN;
  }
}

/** A listener below HTTP. */
export async function tcpReceiver(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** A URL on which nothing listens. */
export const deadUrl = async (): Promise<string> => `http://127.0.0.1:${await freePort()}/hook`;

export interface Setup {
  readonly webhooks: readonly Record<string, unknown>[];
  readonly behaviour?: Partial<BehaviourValues>;
  readonly faults?: readonly FaultInput[];
  readonly options?: Partial<DeliveryOptions>;
  /** Whether changes are kept, as the answer to whether everything so far is. */
  readonly kept?: Saver["settled"];
}

/** A sandbox at noon with these webhooks, and a service that ends with the test. */
export function start({
  webhooks,
  behaviour = {},
  faults = [],
  options = {},
  kept = NOT_SAVED.settled,
}: Setup) {
  const loaded = new FixtureLoader().loadFixture({
    ...fixture,
    webhooks: webhooks.map((webhook, index) => ({
      id: String(index + 1),
      organizationId: "200",
      subscribedEvents: ["messages"],
      ...webhook,
    })),
  });
  if (loaded.problems) throw new Error(JSON.stringify(loaded.problems));
  const service = new DeliveryService({
    ownUrl: "http://127.0.0.1:1",
    allowOutbound: [],
    rewriteHosts: [],
    userAgent: "messaging-sim/test",
    ...options,
  });
  const state = stateOf(loaded.document);
  let epochs = 0;
  const failures: unknown[] = [];
  const sandbox = new Sandbox(
    { id: "default", state, behaviour, seed: 1, clock: NOON, faults, journalLimit: 20_000 },
    {
      outbox: (run) => service.createOutbox(run),
      nextEpoch: () => ++epochs,
      saverOf: () => ({ ...NOT_SAVED, settled: kept }),
      report: (error) => failures.push(error),
    },
  );
  onTestFinished(async () => {
    sandbox.close();
    await service.close();
    expect(failures).toEqual([]);
  });
  const log = () => [...sandbox.run.logs.deliveryLog.from()];
  /** Emits messages with these ids to every webhook. */
  const send = (...numbers: number[]) => {
    for (const messageId of numbers)
      sandbox.run.transact({ id: "c1" }, emitGiven, { eventType: "message", data: { messageId } });
  };
  /** Waits until nothing is under way and returns the log. */
  const settled = async (): Promise<Delivery[]> => {
    await sandbox.run.outbox.settled();
    return log();
  };
  /** Does both. */
  const deliver = (...numbers: number[]) => {
    send(...numbers);
    return settled();
  };
  /** Changes the first webhook. */
  const change = (fields: Partial<Webhook>) => {
    const { world } = sandbox.run;
    world.put("webhooks", { ...world.get("webhooks", "1")!, ...fields });
  };
  return { service, sandbox, log, send, settled, deliver, change };
}

interface ReceiverSetup extends Omit<Setup, "webhooks" | "faults"> {
  readonly respond?: Respond;
  /** Fields of the webhook. */
  readonly webhook?: Record<string, unknown>;
  readonly fault?: Omit<FaultInput, "on">;
}

/** A receiver, and a sandbox whose only webhook calls it. */
export async function startWithReceiver({ respond, webhook, fault, ...setup }: ReceiverSetup = {}) {
  const target = await receiver(respond);
  const faults: FaultInput[] = fault === undefined ? [] : [{ on: "delivery", ...fault }];
  return { ...target, ...start({ webhooks: [{ url: target.url, ...webhook }], faults, ...setup }) };
}

/** The numbers from 1 on. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
