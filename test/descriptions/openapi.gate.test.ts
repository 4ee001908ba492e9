/** The OpenAPI descriptions of both APIs: valid, complete, and consistent with the tables that they derive from. */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { describeApi } from "../../src/api/descriptions.js";
import type { Operation } from "../../src/api/operation.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { possibleAnswers } from "../../src/api/responses.js";
import { describeControlApi } from "../../src/control/openapi.js";
import type { ControlRoute } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import type { Schema } from "../../src/kernel/schema.js";
import { startSimulator } from "../support/simulator.js";
import { type Description, operationsOf } from "./calls.js";
import { ownKeywordsIn, partsOf, validatorFor } from "./checks.js";

const URL_OF_SERVER = "http://127.0.0.1:4020";
const api = describeApi(URL_OF_SERVER) as Description;
const control = describeControlApi(URL_OF_SERVER) as Description;
const BOTH = [
  ["simulated API", api],
  ["control API", control],
] as const;

const templated = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

describe.each(BOTH)("the description of the %s", (_, document) => {
  it("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(structuredClone(document) as never);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(document.openapi).toBe("3.1.0");
  });

  // Among them: ids are unique, parameters are those of the path, references lead somewhere, examples fit, schemas are used.
  it("follows Redocly's recommendations, except for the slash in the specification", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const found = await lintFromString({ source: JSON.stringify(document), config });
    const slash = "no-path-trailing-slash: `/api/webhooks/` should not have a trailing slash.";
    expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual(
      document.paths["/api/webhooks/"] === undefined ? [] : [slash],
    );
  });

  it("has no keywords of our own", () => {
    expect(ownKeywordsIn(document)).toEqual([]);
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  it("gives every operation an id in camel case", () => {
    for (const { described } of operationsOf(document))
      expect(described.operationId).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
  });

  it("has schemas that compile, and examples in them that match", () => {
    const problemOf = validatorFor(document);
    const problems = [...partsOf(document)].flatMap(({ place, value }) => {
      const { schema, type, examples } = Object(value) as Schema & { schema?: Schema };
      if (schema !== undefined && !/\/(properties|schemas)\/[^/]+$/.test(place)) problemOf(schema, null);
      const given = type !== undefined && Array.isArray(examples) ? examples : [];
      return given.flatMap((one) => problemOf(value, one) ?? []).map((problem) => `${place}: ${problem}`);
    });
    expect(problems).toEqual([]);
  });
});

const WIDGET = "/api/widget/send-message-to-business";

describe("the description of the simulated API", () => {
  it.each(OPERATIONS.map((operation) => [operation.id, operation as Operation] as const))(
    "describes %s completely",
    (id, operation) => {
      const described = api.paths[templated(operation.path)]?.[operation.method.toLowerCase()];
      expect(described).toMatchObject({ operationId: id, summary: operation.summary });
      expect(described?.requestBody === undefined).toBe(operation.body === undefined);
      const statuses = new Set(possibleAnswers(operation).map(({ status }) => String(status)));
      expect(new Set(Object.keys(described?.responses ?? {}))).toEqual(statuses);
      const query = described?.parameters.filter((parameter) => parameter.in === "query") ?? [];
      expect(query.map(({ name }) => name)).toEqual(Object.keys(operation.query?.properties ?? {}));
    },
  );

  it("describes nothing else", () => {
    expect(operationsOf(api)).toHaveLength(OPERATIONS.length);
  });

  it("quotes the documented errors exactly", () => {
    expect(JSON.stringify(api.paths["/api/user/delete-by-email"])).toContain(
      "User cannot be deleted as they are the last person in the escalation pool for business ",
    );
  });

  // Other bodies and answers that fit are in proxy.gate.test.ts.
  const problemOf = validatorFor(api);
  const SEND = "/api/send-message-to-customer-thread";
  const GRAPHQL_ERRORS = [{ message: "no", path: [], code: 40000 }];
  const HOOKS = "/api/webhooks/";
  const PROFILE = "/api/customers/{customerId}/profile";
  const widget = (user: object) => ({ businessId: "1001", message: "Hello", user });

  it.each([
    [SEND, { customerThreadId: "9001" }, "exactly one schema in oneOf"],
    [SEND, { customerThreadId: "9001", text: "a", contentSid: "HX1" }, "oneOf"],
    [WIDGET, widget({}), "exactly one schema in oneOf"],
    [WIDGET, widget({ email: "ida@customer.example", sms: "+15551234567" }), "oneOf"],
    [WIDGET, widget({ sms: "whatsapp:+15551234567" }), "pattern"],
    [WIDGET, widget({ whatsapp: "0155" }), "pattern"],
    [HOOKS, { url: "bot.example", subscribedEvents: [] }, "pattern"],
  ])("refuses as a body of %s: %j", (path, body, problem) => {
    const { schema } = api.paths[path]?.post?.requestBody?.content?.["application/json"] ?? {};
    expect(problemOf(schema, body)).toContain(problem);
  });

  it.each([
    ["post", WIDGET, 400, { body: ["wrong"], headers: [] }, false],
    ["post", WIDGET, 400, { developerMessage: "no" }, false],
    ["post", WIDGET, 403, { body: [], headers: [] }, false],
    // What graphql.errorStatus and profile.emptyFields may make of answers.
    ["post", "/graphql", 200, { errors: GRAPHQL_ERRORS }, true],
    ["post", "/graphql", 200, { errors: GRAPHQL_ERRORS, body: [], headers: [] }, false],
    ["post", "/graphql", 200, { errors: [] }, false],
    ["get", PROFILE, 200, { id: "cust_001" }, true],
    ["get", PROFILE, 200, { firstName: "Alan" }, false],
    ["get", PROFILE, 200, { id: "cust_001", firstName: 1 }, false],
  ])("judges answers to %s %s: %i %j", (method, path, status, body, fits) => {
    const { schema } = api.paths[path]?.[method]?.responses[status]?.content?.["application/json"] ?? {};
    expect(problemOf(schema, body) === undefined).toBe(fits);
  });
});

it("the description of the control API has every route at each of its paths, and nothing else", () => {
  const placesOf = ({ scope, path }: ControlRoute) =>
    (scope === "server" ? ["/__sim"] : ["/__sim", "/__sim/sandboxes/{sandbox}"]).map(
      (place) => place + templated(path),
    );
  expect(new Set(Object.keys(control.paths))).toEqual(new Set(ROUTES.flatMap(placesOf)));
  for (const route of ROUTES as readonly ControlRoute[])
    for (const place of placesOf(route)) {
      const method = route.method === "ANY" ? "post" : route.method.toLowerCase();
      const { summary, responses = {} } = control.paths[place]?.[method] ?? {};
      const statuses = [route.success.status, ...(route.others ?? []).map(({ status }) => status)];
      expect([place, summary]).toEqual([place, route.summary]);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(statuses.map(String)));
    }
});

it("the simulator serves both", async () => {
  const { control: call, url } = await startSimulator();
  expect((await call("GET /openapi.json")).body).toEqual(describeApi(url));
  expect((await call("GET /control.json")).body).toEqual(describeControlApi(url));
});
