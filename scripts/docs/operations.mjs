// A page for each operation of the simulated API.

import { answerBlock, curlOf, exampleOf, wrongCallOf } from "./examples.mjs";
import { code, jsonCode, page, table } from "./markdown.mjs";
import { fieldTable, rulesOf } from "./schemas.mjs";

/** What a GET without anything to validate may still be told, under `headers.contentTypeOnGet=require`. */
const NO_CONTENT_TYPE = {
  body: [],
  headers: [{ message: "is missing and not optional", property: "@.content-type" }],
};

const decidedBy = ({ behaviour }) =>
  behaviour === undefined ? "the specification" : `behaviour [\`${behaviour}\`](../behaviour.md#answers)`;

/** What an answer is for, and the body that it has unless the behaviour table says otherwise. */
function answerRow(answer, isValidation, refusal) {
  const { status, description, example } = answer;
  const body = isValidation(answer) ? refusal : status < 400 && example === undefined ? undefined : example;
  return [status, description, decidedBy(answer), body === undefined ? "see above" : jsonCode(body)];
}

function graphqlPart({ GRAPHQL_OPERATIONS }) {
  return Object.entries(GRAPHQL_OPERATIONS).flatMap(([name, { document, variables }]) => [
    `### ${name}`,
    `Stands for \`${document}\`. Variables:`,
    fieldTable(variables),
  ]);
}

function requestPart(operation) {
  const { params, query, body, permission } = operation;
  const part = (title, schema) => {
    const fields = schema && fieldTable(schema);
    return fields === undefined ? [] : [`### ${title}`, rulesOf(schema), fields];
  };
  return [
    "## Request",
    "The header `token` carries the API token, `Content-Type` is `application/json`.",
    permission && `The token needs the permission \`${permission.name}\`.`,
    ...part("Path parameters", params),
    ...part("Query parameters", query),
    ...part("Body", body),
  ];
}

/** @returns the page of an operation, with the answer that a simulator gave to its example */
export async function operationPage(operation, tables, { ask, askWrong }) {
  const { id, method, path, section, summary, description, deprecated, success } = operation;
  const example = exampleOf(operation);
  const answer = await ask(example);
  const wrong = wrongCallOf(operation);
  const refusal = wrong === undefined ? NO_CONTENT_TYPE : (await askWrong(wrong)).body;
  const { validationErrorSchema, possibleAnswers } = tables;
  const answers = possibleAnswers(operation);
  const isValidation = ({ schema, behaviour, example: shown }) =>
    behaviour === undefined &&
    shown === undefined &&
    (schema === validationErrorSchema || schema === operation.failure?.schema);
  const schemaTable = typeof success === "string" ? undefined : fieldTable(success);
  return page(
    summary,
    `\`${method} ${path}\` · operation \`${id}\` · specification: ${section}`,
    description,
    deprecated && `Deprecated: ${deprecated.message}.`,
    requestPart(operation),
    id === "graphql" ? ["## Named operations", ...graphqlPart(tables)] : [],
    "## Example",
    curlOf(example),
    answerBlock(answer),
    schemaTable && ["## Answer", schemaTable],
    "## Answers by status",
    operation.failure &&
      "Refusals carry `errors` beside what the same refusal holds elsewhere; `graphql.errors` and `graphql.errorStatus` decide their form.",
    table(
      ["status", "case", "decided by", "body"],
      answers.map((one) => answerRow(one, isValidation, refusal)),
    ),
    answers.some(isValidation) &&
      "A 400 of validation lists every failed rule, in `body` those of the body and the query, in `headers` those of the headers; the one above is an example. The bodies that the behaviour table decides are its defaults.",
  );
}

/** The list of all operations. */
export const operationsIndex = ({ OPERATIONS }) =>
  page(
    "The simulated API",
    "Every call carries the header `token`. The checks come in this order, for every operation: path and method (404, 405), token (401), permission (403), rate (429), size, content type and JSON (413, 400), schema (400), existence in the token's organization (404), access of the token's user (403), rules of the service (400).",
    table(
      ["method and path", "", "specification"],
      OPERATIONS.map(({ id, method, path, summary, section }) => [
        `[\`${method} ${path}\`](${id}.md)`,
        summary,
        section.split(" / ").at(-1),
      ]),
    ),
    `Answers that any path may give: 404 for one that is unknown (${code("http.unknownPath")}) and 405 for another method (${code("http.wrongMethod")}).`,
  );
