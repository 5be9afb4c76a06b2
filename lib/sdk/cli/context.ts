import { Payments } from "../client/payments.ts";
import { createTtlCache, type TtlCache } from "../client/ttl-cache.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { reachAgent } from "./reach-agent.ts";
import type { VerbContext } from "./verb.ts";

/** Who runs the verbs, at which service, and how both are reached. */
export type VerbContextOptions = {
  apiKey: string | undefined;
  /** The service's address. A live key has no default one. */
  baseUrl: string | undefined;
  /** Reaches the service. Default: the platform's. */
  fetch?: typeof fetch;
  /** Reaches agents. Default: the platform's. */
  reach?: (request: Request) => Promise<Response>;
  /** The clients of earlier contexts, so that a repeated call pays with the token it paid with before. */
  clients?: ClientCache;
};

/** Clients by their API key, for as long as their tokens are used again. */
export type ClientCache = TtlCache<Payments>;

const SANDBOX_URL = "http://localhost:3000";
const CLIENT_CACHE_MS = 15 * 60_000;
/** What a tool's caller can read. */
const MAX_ANSWER = 100_000;
/** How long a public answer of the service may take. */
const READ_MS = 30_000;

/** Caches clients by their key, at most `max`, so that calls of one account share what they know. */
export const createClientCache = (max: number): ClientCache => createTtlCache(CLIENT_CACHE_MS, max);

/** What verbs run with, for one account or for no one. */
export function createVerbContext({
  apiKey,
  baseUrl,
  fetch: reachService,
  reach = (request) => globalThis.fetch(request).catch((cause) => failed(request.url, cause)),
  clients,
}: VerbContextOptions): VerbContext {
  let payments: Payments | undefined;
  return {
    reach: reachAgent(reach),
    isKept: true,
    maxAnswer: MAX_ANSWER,
    payments() {
      if (!apiKey) {
        throw new PaymentsError("unauthorized", "This needs an API key.", {
          hint: "Create one on the API keys page, and pass it: on the command line as TURNPIKE_API_KEY, over HTTP as `Authorization: Bearer <apiKey>`.",
        });
      }
      payments ??=
        clients?.get(apiKey) ??
        Payments.getInstance({
          apiKey,
          baseUrl: addressOf(baseUrl, apiKey),
          ...(reachService && { fetch: reachService }),
        });
      clients?.set(apiKey, payments);
      return payments;
    },
    async read(path) {
      const service = addressOf(baseUrl, apiKey);
      const signal = AbortSignal.timeout(READ_MS);
      const answer = await (reachService ?? globalThis.fetch)(`${service}${path}`, {
        signal,
      }).catch((cause) => {
        throw new PaymentsError("network_error", `${service} did not answer.`, {
          hint: "Check the address of the service (TURNPIKE_URL).",
          cause,
        });
      });
      const body = (await answer.json().catch(() => null)) as object | null;
      if (answer.ok && body) return body;
      const said = body as { code?: unknown; message?: unknown; detail?: unknown } | null;
      const texts = [said?.message, said?.detail, `${service} answered ${answer.status}.`];
      const message = texts.find((text) => typeof text === "string") as string;
      if (said?.code === "invalid_input") throw new PaymentsError("invalid_input", message);
      throw new PaymentsError("invalid_answer", message, {
        hint: "Check the address of the service (TURNPIKE_URL).",
      });
    },
  };
}

function addressOf(given: string | undefined, apiKey: string | undefined): string {
  if (given) return given.replace(/\/+$/, "");
  if (!apiKey?.startsWith("svc-live:")) return SANDBOX_URL;
  throw new PaymentsError(
    "invalid_input",
    "A live key has no default address. Set TURNPIKE_URL to the address of your Turnpike.",
  );
}

/** The platform says only that it failed; why is in the cause. */
function failed(url: string, cause: { cause?: { code?: string; message?: string } }): never {
  const why = cause.cause?.code ?? cause.cause?.message;
  throw new PaymentsError("network_error", `${url} did not answer${why ? `: ${why}` : ""}.`, {
    cause,
  });
}
