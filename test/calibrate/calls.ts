/** Calls of a client, written in short, as the entries of a recording. */

export interface Call {
  /** The method and the path with the query. */
  readonly line: string;
  readonly sent?: unknown;
  readonly status?: number;
  /** A text is not JSON; undefined: no body was recorded. */
  readonly body?: unknown;
  readonly token?: string;
  readonly size?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds after the first call, if it is not the index. */
  readonly at?: number;
  readonly time?: number;
}

/** A profile of a customer of whom little is known. */
export const PROFILE = {
  ...{ id: "c1", type: "prospect", editable: true, pictureHref: "", displayName: "Ida", emailAddress: "" },
  ...{ phoneNumber: "", firstName: "", lastName: "", company: "", channel: "SMS" },
  ...{ customerData: [], lastSurveys: {} },
};

const pairs = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** A HAR entry each second. */
export const entriesOf = (calls: readonly Call[]) =>
  calls.map(
    ({ line, sent, status = 200, body, token = "token-1", size, headers = {}, at, time = 20 }, index) => {
      const [method = "", path = ""] = line.split(" ");
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      return {
        startedDateTime: new Date(Date.UTC(2026, 0, 5, 9, 0, 0, 1_000 * (at ?? index))).toISOString(),
        time,
        request: {
          method,
          url: `https://api.example${path}`,
          headers: pairs({ "content-type": "application/json", token }),
          ...(sent !== undefined && {
            postData: { mimeType: "application/json", text: JSON.stringify(sent) },
          }),
        },
        response: {
          status,
          headers: pairs(headers),
          content: { size: size ?? text?.length ?? 0, ...(text !== undefined && { text }) },
        },
      };
    },
  );
