import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HarEntry } from "../../src/lab/proxy/har.js";
import { writtenForm } from "../../src/lab/proxy/har-file.js";
import { Redactor } from "../../src/lab/proxy/redact.js";
import { StandIns } from "../../src/lab/proxy/stand-ins.js";
import { entry } from "./entries.js";

/** The entries as they are written in the end. */
const redactedAll = (entries: readonly HarEntry[], redactor = new Redactor()) =>
  entries.map((one) => redactor.learn(one)).map(({ redacted }) => redacted());
const redacted = (one: HarEntry, redactor = new Redactor()) => redactor.learn(one).redacted();
const answerOf = ({ response }: HarEntry) => JSON.parse(response.content.text ?? "");

/** No word of the service or of these tests' other texts has letters like these. */
const odd = (least: number) =>
  fc
    .stringMatching(new RegExp(`^[qxzjQXZJ]{2}[a-zA-Z0-9]{${least},20}$`))
    .filter((text) => !/^\d*$/.test(text));
// A shorter word may occur in a stand-in by chance.
const person = fc.oneof(
  odd(4),
  fc.tuple(odd(4), odd(4)).map((words) => words.join(" ")),
  fc.tuple(odd(4), fc.constantFrom("é", "Ж", "王", "ñ")).map((words) => words.join("")),
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
            glued: `x${secret}y`,
            encoded: Buffer.from(JSON.stringify({ email, second })).toString("base64"),
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
        const all = JSON.stringify(redactedAll(backwards ? entries.toReversed() : entries));
        const written = all.toLowerCase();
        for (const value of hidden) {
          expect(written).not.toContain(value.toLowerCase());
          expect(written).not.toContain(encodeURIComponent(value.toLowerCase()).toLowerCase());
          for (const [run] of all.matchAll(/[\w+/-]{6,}/g))
            expect(Buffer.from(run, "base64").toString().toLowerCase()).not.toContain(value.toLowerCase());
        }
      }),
      { numRuns: 100 },
    );
  });

  const [key, base64] = ["tk_9f8a7b6c", (text: string) => Buffer.from(text).toString("base64")];
  const asked = (user: object, error: unknown) => entry({ body: { user }, answer: { error } });
  const keyed = (token: string, error: string) => entry({ headers: { token }, answer: { error } });
  test.each<[string, HarEntry, RegExp]>([
    ["a token in a fragment", entry({ answerHeaders: { location: `/cb#access_token=${key}` } }), /tk_9f/],
    ["a token in a path", entry({ url: `https://api.example/api/;jsessionid=${key}` }), /tk_9f/],
    ["a cookie without a name", entry({ headers: { cookie: "a=b; 2nd", "x-note": "2nd" } }), /2nd/],
    ["a set cookie without a name", entry({ answerHeaders: { "set-cookie": `${key}; Path=/` } }), /tk_9f/],
    ["a password with a quote", entry({ body: { url: "https://bot:pa'w0rd@h.example/" } }), /w0rd/],
    ["a password without a scheme", entry({ body: { url: "//bot:pa55w0rd@h.example/" } }), /w0rd/],
    [
      "a password encoded twice",
      entry({ url: "https://h/?n=%2Fy%3Fu%3Dhttps%253A%2F%2Fb:w0rd%40h" }),
      /w0rd/,
    ],
    ["a key in base64", keyed(key, base64(key)), RegExp(base64(key).slice(0, 8))],
    ["a key in base64 of other text", keyed(key, `id:${base64(`a ${key}`)}`), RegExp(base64(`a ${key}`))],
    ["a key within a word", keyed("q1W2".repeat(20), `x${"q1W2".repeat(20)}`), /q1W2/],
    ["a key of digits", keyed("4711", "token 4711 is unknown"), /4711/],
    ["a key of digits as a number", entry({ headers: { token: "4711" }, answer: { n: 4711 } }), /4711/],
    [
      "fields of a form with nested names",
      entry({ body: "user[email]=zo%40q.example&user%5Bsms%5D=5", type: "x-www-form-urlencoded" }),
      /zo%40|sms%5D=5/,
    ],
    ["a name in a language without spaces", asked({ firstName: "王小明" }, "客户王小明不存在"), /王小明/],
    ["a number within an id", asked({ sms: "+15551112233" }, "wa15551112233"), /5551112/],
    ["a number grouped otherwise", asked({ sms: "+15552223344" }, "no (555) 222-3344"), /222/],
    ["a number as a number", asked({ sms: "+15552223344" }, [5552223344, 15552223344.5]), /22233/],
    ["JSON in a header", entry({ headers: { "x-ctx": "%7B%22email%22%3A%22h%40q.example%22%7D" } }), /h%40/],
    ["a wrong escape", asked({ lastName: "Zorblatt" }, "5%zz%20Zorblatt%zz"), /Zorblatt/],
    ["a text with an escape", asked({ text: "50%20zorbs" }, "no 50%20zorbs"), /zorbs/],
    ["HTML", asked({ lastName: "O'Brannigán" }, "<p>O&#39;Brannig&aacute;n"), /Branni/],
    ["another Unicode form", asked({ lastName: "Chloé" }, "no Chloé".normalize("NFD")), /Chlo/],
    ["a final sigma", asked({ firstName: "Γιώργος" }, "no ΓΙΏΡΓΟΣ"), /ΓΙΏΡΓΟΣ/],
    ["words written as one", asked({ displayName: "Mortimer Quux" }, "MortimerQuux is gone"), /Mort|Quux/],
    ["base64 of JSON", asked({ email: "b@q.example" }, base64('{"email":"b@q.example"}')), /eyJlb/],
    [
      "what only base64 of JSON shows",
      asked({}, `${base64('{"email":"b@q.example"}')} b@q.example`),
      /eyJlb|b@q/,
    ],
  ])("hides %s", (_, seen, hidden) => {
    const [written] = redactedAll([seen]);
    const { request, response } = written as HarEntry;
    expect(JSON.stringify(written)).not.toMatch(hidden);
    for (const [body, now] of [
      [seen.request.postData?.text, request.postData?.text],
      [seen.response.content.text, response.content.text],
    ])
      if (/^[[{]/.test(body ?? ""))
        expect(Object.keys(JSON.parse(now ?? ""))).toEqual(Object.keys(JSON.parse(body ?? "")));
  });

  test("keeps personal data that is to be kept, and no secret", () => {
    fc.assert(
      fc.property(planted, ({ hidden: [secret = "", second = "", ...words], entries }) => {
        const redactor = new Redactor({ keepPersonalData: true });
        const written = JSON.stringify(redactedAll(entries, redactor));
        expect(written).not.toContain(secret);
        expect(written).not.toContain(second);
        for (const word of words) expect(written).toContain(word);
      }),
    );
  });

  test("has the same stand-in for the same value in every exchange, and shows which secrets are the same", () => {
    const redactor = new Redactor();
    const call = (token: string) =>
      redacted(entry({ headers: { token }, body: { text: "Jo Qx" } }), redactor);
    const requests = ["first-key", "second-key", "first-key"].map((token) => call(token).request);
    const tokens = requests.map(({ headers }) => headers.find(({ name }) => name === "token")?.value);
    expect(tokens).toEqual(["token-1", "token-2", "token-1"]);
    expect(new Set(requests.map(({ postData }) => postData?.text)).size).toBe(1);
  });

  test("keeps all other text of an answer as it was written", () => {
    const answer = '{ "error": "User not found", "id": 12345678901234567890, "x": [1e5, null] }';
    const headers = { headers: { "x-sim-by": "scenario" }, answerHeaders: { "X-Sim-Request": "r1" } };
    const { response, request } = redacted(entry({ body: { text: "user" }, answer, ...headers }));
    expect(response.content.text).toBe(answer);
    const names = [...request.headers, ...response.headers].map(({ name }) => name);
    expect(names).toEqual(["content-type", "content-type"]);
  });

  test("remains JSON", () => {
    const words = fc.string({ unit: fc.constantFrom(...'ab1/5 ,:"\\nu0é\n%&;-.'), maxLength: 12 });
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: "small" }, words, fc.double(), fc.nat(), tie("list"), tie("object")),
      list: fc.array(tie("any"), { maxLength: 4 }),
      object: fc.dictionary(words, tie("any"), { maxKeys: 4 }),
    })).object;
    fc.assert(
      fc.property(value, fc.array(words), fc.array(words), (answer, secrets, texts) => {
        const redactor = new Redactor();
        for (const token of secrets) redactor.learn(entry({ headers: { token } }));
        for (const text of texts) redactor.learn(entry({ body: { text } }));
        const { response } = redacted(entry({ answer }), redactor);
        expect(() => JSON.parse(response.content.text ?? "")).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  test("keeps the values of the service, also where a customer writes the same words", () => {
    const redactor = new Redactor();
    for (const text of ["waiting", "WhatsApp", "9001", "ok", "Hello"])
      redacted(entry({ body: { text } }), redactor);
    const kept = { status: "waiting", customerChannel: "WHATSAPP", customerThreadId: "9001", result: "ok" };
    const answer = answerOf(redacted(entry({ answer: { ...kept, note: "hello!" } }), redactor));
    expect(answer).toEqual({ ...kept, note: expect.not.stringMatching(/hello/i) });
  });

  test("keeps what a message of validation says, and the prefix that a rule is about", () => {
    const user = { whatsapp: "whatsapp:+15551234567" };
    const body = { user, businessId: "1001", message: "Hi there" };
    const seen = redacted(entry({ body })).request.postData?.text ?? "";
    expect(JSON.parse(seen)).toMatchObject({
      user: { whatsapp: expect.stringMatching(/^whatsapp:\+[1-9]\d{10}$/) },
      businessId: "1001",
    });
    expect(seen).not.toMatch(/5551234567|Hi there/);
    const message = "is missing and not optional";
    const answer = { body: [{ message, property: "@.email" }], headers: [] };
    expect(answerOf(redacted(entry({ answer })))).toEqual(answer);
  });

  test("is redacted by its type: the writer takes nothing else", () => {
    const write = (plain: HarEntry) => {
      // @ts-expect-error: only a redactor makes what is written
      writtenForm(plain);
    };
    expect(write).toBeInstanceOf(Function);
  });
});

describe("a stand-in", () => {
  const kinds = [
    /\p{Lu}/u,
    /\p{Ll}/u,
    /\p{L}/u,
    /\p{N}/u,
    /\p{M}/u,
    /\s/,
    /\p{RI}/u,
    /\p{Extended_Pictographic}/u,
  ];
  const shape = (text: string) =>
    Array.from(text, (sign) => {
      const kind = kinds.findIndex((pattern) => pattern.test(sign));
      return kind < 0 ? sign : `${kind}${sign.length}`;
    });
  const words = "ELISABETH Łódź Straße 你好世界 Привет 👨‍👩‍👧 🇫🇷 e\u0301t\u00e9 0612345678".split(" ");
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc.emailAddress(),
    fc.constantFrom(...words, "+33 6 12 34 56 78"),
  );

  test("has the case, kinds of characters, lengths and shape of what it stands for", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(shape(new StandIns().of(value))).toEqual(shape(value));
      }),
      { numRuns: 500 },
    );
  });

  test("is equal where the values are, with and without case, and only there", () => {
    const word = fc.stringMatching(/^[a-zA-Zé0-9]{0,4}([a-zA-Zé0-9]{1,2}|[οό]ς)$/);
    fc.assert(
      fc.property(word, word, (a, b) => {
        const standIns = new StandIns();
        expect(standIns.of(a) === standIns.of(b)).toBe(a === b);
        expect(standIns.of(a).toLowerCase() === standIns.of(b).toLowerCase()).toBe(
          a.toLowerCase() === b.toLowerCase(),
        );
        expect(standIns.of(a.toUpperCase())).toBe(standIns.of(a).toUpperCase());
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

  test("of a word that has one already takes no time", () => {
    const standIns = new StandIns();
    const msFor = (words: readonly string[]) => {
      const { user } = process.cpuUsage();
      for (const word of words) standIns.of(word);
      return (process.cpuUsage().user - user) / 1_000;
    };
    const words = Array.from({ length: 5_000 }, (_, at) => `word${at}`);
    expect(msFor(words)).toBeGreaterThan(3 * msFor(words));
  });
});
