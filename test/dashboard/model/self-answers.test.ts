import { expect, it } from "vitest";
import type { Message } from "../../../dashboard/src/model/types";
import { selfAnswers } from "../../../dashboard/src/story/self-answers";
import { turnsOf } from "../../../dashboard/src/story/turns";
import { answer, message, sourcesOf } from "./story";

const QUESTION = message("1", "Q");
const answers = (count: number, from = 2): Message[] =>
  Array.from({ length: count }, (_, at) => answer(`${from + at}`, "A"));
const byCalls = (messages: readonly Message[]) =>
  Object.fromEntries(messages.filter(({ fromCustomer }) => !fromCustomer).map(({ id }) => [id, `r${id}`]));

it.each<[string, readonly Message[], boolean, number | undefined]>([
  ["a bot that writes one message after the other", [QUESTION, ...answers(7)], true, 7],
  ["a few messages", [QUESTION, ...answers(4)], true, undefined],
  ["employees who write by hand", [QUESTION, ...answers(7)], false, undefined],
  ["a customer who has written since", [QUESTION, ...answers(7), message("20", "Stop")], true, undefined],
  ["nobody", [], true, undefined],
])("counts messages of %s", (_, messages, isByApi, expected) => {
  const turns = turnsOf(sourcesOf({ messages, wrote: isByApi ? byCalls(messages) : {} }));
  expect(selfAnswers(turns.at(-1))).toBe(expected);
});
