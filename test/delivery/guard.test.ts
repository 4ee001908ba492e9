import { expect, it } from "vitest";
import { OutboundGuard, plainHost } from "../../src/sandbox/delivery/target.js";

/** The host as a URL gives it to the guard. */
const hostOf = (url: string) => new URL(url).hostname;
const objection = (url: string, allowed: readonly string[] = []) =>
  new OutboundGuard(allowed).objection(hostOf(url));

/** Which addresses are local is the matter of `kernel/hosts`: here stands one of each kind, in odd spellings. */
it.each(["http://169.254.169.254/", "http://0xa9.0xfe.0251.0376/", "http://[64:ff9b::169.254.169.254]/"])(
  "the outbound guard holds %s back whatever is allowed",
  (url) => {
    for (const allowed of [[], ["*"], [hostOf(url)]])
      expect(objection(url, allowed)).toMatch("no option allows calls to it");
  },
);

it.each(["http://169.254.7.7/", "http://0xa9.0xfe.7.7/", "http://[::ffff:169.254.7.7]/"])(
  "the outbound guard holds %s back but where that address is allowed by itself",
  (url) => {
    const host = plainHost(hostOf(url));
    for (const allowed of [[], ["*"], ["bot.example", "169.254.0.1"]])
      expect(objection(url, allowed)).toMatch(`--allow-outbound ${host}`);
    for (const allowed of [host, hostOf(url)]) expect(objection(url, [allowed])).toBeNull();
  },
);

it.each(["localhost:3000", "127.0.0.1", "0x7f.1", "[::1]:8080", "10.0.0.7", "bot:8080"])(
  "the outbound guard lets http://%s/ through",
  (host) => {
    expect(objection(`http://${host}/`)).toBeNull();
  },
);

it.each(["bot.example", "8.8.8.8", "0x08.0x08.0x08.0x08", "0.0.0.0", "bot.example.", "[::ffff:8.8.8.8]"])(
  "the outbound guard holds http://%s/ back",
  (host) => {
    const url = `http://${host}/`;
    const option = `--allow-outbound ${plainHost(hostOf(url))} `;
    expect(objection(url, ["other.example"])).toMatch(option);
  },
);

it.each([
  ["bot.example", "https://bot.example:8443/x"],
  ["BOT.example.", "https://bot.example/"],
  ["bot.example:443", "https://bot.example/"],
  ["bücher.example", "https://xn--bcher-kva.example/"],
  ["2001:db8::1", "http://[2001:db8:0::1]/"],
  ["[2001:db8::1]", "http://[2001:db8::1]:81/"],
  ["8.8.8.8", "http://134744072/"],
  ["*", "https://any.example/"],
])("the outbound guard with --allow-outbound %s lets %s through", (allowed, url) => {
  expect(objection(url, [allowed])).toBeNull();
});

it.each(["a.bot.example", "robot.example"])("the outbound guard does not take %s for bot.example", (host) => {
  expect(objection(`http://${host}/`, ["bot.example"])).not.toBeNull();
});
