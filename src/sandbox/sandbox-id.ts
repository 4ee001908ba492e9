/** What the id of a sandbox may be: it stands in addresses, in front of tokens and in names of files. */
export const SANDBOX_ID = {
  pattern: "^[A-Za-z0-9_-]{1,64}$",
  "x-form": "up to 64 letters, digits, _ and -",
};
