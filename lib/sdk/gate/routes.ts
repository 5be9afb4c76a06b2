import { checkNames } from "../client/spending/check-names.ts";
import { HttpVerb } from "../protocol/agent-metadata.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { isDollarPrice } from "../protocol/exact/exact-payload.ts";
import {
  isParameter,
  matchesMethod,
  matchesSegments,
  normalizePath,
  parseRouteKey,
  pathOf,
  type RoutePattern,
} from "../protocol/match-route.ts";
import { AgentId, PlanId } from "../protocol/primitives.ts";
import { readScheme, type SchemeId } from "../protocol/schemes.ts";
import type { Discovery } from "./discovery/bazaar.ts";
import type { SuccessCheck } from "./verdict/outcome.ts";

/** The price of one call, read from its input; called once per call. */
export type PriceFunction<Input> = (input: Input) => bigint | number | Promise<bigint | number>;

/** Credits to charge for a request: fixed, or a function of the request. */
export type Credits<Input = Request> = bigint | number | PriceFunction<Input>;

/** What a gated route costs and how its requirement reads (§4.5). `null` equals left out. */
export type RouteConfig<Input = Request> = {
  /** The plan that pays for the route, or several: one offer for each. Left out on a route with a `price` alone. */
  planId?: string | readonly string[];
  /** What one request costs any x402 wallet, without a plan: `"$0.01"`, paid by `exact`. */
  price?: string | null;
  /** Lets any x402 wallet buy the route's plans by `exact`, with the request that it pays for. */
  exact?: boolean | null;
  /**
   * Default 1; below or above the plan's range, its minimum or maximum. A function's fraction is rounded up; 0, less or no
   * number is an error in the log, and 500 for the caller.
   */
  credits?: Credits<Input> | null;
  /** The agent that sells the route: it must sell the plan, and have the route among its endpoints. Required of the token. */
  agentId?: string | null;
  /** Replaces the network of the plan's scheme. */
  network?: string | null;
  /** Replaces the scheme of the plan. */
  scheme?: string | null;
  /** Free text for the requirement. */
  description?: string | null;
  /** The MIME type to expect of the response. */
  mimeType?: string | null;
  /**
   * Whether the work succeeded, told by its 2xx answer, or by each event of a stream; work that failed
   * costs nothing. Default: {@link isKnownSuccess}, which knows LangGraph, JSON-RPC, MCP and A2A.
   */
  isSuccess?: SuccessCheck | null;
  /** How the route is called, for agents that look for one (x402 `bazaar`); in its 402. */
  discovery?: Discovery | null;
  /** The tool's name, where the route is an MCP tool. */
  tool?: string | null;
};

/** The gated routes by key: `METHOD /path`, parameters as `:name` or `{name}`. */
export type RouteMap<Input = Request> = Record<string, RouteConfig<Input>>;

/** What is given, without the members that are left out. */
type Given<Values> = { [Name in keyof Values]?: NonNullable<Values[Name]> };

/** A route as the gate uses it: checked once, when the gate is created. */
export type Route<Input> = RoutePattern &
  Given<Omit<RouteConfig<Input>, "planId" | "credits" | "scheme">> & {
    key: string;
    planIds: readonly string[];
    credits: bigint | PriceFunction<Input>;
    scheme?: SchemeId;
  };

const MEMBERS =
  "planId price exact credits agentId network scheme description mimeType isSuccess discovery tool".split(
    " ",
  );
const MAX_PLANS = 20;
/** It travels in a header, and servers take 16 KB of those. */
const MAX_DISCOVERY = 4_000;

/** The routes, checked. Throws `invalid_input` naming the route and what is wrong with it (§4.5). */
export function compileRoutes<Input>(
  routes: RouteMap<Input>,
  schemeAliases: readonly string[],
): Route<Input>[] {
  const table: Route<Input>[] = [];
  for (const [key, config] of Object.entries(routes)) {
    const route = compileRoute(key, config, schemeAliases);
    const earlier = table.find(
      ({ method, segments }) =>
        matchesMethod(method, route.method) && matchesSegments(segments, route.segments),
    );
    if (earlier) refuseRoute(key, `${earlier.key} takes all its requests. Put it before that.`);
    table.push(route);
  }
  return table;
}

