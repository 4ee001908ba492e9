// The tables that the reference is written from.

/**
 * Loads them from the built package, or from the sources in tests.
 * @param load imports a module by its path below the package's source folder, such as `api/operations/index.js`
 */
export async function loadTables(load) {
  const [
    operations,
    responses,
    graphql,
    behaviour,
    routes,
    errors,
    events,
    payloads,
    steps,
    format,
    options,
    option,
    records,
    faults,
    references,
    matching,
    simulator,
  ] = await Promise.all(
    [
      "api/operations/index.js",
      "api/responses.js",
      "api/graphql/operations.js",
      "behaviour/table.js",
      "control/routes/index.js",
      "control/errors.js",
      "domain/events.js",
      "domain/payload-schemas.js",
      "scenarios/steps/index.js",
      "scenarios/format.js",
      "config/options.js",
      "config/option.js",
      "world/records.js",
      "sandbox/fault-rules.js",
      "world/references.js",
      "kernel/matching.js",
      "simulator.js",
    ].map(load),
  );
  return {
    ...operations,
    ...responses,
    ...graphql,
    ...behaviour,
    ...routes,
    ...errors,
    ...events,
    ...payloads,
    ...steps,
    ...format,
    ...options,
    ...option,
    ...records,
    ...faults,
    ...references,
    ...matching,
    ...simulator,
  };
}
