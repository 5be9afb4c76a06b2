import { Environment } from "../protocol/enums.ts";
import { PaymentsError } from "../protocol/errors.ts";
import type { Plan } from "../protocol/plans/plan.ts";
import { isWebUrl } from "../protocol/primitives.ts";
import { readApiKey } from "./api-key.ts";
import { reachByFetch, reachByPlatform } from "./reach.ts";
import type { ServiceAnswer, ServiceRequest } from "./service-request.ts";
import type { SpendStore } from "./spending/spend-store.ts";
import { createSpending, type Spending, type SpendLimits } from "./spending/spending.ts";
import { createTtlCache, type TtlCache } from "./ttl-cache.ts";

/** How to reach a service (§2.1). Everything is optional. */
export type PaymentOptions = {
  /** The caller's key, `svc-<environment>:<jwt>`. Default: the variable `TURNPIKE_API_KEY`. */
  apiKey?: string | undefined;
  /** `sandbox` or `live`; left out, the key's own. A key of the other environment is refused. */
  environment?: Environment | undefined;
  /**
   * The service's address; may carry a path prefix. Default: the variable `TURNPIKE_URL`, and in the sandbox
   * `http://localhost:3000`.
   */
  baseUrl?: string | undefined;
  /** Replaces how requests are sent. Default: `fetch`; on Node its own HTTP client with keep-alive. */
  fetch?: typeof fetch;
  /** The maximum wait for one attempt of a call, at most 24 days. Default: 30,000; for settle and order 60,000. */
  timeoutMs?: number;
  /** How often a repeatable call is retried. Default: 2. */
  maxRetries?: number;
  /** Prefixes under which other systems name the schemes. Default `["nvm"]`. */
  schemeAliases?: readonly string[];
  /** The maximum this instance spends on orders, in cents, through `fetch` and minting. */
  maxSpend?: SpendLimits;
  /** Where its spending is counted; in this process's memory by default. */
  spendStore?: SpendStore;
};

/** One account's way to one service. It holds no readable secret, so it may be logged. */
export type Connection = {
  readonly baseUrl: string;
  readonly environment: Environment;
  /** The account of the API key: the default holder of balances. */
  readonly accountAddress: string;
  readonly timeoutMs: number | undefined;
  readonly maxRetries: number;
  readonly schemeAliases: readonly string[];
  /** What this instance may spend on orders, and has spent. */
  readonly spending: Spending;
  /** Plans as last read, for five minutes, shared by all connections to the same service. */
  readonly plans: TtlCache<Promise<Plan>>;
  /** Sends one request with the account's key. */
  send(url: string, request: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer>;
  /** Opens an answer that is read while it comes. */
  open(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
};

const SANDBOX_URL = "http://localhost:3000";
const PLAN_CACHE_MS = 5 * 60_000;
const MAX_CACHED_PLANS = 1000;

// Per way of reaching services, so that two services behind one name never share an entry.
const planCaches = new WeakMap<object, TtlCache<Promise<Plan>>>();

/** A connection from options. Throws `unauthorized`, `wrong_environment` or `invalid_input` when they cannot work. */
export function createConnection(options: PaymentOptions): Connection {
  const asked = readEnvironment(options.environment);
  checkLeast("timeoutMs", options.timeoutMs, 1);
  checkLeast("maxRetries", options.maxRetries, 0);
  const { apiKey } = options;
  const reach = options.fetch ? reachByFetch(options.fetch) : reachByPlatform;
  const { environment, accountAddress } = readApiKey(apiKey, asked);
  const withKey = (headers: object) => ({ ...headers, authorization: `Bearer ${apiKey}` });
  return {
    baseUrl: readBaseUrl(options.baseUrl, environment),
    environment,
    accountAddress,
    timeoutMs: options.timeoutMs,
    maxRetries: options.maxRetries ?? 2,
    schemeAliases: options.schemeAliases ?? ["nvm"],
    spending: createSpending(accountAddress, options.maxSpend, options.spendStore),
    plans: planCacheOf(options.fetch ?? reachByPlatform),
    send: (url, request, signal) =>
      reach(url, { ...request, headers: withKey(request.headers) }, signal),
    open: (url, headers, signal) =>
      (options.fetch ?? fetch)(url, { headers: withKey(headers), redirect: "manual", signal }),
  };
}

function planCacheOf(way: object): TtlCache<Promise<Plan>> {
  const cache =
    planCaches.get(way) ?? createTtlCache<Promise<Plan>>(PLAN_CACHE_MS, MAX_CACHED_PLANS);
  planCaches.set(way, cache);
  return cache;
}

/** Not a number would never end a call's retries, and end its wait at once. */
function checkLeast(name: string, value: number | undefined, least: number): void {
  if (value === undefined || value >= least) return;
  const message = `Option \`${name}\` is ${value}: use a number of at least ${least}.`;
  throw new PaymentsError("invalid_input", message);
}

function readEnvironment(value: unknown): Environment | undefined {
  if (value === undefined) return undefined;
  const parsed = Environment.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new PaymentsError(
    "invalid_input",
    `Environment ${JSON.stringify(value)} does not exist: use "sandbox" or "live".`,
  );
}

function readBaseUrl(baseUrl: string | undefined, environment: Environment): string {
  const text = baseUrl ?? (environment === "sandbox" ? SANDBOX_URL : undefined);
  if (text === undefined) {
    throw new PaymentsError(
      "invalid_input",
      'Environment "live" has no default address: pass `baseUrl`, or set TURNPIKE_URL.',
    );
  }
  if (!isWebUrl(text)) {
    throw new PaymentsError(
      "invalid_input",
      `Base URL ${JSON.stringify(text)} is not an http(s) address without credentials.`,
    );
  }
  const url = new URL(text);
  const prefix = url.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
  return `${url.origin}${prefix}`;
}
