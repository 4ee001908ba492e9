/** How a generated conversation goes: who writes what, and when. */
import type { THREAD_STATUSES } from "../world/records.js";
import type { Language } from "./language.js";
import { DAY, HOUR, MINUTE, NOW } from "./options.js";
import { itemAt, type SeededRandom } from "./seeded-random.js";

/** The longest time after a customer's message in which free-form text is allowed. */
const WINDOW = DAY;

interface Line {
  readonly who: "customer" | "employee" | "note";
  /** With its placeholders filled in; of a template the template's own. */
  readonly text: string;
  /** The template's position in the language's list. */
  readonly template?: number;
  readonly picture?: { readonly number: number; readonly bytes: number };
  /** ms since 1970 */
  readonly at: number;
}

export interface Conversation {
  readonly lines: readonly Line[];
  readonly status: (typeof THREAD_STATUSES)[number];
  readonly isMessagingWindowOpen: boolean;
}

interface Speakers {
  readonly customer: string;
  readonly employee: string;
  readonly business: string;
  readonly channel: string;
}

type Draft = Omit<Line, "at"> & { readonly after: number };

/**
 * A conversation of a given length, or one of one to three topics that may break off anywhere.
 *
 * @param length how many messages; undefined: as it comes
 */
export function converse(
  random: SeededRandom,
  language: Language,
  speakers: Speakers,
  length: number | undefined,
): Conversation {
  const drafts = draftMessages(random, language, speakers, length);
  const isLimited = speakers.channel === "WHATSAPP";
  const isRecent = random.chance(0.5);
  const last = NOW - random.below(isRecent ? 20 * HOUR : 60 * DAY);
  let at = last - drafts.slice(1).reduce((sum, { after }) => sum + after, 0);
  const lines = drafts.map(({ after, ...line }, index): Line => {
    if (index > 0) at += after;
    return { ...line, at };
  });
  const asked = lines.findLast(({ who }) => who === "customer");
  return {
    lines,
    status: statusOf(random, lines),
    isMessagingWindowOpen: !isLimited || (asked !== undefined && NOW - asked.at < WINDOW),
  };
}

function draftMessages(
  random: SeededRandom,
  language: Language,
  speakers: Speakers,
  length: number | undefined,
): readonly Draft[] {
  const filled = placeholderFiller(random, language, speakers);
  const drafts: Draft[] = [];
  const say = (who: Line["who"], phrases: readonly string[], more: Partial<Draft> = {}) =>
    drafts.push({ who, text: filled(random.pick(phrases)), after: pause(random, who), ...more });
  const wanted = length ?? (random.chance(0.6) ? 12 : random.between(1, 8));
  const rounds = length === undefined ? random.between(1, 2) : Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && drafts.length < wanted; round += 1) {
    const topic = random.pick(language.topics);
    const greeting = random.pick(language.hello);
    const question = random.pick(topic.ask);
    say("customer", [round === 0 ? greeted(greeting, question) : question]);
    if (random.chance(0.15)) say("customer", language.picture, { picture: drawPicture(random) });
    if (random.chance(0.25)) say("note", topic.note);
    say("employee", topic.answer);
    say("customer", topic.follow);
    say("employee", topic.settle);
    if (random.chance(0.7)) say("customer", language.thanks);
    if (random.chance(0.6)) say("employee", language.closing);
  }
  const cut = drafts.slice(0, wanted);
  const isForgotten = speakers.channel === "WHATSAPP" && cut.length > 1 && random.chance(0.15);
  if (!isForgotten) return cut;
  const template = random.below(language.templates.length);
  const { text } = itemAt(language.templates, template);
  const reminder: Draft = { who: "employee", text, template, after: WINDOW + random.between(1, 6) * HOUR };
  return [...(length === undefined ? cut : cut.slice(0, -1)), reminder];
}

function placeholderFiller(
  random: SeededRandom,
  language: Language,
  speakers: Speakers,
): (phrase: string) => string {
  const values: Readonly<Record<string, string>> = {
    customer: speakers.customer,
    employee: speakers.employee,
    business: speakers.business,
    order: `${random.pick(["A", "B", "C", "K"])}${random.between(1000, 9999)}`,
    day: random.pick(language.days),
  };
  return (phrase) =>
    upperFirst(
      phrase.includes("{") ? phrase.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "") : phrase,
    );
}

/** How long it takes somebody to write, ms. */
const pause = (random: SeededRandom, who: Line["who"]): number =>
  (who === "customer" ? random.between(1, 90) : random.between(1, 30)) * MINUTE + random.below(MINUTE);

const drawPicture = (random: SeededRandom) => ({
  number: random.between(1000, 9999),
  bytes: random.between(80_000, 4_000_000),
});

function statusOf(random: SeededRandom, lines: readonly Line[]): Conversation["status"] {
  const seen = lines.filter(({ who }) => who !== "note");
  const last = seen.at(-1);
  if (last === undefined) return "waiting";
  const isOver = seen.length > 4 && random.chance(0.5);
  return isOver ? "resolved" : last.who === "customer" ? "waiting" : "replied";
}

/** A question after a greeting, in small letters where that did not end the sentence. */
function greeted(greeting: string, question: string): string {
  const gap = /[。、]$/.test(greeting) ? "" : " ";
  return greeting + gap + (/[.!。]$/.test(greeting) ? upperFirst(question) : question);
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
