import { readFile } from "node:fs/promises";
import { given } from "../kernel/given.js";
import { isKeyOf } from "../kernel/keys.js";
import type { Path } from "../kernel/path.js";
import { UnusableDocument, under } from "../kernel/problems.js";
import type { ProfileName } from "../protocol/names.js";
import type { FaultInput } from "../sandbox/faults.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import { PROFILES } from "../service/behaviour/table.js";
import { checkFaults, OptionFiles } from "./config/files.js";
import type { SimulatorOptions } from "./options.js";

/** The options with what their files hold in place of the files' names. */
export type ReadOptions = Omit<SimulatorOptions, "behaviour" | "faults"> & {
  readonly behaviour?: ProfileName | Partial<BehaviourValues> | undefined;
  readonly faults?: readonly FaultInput[];
};

/** Where an option stands in the library. */
const PATHS: Readonly<Record<string, Path>> = {
  fault: ["faults"],
  "tls-cert": ["tls", "cert"],
  "tls-key": ["tls", "key"],
  "webhook-ca": ["webhookCa"],
};

/**
 * Reads the files that options name, as the command does: of behaviour keys, faults and certificates.
 *
 * @throws UnusableDocument with every problem of the files and of the faults that are spelled out
 */
export async function filesOf(options: SimulatorOptions): Promise<ReadOptions> {
  const { behaviour, faults = [], tls, webhookCa, ...rest } = options;
  const profile = isProfileOrValues(behaviour) ? behaviour : undefined;
  const pems = [tls?.cert, tls?.key, webhookCa];
  if (behaviour === profile && faults.length === 0 && pems.every(isPemOrNothing))
    return given({ ...rest, behaviour: profile, tls, webhookCa });
  const files = new OptionFiles(
    (file) => readFile(file, "utf8"),
    (name, problem) => under(PATHS[name] ?? [name], problem),
  );
  const pem = async (name: string, value: string | undefined) =>
    isPemOrNothing(value) ? value : files.text(name, value);
  const cert = await pem("tls-cert", tls?.cert);
  const key = await pem("tls-key", tls?.key);
  const read = {
    ...rest,
    behaviour: behaviour === profile ? profile : await files.behaviour(String(behaviour)),
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    webhookCa: await pem("webhook-ca", webhookCa),
  };
  const armed: FaultInput[] = [];
  for (const [index, fault] of faults.entries()) {
    if (typeof fault === "string") armed.push(...(await files.faults([fault])));
    else {
      const checked = checkFaults([fault]);
      files.problems.push(
        ...checked.problems.map(({ path, ...rest }) => ({
          ...rest,
          path: `faults[${index}]${path.slice(3)}`,
        })),
      );
      armed.push(...checked.faults);
    }
  }
  if (files.problems.length > 0) throw new UnusableDocument(files.problems);
  return given({ ...read, faults: armed });
}

const isProfileOrValues = (behaviour: SimulatorOptions["behaviour"]): behaviour is ReadOptions["behaviour"] =>
  typeof behaviour !== "string" || isKeyOf(PROFILES, behaviour);

const isPemOrNothing = (value: string | undefined): boolean =>
  value === undefined || value.includes("-----BEGIN ");
