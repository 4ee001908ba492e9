/** Calls that entries of the behaviour table decide, made when a sandbox is there. */

import type { BehaviourKey, BehaviourValues } from "../../src/service/behaviour/table.js";
import { begin, DELETE_USER, DETAILS, HOOK, HOOKS, PROFILE, STATUS, send } from "../conformance/support.js";
import type { Answer, Caller, Running } from "../support/simulator.js";

export type Observe = (s: Caller) => Promise<unknown>;
export type Call = (
  s: Caller & Partial<Pick<Running, "registry">>,
) => Promise<Omit<Answer, "body"> & { body: unknown }>;

export const PHONE = "+15550100";
export const NOTE = { text: "note", internal: true };
export const thread = (id: string) => DETAILS.replace("9001", id);
export const profile = (id: string) => PROFILE.replace("cust_001", id);
/** A call that is made when a sandbox is there. */
export const api =
  (line: string, body?: unknown, token?: string | null) =>
  (s: Caller): Promise<Answer> =>
    s.api(line, body, token === undefined ? {} : { token });
export const write = (body: object) => (s: Caller) => send(s, body);
export const start = (user: object, body?: object) => (s: Caller) => begin(s, user, body);
export const move = (status: string, customerThreadId = "9001") => api(STATUS, { customerThreadId, status });
export const create = (fields: object = {}) => api(`POST ${HOOKS}`, { ...HOOK, ...fields });
export const update = (fields: object) => api(`POST ${HOOKS}crm/update`, fields);
export const remove = (email: string) => api(DELETE_USER, { email });
/** A call under other values of the behaviour. */
export const given =
  <S extends Caller, T>(values: Partial<BehaviourValues>, call: (s: S) => Promise<T>) =>
  async (s: S): Promise<T> => {
    await s.control("PATCH /behaviour", values);
    return call(s);
  };

/** The statuses of calls, one after the other. */
export const statuses =
  (...calls: Call[]): Observe =>
  async (s) => {
    const seen = [];
    for (const call of calls) seen.push((await call(s)).status);
    return seen;
  };
/** The status and body of a call, and how many webhooks there are afterwards. */
export const told =
  (call: Call): Observe =>
  async (s) => {
    const { status, body } = await call(s);
    return [status, body, (await s.api(`GET ${HOOKS}`)).body.length];
  };
export const refusal = (property: string, message: string) => ({
  body: [{ message, property }],
  headers: [],
});
export const EMPTY = "must be longer than 1 elements, but it has 0";
/** Customer 1, who may not be edited. */
export const locked: Observe = ({ control }) =>
  control("PATCH /data/customers/cust_001", { editable: false });

/** A value of a policy, and what is seen with it. */
export interface Row {
  readonly key: BehaviourKey;
  readonly value: unknown;
  readonly expected: unknown;
  readonly observe: Observe;
}
export const row = <K extends BehaviourKey>(
  key: K,
  value: BehaviourValues[K],
  expected: unknown,
  observe: Observe,
): Row => ({ key, value, expected, observe });
/** Calls, one after the other, and the status that each then has. */
export const answered = <K extends BehaviourKey>(
  key: K,
  value: BehaviourValues[K],
  calls: readonly (readonly [call: Call, status: number])[],
): Row => {
  const expected = calls.map(([, status]) => status);
  return row(key, value, expected, statuses(...calls.map(([call]) => call)));
};
