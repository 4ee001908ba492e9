import { expect, test } from "vitest";
import { BoundedMap } from "../../../dashboard/src/lib/bounded-map";
import { Conversation } from "../../../dashboard/src/model/conversation";
import { LiveLog } from "../../../dashboard/src/model/live-log";
import type { Session } from "../../../dashboard/src/model/session";
import type { Message } from "../../../dashboard/src/model/types";
import { message } from "./story";

const entry = (number: number, text = "") => ({ id: `r${number}`, text });

test("entries stand in the order of their ids, and one that changes takes its own place", () => {
  const log = new LiveLog<ReturnType<typeof entry>>();
  log.put([entry(2), entry(9), entry(10)]);
  log.put([entry(3), entry(9, "ended")]);
  expect(log.entries).toEqual([entry(2), entry(3), entry(9, "ended"), entry(10)]);
  expect(log.get("r9")).toEqual(entry(9, "ended"));
});

test("a map of at most 100 entries never holds more, and always the newest", () => {
  const map = new BoundedMap<number>(100);
  for (let at = 0; at < 1_000; at += 1) {
    map.set(`k${at}`, at);
    expect(map.size).toBeLessThanOrEqual(100);
    expect(map.get(`k${Math.max(0, at - 80)}`)).toBe(Math.max(0, at - 80));
  }
});

const CHANGE = { collection: "messages", before: null, after: null, causedBy: null } as const;
const added = (after: Message) => ({ ...CHANGE, id: after.id, after });
const taken = (before: Message) => ({ ...CHANGE, id: before.id, before });
const many = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => message(`${from + at}`, `Number ${from + at}`));

test("of messages that come the newest are kept, and the page knows that there are earlier ones", () => {
  // What comes changes the messages alone; the session is asked for what is shown between them.
  const conversation = new Conversation({} as Session, "9001");
  conversation.apply(many(1, 2_500).map(added));
  expect([conversation.messages.value.length, conversation.earlier.value]).toEqual([2_500, 0]);
  conversation.apply(many(2_501, 2_510).map(added));
  expect([conversation.messages.value.length, conversation.earlier.value]).toEqual([2_000, 510]);
  expect(conversation.messages.value[0]?.id).toBe("511");
});

test("a message that changes keeps its place, one that is not kept stays away", () => {
  const conversation = new Conversation({} as Session, "9001");
  const [one, two, three] = [message("1", "One"), message("2", "Two"), message("3", "Three")];
  conversation.apply([added(one), added(two), added({ ...three, threadId: "9002" })]);
  const changed = { ...one, text: "Changed" };
  const elsewhere = { ...added({ ...three, text: "x" }), before: three };
  conversation.apply([{ ...added(changed), before: one }, elsewhere]);
  expect(conversation.messages.value).toEqual([changed, two]);
  conversation.apply([taken(changed), added(two)]);
  expect(conversation.messages.value).toEqual([two]);
});
