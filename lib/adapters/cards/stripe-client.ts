import { Stripe } from "stripe";

export type StripeSettings = {
  secretKey: string;
  /** Where Stripe's HTTP is spoken instead of at Stripe, as an origin: `http://127.0.0.1:4242`. */
  apiBase?: string | undefined;
  timeoutMs?: number;
};

const TIMEOUT_MS = 20_000;

/**
 * The official SDK's client. Retries are off, because orders are retried from their records; the one retry the SDK
 * always makes, after a closed connection, carries the same idempotency key.
 *
 * @example const stripe = createStripe({ secretKey: env.stripe.secretKey, apiBase: env.stripe.apiBase });
 */
export function createStripe({ secretKey, apiBase, timeoutMs }: StripeSettings): Stripe {
  return new Stripe(secretKey, {
    maxNetworkRetries: 0,
    timeout: timeoutMs ?? TIMEOUT_MS,
    telemetry: false,
    ...(apiBase && addressOf(apiBase)),
  });
}

function addressOf(apiBase: string): { protocol: "http" | "https"; host: string; port: string } {
  const { protocol, hostname, port } = new URL(apiBase);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new Error(`The card processor's address must be http or https, not ${protocol}`);
  }
  const isSecure = protocol === "https:";
  return {
    protocol: isSecure ? "https" : "http",
    host: hostname,
    port: port || (isSecure ? "443" : "80"),
  };
}
