/** The inputs and outputs of the control API, as types. Nothing in this file exists at run time. */

import type { Difference } from "../kernel/matching.js";
import type { EventType } from "../kernel/names.js";
import type { InferInput } from "../kernel/schema.js";
import type { Delivery } from "../sandbox/deliveries.js";
import type { RequestRecord } from "../sandbox/journal.js";
import type { OperationId as OperationName } from "../service/behaviour/entry.js";
import type { LegacyPayload, MessageEventPayload, TransferEventPayload } from "../service/domain/events.js";
import type { DELIVERY_MATCH, REQUEST_MATCH } from "../service/world/matches.js";
import type { RECORD_SCHEMAS, Records } from "../service/world/records.js";

export type { NoReply } from "../control/replies.js";
export type { Connection, Health, SandboxInfo } from "../control/routes/server.js";
export type { SnapshotInfo, Start } from "../control/routes/state.js";
export type { TranscriptEntry } from "../control/routes/threads.js";
export type { PingReport } from "../control/routes/traffic.js";
export type { SandboxOptions } from "../control/sandbox-maker.js";
export type { ClockState as ClockReading } from "../kernel/clock.js";
export type { Difference } from "../kernel/matching.js";
export type { CallMaker, DeliveryStatus, EventType, ProfileName } from "../kernel/names.js";
export type { CoverageReport } from "../sandbox/coverage.js";
export type { Attempt } from "../sandbox/deliveries.js";
export type { FaultEffect } from "../sandbox/fault-effects.js";
export type { FaultInput, FaultPreset, FaultRule } from "../sandbox/faults.js";
export type { ControlRecord, RequestRecord, Warning } from "../sandbox/journal.js";
export type { Received, SinkSettings } from "../sandbox/sinks.js";
export type { ThreadChange } from "../sandbox/threads.js";
export type { Report as ScenarioReport, StepReport } from "../scenarios/report.js";
export type { BehaviourRow } from "../service/behaviour/behaviour.js";
export type { OperationId as OperationName } from "../service/behaviour/entry.js";
export type { AnswerKey, BehaviourKey, BehaviourValues } from "../service/behaviour/table.js";
export type {
  LegacyPayload,
  MessageEventPayload,
  TransferEventPayload,
} from "../service/domain/events.js";
export type {
  Attachment,
  Business,
  CollectionName,
  Customer,
  FixtureDocument,
  FixtureInput,
  Message,
  Organization,
  Records,
  Template,
  Thread,
  ThreadStatus,
  Token,
  User,
  Webhook,
} from "../service/world/records.js";

/** A duration: `"500ms"`, `"90s"`, `"5m"`, `"24h"`, `"2d"`, or milliseconds. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

/** The methods of the simulated API. */
export type CallMethod = "GET" | "POST";

/** A condition in place of a value. All of its operators must hold. */
export type Condition = {
  readonly $regex?: string;
  readonly $contains?: string;
  readonly $any?: "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
  readonly $gt?: number;
  readonly $lt?: number;
  readonly $absent?: boolean;
  readonly $oneOf?: readonly unknown[];
  readonly $not?: unknown;
};

/** A partial `T` in which conditions may replace values: objects match as subsets, arrays element by element. */
export type Pattern<T = unknown> = unknown extends T
  ? unknown
  :
      | Condition
      | (T extends readonly (infer Item)[]
          ? readonly Pattern<Item>[]
          : T extends object
            ? { readonly [K in keyof T]?: Pattern<T[K]> }
            : T);

/** The fields of a match, as precisely as types can express them. */
interface RequestValues extends Omit<RequestRecord, "method" | "operation"> {
  readonly method: CallMethod;
  readonly operation: OperationName | null;
  readonly succeeded: boolean;
}

/** A match over calls to the simulated API. */
export type RequestMatch = {
  readonly [Field in keyof typeof REQUEST_MATCH]?: Field extends "body"
    ? unknown
    : Pattern<RequestValues[Field]>;
};

type DeliveryMatchOf<Type, Body> = {
  readonly [Field in Exclude<keyof typeof DELIVERY_MATCH, "eventType" | "body">]?: Pattern<Delivery[Field]>;
} & Type &
  Body;

/** A match over deliveries. If `eventType` is given, `body` is typed as that payload. */
export type DeliveryMatch =
  | DeliveryMatchOf<{ readonly eventType: "message" }, { readonly body?: Pattern<MessageEventPayload> }>
  | DeliveryMatchOf<{ readonly eventType: "transfer" }, { readonly body?: Pattern<TransferEventPayload> }>
  | DeliveryMatchOf<{ readonly eventType?: Condition }, { readonly body?: unknown }>;

type DeliveryOf<Type extends EventType, Legacy extends boolean, Body> = Omit<
  Readonly<Delivery>,
  "eventType" | "legacy" | "body"
> & { readonly eventType: Type; readonly legacy: Legacy; readonly body: Body };

/** A delivery of an event to one webhook. `eventType` and `legacy` determine the payload type of `body`. */
export type DeliveryRecord =
  | DeliveryOf<"message", false, MessageEventPayload>
  | DeliveryOf<"message", true, LegacyPayload>
  | DeliveryOf<"transfer", false, TransferEventPayload>;

/** The delivery that a match of this type finds. */
export type DeliveryFound<Type> = Type extends EventType
  ? Extract<DeliveryRecord, { readonly eventType: Type }>
  : DeliveryRecord;

/** A call or delivery that almost matches, with all of its differences. */
export interface NearMiss {
  readonly id: string;
  readonly entry: RequestRecord | DeliveryRecord;
  readonly differences: readonly Difference[];
}

/** A record as a caller may write it: fields with a default may be omitted. */
export type RecordInput<C extends keyof Records> = InferInput<(typeof RECORD_SCHEMAS)[C]>;
