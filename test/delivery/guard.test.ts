import { describe, expect, it } from "vitest";
import { OutboundGuard, plainHost } from "../../src/sandbox/delivery/target.js";

/** The host as a URL gives it to the guard. */
const hostOf = (url: string) => new URL(url).hostname;

/** Which addresses are local is the matter of `kernel/hosts`: here stands one of each kind, in odd spellings. */
describe("the outbound guard", () => {
  it.each(["http://169.254.169.254/", "http://0xa9.0xfe.0251.0376/", "http://[64:ff9b::169.254.169.254]/"])(
    "holds %s back whatever is allowed",
    (url) => {
      for (const allowed of [[], ["*"], [hostOf(url)]])
        expect(new OutboundGuard(allowed).objection(hostOf(url))).toMatch("no option allows calls to it");
    },
  );

  it.each(["http://169.254.7.7/", "http://0xa9.0xfe.7.7/", "http://[::ffff:169.254.7.7]/"])(
    "holds %s back but where that address is allowed by itself",
    (url) => {
      const host = plainHost(hostOf(url));
      for (const allowed of [[], ["*"], ["bot.example", "169.254.0.1"]])
        expect(new OutboundGuard(allowed).objection(hostOf(url))).toMatch(`--allow-outbound ${host}`);
      expect(new OutboundGuard([host]).objection(hostOf(url))).toBeNull();
      expect(new OutboundGuard([hostOf(url)]).objection(hostOf(url))).toBeNull();
    },
  );

  it.each([
    "http://localhost:3000/",
    "http://127.0.0.1/",
    "http://0x7f.1/",
    "http://[::1]:8080/",
    "http://10.0.0.7/",
    "http://bot:8080/",
  ])("lets %s through", (url) => {
    expect(new OutboundGuard([]).objection(hostOf(url))).toBeNull();
  });

  it.each([
    "https://bot.example/",
    "http://8.8.8.8/",
    "http://0x08.0x08.0x08.0x08/",
    "http://0.0.0.0/",
    "http://bot.example./",
    "http://[::ffff:8.8.8.8]/",
  ])("holds %s back", (url) => {
    const host = plainHost(hostOf(url));
    expect(new OutboundGuard(["other.example"]).objection(hostOf(url))).toMatch(`--allow-outbound ${host} `);
  });

  it.each([
    ["bot.example", "https://bot.example:8443/x"],
    ["BOT.example.", "https://bot.example/"],
    ["bot.example:443", "https://bot.example/"],
    ["bücher.example", "https://xn--bcher-kva.example/"],
    ["2001:db8::1", "http://[2001:db8:0::1]/"],
    ["[2001:db8::1]", "http://[2001:db8::1]:81/"],
    ["8.8.8.8", "http://134744072/"],
    ["*", "https://any.example/"],
  ])("with --allow-outbound %s lets %s through", (allowed, url) => {
    expect(new OutboundGuard([allowed]).objection(hostOf(url))).toBeNull();
  });

  it("matches names exactly", () => {
    const guard = new OutboundGuard(["bot.example"]);
    expect(guard.objection("a.bot.example")).not.toBeNull();
    expect(guard.objection("robot.example")).not.toBeNull();
  });
});
