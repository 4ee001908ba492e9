import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BrotliOptions } from "node:zlib";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { ErrorRequestHandler, RequestHandler } from "express";
import { sendJson } from "../http/send.js";
import { splitTarget } from "../http/target.js";
import { loadPackage } from "../kernel/load.js";
import { ControlError } from "./errors.js";

/** Where the dashboard's page is, below `/__sim`. */
export const DASHBOARD_PATH = "/ui";

const READING = ["GET", "HEAD"];
const ALLOWED = READING.join(", ");

/** The built page lies beside the compiled program; where the source itself is run, in the build that is there. */
function pageFolder(): string {
  const beside = fileURLToPath(new URL("../dashboard/", import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL("../../dist/dashboard/", import.meta.url));
}

/** The page takes everything from its own server, and nothing from anywhere else. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/**
 * Serves the built page below `mountPath`. The page holds no data and needs no token: it reads the control API with the
 * token that its user enters.
 */
export function dashboard(mountPath: string): RequestListener {
  let page: RequestListener | undefined;
  return (request, response) => {
    page ??= createPage(mountPath);
    page(request, response);
  };
}

/** What no file answers: another method, or a path without a file. */
const refuse: RequestHandler = ({ method, originalUrl }, response) => {
  const { path } = splitTarget(originalUrl);
  const error = READING.includes(method)
    ? new ControlError("routes.unknown", { path })
    : new ControlError("routes.wrongMethod", { method, path, allowed: ALLOWED }, [], ["Allow", ALLOWED]);
  sendJson(response, error.status, error, error.headers);
};

/** What makes express fail is a path that cannot be decoded. It would show its stack. */
const failed: ErrorRequestHandler = (_error, request, response, next) => refuse(request, response, next);

/** The names of assets hold a hash of what is in them. */
const ASSET = /^assets[/\\][\w-]+\.(js|css)$/;
const TYPES: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css" };

/** The smaller one first: browsers take it from this machine or over HTTPS only. */
const ENCODINGS = ["br", "gzip"] as const;
/** The best there is would take a third of a second before the first view, for a fourteenth of the size. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** In other threads: a large asset takes longer than calls can wait. */
const COMPRESS = {
  br: (file: Buffer) => promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)(file, QUALITY),
  gzip: promisify<Buffer, Buffer>(gzip),
};

const headersOf = (file: string) => ({
  "Content-Security-Policy": POLICY,
  "Cache-Control": ASSET.test(file) ? "public, max-age=31536000, immutable" : "no-cache",
});

/** Sends assets compressed to who takes them so; each is compressed once. */
function sendCompressed(folder: string): RequestHandler {
  const files = new Map<string, Buffer>();
  return async ({ method, path, headers }, response, next) => {
    const file = path.slice(1);
    const type = TYPES[ASSET.exec(file)?.[1] ?? ""];
    const encoding = ENCODINGS.find((name) => headers["accept-encoding"]?.includes(name));
    const isTaken = READING.includes(method) && encoding !== undefined;
    if (type === undefined || !isTaken || !existsSync(join(folder, file))) return next();
    const key = `${encoding} ${file}`;
    const compressed = files.get(key) ?? (await COMPRESS[encoding](await readFile(join(folder, file))));
    files.set(key, compressed);
    const length = { "Content-Type": `${type}; charset=utf-8`, "Content-Length": compressed.length };
    const encoded = { "Content-Encoding": encoding, Vary: "Accept-Encoding" };
    response.writeHead(200, { ...headersOf(file), ...length, ...encoded });
    response.end(method === "HEAD" ? undefined : compressed);
  };
}

function createPage(mountPath: string): RequestListener {
  // Express takes a good part of a start, and most simulators are never looked at: the first call loads it.
  const express = loadPackage<typeof import("express")>("express");
  const app = express();
  const folder = pageFolder();
  app.disable("x-powered-by");
  app.use(
    mountPath,
    sendCompressed(folder),
    express.static(folder, {
      setHeaders: (response, file) => {
        for (const [name, value] of Object.entries(headersOf(relative(folder, file))))
          response.setHeader(name, value);
      },
    }),
    refuse,
  );
  app.use(failed);
  return app;
}
