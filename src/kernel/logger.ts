/** What the simulator tells whoever runs it; silent unless a logger is handed in. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = (): void => {};

export const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
