import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ErrorRequestHandler, RequestHandler, Response, Router } from "express";
import { sendJson } from "../kernel/http/answer.js";
import { splitTarget } from "../kernel/http/target.js";
import { loadPackage } from "../kernel/packages.js";
import { ControlError } from "./errors.js";

export const DASHBOARD_PATH = "/ui";

/** The built page is next to the compiled program; when running from source, in an existing build. */
function pageFolder(): string {
  const beside = fileURLToPath(new URL("../dashboard/", import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL("../../dist/dashboard/", import.meta.url));
}

/** The page loads everything from its own server, and nothing from elsewhere. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

const refuse: RequestHandler = ({ originalUrl }, response) => {
  const error = new ControlError("routes.unknown", { path: splitTarget(originalUrl).path });
  sendJson(response, error.status, error);
};

/** Express fails on a path that cannot be decoded, and would show its stack. */
const failed: ErrorRequestHandler = (_error, request, response, next) => refuse(request, response, next);

/** The files with compressed copies beside them: the page, and its assets, whose names contain a hash of their content. */
const BUILT = /[/\\](?:index\.(html)|assets[/\\][\w-]+\.(js|css))(?:\.(br|gz))?$/;
const ENDINGS: Readonly<Record<string, string>> = { br: "br", gzip: "gz" };

const preferCompressed: RequestHandler = (request, _response, next) => {
  // An address without the final slash is redirected.
  const isPage = request.path === "/" && splitTarget(request.originalUrl).path.endsWith("/");
  const path = isPage ? "/index.html" : request.path;
  const encoding = Object.keys(ENDINGS).find((name) => request.acceptsEncodings(name));
  if (BUILT.test(path) && encoding !== undefined) request.url = `${path}.${ENDINGS[encoding]}`;
  next();
};

function setHeaders(response: Response, file: string): void {
  const [, page, asset, ending] = BUILT.exec(file) ?? [];
  const type = page ?? asset;
  const caching = asset === undefined ? "no-cache" : "public, max-age=31536000, immutable";
  response.set({ "Content-Security-Policy": POLICY, "Cache-Control": caching });
  if (type !== undefined) response.type(type).vary("Accept-Encoding");
  if (ending !== undefined) response.set("Content-Encoding", ending === "gz" ? "gzip" : ending);
}

/** Serves the built page, which needs no token: it calls the control API with the token that its user enters. */
export function dashboard(): Router {
  const express = loadPackage<typeof import("express")>("express");
  const page = express.Router();
  page.use(preferCompressed, express.static(pageFolder(), { setHeaders }), refuse);
  page.use(failed);
  return page;
}
