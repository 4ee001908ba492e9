/** The simulator's image for Testcontainers. */
import { AbstractStartedContainer, GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { SimClient } from "../client/index.js";
import { VERSION } from "../kernel/packages.js";

const PORT = 4020;
const CONTROL_TOKEN = "testcontainers";
/** By this name, containers call ports of the machine that `TestContainers.exposeHostPorts` names. */
const HOST = "host.testcontainers.internal";
const FIXTURES = "/fixtures.json";

/**
 * A container with the simulator, ready once it is started. Every option of `serve` is an environment variable:
 * `withEnvironment({ MESSAGING_SIM_SEED: "7" })`.
 *
 * @example
 * import { MessagingSimContainer } from "messaging-sim/testcontainers";
 *
 * const simulator = await new MessagingSimContainer().withBehaviour("realistic").start();
 * const sandbox = await simulator.client.sandbox();
 * await sandbox.customerSays("9001", "Hello");
 * await simulator.stop();
 */
export class MessagingSimContainer extends GenericContainer {
  /** @param image default: the published image of this version */
  constructor(image = `ghcr.io/messaging-sim/messaging-sim:${VERSION}`) {
    super(image);
    const authorization = `Bearer ${CONTROL_TOKEN}`;
    this.withExposedPorts(PORT)
      .withEnvironment({ MESSAGING_SIM_CONTROL_TOKEN: CONTROL_TOKEN, MESSAGING_SIM_ALLOW_OUTBOUND: HOST })
      .withWaitStrategy(Wait.forHttp("/__sim/ready", PORT).withHeaders({ authorization }));
  }

  /** The world at the start, from a fixture file. */
  withFixtures(file: string): this {
    return this.withCopyFilesToContainer([{ source: file, target: FIXTURES }]).withEnvironment({
      MESSAGING_SIM_FIXTURES: FIXTURES,
    });
  }

  /** What the simulator does where the specification is silent: `documented` (the default) or `realistic`. */
  withBehaviour(profile: "documented" | "realistic"): this {
    return this.withEnvironment({ MESSAGING_SIM_BEHAVIOUR: profile });
  }

  /** Starts the container, and resolves once the simulator is ready. */
  override async start(): Promise<StartedMessagingSimContainer> {
    return new StartedMessagingSimContainer(await super.start());
  }
}

/** A simulator that runs in a container. */
export class StartedMessagingSimContainer extends AbstractStartedContainer {
  /** The address of the simulator, as this process reaches it. */
  readonly url: string;
  /** The token of its control API, which `client` sends. */
  readonly controlToken: string = CONTROL_TOKEN;
  /** A client of the simulator. Its own methods act on the sandbox `default`. */
  readonly client: SimClient;

  constructor(started: StartedTestContainer) {
    super(started);
    this.url = `http://${this.getHost()}:${this.getMappedPort(PORT)}`;
    this.client = new SimClient({ url: this.url, controlToken: CONTROL_TOKEN });
  }

  /** The address by which the simulator calls a port of this machine; `TestContainers.exposeHostPorts(port)` has to open it first. */
  hostUrl(port: number): string {
    return `http://${HOST}:${port}`;
  }
}
