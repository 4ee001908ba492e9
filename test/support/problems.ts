interface Problem {
  readonly property: string;
  readonly message: string;
}

/** The problems that a 400 lists, each as `property message`: of the validator's shape, or of GraphQL errors. */
export function problemsIn(
  // biome-ignore lint/suspicious/noExplicitAny: a body as it came
  body: any,
  list: "body" | "headers" = "body",
): string[] {
  if (body.errors !== undefined) return body.errors.map(({ message }: Problem) => message);
  return body[list].map(({ property, message }: Problem) => `${property} ${message}`);
}

/** The properties that these problems are about. */
export const propertiesIn = ({ body }: { readonly body: unknown }): string[] =>
  problemsIn(body).map((problem) => problem.split(" ")[0] ?? "");
