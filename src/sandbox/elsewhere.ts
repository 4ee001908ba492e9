/** Another process has the sandbox: whatever was wanted of it can be had there. */
export class Elsewhere extends Error {
  override readonly name = "Elsewhere";

  constructor(readonly id: string) {
    super(`another process has the sandbox ${id}`);
  }
}
