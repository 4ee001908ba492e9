/** A container of the image, run with buildah as an engine would run it: entry point, user and health check are the image's. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { BUILDAH_ENV, output, succeeds } from "./buildah.js";

export interface Container {
  /** The user that the program runs as. */
  readonly uid: number;
  /** Whether the image's health check is content. */
  isHealthy(): boolean;
  /** Ends the program as `docker stop` does and resolves to its exit code. */
  stop(): Promise<number | null>;
}

interface Inspected {
  readonly Docker: {
    readonly config: {
      readonly Entrypoint: readonly string[];
      readonly Cmd: readonly string[];
      readonly Healthcheck: { readonly Test: readonly string[] };
    };
  };
}

/** What a container gets: `HOST:CONTAINER` folders, `NAME:ADDRESS` for its hosts file, and `NAME=VALUE` for its environment. */
interface Setting {
  readonly env?: readonly string[];
  readonly volumes?: readonly string[];
  readonly hosts?: readonly string[];
}

/**
 * Starts a new container, does some work once the program is ready, and removes the container. `options` follow those of
 * the image.
 */
export async function inContainer<T>(
  image: string,
  options: readonly string[],
  { env = [], volumes = [], hosts = [] }: Setting,
  work: (container: Container) => Promise<T>,
): Promise<T> {
  const repeated = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);
  const container = output("buildah", "from", ...repeated("--add-host", hosts), image);
  const { config } = (JSON.parse(output("buildah", "inspect", container)) as Inspected).Docker;
  const variables = repeated("--env", env);
  const run = ["run", ...variables, ...repeated("--volume", volumes), container, "--"];
  // Says its process id, then becomes what the image starts.
  const announced = ["sh", "-c", 'echo "$$"; exec "$@"', "sh"];
  const words = [...run, ...announced, ...config.Entrypoint, ...config.Cmd, ...options];
  const child = spawn("buildah", words, { env: BUILDAH_ENV, stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close") as Promise<[number | null]>;
  let pid = 0;
  const stop = async () => {
    if (child.exitCode === null) process.kill(pid, "SIGTERM");
    return (await closed)[0];
  };
  try {
    pid = await pidOnceReady(child.stdout);
    if (pid === 0) throw new Error(`The container ended with exit code ${await stop()} before it was ready`);
    const check = config.Healthcheck.Test.slice(1);
    return await work({
      uid: Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]),
      isHealthy: () => succeeds("buildah", "run", ...variables, container, "--", ...check),
      stop,
    });
  } finally {
    if (pid > 0) await stop();
    succeeds("buildah", "rm", container);
  }
}

/** The process id in the first line, once a later one says that the program is ready; 0 where none does. */
function pidOnceReady(output: Readable): Promise<number> {
  return new Promise((resolve) => {
    let pid = 0;
    createInterface(output)
      .on("line", (line) => {
        if (pid === 0) pid = Number(line);
        else if (line.includes(" ready at ")) resolve(pid);
      })
      .on("close", () => resolve(0));
  });
}
