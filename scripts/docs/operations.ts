/** A page for each operation of the simulated API. */

import type { Operation } from "../../src/api/operation.js";
import { GRAPHQL_OPERATIONS } from "../../src/api/operations/graphql.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { type PossibleAnswer, possibleAnswers, validationErrorSchema } from "../../src/api/responses.js";
import type { Schema } from "../../src/kernel/schema.js";
import { ANSWERS } from "../../src/service/behaviour/answers.js";
import { answerBlock, curlOf, type Examples, exampleOf, wrongCallOf } from "./examples.js";
import { type Blocks, jsonCode, page, table } from "./markdown.js";
import { fieldTable, rulesOf } from "./schemas.js";
import { sectionLink } from "./specification.js";

/** What a GET without anything to validate may still be told, under `headers.contentTypeOnGet=require`. */
const NO_CONTENT_TYPE = {
  body: [],
  headers: [{ message: "is missing and not optional", property: "@.content-type" }],
};

const decidedBy = ({ behaviour }: PossibleAnswer): string =>
  behaviour === undefined
    ? "the specification"
    : `behaviour [\`${behaviour}\`](../behaviour.md#${behaviour in ANSWERS ? "responses" : "rules-and-forms"})`;

/** The case that an entry's question asks about: "What is the response to a sent message?" is about "A sent message". */
const caseOf = (description: string): string =>
  description.replace(
    /^(?:What is the response|Which details does the response have) (?:to|if) (.)(.*?)\?( ?)/,
    (_, first: string, rest: string, more: string) => first.toUpperCase() + rest + (more && ". "),
  );

const bodyCell = (body: unknown): string => (body === undefined ? "see above" : jsonCode(body));

const graphqlPart = (): Blocks => [
  "## Named operations",
  Object.entries(GRAPHQL_OPERATIONS).map(([name, { document, variables }]) => [
    `### ${name}`,
    `Stands for \`${document}\`. Variables:`,
    fieldTable(variables),
  ]),
];

function requestPart({ params, query, body }: Operation): Blocks {
  const part = (title: string, schema: Schema | undefined): Blocks => {
    const fields = schema && fieldTable(schema);
    return schema && fields && [`### ${title}`, rulesOf(schema), fields];
  };
  return [
    "## Request",
    "The header `token` carries the API token, `Content-Type` is `application/json`.",
    part("Path parameters", params),
    part("Query parameters", query),
    part("Body", body),
  ];
}

/** The page of an operation, with the answer that a simulator gave to its example. */
export async function operationPage(operation: Operation, examples: Examples): Promise<string> {
  const { id, method, path, section, summary, description, deprecated, success, failure } = operation;
  const example = exampleOf(operation);
  const answer = await examples.ask(example);
  const wrong = wrongCallOf(operation);
  const refusal = wrong === undefined ? NO_CONTENT_TYPE : (await examples.askWrong(wrong)).body;
  const answers = possibleAnswers(operation);
  const isValidation = ({ schema, example: body }: PossibleAnswer): boolean =>
    body === undefined &&
    schema !== undefined &&
    (schema === validationErrorSchema || schema === failure?.schema);
  const schemaTable = typeof success === "string" ? undefined : fieldTable(success);
  return page(
    summary,
    `\`${method} ${path}\` · operation \`${id}\` · specification: ${sectionLink(section, "../../")}`,
    description,
    deprecated && `Deprecated: ${deprecated.message}.`,
    requestPart(operation),
    id === "graphql" && graphqlPart(),
    "## Example",
    curlOf(example),
    answerBlock(answer),
    schemaTable && ["## Response", schemaTable],
    "## Responses by status",
    failure &&
      "Refusals have only the field `errors`; `graphql.errors` and `graphql.errorStatus` control their form.",
    table(
      ["status", "case", "decided by", "body"],
      answers.map((one) => [
        one.status,
        caseOf(one.description),
        decidedBy(one),
        bodyCell(isValidation(one) ? refusal : one.example),
      ]),
    ),
    failure === undefined &&
      answers.some(isValidation) &&
      "A validation error (400) lists every failed rule: `body` for the body and the query, `headers` for the headers. The one above is an example. Bodies controlled by the behaviour table show its defaults.",
  );
}

/** The list of all operations. */
export const operationsIndex = (): string =>
  page(
    "The simulated API",
    "Every call needs the header `token`. Every operation runs its checks in this order: path and method (404, 405), token (401), permission (403), rate (429), size, content encoding, content type and JSON (413, 415, 400), schema (400), existence in the token's organization (404), access of the token's user (403), rules of the service (400).",
    table(
      ["method and path", "", "specification"],
      OPERATIONS.map(({ id, method, path, summary, section }) => [
        `[\`${method} ${path}\`](${id}.md)`,
        summary,
        section.split(" / ").at(-1),
      ]),
    ),
    "Any path may respond with 404 if it is unknown, with 405 for a wrong method, and with 403 for a browser that uses a foreign host name.",
  );
