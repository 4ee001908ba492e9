/** One failed rule, as the service's 400 answers list them (specification: "Validation error shape"). */
export interface Problem {
  readonly message: string;
  /** Where: `@`, `@.email`, `@.user.sms`, `@.subscribedEvents[0]`, `@["odd key"]`. */
  readonly property: string;
}

const IDENTIFIER = /^[a-z$_][a-z0-9$_]*$/i;

/** The place of an object's key: `@.email`, `@["odd key"]`; quotes inside a key stay as they are. */
export const keyPlace = (parent: string, key: string): string =>
  IDENTIFIER.test(key) ? `${parent}.${key}` : `${parent}["${key}"]`;

/** The place of an array's item: `@.subscribedEvents[0]`. */
export const itemPlace = (parent: string, index: number): string => `${parent}[${index}]`;
