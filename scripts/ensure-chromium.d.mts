/** Path of the chromium to use: `CHROMIUM_PATH` when set, else the first known name on `PATH`. */
export function findChromium(): string | undefined;
