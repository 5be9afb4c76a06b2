import "server-only";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { Stripe } from "stripe";
import type { Env } from "../env.ts";
import { FORGED_ADDRESS } from "../http/client-address.ts";
import { type Check, check, Fault, reasonOf } from "./check.ts";

const TIMEOUT_MS = 8_000;
const FEWEST_DAYS = 7;
const DAY_MS = 86_400_000;

/** The address people use: its form, its certificate, what answers there, and the proxy in front. */
export function edgeChecks(env: Env, now: () => Date): Check[] {
  const origin = new URL(env.origin);
  const { stripe } = env;
  return [
    check("origin", async () => checkOrigin(origin)),
    check("TLS", () => checkCertificate(origin, now())),
    check("proxy", () => checkProxies(origin, env)),
    check("health", () => checkHealth(origin, env)),
    ...(stripe
      ? [check("webhook secret", () => checkWebhooks(origin, stripe.webhookSecrets, now()))]
      : []),
  ];
}

function checkOrigin({ protocol, hostname, origin }: URL): string {
  if (protocol !== "https:") {
    throw new Fault(
      `TURNPIKE_ORIGIN is ${origin}, without TLS.`,
      "Set it to the https:// address of the proxy in front of the service.",
    );
  }
  return isIP(hostname) ? `${origin}, an address without a name` : origin;
}

/** What the certificate says, read as a client reads it. */
function checkCertificate({ protocol, hostname, port }: URL, now: Date): Promise<string> {
  if (protocol !== "https:") {
    throw new Fault("There is no certificate without https://.", "Set TURNPIKE_ORIGIN to it.");
  }
  return new Promise((found, failed) => {
    const fail = (cause: string) =>
      failed(
        new Fault(
          `${cause}.`,
          "Check the proxy in front of the service: its name, its certificate and its chain. Most proxies renew certificates on their own.",
        ),
      );
    const socket = connect(
      { host: hostname, port: Number(port || 443), servername: isIP(hostname) ? "" : hostname },
      () => {
        const days = Math.floor(
          (Date.parse(socket.getPeerCertificate().valid_to) - now.getTime()) / DAY_MS,
        );
        socket.destroy();
        if (days >= FEWEST_DAYS) found(`trusted, for ${days} more days`);
        else fail(`The certificate of ${hostname} expires in ${days} days`);
      },
    );
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy();
      fail(`${hostname} does not answer`);
    });
    socket.once("error", (cause) =>
      fail(`No trusted connection to ${hostname}: ${reasonOf(cause)}`),
    );
  });
}

/** Sends a forged `X-Forwarded-For` with as many addresses as the setting trusts, and asks whether the service counts one of them. */
async function checkProxies(origin: URL, { trustedProxies }: Env): Promise<string> {
  if (trustedProxies === 0) {
    throw new Fault(
      "TRUSTED_PROXIES is 0: every client has the proxy's address, and shares its rate limits.",
      "Set it to the number of proxies in front of the service that set X-Forwarded-For.",
    );
  }
  const headers = { "x-forwarded-for": Array(trustedProxies).fill(FORGED_ADDRESS).join(", ") };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // Another check says that the service does not answer.
  const answer = await fetch(new URL("/api/v1/health/live", origin), { headers, signal })
    .then((response) => response.json())
    .catch(() => null);
  const set = `TRUSTED_PROXIES is ${trustedProxies}`;
  if (answer?.ok !== true)
    return `${set}; not tried, because no answer came to a forged X-Forwarded-For`;
  if (answer.isForged !== true) return set;
  throw new Fault(
    `TRUSTED_PROXIES is ${trustedProxies}, and fewer proxies are in front of the service: clients choose the address that rate limits count.`,
    "Lower it to the number of proxies in front of the service that set X-Forwarded-For, and restart every replica.",
  );
}

async function checkHealth(origin: URL, { environment }: Env): Promise<string> {
  const url = new URL("/api/v1/health", origin);
  const remedy = "Start the service, and let the proxy pass every path to it.";
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause) => {
    throw new Fault(`${url} does not answer: ${reasonOf(cause.cause ?? cause)}.`, remedy);
  });
  const health = (await answer.json().catch(() => null)) as {
    status?: string;
    environment?: string;
    checks?: Record<string, { ok: boolean; degraded?: string }>;
  } | null;
  if (!health?.status) throw new Fault(`${url} is not answered by Turnpike.`, remedy);
  if (health.environment !== environment) {
    throw new Fault(
      `${url} is a ${health.environment} deployment.`,
      "Point TURNPIKE_ORIGIN at this one.",
    );
  }
  const bad = Object.entries(health.checks ?? {}).filter(([, each]) => !each.ok || each.degraded);
  if (health.status === "ok") return "every part answers";
  throw new Fault(
    `The service is ${health.status}: ${bad.map(([name, { degraded }]) => degraded ?? name).join(", ")}.`,
    "Read its log; docs/operations.md, Health, says what each means.",
  );
}

/**
 * Sends events that ask for nothing, signed as the processor signs. The processor tells its secrets only once, so
 * this compares the settings here with those of the running service.
 */
async function checkWebhooks(origin: URL, secrets: readonly string[], now: Date): Promise<string> {
  for (const secret of secrets) await checkWebhook(origin, secret, now);
  return "the service has the same; Stripe's list of deliveries shows whether they are Stripe's";
}

async function checkWebhook(origin: URL, secret: string, now: Date): Promise<void> {
  const body = JSON.stringify({
    id: "evt_preflight",
    object: "event",
    type: "turnpike.preflight",
    livemode: true,
    data: { object: {} },
  });
  const timestamp = Math.floor(now.getTime() / 1000);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
  const answer = await fetch(new URL("/api/webhooks/cards", origin), {
    method: "POST",
    headers: { "content-type": "application/json", "stripe-signature": signature },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw new Fault(
      `The webhook's address does not answer: ${reasonOf(cause.cause ?? cause)}.`,
      "Start the service, and let the proxy pass every path to it.",
    );
  });
  if (answer.ok) return;
  throw new Fault(
    `The running service answers ${answer.status} to an event signed with STRIPE_WEBHOOK_SECRET.`,
    "Start the service with the same settings as this command.",
  );
}
