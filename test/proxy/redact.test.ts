import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HarEntry } from "../../src/lab/proxy/har.js";
import type { HarFile } from "../../src/lab/proxy/har-file.js";
import { Redactor } from "../../src/lab/proxy/redact.js";
import { StandIns } from "../../src/lab/proxy/stand-ins.js";
import { entry } from "./entries.js";

const redactedBody = (body: unknown) => new Redactor().redact(entry({ body })).request.postData?.text ?? "";
const answerOf = ({ response }: HarEntry) => JSON.parse(response.content.text ?? "");

/** No word of the service or of these tests' other texts has letters like these. */
const odd = (least: number) =>
  fc
    .stringMatching(new RegExp(`^[qxzjQXZJ]{2}[a-zA-Z0-9]{${least},20}$`))
    .filter((text) => !/^\d*$/.test(text));
const person = fc.oneof(
  odd(2),
  fc.tuple(odd(2), odd(2)).map((words) => words.join(" ")),
  fc.tuple(odd(2), fc.constantFrom("é", "Ж", "王", "ñ")).map((words) => words.join("")),
);

/** Exchanges with a secret and a personal value in every place where one may stand. */
const planted = fc
  .record({ secret: odd(8), second: odd(8), name: person, text: person })
  // A name with a secret in it is one.
  .filter(
    ({ secret, second, name, text }) => !`${name} ${text}`.match(new RegExp(`${secret}|${second}`, "i")),
  )
  .map(({ secret, second, name, text }) => {
    const email = `${name.replaceAll(" ", ".")}@mail.example`;
    const error = `${name} (${email}) may not use ${secret}: "${text}"`;
    return {
      hidden: [secret, second, ...name.split(" "), ...text.split(" ")],
      entries: [
        entry({
          url: `https://bot:${second}@api.example/api/${encodeURIComponent(name)}/${secret}?email=${encodeURIComponent(email)}&key=${secret}&q=${encodeURIComponent(text)}`,
          headers: {
            token: secret,
            authorization: `Bearer ${second}`,
            cookie: `a=${secret}; b=${second}`,
            "x-hub-signature": second,
            "x-note": `${name} ${secret}`,
          },
          body: {
            user: { email, displayName: name },
            text,
            deep: [{ list: [{ firstName: name, note: error }] }],
          },
          status: 400,
          statusText: `No ${name}`,
          answerHeaders: {
            "set-cookie": `sid=${second}; Path=/`,
            location: `/p/${encodeURIComponent(text)}?token=${secret}`,
          },
          answer: {
            error,
            body: [{ message: `must match [email], but is equal to "${email}"`, property: "@.email" }],
          },
          error: `cannot reach ${name}`,
        }),
        entry({
          url: "https://api.example/graphql",
          body: {
            query: `mutation { save(email: "${email}", text: ${JSON.stringify(text)}, token: "${secret}") { ok } }`,
            variables: {
              input: { email, extraHeaders: [{ name: "Authorization", value: `Bearer ${second}` }] },
            },
            extra: JSON.stringify({ phone: { phoneNumber: name }, raw: JSON.stringify({ company: text }) }),
          },
          answer: { errors: [{ message: error, path: [name], [name]: 1 }] },
        }),
        entry({ body: `{"text": "${text}", "user": {"email": "${email}"`, answer: `<p>${error}</p>` }),
        entry({
          body: `text=${encodeURIComponent(text)}&n=${name.replaceAll(" ", "+")}`,
          type: "application/x-www-form-urlencoded",
        }),
        entry({
          direction: "delivery",
          body: { eventType: "message", data: { messageBody: text, messageAttachmentName: `${name}.pdf` } },
        }),
      ],
    };
  });

