import { SimClient } from "messaging-sim/client";
import { GenericContainer, Wait } from "testcontainers";

const IMAGE = "ghcr.io/messaging-sim/messaging-sim:0.1.0";
const CONTROL_TOKEN = "test-control";

/** Starts the simulator in a container; `stop` ends it. */
export async function startSimulator() {
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({
      MESSAGING_SIM_CONTROL_TOKEN: CONTROL_TOKEN,
      // By this name a container calls ports of the machine that `exposeHostPorts` names.
      MESSAGING_SIM_ALLOW_OUTBOUND: "host.testcontainers.internal",
    })
    .withExposedPorts(4020)
    .withWaitStrategy(
      Wait.forHttp("/__sim/ready", 4020).withHeaders({ authorization: `Bearer ${CONTROL_TOKEN}` }),
    )
    .start();
  const url = `http://${container.getHost()}:${container.getMappedPort(4020)}`;
  return { client: new SimClient({ url, controlToken: CONTROL_TOKEN }), stop: () => container.stop() };
}