function refuseRoute(key: string, what: string): never {
  throw new PaymentsError("invalid_input", `Route ${JSON.stringify(key)}: ${what}`, {
    hint: 'A route looks like { "POST /ask/:id": { planId: "42", credits: 1 } }.',
  });
}

function compileRoute<Input>(
  key: string,
  config: RouteConfig<Input>,
  schemeAliases: readonly string[],
): Route<Input> {
  const refuse = (what: string): never => refuseRoute(key, what);
  if (typeof config !== "object" || config === null) return refuse("its config is not an object.");
  checkNames(`Route ${JSON.stringify(key)}`, config, MEMBERS);

  // By name: a config may inherit its members, as an instance of a class does.
  const { planId, price, exact, agentId, network, isSuccess, discovery, tool } = config;
  const { description, mimeType } = config;
  const isPriced = isGiven(price);
  if (isPriced && !isDollarPrice(price)) {
    return refuse('its `price` is not like "$0.01".');
  }
  const given = planId ?? (isPriced ? [] : undefined);
  const planIds = typeof given === "string" ? [given] : given;
  if (!isGiven(planIds) || (planIds.length === 0 && !isPriced)) {
    return refuse("it has no `planId`.");
  }
  if (!Array.isArray(planIds)) return refuse(`\`planId\` ${planIds} is not a plan id.`);
  if (planIds.length > MAX_PLANS) return refuse(`it has more than ${MAX_PLANS} plans.`);
  const wrongPlan = planIds.find((planId) => !PlanId.safeParse(planId).success);
  if (wrongPlan !== undefined) {
    return refuse(`\`planId\` ${JSON.stringify(wrongPlan)} is not a plan id.`);
  }
  if (new Set(planIds).size < planIds.length) return refuse("it names a plan twice.");
  if (isGiven(agentId) && !AgentId.safeParse(agentId).success) {
    return refuse(`\`agentId\` ${JSON.stringify(agentId)} is not an agent id.`);
  }
  const scheme = isGiven(config.scheme) ? readScheme(config.scheme, schemeAliases) : undefined;
  if (scheme === null) {
    return refuse(
      `\`scheme\` ${JSON.stringify(config.scheme)} is not one of svc:erc4337, svc:card-delegation.`,
    );
  }
  const credits = readCreditsConfig(config.credits ?? 1n);
  if (credits === null) {
    return refuse(
      `\`credits\` ${String(config.credits)} is not a whole number of at least 1, nor a function.`,
    );
  }
  if (isGiven(discovery) && JSON.stringify(discovery).length > MAX_DISCOVERY) {
    return refuse("its `discovery` is longer than 4000 characters.");
  }
  if (isGiven(isSuccess) && typeof isSuccess !== "function") {
    return refuse("`isSuccess` is not a function.");
  }
  return {
    ...onlyGiven({ price, exact, agentId, network, scheme, isSuccess, discovery, tool }),
    ...onlyGiven({ description, mimeType }),
    ...compileKey(key, refuse),
    key,
    planIds,
    credits,
  };
}

const isGiven = <T>(value: T | null | undefined): value is T =>
  value !== undefined && value !== null;

const onlyGiven = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value))) as Given<T>;

function readCreditsConfig<Input>(credits: Credits<Input>): Route<Input>["credits"] | null {
  return typeof credits === "function" ? credits : readCredits(credits);
}

/** Credits as the gate counts them: a whole number of at least 1; `null` for anything else. */
export function readCredits(value: unknown): bigint | null {
  if (typeof value !== "bigint" && !Number.isInteger(value)) return null;
  const credits = BigInt(value as bigint | number);
  return credits >= 1n ? credits : null;
}

