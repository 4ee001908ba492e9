import { describe, expect, test } from "vitest";
import { formatProblem } from "../../src/kernel/problems.js";
import { FixtureLoader } from "../../src/service/world/load.js";

const loader = new FixtureLoader();

const JSON_TEXT = `{
  "organizations": [{ "id": "200", "name": "Acme" }],
  "businesses": [
    { "id": "1001", "organizationId": "200", "name": "Paris",
      "escalationPool": ["501"] }
  ],
  "users": [{ "id": "501", "organizationId": "200", "email": "ana@acme.example",
              "displayName": "Ana", "businessIds": ["1001"] }],
  "tokens": [
    { "id": "acme-token", "userId": "501" }
  ]
}
`;

const YAML_TEXT = `organizations:
  - { id: "200", name: Acme }
users:
  - id: "501"
    organizationId: "200"
    email: ana@acme.example
    displayName: Ana
    businessIds: []
`;

async function problemsOf(text: string, file: string): Promise<string[]> {
  const { document, problems = [] } = await loader.readFixtureText(text, file);
  expect(document === undefined).toBe(problems.length > 0);
  return problems.map(formatProblem);
}

/** The text with each pair's first part replaced by its second. */
function edited(text: string, edits: [string, string][]): string {
  return edits.reduce((result, [from, to]) => {
    expect(result).toContain(from);
    return result.replace(from, to);
  }, text);
}

describe("every problem of a fixture file has a location", () => {
  test("a valid file has no problems", async () => {
    expect(await problemsOf(JSON_TEXT, "f.json")).toEqual([]);
    expect(await problemsOf(YAML_TEXT, "f.yaml")).toEqual([]);
  });

  test.each<[string, [string, string][], string[]]>([
    [
      "a wrong type: at the value",
      [['"name": "Acme"', '"name": 7']],
      ["2:44  organizations[0].name: must be a string, but is a number"],
    ],
    [
      "an unknown field: at its key",
      [['"name": "Acme"', '"name": "Acme", "nome": 1']],
      ['2:52  organizations[0].nome: unknown field "nome": it must be id or name'],
    ],
    [
      "an unknown collection: at its key",
      [['"tokens"', '"token"']],
      ['9:3  token: unknown collection "token": did you mean "tokens"?'],
    ],
    ["a missing field: at the record", [['"name": "Paris",', ""]], ["4:5  businesses[0].name: is missing"]],
    [
      "a dangling reference: at the name",
      [['["501"]', '["777"]']],
      ['5:26  businesses[0].escalationPool[0]: names "777", which is not among the users'],
    ],
    [
      "a malformed address: at the address",
      [["ana@acme.example", "ana"]],
      ['7:62  users[0].email: must be an e-mail address, but is "ana"'],
    ],
    [
      "a duplicate id: at the second",
      [
        [
          '{ "id": "acme-token", "userId": "501" }',
          '{ "id": "acme-token", "userId": "501" },\n    { "id": "acme-token", "userId": "501" }',
        ],
      ],
      ['11:13  tokens[1].id: is already the id of tokens[0]: "acme-token"'],
    ],
    [
      "a key that comes twice: at the second",
      [['"tokens": [', '"customers": [],\n  "customers": [],\n  "tokens": [']],
      ['10:3  customers: duplicate key "customers"'],
    ],
    [
      "a syntax error: where reading ended",
      [['"name": "Acme" }', '"name": "Acme" ']],
      ['2:51  organizations[0].name: expected "," or a closing bracket'],
    ],
    [
      "several: in the order of the text",
      [
        ['"userId": "501"', '"userId": "502"'],
        ['"name": "Acme"', '"name": ""'],
        ['"businessIds": ["1001"]', '"businessIds": [1001]'],
      ],
      [
        "2:44  organizations[0].name: must not be empty",
        "8:53  users[0].businessIds[0]: must be a string, but is a number",
        '10:37  tokens[0].userId: names "502", which is not among the users',
      ],
    ],
  ])("%s", async (_, edits, expected) => {
    const problems = await problemsOf(edited(JSON_TEXT, edits), "f.json");
    expect(problems).toEqual(expected.map((problem) => `f.json:${problem}`));
  });

  test.each<[string, [string, string][], string[]]>([
    [
      "a number for an id",
      [['id: "501"', "id: 501"]],
      ["4:9  users[0].id: must be a string, but is a number"],
    ],
    [
      "an unknown field",
      [["displayName", "displayname"]],
      [
        "4:5  users[0].displayName: is missing",
        '7:5  users[0].displayname: unknown field "displayname": did you mean "displayName"?',
      ],
    ],
    [
      "a key that comes twice",
      [["displayName: Ana", "displayName: Ana\n    email: x"]],
      ['8:5  duplicate key "email"'],
    ],
  ])("in YAML: %s", async (_, edits, expected) => {
    const problems = await problemsOf(edited(YAML_TEXT, edits), "f.yaml");
    expect(problems).toEqual(expected.map((problem) => `f.yaml:${problem}`));
  });
});