describe("what is recorded", () => {
  test("has no secret and no personal value in any place", () => {
    fc.assert(
      fc.property(planted, fc.boolean(), ({ hidden, entries }, backwards) => {
        const redactor = new Redactor();
        const order = backwards ? entries.toReversed() : entries;
        const first = order.map((one) => redactor.redact(one));
        const written = JSON.stringify(first.map((one) => redactor.redactAgain(one))).toLowerCase();
        for (const value of hidden) {
          expect(written).not.toContain(value.toLowerCase());
          expect(written).not.toContain(encodeURIComponent(value.toLowerCase()).toLowerCase());
        }
      }),
      { numRuns: 100 },
    );
  });

  test("keeps personal data that is to be kept, and no secret", () => {
    fc.assert(
      fc.property(planted, ({ hidden: [secret = "", second = "", ...words], entries }) => {
        const redactor = new Redactor({ keepPersonalData: true });
        const written = JSON.stringify(entries.map((one) => redactor.redact(one)));
        expect(written).not.toContain(secret);
        expect(written).not.toContain(second);
        for (const word of words) expect(written).toContain(word);
      }),
    );
  });

  test("has the same stand-in for the same value in every exchange, and shows which secrets are the same", () => {
    const redactor = new Redactor();
    const call = (token: string) => redactor.redact(entry({ headers: { token }, body: { text: "Jo Qx" } }));
    const [a, b, c] = [call("first-key"), call("second-key"), call("first-key")];
    expect(
      [a, b, c].map(({ request }) => request.headers.find(({ name }) => name === "token")?.value),
    ).toEqual(["token-1", "token-2", "token-1"]);
    expect(new Set([a, b, c].map(({ request }) => request.postData?.text)).size).toBe(1);
  });

  test("keeps all other text of an answer as it was written", () => {
    const answer =
      '{ "error": "User not found in organization", "id": 12345678901234567890, "x": [1e5, null] }';
    const { response, request } = new Redactor().redact(
      entry({
        body: { text: "user" },
        answer,
        headers: { "x-sim-by": "scenario" },
        answerHeaders: { "X-Sim-Request": "r1" },
      }),
    );
    expect(response.content.text).toBe(answer);
    expect([...request.headers, ...response.headers].map(({ name }) => name)).toEqual([
      "content-type",
      "content-type",
    ]);
  });

  test("keeps the values of the service, also where a customer writes the same words", () => {
    const redactor = new Redactor();
    for (const text of ["waiting", "WhatsApp", "9001", "ok", "Hello"])
      redactor.redact(entry({ body: { text } }));
    const answer = {
      status: "waiting",
      customerChannel: "WHATSAPP",
      customerThreadId: "9001",
      result: "ok",
      note: "hello!",
    };
    expect(answerOf(redactor.redact(entry({ answer })))).toEqual({
      ...answer,
      note: expect.not.stringMatching(/hello/i),
    });
  });

  test("keeps what a message of validation says, and the prefix that a rule is about", () => {
    const seen = redactedBody({
      user: { whatsapp: "whatsapp:+15551234567" },
      businessId: "1001",
      message: "Hi there",
    });
    expect(JSON.parse(seen)).toMatchObject({
      user: { whatsapp: expect.stringMatching(/^whatsapp:\+[1-9]\d{10}$/) },
      businessId: "1001",
    });
    expect(seen).not.toMatch(/5551234567|Hi there/);
    const message = "is missing and not optional";
    const answer = { body: [{ message, property: "@.email" }], headers: [] };
    expect(answerOf(new Redactor().redact(entry({ answer })))).toEqual(answer);
  });

  test("is redacted by its type: the writer takes nothing else", () => {
    const add = (file: HarFile, plain: HarEntry) => {
      // @ts-expect-error: only a redactor makes what is written
      file.add(plain, 0);
    };
    expect(add).toBeInstanceOf(Function);
  });
});

describe("a stand-in", () => {
  const kinds = [
    /\p{Lu}/u,
    /\p{Ll}/u,
    /\p{L}/u,
    /\p{N}/u,
    /\p{M}/u,
    /\s/u,
    /\p{RI}/u,
    /\p{Extended_Pictographic}/u,
  ];
  const shape = (text: string) =>
    Array.from(text, (sign) => {
      const kind = kinds.findIndex((pattern) => pattern.test(sign));
      return kind < 0 ? sign : `${kind}${sign.length}${Buffer.byteLength(sign)}`;
    });
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc.emailAddress(),
    fc.constantFrom(
      "ELISABETH",
      "Łódź",
      "Straße",
      "你好世界",
      "Привет",
      "+33 6 12 34 56 78",
      "👨‍👩‍👧",
      "🇫🇷",
      "e\u0301t\u00e9",
      "0612345678",
    ),
  );

  test("has the case, kinds of characters, lengths and shape of what it stands for", () => {
    fc.assert(
      fc.property(text, (value) => {
        const standIn = new StandIns().of(value);
        expect(standIn).toHaveLength(value.length);
        expect([...standIn]).toHaveLength([...value].length);
        expect(shape(standIn).map((sign) => sign.slice(0, 2))).toEqual(
          shape(value).map((sign) => sign.slice(0, 2)),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("is equal where the values are, with and without case, and only there", () => {
    const word = fc.stringMatching(/^[a-zA-Zé0-9]{1,6}$/);
    fc.assert(
      fc.property(word, word, (a, b) => {
        const standIns = new StandIns();
        expect(standIns.of(a) === standIns.of(b)).toBe(a === b);
        expect(standIns.of(a).toLowerCase() === standIns.of(b).toLowerCase()).toBe(
          a.toLowerCase() === b.toLowerCase(),
        );
        expect(standIns.of(`${a} ${b}`)).toBe(`${standIns.of(a)} ${standIns.of(b)}`);
      }),
      { numRuns: 500 },
    );
  });

  test("is never the word itself, and each word of a shape has one of its own", () => {
    const letters = "abcdefghijklmnopqrstuvwxyz".split("");
    const words = letters.flatMap((a) => [a, ...letters.map((b) => a + b)]);
    const standIns = new StandIns();
    expect(new Set(words.map((word) => standIns.of(word))).size).toBe(words.length);
    expect(words.filter((word) => standIns.of(word) === word)).toEqual([]);
  });
});
