/** Reads whole answers of the behaviour table off a recording, with placeholders for values of the request or of created records. */

import { isObject } from "../../kernel/json.js";
import type { Answer, Scope } from "../../service/behaviour/entry.js";
import { filled } from "../../service/behaviour/entry.js";
import type { AnswerKey } from "../../service/behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../../service/behaviour/table.js";
import type { Played } from "./player.js";

/** What one exchange shows of an answer. */
export interface Sample {
  readonly played: Played;
  readonly seen: Answer;
}

export interface ReadAnswer {
  readonly value: Answer;
  readonly agreeing: readonly Sample[];
  readonly against: readonly Sample[];
}

/** A shorter text may occur in an answer by chance. */
const MIN_ECHO = 3;

export const sampleOf = (played: Played): Sample => {
  const { status, response } = played.exchange.message;
  return { played, seen: { status, body: response.value ?? null } };
};

const same = (a: unknown, b: unknown): boolean => stable(a) === stable(b);

/** JSON with sorted keys. */
const stable = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  ) ?? "null";

const fits = ({ status, body }: Answer, { played, seen }: Sample): boolean =>
  status === seen.status && same(filled(body, played.scope), seen.body);

/**
 * The answer that most samples match. The default is tried first, then the first sample: verbatim, and with placeholders.
 * Undefined if no sample can be parsed.
 */
export function readAnswer(key: AnswerKey, samples: readonly Sample[]): ReadAnswer | undefined {
  const preset = BEHAVIOUR_TABLE[key].default as Answer;
  const readable = samples.filter(({ seen }) => seen.status >= 200 && !stable(seen.body).includes("${"));
  const values = [preset, ...readable.slice(0, 5).flatMap((sample) => [withEchoes(sample), sample.seen])];
  const read = values.map((value) => ({
    value,
    agreeing: samples.filter((sample) => fits(value, sample)),
    against: samples.filter((sample) => !fits(value, sample)),
  }));
  const best = read.reduce((one, other) => (other.agreeing.length > one.agreeing.length ? other : one));
  return best.agreeing.length === 0 ? undefined : best;
}

/** The answer with placeholders for what the call sent or created. */
function withEchoes({ played, seen }: Sample): Answer {
  const echoes = [...textsIn(played.scope)].filter(([, text]) => text.length >= MIN_ECHO);
  // Values of the request first, then the longest.
  echoes.sort(
    ([a, x], [b, y]) =>
      y.length - x.length || Number(b.startsWith("request")) - Number(a.startsWith("request")),
  );
  const body = JSON.parse(JSON.stringify(seen.body ?? null), (_, part: unknown) => {
    if (typeof part !== "string") return numberEcho(part, played.scope);
    const whole = echoes.find(([, text]) => text === part);
    if (whole !== undefined) return `\${${whole[0]}}`;
    const inside = echoes.find(([, text]) => text.length > MIN_ECHO && part.includes(text));
    return inside === undefined ? part : part.replaceAll(inside[1], () => `\${${inside[0]}}`);
  });
  return { status: seen.status, body };
}

/** A number that the call created: an instant. */
function numberEcho(part: unknown, { message }: Scope): unknown {
  return typeof part === "number" && isObject(message) && message.timestamp === part
    ? "${message.timestamp}"
    : part;
}

function* textsIn(value: unknown, path = ""): Generator<[string, string]> {
  if (typeof value === "string" && path !== "") yield [path, value];
  if (!isObject(value)) return;
  for (const [name, part] of Object.entries(value))
    if (/^\w+$/.test(name)) yield* textsIn(part, path === "" ? name : `${path}.${name}`);
}
