/** The threads of a generated fixture and the messages in them. */
import type { FixtureInput } from "../world/fixture.js";
import { type Conversation, converse } from "./conversation.js";
import { customerId, type KnownCustomer } from "./customers.js";
import type { GenerateOptions } from "./options.js";
import { itemAt, SeededRandom } from "./seeded-random.js";
import type { Branch, Team } from "./staff.js";

type Thread = NonNullable<FixtureInput["threads"]>[number];
type Message = NonNullable<FixtureInput["messages"]>[number];
type Template = NonNullable<FixtureInput["templates"]>[number];

const FIRST_THREAD = 9001;
const FIRST_MESSAGE = 555_001;

/** Makes each thread as often as it is asked for, always the same: nothing of them is kept. */
export class ThreadMaker {
  readonly #options: GenerateOptions;
  readonly #teams: readonly Team[];
  readonly #customers: readonly KnownCustomer[];

  constructor(options: GenerateOptions, teams: readonly Team[], customers: readonly KnownCustomer[]) {
    this.#options = options;
    this.#teams = teams;
    this.#customers = customers;
  }

  *threads(): Generator<Thread> {
    for (let index = 0; index < this.#options.threads; index += 1) {
      const { branch, customer, channel, conversation } = this.#plan(index);
      const { status, isMessagingWindowOpen } = conversation;
      yield {
        id: String(FIRST_THREAD + index),
        businessId: branch.business.id,
        customerId: customerId(customer),
        channel,
        status,
        isMessagingWindowOpen,
      };
    }
  }

  *messages(): Generator<Message> {
    let id = FIRST_MESSAGE;
    for (let index = 0; index < this.#options.threads; index += 1) {
      const { conversation, employee, team, random } = this.#plan(index);
      for (const { who, text, template, picture, at } of conversation.lines) {
        yield {
          id: String(id),
          threadId: String(FIRST_THREAD + index),
          fromCustomer: who === "customer",
          invisible: who === "note",
          text,
          contentSid: template === undefined ? null : this.#templateId(team, template),
          employeeUserId: who === "customer" ? null : employee.id,
          timestamp: at,
          attachment:
            picture === undefined
              ? null
              : {
                  uuid: drawUuid(random),
                  contentType: "image/jpeg",
                  name: `IMG_${picture.number}.jpg`,
                  contentLength: picture.bytes,
                },
        };
        id += 1;
      }
    }
  }

  *templates(): Generator<Template> {
    for (const [team, { organization }] of this.#teams.entries()) {
      for (const [index, { title, text }] of this.#options.language.templates.entries())
        yield { id: this.#templateId(team, index), organizationId: organization.id, title, text };
    }
  }

  #templateId(team: number, index: number): string {
    return `HX${new SeededRandom(this.#options.seed, `template/${team}/${index}`).hex(32)}`;
  }

  #plan(index: number) {
    const { seed, language, messages, businesses, customers } = this.#options;
    const random = new SeededRandom(seed, `thread/${index}`);
    // Only the first of the teams have both businesses and customers where there are fewer of these than teams.
    const usable = Math.min(this.#teams.length, businesses, customers);
    const team = index % usable;
    const { branches, whatsappBranches } = itemAt(this.#teams, team);
    const customersOfTeam = Math.ceil((customers - team) / this.#teams.length);
    const customer = team + this.#teams.length * random.below(customersOfTeam);
    const { firstName, channel } = itemAt(this.#customers, customer);
    const branch: Branch = random.pick(channel === "WHATSAPP" ? whatsappBranches : branches);
    const employee = random.pick(branch.users);
    const speakers = {
      customer: firstName,
      employee: employee.displayName,
      business: branch.business.name,
      channel,
    };
    const conversation: Conversation = converse(random, language, speakers, messages);
    return { branch, customer, channel, conversation, employee, team, random };
  }
}

function drawUuid(random: SeededRandom): string {
  return `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-a${random.hex(3)}-${random.hex(12)}`;
}
