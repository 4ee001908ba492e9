import type { Faker } from "@faker-js/faker";
import type { Names } from "../generate/options.js";

/** Only the data of the locale that is asked for is loaded: all of them take a second. */
const FAKERS: Readonly<Record<string, () => Promise<{ readonly faker: Faker }>>> = {
  en: () => import("@faker-js/faker/locale/en"),
  fr: () => import("@faker-js/faker/locale/fr"),
  de: () => import("@faker-js/faker/locale/de"),
  es: () => import("@faker-js/faker/locale/es"),
  it: () => import("@faker-js/faker/locale/it"),
  pt_BR: () => import("@faker-js/faker/locale/pt_BR"),
  nl: () => import("@faker-js/faker/locale/nl"),
  ja: () => import("@faker-js/faker/locale/ja"),
};

/** Names of a locale, drawn anew from a seed. */
export async function namesOf(locale: string, seed: number): Promise<Names> {
  const load = FAKERS[locale];
  if (load === undefined) throw new Error(`there are no names for the locale ${locale}`);
  const { faker } = await load();
  faker.seed(seed);
  return {
    firstName: () => faker.person.firstName(),
    lastName: () => faker.person.lastName(),
    company: () => faker.company.name(),
    city: () => faker.location.city(),
  };
}
