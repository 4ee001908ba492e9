/** Generated fixtures as text, piece by piece: a large one never stands in memory as a whole. */
import type { FixtureInput } from "../world/fixture.js";
import { customersOf, type KnownCustomer } from "./customers.js";
import type { GenerateOptions, Names } from "./options.js";
import { type Team, teamsOf, tokensOf } from "./staff.js";
import { ThreadMaker } from "./threads.js";

type Collections = {
  readonly [C in Exclude<keyof FixtureInput, "$schema" | "simulator" | "journal">]-?: Iterable<object>;
};

/** Pieces are about this long, in characters. */
const PIECE_LENGTH = 65_536;

/**
 * The text of a fixture, a record on each line (contract section 2). The same options and names give the same text.
 *
 * @example
 * for (const piece of fixtureText(options, names)) process.stdout.write(piece);
 */
export function* fixtureText(options: GenerateOptions, names: Names): Generator<string> {
  let piece = "{";
  let isFirst = true;
  for (const [collection, records] of Object.entries(collectionsOf(options, names))) {
    piece += `${isFirst ? "" : ","}\n  ${JSON.stringify(collection)}: [`;
    isFirst = false;
    let count = 0;
    for (const record of records) {
      piece += `${count === 0 ? "" : ","}\n    ${JSON.stringify(record)}`;
      count += 1;
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = "";
    }
    piece += count === 0 ? "]" : "\n  ]";
  }
  yield `${piece}\n}\n`;
}

function collectionsOf(options: GenerateOptions, names: Names): Collections {
  const teams = teamsOf(options, names);
  const known: KnownCustomer[] = [];
  const threads = new ThreadMaker(options, teams, known);
  return {
    organizations: teams.map(({ organization }) => organization),
    businesses: teams
      .flatMap(({ branches }) => branches.map(({ business }) => business))
      .sort((a, b) => Number(a.id) - Number(b.id)),
    users: teams.flatMap(({ users }) => users),
    tokens: tokensOf(teams),
    customers: customersOf(options, names, teams, known),
    threads: threads.threads(),
    messages: threads.messages(),
    templates: threads.templates(),
    webhooks: webhooksOf(teams),
  };
}

function* webhooksOf(teams: readonly Team[]): Generator<NonNullable<FixtureInput["webhooks"]>[number]> {
  for (const [index, { organization }] of teams.entries()) {
    yield {
      id: String(index + 1),
      hookId: "crm",
      organizationId: organization.id,
      url: `sink:org-${organization.id}`,
      enabled: true,
      subscribedEvents: ["messages", "transfers"],
      extraHeaders: [],
      legacy: false,
    };
  }
}