// A pattern that could match nothing would leave a route ungated, so it is rejected.
function compileKey(key: string, refuse: (what: string) => never): RoutePattern {
  const pattern = parseRouteKey(key);
  if (!pattern) return refuse("expected `METHOD /path`.");
  if (!HttpVerb.safeParse(pattern.method).success) {
    return refuse(`\`${pattern.method}\` is not an HTTP method.`);
  }
  for (const segment of pattern.segments) {
    const isPlain = /^[^:{}*?#\\[\]]+$/.test(segment);
    const isWholeParameter = /^(:\w+|\{\w+\})$/.test(segment) && isParameter(segment);
    if (!isPlain && !isWholeParameter) {
      return refuse(
        `segment ${JSON.stringify(segment)} is neither plain text nor a whole parameter (:name or {name}).`,
      );
    }
    if (isPlain && normalizePath(segment)?.[0] !== segment) {
      return refuse(`segment ${JSON.stringify(segment)} is not in its decoded form.`);
    }
  }
  return pattern;
}

/**
 * The route of a request (without a method: of any), `null` when it is not gated, `"undecodable"` when routers could read its path
 * in more than one way. Letter case is ignored and a parameter may be empty, as in some routers: where another route would be
 * found by that, the path is ambiguous.
 */
export function findRoute<Found extends RoutePattern>(
  routes: readonly Found[],
  { method, url }: { method?: string; url: string },
): Found | null | "undecodable" {
  const find = (text: string) => findAsText(routes, method?.toUpperCase(), text);
  const found = find(url);
  // `new URL` reads `//host/path` as a host and a path, so listeners that use it run another route.
  const pathname = pathnameOf(url);
  const asUrl = pathname === pathOf(url) ? found : find(pathname);
  return asUrl && asUrl !== found ? "undecodable" : found;
}

/** The path that `new URL` reads, where it reads one. */
function pathnameOf(url: string): string {
  try {
    return new URL(url, "http://a").pathname;
  } catch {
    return url;
  }
}

function findAsText<Found extends RoutePattern>(
  routes: readonly Found[],
  method: string | undefined,
  url: string,
): Found | null | "undecodable" {
  const found = findWhole(routes, method, url);
  // Some routers end the path at a semicolon.
  const cut = url.replace(/;.*/, "");
  return cut === url || findWhole(routes, method, cut) === found ? found : "undecodable";
}

function findWhole<Found extends RoutePattern>(
  routes: readonly Found[],
  method: string | undefined,
  url: string,
): Found | null | "undecodable" {
  const readings = readPath(url);
  if (readings === null) return "undecodable";
  const findIn = (segments: string[]) => {
    const find = (fold: (text: string) => string) =>
      routes.find(
        (route) =>
          (method === undefined || matchesMethod(route.method, method)) &&
          route.segments.length === segments.length &&
          route.segments.every(
            (part, index) => isParameter(part) || fold(part) === fold(segments[index] as string),
          ),
      ) ?? null;
    const exact = find((text) => text);
    const folded = find((text) => text.toLowerCase());
    // A router that ignores case runs the earlier one.
    const isOther = exact !== folded && exact?.segments.some(isParameter);
    return isOther ? "undecodable" : (exact ?? folded);
  };
  const [found = null, other] = readings.map(findIn);
  return found && other && found !== other ? "undecodable" : (found ?? other ?? null);
}

const MAX_URL_LENGTH = 2000;

/** The path's segments: without the empty ones, and with them where there are any. */
function readPath(url: string): string[][] | null {
  if (url.length > MAX_URL_LENGTH && pathOf(url).length > MAX_URL_LENGTH) return null;
  // Neither a path nor a URL; or with raw white space, which some parsers trim.
  if (!/^(\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(url) || /[\s\p{Cc}]/u.test(url)) return null;
  const path = pathOf(url);
  const raw = path.split("/").slice(1);
  // A parsed URL has no dot segments; one that was not parsed may reach another route.
  if (raw.some(isDotSegment)) return null;
  const segments = normalizePath(path);
  if (!segments || !raw.includes("")) return segments && [segments];
  return [segments, raw.map(decodeURIComponent)];
}

const isDotSegment = (segment: string) => /^(\.|%2e){1,2}$/i.test(segment);
