/** The express application: the order in which a request meets the page, the control API and the simulated API. */

import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from "node:http";
import type { Request as ExpressRequest, Response as ExpressResponse } from "express";
import { DASHBOARD_PATH, dashboard } from "../control/dashboard.js";
import { FAILURE, sendJson } from "../kernel/http/answer.js";
import { splitTarget } from "../kernel/http/target.js";
import { CONTROL_PREFIX } from "../kernel/names.js";
import { loadPackage } from "../kernel/packages.js";

/** The handlers below `/__sim`, and for everything else. */
interface Surfaces {
  readonly control: RequestListener;
  readonly api: RequestListener;
  /** Receives the errors that they throw, which are answered with 500. */
  readonly failed: (error: unknown) => void;
}

interface Application {
  readonly listener: RequestListener;
  readonly classes: Pick<ServerOptions, "IncomingMessage" | "ServerResponse">;
}

/** Creates the application, and the request and response classes that its node server must use. */
export function createApplication({ control, api, failed }: Surfaces): Application {
  const express = loadPackage<typeof import("express")>("express");
  const app = express();
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  // One handler, since each one that a call passes on its way costs it time.
  app.use((request, response, next) => {
    if (isBelow(PAGE, request.url)) next();
    else if (isBelow(CONTROL_PREFIX, request.url)) control(request, response);
    // A browser that opens the simulator's address wants the page; programs get the service's own answer.
    else if (request.url === "/" && request.method === "GET" && request.headers.accept?.includes("text/html"))
      response.redirect(`${PAGE}/`);
    else api(request, response);
  });
  app.use(PAGE, dashboard());

  // Express changes the prototype of each request and response, which defeats the engine's optimizations. These classes have
  // the right prototypes from the start.
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(Request.prototype, express.request);
  Object.setPrototypeOf(Response.prototype, express.response);
  app.request = Object.assign(Request.prototype as ExpressRequest, { app });
  app.response = Object.assign(Response.prototype as ExpressResponse, { app });

  const listener: RequestListener = (request, response) =>
    app(request as ExpressRequest, response as ExpressResponse, (error: unknown) => {
      // Express cannot route a target that is not a URL.
      if (error === undefined) return api(request, response);
      failed(error);
      sendJson(response, 500, FAILURE);
    });
  return { listener, classes: { IncomingMessage: Request, ServerResponse: Response } };
}

const PAGE = CONTROL_PREFIX + DASHBOARD_PATH;

/** Whether a request's target is a path or below it. */
const isBelow = (path: string, target: string): boolean =>
  target.startsWith(path) && `${splitTarget(target).path}/`.startsWith(`${path}/`);
