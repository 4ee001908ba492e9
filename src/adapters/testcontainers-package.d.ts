/** What is used here of Testcontainers, whose own types need a hundred packages. */
declare module "testcontainers" {
  export interface StartedTestContainer {
    getHost(): string;
    getMappedPort(port: number): number;
  }

  export class GenericContainer {
    constructor(image: string);
    withEnvironment(environment: Readonly<Record<string, string>>): this;
    withExposedPorts(...ports: number[]): this;
    withWaitStrategy(strategy: object): this;
    withCopyFilesToContainer(files: { source: string; target: string }[]): this;
    start(): Promise<StartedTestContainer>;
  }

  export class AbstractStartedContainer implements StartedTestContainer {
    constructor(started: StartedTestContainer);
    getHost(): string;
    getMappedPort(port: number): number;
  }

  export const Wait: {
    forHttp(path: string, port: number): { withHeaders(headers: Readonly<Record<string, string>>): object };
  };
}
