import type { Faker, Randomizer } from "@faker-js/faker";
import { isKeyOf, keysOf } from "../kernel/objects.js";
import { Random, seedOf } from "../kernel/random.js";
import type { FixtureInput } from "../service/world/records.js";
import { CHANNELS } from "../service/world/records.js";
import { asText, command, numberIn, optional, refused, type Values } from "./command.js";
import { OK } from "./terminal.js";

/** Only the requested locale is loaded: loading all of them takes a second. */
export const LOCALES = {
  en: { phonePrefix: "+155", load: () => import("@faker-js/faker/locale/en") },
  fr: { phonePrefix: "+336", load: () => import("@faker-js/faker/locale/fr") },
  de: { phonePrefix: "+49151", load: () => import("@faker-js/faker/locale/de") },
  es: { phonePrefix: "+346", load: () => import("@faker-js/faker/locale/es") },
  it: { phonePrefix: "+3935", load: () => import("@faker-js/faker/locale/it") },
  pt_BR: { phonePrefix: "+55119", load: () => import("@faker-js/faker/locale/pt_BR") },
  nl: { phonePrefix: "+316", load: () => import("@faker-js/faker/locale/nl") },
  ja: { phonePrefix: "+8190", load: () => import("@faker-js/faker/locale/ja") },
};
type Locale = keyof typeof LOCALES;

const MAX_COUNT = 10_000_000;
const DEFAULTS = { threads: 20, businesses: 3, organizations: 1 };

const count = (describe: string) =>
  optional(describe, numberIn(`a whole number from 0 to ${MAX_COUNT}`, 0, MAX_COUNT));

const OPTIONS = {
  threads: count(`number of threads (default: ${DEFAULTS.threads})`),
  customers: count("number of customers (default: two for every three threads)"),
  businesses: count(`number of businesses (default: ${DEFAULTS.businesses}, at least one per organization)`),
  organizations: count(`number of organizations (default: ${DEFAULTS.organizations})`),
  messages: count("number of messages in each thread (default: 1 to 8)"),
  seed: optional("seed: a number or any text (default: 1)", asText),
  locale: optional(`language of names and texts: ${keysOf(LOCALES).join(", ")} (default: en)`, (text) => {
    const locale = text.replace("-", "_");
    return isKeyOf(LOCALES, locale)
      ? locale
      : refused(`must be one of ${keysOf(LOCALES).join(", ")}, but is "${text}"`);
  }),
};

/** How many there are to be of each kind; threads need some of all others. */
function countsOf({ threads = DEFAULTS.threads, ...others }: Values<typeof OPTIONS>) {
  const { organizations = DEFAULTS.organizations } = others;
  const { businesses = Math.max(DEFAULTS.businesses, organizations) } = others;
  const { customers = Math.max(Math.ceil((threads * 2) / 3), threads > 0 ? organizations : 0) } = others;
  return { threads, organizations, businesses, customers };
}

/** `messaging-sim generate`: a fixture on standard output; the same options give the same bytes. */
export const GENERATE = command({
  options: OPTIONS,
  examples: {
    "messaging-sim generate > small.json": "a small fixture",
    "messaging-sim generate --threads 500 --locale fr --seed 7 > french.json":
      "a larger one, with French names",
  },
  exits: { 0: "the fixture is written", 2: "an option is unusable, or the output cannot be written" },
  problems: (values) => {
    const { threads, ...others } = countsOf(values);
    const { organizations, businesses, customers } = others;
    if (threads > 0)
      return Object.entries(others).flatMap(([name, value]) =>
        value > 0 ? [] : [{ path: `--${name}`, message: "must be at least 1: threads need one" }],
      );
    return organizations > 0 || (businesses === 0 && customers === 0)
      ? []
      : [{ path: "--organizations", message: "must be at least 1: businesses and customers belong to one" }];
  },
  run: async (values, terminal) => {
    const { messages, seed = "1", locale = "en" } = values;
    const options = {
      ...countsOf(values),
      messages,
      seed: seedOf(/^\d{1,9}$/.test(seed) ? Number(seed) : seed),
      locale,
    };
    for await (const piece of fixtureText(options)) {
      terminal.out(piece);
      if (!((await terminal.drained?.()) ?? true)) break;
    }
    return OK;
  },
});

interface GenerateOptions extends Readonly<ReturnType<typeof countsOf>> {
  /** Messages in each thread; undefined: 1 to 8. */
  readonly messages: number | undefined;
  readonly seed: number;
  readonly locale: Locale;
}

