/** Who is on the service's side of a generated fixture: organizations, businesses, users, tokens. */
import type { FixtureInput } from "../world/fixture.js";
import { addressPart } from "./addresses.js";
import type { GenerateOptions, Names } from "./options.js";
import { SeededRandom } from "./seeded-random.js";

type RecordsOf<C extends keyof FixtureInput> = Exclude<FixtureInput[C], undefined | string>;
type User = RecordsOf<"users">[number];
type Business = RecordsOf<"businesses">[number];

export interface Branch {
  readonly business: Business;
  /** The users who work there. */
  readonly users: readonly User[];
}

export interface Team {
  readonly organization: RecordsOf<"organizations">[number];
  readonly branches: readonly Branch[];
  /** The branches that can write on WhatsApp; the first branch is one. */
  readonly whatsappBranches: readonly Branch[];
  readonly users: readonly User[];
}

const FIRST_ORGANIZATION = 200;
const FIRST_BUSINESS = 1001;
const FIRST_USER = 501;

/** The teams, one for each organization; businesses are dealt out to them in turn. */
export function teamsOf(options: GenerateOptions, names: Names): Team[] {
  const ids = { user: FIRST_USER };
  return Array.from({ length: options.organizations }, (_, index) => makeTeam(index, options, names, ids));
}

function makeTeam(index: number, options: GenerateOptions, names: Names, ids: { user: number }): Team {
  const { seed, businesses, organizations, language } = options;
  const organization = { id: String(FIRST_ORGANIZATION + index), name: names.company() };
  const host = `${addressPart(organization.name) || "team"}-${organization.id}.example`;
  const taken = new Set<string>();
  const person = (businessIds: string[]): User => {
    const [first, last] = [names.firstName(), names.lastName()];
    const id = String(ids.user);
    ids.user += 1;
    const plain = [addressPart(first), addressPart(last)].filter(Boolean).join(".");
    const local = plain === "" || taken.has(plain) ? `${plain || "user"}.${id}` : plain;
    taken.add(local);
    return {
      id,
      organizationId: organization.id,
      email: `${local}@${host}`,
      displayName: language.fullName(first, last),
      businessIds,
      contactable: true,
    };
  };

  const numbers: number[] = [];
  for (let number = index; number < businesses; number += organizations) numbers.push(number);
  const manager = numbers.length === 0 ? undefined : person(numbers.map((n) => String(FIRST_BUSINESS + n)));
  const branches = numbers.map((number, position): Branch => {
    const random = new SeededRandom(seed, `business/${number}`);
    const id = String(FIRST_BUSINESS + number);
    const users = Array.from({ length: random.between(2, 4) }, () => person([id]));
    const isActive = position === 0 || random.chance(0.7);
    const hasSender = isActive || random.chance(0.5);
    const phoneNumber = phoneOf(language.phone, number, "9");
    const business: Business = {
      id,
      organizationId: organization.id,
      name: `${organization.name} ${names.city()}`,
      online: position === 0 || random.chance(0.9),
      whatsappSender: hasSender ? { active: isActive, phoneNumber } : null,
      escalationPool: users.slice(0, random.between(0, 2)).map((user) => user.id),
    };
    return { business, users };
  });
  return {
    organization,
    branches,
    whatsappBranches: branches.filter(({ business }) => business.whatsappSender?.active === true),
    users: manager === undefined ? [] : [manager, ...branches.flatMap(({ users }) => users)],
  };
}

/** Two tokens for each team that has users, both of the one who sees all businesses; only the first may delete users. */
export function* tokensOf(teams: readonly Team[]): Generator<RecordsOf<"tokens">[number]> {
  for (const { organization, users } of teams) {
    const [manager] = users;
    if (manager === undefined) continue;
    yield { id: `org-${organization.id}-token`, userId: manager.id, permissions: ["user:delete"] };
    yield { id: `org-${organization.id}-readonly`, userId: manager.id, permissions: [] };
  }
}

/** A number in international format that no other index has; those of businesses begin apart from customers'. */
export function phoneOf(
  { prefix, digits }: { readonly prefix: string; readonly digits: number },
  index: number,
  first = "",
): string {
  const free = digits - first.length;
  // Odd and no multiple of 5: the steps through the numbers of this length meet each of them once.
  const scattered = (BigInt(index) * 618_033_989n + 1_234_567n) % 10n ** BigInt(free);
  return `${prefix}${first}${String(scattered).padStart(free, "0")}`;
}
