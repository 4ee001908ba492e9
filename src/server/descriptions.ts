import type { Descriptions } from "../control/services.js";

/** The descriptions of the three surfaces, made from the tables when they are asked for. `url` is the server's address. */
export const describe = (url: () => string): Descriptions => ({
  openapi: async () => (await import("../api/descriptions.js")).describeApi(url()),
  control: async () => (await import("../control/openapi.js")).describeControlApi(url()),
  asyncapi: async () => (await import("../api/descriptions.js")).describeWebhooks(),
});