type Collection = Exclude<keyof FixtureInput, "$schema" | "simulator" | "journal">;
type RecordOf<C extends Collection> = NonNullable<FixtureInput[C]>[number];
type Message = RecordOf<"messages">;

/** The current time of the generated world, ms: 5 January 2026, 08:00 UTC. */
export const NOW = 1_767_600_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const FIRST_ORGANIZATION = 200;
const FIRST_USER = 501;
const FIRST_BUSINESS = 1001;
const FIRST_THREAD = 9001;
const FIRST_MESSAGE = 555_001;
const EMPLOYEES_PER_BUSINESS = 3;
const PHONE_DIGITS = 8;
const TEMPLATE_TITLES = ["issue_back", "order_ready", "appointment_reminder"];
/** WhatsApp is the most frequent channel. */
const CHANNEL_WEIGHTS = [...CHANNELS, "WHATSAPP", "WHATSAPP"] as const;

/** The length of a chunk of text, in characters. */
const PIECE_LENGTH = 65_536;

/** The text of a fixture, one record per line. The same options give the same text. */
export async function* fixtureText(options: GenerateOptions): AsyncGenerator<string> {
  const { faker } = await LOCALES[options.locale].load();
  let piece = "{";
  let isFirst = true;
  for (const [collection, records] of Object.entries(new World(options, faker).collections())) {
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

/** Seeding Faker's own generator takes longer than generating a record. */
function quickRandomizer(): Randomizer {
  let random = new Random(0);
  return {
    next: () => random.fraction(),
    seed: (seed) => {
      random = new Random(seedOf(String(seed)));
    },
  };
}

/** A generated world. Each record is derived from the seed and its own number, so a large fixture is never in memory. */
class World {
  readonly #options: GenerateOptions;
  readonly #faker: Faker;
  readonly #businesses: readonly RecordOf<"businesses">[];

  /** `ready`: faker in the locale; its class is not exported without the data of all locales. */
  constructor(options: GenerateOptions, ready: Faker) {
    this.#options = options;
    const Maker = ready.constructor as new (settings: ConstructorParameters<typeof Faker>[0]) => Faker;
    this.#faker = new Maker({ locale: ready.rawDefinitions, randomizer: quickRandomizer() });
    this.#businesses = [...each(options.businesses, (index) => this.#business(index))];
  }

  collections(): Readonly<Record<Collection, Iterable<object>>> {
    const { organizations, businesses, customers, threads } = this.#options;
    return {
      organizations: each(organizations, (index) => this.#organization(index)),
      businesses: this.#businesses,
      users: each(this.#managers + businesses * EMPLOYEES_PER_BUSINESS, (index) => this.#user(index)),
      tokens: each(2 * this.#managers, tokenOf),
      customers: each(customers, (index) => this.#customer(index)),
      threads: each(threads, (index) => this.#conversation(index).thread),
      messages: this.#messages(),
      templates: each(organizations * TEMPLATE_TITLES.length, (index) => this.#template(index)),
      webhooks: each(organizations, webhookOf),
    };
  }

  /** How many managers there are: one in each organization that has a business. */
  get #managers(): number {
    return Math.min(this.#options.organizations, this.#options.businesses);
  }

  /** Faker, seeded for one record. */
  #for(collection: string, index: number): Faker {
    this.#faker.seed(seedOf(`${this.#options.seed}/${collection}/${index}`));
    return this.#faker;
  }

  #organization(index: number): RecordOf<"organizations"> {
    return { id: organizationId(index), name: this.#for("organization", index).company.name() };
  }

  #business(index: number): RecordOf<"businesses"> {
    const { organizations } = this.#options;
    const organization = this.#organization(index % organizations);
    const faker = this.#for("business", index);
    const isFirst = index < organizations;
    const active = isFirst || faker.datatype.boolean(0.7);
    const phoneNumber = this.#phoneNumber(2 * index + 1);
    return {
      id: businessId(index),
      organizationId: organization.id,
      name: `${organization.name} ${faker.location.city()}`,
      online: isFirst || faker.datatype.boolean(0.9),
      whatsappSender: active || faker.datatype.boolean() ? { active, phoneNumber } : null,
      escalationPool: [...each(faker.number.int(2), (position) => this.#employeeId(index, position))],
    };
  }

  /** The managers, who have access to all businesses of their organization, come before the employees. */
  #user(index: number): RecordOf<"users"> {
    const { organizations, businesses } = this.#options;
    const isManager = index < this.#managers;
    const business = Math.floor((index - this.#managers) / EMPLOYEES_PER_BUSINESS);
    const organization = (isManager ? index : business) % organizations;
    const branches = Math.ceil((businesses - index) / organizations);
    const id = String(FIRST_USER + index);
    const { displayName, localPart } = personOf(this.#for("user", index));
    return {
      id,
      organizationId: organizationId(organization),
      email: `${localPart}.${id}@org-${organizationId(organization)}.example`,
      displayName,
      businessIds: isManager
        ? [...each(branches, (branch) => businessId(index + branch * organizations))]
        : [businessId(business)],
    };
  }

  #employeeId(business: number, position: number): string {
    return String(FIRST_USER + this.#managers + business * EMPLOYEES_PER_BUSINESS + position);
  }

  #customer(index: number) {
    const faker = this.#for("customer", index);
    const { firstName, lastName, displayName, localPart } = personOf(faker);
    const channel = faker.helpers.arrayElement(CHANNEL_WEIGHTS);
    const survey = (text: string) => ({
      createdAt: NOW - faker.number.int({ min: 1, max: 200 }) * DAY,
      text,
    });
    return {
      id: `cust_${String(index + 1).padStart(6, "0")}`,
      organizationId: organizationId(index % this.#options.organizations),
      type: faker.datatype.boolean(0.7) ? "prospect" : "customer",
      editable: true,
      pictureHref: faker.datatype.boolean() ? `https://files.example/p/${index + 1}.png` : null,
      displayName,
      emailAddress:
        channel === "EMAIL" || faker.datatype.boolean(0.7) ? `${localPart}.${index + 1}@mail.example` : null,
      phoneNumber: channel !== "EMAIL" || faker.datatype.boolean(0.7) ? this.#phoneNumber(2 * index) : null,
      firstName,
      lastName,
      company: faker.datatype.boolean(0.3) ? faker.company.name() : null,
      channel,
      customerData: faker.datatype.boolean()
        ? [{ name: "TIER", value: faker.helpers.arrayElement(["gold", "silver", "bronze"]) }]
        : null,
      lastSurveys: faker.datatype.boolean(0.3)
        ? { nps: survey(String(faker.number.int(10))), preferredChannel: survey(channel) }
        : null,
      locale: this.#options.locale.replace("_", "-"),
    } satisfies RecordOf<"customers">;
  }

  #template(index: number): RecordOf<"templates"> {
    const faker = this.#for("template", index);
    return {
      id: `HX${faker.string.hexadecimal({ length: 32, casing: "lower", prefix: "" })}`,
      organizationId: organizationId(Math.floor(index / TEMPLATE_TITLES.length)),
      title: TEMPLATE_TITLES[index % TEMPLATE_TITLES.length] ?? "",
      text: faker.lorem.sentence(),
    };
  }

  *#messages(): Generator<Message> {
    let id = FIRST_MESSAGE;
    for (let index = 0; index < this.#options.threads; index += 1)
      for (const message of this.#conversation(index).messages) {
        yield { id: String(id), ...message };
        id += 1;
      }
  }

  /** A thread with its messages: customer and employee in turn, with some internal notes, and possibly a template at the end. */
  #conversation(index: number) {
    const { organizations, businesses, customers } = this.#options;
    // With fewer businesses or customers than organizations, only the first organizations have both.
    const organization = index % Math.min(organizations, businesses, customers);
    const drawn = this.#for("thread", index);
    const branch = this.#drawn(drawn, businesses, organization);
    const title = drawn.number.int(TEMPLATE_TITLES.length - 1);
    const { id: customerId, channel } = this.#customer(this.#drawn(drawn, customers, organization));
    const template = this.#template(organization * TEMPLATE_TITLES.length + title);
    const isWhatsApp = channel === "WHATSAPP";
    // The first business of each organization is on WhatsApp.
    const business = isWhatsApp && !this.#businesses[branch]?.whatsappSender?.active ? organization : branch;

    const faker = this.#for("conversation", index);
    const threadId = String(FIRST_THREAD + index);
    const employeeUserId = this.#employeeId(business, faker.number.int(EMPLOYEES_PER_BUSINESS - 1));
    const length = this.#options.messages ?? faker.number.int({ min: 1, max: 8 });
    const endsWithTemplate = isWhatsApp && length > 1 && faker.datatype.boolean(0.15);
    const messages: Draft[] = [];
    let elapsed = 0;
    for (let position = 0; position < length; position += 1) {
      const isTemplate = endsWithTemplate && position === length - 1;
      const fromCustomer = !isTemplate && position % 2 === 0;
      const pause = faker.number.int({ min: MINUTE, max: (fromCustomer ? 90 : 30) * MINUTE });
      elapsed += isTemplate ? DAY + pause : pause;
      const text = position === 0 ? `${faker.commerce.productName()}?` : faker.lorem.sentence();
      messages.push({
        threadId,
        fromCustomer,
        invisible: !fromCustomer && !isTemplate && faker.datatype.boolean(0.2),
        text: isTemplate ? template.text : text,
        contentSid: isTemplate ? template.id : null,
        employeeUserId: fromCustomer ? null : employeeUserId,
        timestamp: elapsed,
        attachment: fromCustomer && faker.datatype.boolean(0.1) ? pictureOf(faker) : null,
      });
    }
    const last = NOW - faker.number.int(faker.datatype.boolean() ? 20 * HOUR : 60 * DAY);
    for (const message of messages) message.timestamp += last - elapsed;
    const visible = messages.filter(({ invisible }) => !invisible);
    const isResolved = visible.length > 4 && faker.datatype.boolean();
    const answered = visible.at(-1)?.fromCustomer === false ? "replied" : "waiting";
    const heard = messages.findLast(({ fromCustomer }) => fromCustomer)?.timestamp ?? 0;
    const thread: RecordOf<"threads"> = {
      id: threadId,
      businessId: businessId(business),
      customerId,
      channel,
      status: isResolved ? "resolved" : answered,
      isMessagingWindowOpen: !isWhatsApp || NOW - heard < DAY,
    };
    return { thread, messages };
  }

  /** The index of a random business or customer of an organization. */
  #drawn(faker: Faker, count: number, organization: number): number {
    const { organizations } = this.#options;
    return (
      organization + organizations * faker.number.int(Math.ceil((count - organization) / organizations) - 1)
    );
  }

  /** A number that is different for each index. */
  #phoneNumber(index: number): string {
    // The step is coprime to 10, so the multiples go through all numbers of this length.
    const scattered = (index * 61_803_399 + 1_234_567) % 10 ** PHONE_DIGITS;
    const { phonePrefix } = LOCALES[this.#options.locale];
    return `${phonePrefix}${String(scattered).padStart(PHONE_DIGITS, "0")}`;
  }
}

type Draft = { -readonly [Field in keyof Omit<Message, "id">]: Message[Field] };

const organizationId = (index: number): string => String(FIRST_ORGANIZATION + index);
const businessId = (index: number): string => String(FIRST_BUSINESS + index);

function* each<T>(count: number, make: (index: number) => T): Generator<T> {
  for (let index = 0; index < count; index += 1) yield make(index);
}

/** A person's names, and the name as part of an e-mail address: lower-case letters and digits. */
function personOf(faker: Faker) {
  const sex = faker.person.sexType();
  const [firstName, lastName] = [faker.person.firstName(sex), faker.person.lastName(sex)];
  const plain = faker.helpers.slugify(`${firstName} ${lastName}`).toLowerCase();
  const localPart = plain.replace(/[^a-z0-9]+/g, ".").replace(/^\.|\.$/g, "") || "user";
  return { firstName, lastName, displayName: faker.person.fullName({ firstName, lastName, sex }), localPart };
}

const pictureOf = (faker: Faker) => ({
  uuid: faker.string.uuid(),
  contentType: "image/jpeg",
  name: `IMG_${faker.number.int({ min: 1000, max: 9999 })}.jpg`,
  contentLength: faker.number.int({ min: 80_000, max: 4_000_000 }),
});

/** Two tokens for each manager; only the first may delete users. */
function tokenOf(index: number): RecordOf<"tokens"> {
  const manager = Math.floor(index / 2);
  const [suffix, permissions] = index % 2 === 0 ? ["token", ["user:delete"]] : ["no-delete", []];
  return {
    id: `org-${organizationId(manager)}-${suffix}`,
    userId: String(FIRST_USER + manager),
    permissions,
  };
}

const webhookOf = (index: number): RecordOf<"webhooks"> => ({
  id: String(index + 1),
  hookId: "crm",
  organizationId: organizationId(index),
  url: `sink:org-${organizationId(index)}`,
  subscribedEvents: ["messages", "transfers"],
});
