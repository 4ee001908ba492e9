import { OPERATIONS } from "../../src/api/operations/index.js";

const IN_PATHS: Readonly<Record<string, string>> = { ":customerId": "cust_001", ":webHookId": "crm" };

/** A call of each operation that succeeds on the default fixture, with the body that its description shows. */
export const CALLS: Record<string, { call: string; body?: unknown }> = Object.fromEntries(
  OPERATIONS.map(({ id, method, path, query, example }) => {
    const target = path.replace(/:\w+/, (name) => IN_PATHS[name] ?? name);
    return [id, { call: `${method} ${target}${query ? "?customerThreadId=9001" : ""}`, body: example }];
  }),
);
