import { expect, test } from "vitest";
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

type Edit = [from: string, to: string];

test.each<[name: string, file: string, edits: Edit[], ...problems: string[]]>([
  ["none, in JSON", "f.json", []],
  ["none, in YAML", "f.yaml", []],
  [
    "a duplicate id, at the second",
    "f.json",
    [['"userId": "501" }', '"userId": "501" },\n    { "id": "acme-token", "userId": "501" }']],
    '11:13  tokens[1].id: is already the id of tokens[0]: "acme-token"',
  ],
  [
    "a key that comes twice, at the second",
    "f.json",
    [['"tokens": [', '"customers": [],\n  "customers": [],\n  "tokens": [']],
    '10:3  customers: duplicate key "customers"',
  ],
  [
    "a syntax error, where reading ended",
    "f.json",
    [['"name": "Acme" }', '"name": "Acme" ']],
    '2:51  organizations[0].name: expected "," or a closing bracket',
  ],
  [
    "several, in the order of the text: unknown at their keys, missing at their record, others at their values",
    "f.json",
    [
      ['"name": "Acme"', '"name": "", "nome": 1'],
      ['"name": "Paris",', ""],
      ['"businessIds": ["1001"]', '"businessIds": [1001]'],
      ['"tokens"', '"token"'],
      ['["501"]', '["777"]'],
    ],
    "2:44  organizations[0].name: must not be empty",
    '2:48  organizations[0].nome: unknown field "nome": it must be id or name',
    "4:5  businesses[0].name: is missing",
    '5:26  businesses[0].escalationPool[0]: names "777", which is not among the users',
    "8:53  users[0].businessIds[0]: must be a string, but is a number",
    '9:3  token: unknown collection "token": did you mean "tokens"?',
  ],
  [
    "in YAML, a number for an id and an unknown field",
    "f.yaml",
    [
      ['id: "501"', "id: 501"],
      ["displayName", "displayname"],
    ],
    "4:5  users[0].displayName: is missing",
    "4:9  users[0].id: must be a string, but is a number",
    '7:5  users[0].displayname: unknown field "displayname": did you mean "displayName"?',
  ],
  [
    "in YAML, a key that comes twice",
    "f.yaml",
    [["displayName: Ana", "displayName: Ana\n    email: x"]],
    '8:5  duplicate key "email"',
  ],
])("problems of a fixture file have their locations: %s", async (_, file, edits, ...expected) => {
  const whole = file.endsWith("json") ? JSON_TEXT : YAML_TEXT;
  const text = edits.reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replace(from, to);
  }, whole);
  const { document, problems = [] } = await loader.readFixtureText(text, file);
  expect(problems.map(formatProblem)).toEqual(expected.map((problem) => `${file}:${problem}`));
  expect(document === undefined).toBe(expected.length > 0);
});

test("a fixture file has at most 64 MiB", async () => {
  const most = 64 * 1024 * 1024;
  const fill = (bytes: number) => `{}${" ".repeat(bytes - 2)}`;
  expect((await loader.readFixtureText(fill(most), "f.json")).problems).toBeUndefined();
  expect(await loader.readFixtureText(fill(most + 1024 * 1024), "f.json")).toEqual({
    problems: [{ file: "f.json", path: "", message: "has 65 MiB, of at most 64 MiB" }],
  });
});
