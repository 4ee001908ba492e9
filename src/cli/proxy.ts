/** `messaging-sim proxy`: starts the proxy, and ends it and its recording with the first SIGTERM or SIGINT. */
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { BOUNDS } from "../kernel/bounds.js";
import { hasCode, reasonOf } from "../kernel/errors.js";
import { counted } from "../kernel/words.js";
import { harEntryOf } from "../lab/proxy/har.js";
import { HarFile } from "../lab/proxy/har-file.js";
import { createProxy } from "../lab/proxy/proxy.js";
import { Redactor } from "../lab/proxy/redact.js";
import {
  address,
  asText,
  command,
  flag,
  optional,
  port,
  refused,
  required,
  type Values,
  withDefault,
} from "./command.js";
import { FAILED, firstSignal, OK, type Terminal } from "./terminal.js";

const HOST = "127.0.0.1";

/** An address that the proxy calls; credentials are for the program to send. */
const peer = (text: string): string => {
  const { username, password } = new URL(address(text));
  return username === "" && password === "" ? text : refused("must not contain a user or a password");
};

const OPTIONS = {
  to: required("address of the service", peer, "the address of the service"),
  out: required("HAR file to write; an existing file is replaced", asText, "the file to record to"),
  port: withDefault("port to listen on, on loopback (0: any free port)", port, "4030"),
  bot: optional(
    "your webhook's URL: deliveries to /__proxy/bot of the proxy are forwarded there and recorded",
    peer,
  ),
  ca: optional("additional certificate authority to trust (PEM file)", asText),
  "keep-personal-data": flag("record names, numbers, addresses and texts as they are"),
};

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

function areCertificates(pem: string): boolean {
  try {
    return (pem.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one)).length > 0;
  } catch {
    return false;
  }
}

/** `messaging-sim proxy --to URL --out FILE` */
export const PROXY = command({
  options: OPTIONS,
  examples: {
    "messaging-sim proxy --to https://api.example --out session.har":
      "records the calls that a program makes to http://127.0.0.1:4030",
    "messaging-sim proxy --to https://api.example --out session.har --bot http://127.0.0.1:3000/webhook":
      "also records the deliveries that arrive at /__proxy/bot",
  },
  exits: {
    0: "it stopped after SIGINT or SIGTERM, and the recording is complete",
    1: "the recording could not be completed",
    2: "an option or file is unusable, or the port is in use",
    130: "a second signal stopped it immediately",
  },
  run: proxy,
});

async function proxy(
  { to, out, port: wanted, bot, ca: caFile, keepPersonalData }: Values<typeof OPTIONS>,
  terminal: Terminal,
): Promise<number> {
  const ca =
    caFile === undefined
      ? undefined
      : await readFile(caFile, "utf8").catch((error) =>
          refused(`cannot read ${caFile}: ${reasonOf(error)}`, "--ca"),
        );
  if (ca !== undefined && !areCertificates(ca))
    refused(`${caFile} contains no certificate in PEM, or a damaged one`, "--ca");
  let complaint = "";
  const complain = (message: string) => {
    if (message !== complaint) terminal.err(`${message}\n`);
    complaint = message;
  };
  const cannotWrite = (error: unknown) => complain(`cannot write ${out}: ${reasonOf(error)}`);
  const file = await HarFile.create(out, new Redactor({ keepPersonalData }), cannotWrite).catch((error) => {
    const why = hasCode(error, "ENOENT") ? "there is no such folder" : reasonOf(error);
    return refused(`cannot write ${out}: ${why}`, "--out");
  });
  const { server, close } = createProxy({
    to,
    bot,
    ca,
    onExchange: (exchange, begun) => {
      if (file.add(harEntryOf(exchange), begun)) return;
      complain(`${out} is full (${counted(file.entries, "exchange")}): further exchanges pass unrecorded`);
    },
  });
  try {
    server.listen(wanted, HOST);
    await once(server, "listening");
  } catch (error) {
    const why = hasCode(error, "EADDRINUSE")
      ? `${wanted} is in use: choose another, or 0 for a free one`
      : reasonOf(error);
    refused(why, "--port");
  }
  const signal = firstSignal();
  terminal.out(`messaging-sim proxy ready at http://${HOST}:${(server.address() as AddressInfo).port}\n`);
  terminal.ignoreBrokenPipe?.();
  await signal.came;
  try {
    await close(BOUNDS.shutdownMs.limit);
    await file.close();
  } catch (error) {
    cannotWrite(error);
    return FAILED;
  } finally {
    signal.stopListening();
  }
  terminal.out(`${counted(file.entries, "exchange")} recorded in ${out}\n`);
  return OK;
}
