/** The environment's settings: an external simulator for the run, such as one in a container. */
export function environment(): {
  readonly url: string | undefined;
  readonly controlToken: string | undefined;
  /** Whether to report coverage, and possibly to which file. */
  readonly coverage: string | undefined;
} {
  const { MESSAGING_SIM_URL, MESSAGING_SIM_CONTROL_TOKEN, MESSAGING_SIM_COVERAGE } = process.env;
  return {
    url: MESSAGING_SIM_URL || undefined,
    controlToken: MESSAGING_SIM_CONTROL_TOKEN || undefined,
    coverage: MESSAGING_SIM_COVERAGE || undefined,
  };
}

/** Points processes started from now on at a simulator, or at none. */
export function pointAt(url: string | undefined): void {
  if (url === undefined) delete process.env.MESSAGING_SIM_URL;
  else process.env.MESSAGING_SIM_URL = url;
}
