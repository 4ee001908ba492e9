/** graphql-yoga alone, with the same schema and the same answer: the measure for our GraphQL endpoint. */
import { createServer } from "node:http";
import { createSchema, createYoga } from "graphql-yoga";

const yoga = createYoga({
  schema: createSchema({
    typeDefs:
      "type Hook { hookId: String! url: String! enabled: Boolean! } type Query { hook(hookId: [String!]): [Hook!]! }",
    resolvers: { Query: { hook: () => [{ hookId: "crm", url: "https://crm.example/hook", enabled: true }] } },
  }),
  logging: false,
});
const server = createServer(yoga);
server.listen(0, "127.0.0.1", () => console.log(`ready at http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
