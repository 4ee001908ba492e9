import { describe, expect, it } from "vitest";
import {
  expireWindow,
  isWindowOpen,
  moveWindow,
  windowEndOf,
  withWindow,
} from "../../src/service/domain/windows.js";
import { message, NOW, thread, worldWith } from "./records.js";
import { run, view } from "./run.js";

const HOUR = 3_600_000;

/** Whether the record says open, when the window closes, whether free-form text may be sent at `NOW`. */
const STATES = [
  { recorded: false, open: false },
  { recorded: true, open: true },
  { recorded: true, windowClosesAt: null, open: true },
  { recorded: true, windowClosesAt: NOW + 1, open: true },
  { recorded: true, windowClosesAt: NOW, open: false },
  { recorded: true, windowClosesAt: NOW - 1, open: false },
  { recorded: false, windowClosesAt: NOW + 1, open: false },
].map(({ recorded, open, ...rest }) => ({
  open,
  state: thread({ id: "91", isMessagingWindowOpen: recorded, ...rest }),
}));

describe("a messaging window", () => {
  it.each(STATES)("of $state is open: $open", ({ state, open }) => {
    expect(isWindowOpen(view(), state)).toBe(open);
    const shown = withWindow(view(), state);
    expect(shown).toStrictEqual({ ...state, isMessagingWindowOpen: open });
    // It is a copy only if the record differs.
    expect(shown === state).toBe(state.isMessagingWindowOpen === open);
  });
});

it("a window that is moved by hand stays open on a channel without windows, and cannot be closed there", () => {
  const sms = thread({ id: "91", channel: "SMS" });
  const move = (open: boolean) =>
    run(moveWindow, { threadId: "91", open }, { world: worldWith({ threads: [sms] }) });
  expect(move(true)).toStrictEqual({ result: sms });
  const scope = { threadId: "91", channel: "SMS" };
  expect(move(false)).toStrictEqual({ refusal: { key: "windows.noWindow", scope } });
});

describe("when time passes, a window", () => {
  it.each(STATES)("of $state is closed in the record as well, if it was its end", ({ state, open }) => {
    const outcome = run(expireWindow, { threadId: "91" }, { world: worldWith({ threads: [state] }) });
    const over = state.isMessagingWindowOpen && !open;
    const changed = { isMessagingWindowOpen: false, windowClosesAt: undefined };
    expect(outcome).toStrictEqual(over ? { changes: { "threads 91": changed } } : {});
  });

  it("a deleted thread's window is ignored", () => {
    expect(run(expireWindow, { threadId: "99" })).toStrictEqual({});
  });
});

describe("an open window without an end", () => {
  const open = thread({ id: "91" });
  const messages = [
    message({ id: "1", timestamp: NOW - 3 * HOUR }),
    message({ id: "2", timestamp: NOW - 2 * HOUR }),
    message({ id: "3", timestamp: NOW - 2 * HOUR - 1 }),
    message({ id: "4", timestamp: NOW - HOUR, fromCustomer: false }),
  ];
  it.each([
    ["never", "5h", "WHATSAPP", undefined],
    ["lastMessage", null, "WHATSAPP", undefined],
    ["lastMessage", "5h", "SMS", undefined],
    ["lastMessage", "5h", "WHATSAPP", NOW + 3 * HOUR],
    ["lastMessage", "1h", "WHATSAPP", NOW + HOUR],
    ["lastMessage", "2h", "WHATSAPP", NOW + 2 * HOUR],
  ] as const)(
    "with window.undatedEnd %s and window.duration %j on %s ends at %j",
    (undated, duration, channel, end) => {
      const behaviour = { "window.undatedEnd": undated, "window.duration": duration };
      const state = { ...open, channel };
      const at = (now: number) =>
        view({ world: worldWith({ threads: [state], messages }), behaviour, now, began: NOW });
      expect(windowEndOf(at(NOW), state)).toBe(end);
      expect(windowEndOf(at(NOW), { ...state, windowClosesAt: 5 })).toBe(5);
      expect(withWindow(at(NOW), state)).toStrictEqual(
        end === undefined ? state : { ...state, windowClosesAt: end },
      );
      if (end === undefined) return;
      expect([isWindowOpen(at(end - 1), state), isWindowOpen(at(end), state)]).toEqual([true, false]);
      const shut = { ...state, isMessagingWindowOpen: false };
      expect(withWindow(at(NOW), shut)).toBe(shut);
    },
  );
});
