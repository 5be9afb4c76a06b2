import type { Payments } from "../../client/payments.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import {
  isParameter,
  matchesMethod,
  matchesSegments,
  normalizePath,
  parseRouteKey,
  pathOf,
  type RoutePattern,
} from "../../protocol/match-route.ts";
import { type HonoLikeContext, PaymentMiddleware } from "../adapters/hono.ts";
import type { GateOptions } from "../gate-options.ts";
import { publicUrlOf } from "../http-call.ts";
import { refusalResponse } from "../http-response.ts";
import { logFailures } from "../logger.ts";
import type { Payment } from "../payment.ts";
import { workFailed } from "../refusals.ts";
import type { RouteMap } from "../routes.ts";
import { describeRoutes } from "./describe-routes.ts";

/** Answers one route of the app; `payment` is set exactly when the route is gated. */
export type AppHandler = (
  request: Request,
  context: { params: Record<string, string>; payment: Payment | undefined },
) => Response | Promise<Response>;

/** The parts of a Hono context that a mounted app uses. */
type MountedContext = HonoLikeContext & {
  req: { raw: Request; param(): Record<string, string> };
  get(key: "payment"): unknown;
};

/** A web application wrapped with the gate. Hono, and so LangGraph, mounts it like a Hono app. */
export type PaymentApp = {
  /** Answers a request; the second argument may be Hono's Node bindings, which allow trailers. */
  fetch(request: Request, env?: unknown): Promise<Response>;
  /** `fetch` from a path, for tests. */
  request(input: string | Request, init?: RequestInit): Promise<Response>;
  /** Adds a route, its parameters written `:name` or `{name}`. Throws `invalid_input` for one it cannot read. */
  on(method: string, path: string, handler: AppHandler): PaymentApp;
  get(path: string, handler: AppHandler): PaymentApp;
  post(path: string, handler: AppHandler): PaymentApp;
  put(path: string, handler: AppHandler): PaymentApp;
  patch(path: string, handler: AppHandler): PaymentApp;
  delete(path: string, handler: AppHandler): PaymentApp;
  /** Read by Hono when it mounts the app: `hono.route("/", app)`. */
  readonly routes: readonly {
    basePath: string;
    method: string;
    path: string;
    handler: (c: never, next: () => Promise<void>) => unknown;
  }[];
  /** Errors go to the app that mounted this one. */
  errorHandler(error: unknown): never;
};

/** Settings of `buildPaymentApp`: those of the gate, and what its description names. */
export type PaymentAppOptions = GateOptions & {
  /** Names the app in its description. Default: `Paid agent`. */
  title?: string;
  /** Default: `1.0.0`. */
  version?: string;
};

type AppRoute = RoutePattern & { path: string; handler: AppHandler };

/**
 * A web application already wrapped with the gate (§4.5), its description generated at
 * `/openapi.json`. Add routes to it, or mount it in front of other routes: the gate then guards those
 * too, as the `http.app` of a LangGraph deployment does.
 *
 * @example
 * export const app = buildPaymentApp(payments, { "POST /runs/wait": { planId, credits: 2 } });
 */
export function buildPaymentApp(
  payments: Payments,
  routes: RouteMap = {},
  options: PaymentAppOptions = {},
): PaymentApp {
  const { title = "Paid agent", version = "1.0.0", ...gated } = options;
  const onError = logFailures(gated.logger);
  const middleware = PaymentMiddleware(payments, routes, gated);
  const own: AppRoute[] = [];
  function add(method: string, path: string, handler: AppHandler): PaymentApp {
    const pattern = parseRouteKey(`${method} ${path}`);
    if (!pattern) throw new PaymentsError("invalid_input", `${method} ${path} is not a route.`);
    own.push({ ...pattern, path, handler });
    return app;
  }

  const app: PaymentApp = {
    async fetch(request, env) {
      const c = createContext(request, env);
      const next = async () => {
        c.res = await dispatch(own, c);
      };
      try {
        await middleware(c, next, onError);
        return c.res;
      } catch (error) {
        // Where nothing is gated.
        onError(error);
        return refusalResponse(workFailed());
      }
    },
    request: (input, init) =>
      app.fetch(
        typeof input === "string"
          ? new Request(new URL(input, "http://localhost"), init)
          : new Request(input, init),
      ),
    on: add,
    get: (path, handler) => add("GET", path, handler),
    post: (path, handler) => add("POST", path, handler),
    put: (path, handler) => add("PUT", path, handler),
    patch: (path, handler) => add("PATCH", path, handler),
    delete: (path, handler) => add("DELETE", path, handler),
    get routes() {
      return [
        { basePath: "/", method: "ALL", path: "/*", handler: middleware },
        ...own.map(({ method, path, handler }) => ({
          basePath: "/",
          method,
          path: path.replace(/\{(\w+)\}/g, ":$1"),
          handler: (c: MountedContext) =>
            handler(c.req.raw, {
              params: c.req.param(),
              payment: c.get("payment") as Payment | undefined,
            }),
        })),
      ];
    },
    errorHandler(error) {
      throw error;
    },
  };
  return app.get("/openapi.json", (request) =>
    Response.json(
      describeRoutes({
        title,
        version,
        origin: publicUrlOf(options) ?? new URL(request.url).origin,
        gated: routes,
        open: own.map((route) => `${route.method} ${route.path}`),
      }),
    ),
  );
}

type AppContext = HonoLikeContext & { payment?: Payment };

function createContext(raw: Request, env: unknown): AppContext {
  let response: Response | undefined;
  return {
    req: { raw },
    env,
    get res(): Response {
      return response as Response;
    },
    set res(given: Response | undefined) {
      response = given;
    },
    set(_key, value) {
      this.payment = value as Payment;
    },
  };
}

async function dispatch(routes: readonly AppRoute[], c: AppContext): Promise<Response> {
  const { raw: request } = c.req;
  const segments = normalizePath(pathOf(request.url));
  const route = routes.find(
    (each) =>
      segments &&
      matchesMethod(each.method, request.method) &&
      matchesSegments(each.segments, segments),
  );
  if (!route || !segments) return Response.json({ error: "Not Found" }, { status: 404 });
  const names = route.segments.flatMap((part, index) =>
    isParameter(part) ? [[part.replace(/[:{}]/g, ""), segments[index] as string]] : [],
  );
  const response = await route.handler(request, {
    params: Object.fromEntries(names),
    payment: c.payment,
  });
  return request.method === "HEAD" ? new Response(null, response) : response;
}
