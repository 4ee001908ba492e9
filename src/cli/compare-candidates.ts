/** Behaviour values that `compare` tries: every entry whose values can be listed, and every answer. */

import type { Entry } from "../behaviour/entry.js";
import { answerSchema } from "../behaviour/entry.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE } from "../behaviour/table.js";
import type { Candidates } from "../comparison/search.js";
import type { Schema } from "../kernel/schema.js";
import { CHANNELS } from "../world/fields.js";

type Alternatives = (current: unknown) => readonly unknown[];

/** Lists whose items are free text in the table, with the items that are worth a try. */
const ITEMS: Readonly<Record<string, readonly string[]>> = { "window.channels": CHANNELS };

/** Only receivers of deliveries see what these decide. */
const isOfDeliveries = ({ section }: Entry): boolean => section.startsWith("Events");

export function behaviourCandidates(): Candidates {
  const entries = BEHAVIOUR_KEYS.map((key) => ({ key, entry: BEHAVIOUR_TABLE[key] as Entry }));
  return {
    answers: entries.filter(({ entry }) => entry.schema === answerSchema).map(({ key }) => key),
    policies: entries.flatMap(({ key, entry }) => {
      const alternatives = alternativesOf(key, entry);
      return alternatives === undefined || isOfDeliveries(entry)
        ? []
        : [{ key, default: entry.default, alternatives }];
    }),
  };
}

function alternativesOf(key: string, entry: Entry): Alternatives | undefined {
  const { schema, default: initial, realistic } = entry;
  if (schema === answerSchema) return undefined;
  const listed = [...choicesOf(schema), ...(realistic === undefined ? [] : [realistic, initial])];
  const items = ITEMS[key] ?? enumIn(schema.items);
  const map = mapForm(schema);
  if (listed.length === 0 && items === undefined && map === undefined) return undefined;
  return (current) =>
    [
      ...listed,
      ...(items === undefined ? [] : nearestFirst(subsets(items), current as readonly string[])),
      ...(map === undefined ? [] : narrower(map, current)),
    ].filter((value) => JSON.stringify(value) !== JSON.stringify(current));
}

const enumIn = (schema: unknown): readonly string[] | undefined =>
  (schema as { readonly enum?: readonly string[] } | undefined)?.enum;

/** The choices of an entry, or of one of its forms. */
const choicesOf = (schema: Schema): readonly unknown[] => [
  ...(enumIn(schema) ?? []),
  ...((schema.anyOf as readonly Schema[] | undefined) ?? []).flatMap((form) => enumIn(form) ?? []),
];

function subsets(items: readonly string[]): string[][] {
  const all: string[][] = [[]];
  for (const item of items) all.push(...all.map((some) => [...some, item]));
  return all;
}

/** Lists that share most with the current one first. */
function nearestFirst(lists: readonly string[][], current: readonly string[]): string[][] {
  const apart = (list: readonly string[]) =>
    list.filter((item) => !current.includes(item)).length +
    current.filter((item) => !list.includes(item)).length;
  return [...lists].sort((a, b) => apart(a) - apart(b));
}

type Moves = Readonly<Record<string, readonly string[]>>;
interface MapForm {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

/** The form of an entry that maps names to lists of names. */
function mapForm(schema: Schema): MapForm | undefined {
  for (const form of (schema.anyOf as readonly Schema[] | undefined) ?? []) {
    const keys = enumIn(form.propertyNames);
    const values = enumIn((form.additionalProperties as Schema | undefined)?.items);
    if (keys !== undefined && values !== undefined) return { keys, values };
  }
  return undefined;
}

/** Maps that allow one move less than the current one; anything but a map allows all of them. */
function narrower({ keys, values }: MapForm, current: unknown): Moves[] {
  const all = () => Object.fromEntries(keys.map((key) => [key, values.filter((value) => value !== key)]));
  const moves = (typeof current === "object" ? current : all()) as Moves;
  return Object.entries(moves).flatMap(([from, targets]) =>
    targets.map((target) => ({ ...moves, [from]: targets.filter((one) => one !== target) })),
  );
}
