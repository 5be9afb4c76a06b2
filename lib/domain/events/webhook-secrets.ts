import {
  type ParsedInputOf,
  PaymentsError,
  type WebhookEndpoint,
} from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";
import type { EndpointChanges, EndpointRecord } from "./event-ports.ts";

/** Each signs every delivery, and so adds to its headers. */
const MOST_SECRETS = 5;

/** The secrets before the current one that still sign, newest first. */
export function earlierSecrets(endpoint: EndpointRecord, now: Date) {
  const { previousSecret: secret, previousHint: hint, previousUntil: until } = endpoint;
  const previous = secret && hint && until ? [{ secret, hint, until }] : [];
  return [...previous, ...endpoint.olderSecrets].filter((each) => each.until > now);
}

/** The same without the secrets themselves. */
export function earlierHints(
  endpoint: EndpointRecord,
  now: Date,
): Pick<WebhookEndpoint, "previousSecret" | "olderSecrets"> {
  const [previousSecret, ...olderSecrets] = earlierSecrets(endpoint, now).map(
    ({ hint, until }) => ({ hint, expiresAt: until.toISOString() }),
  );
  return {
    ...(previousSecret && { previousSecret }),
    ...(olderSecrets.length > 0 && { olderSecrets }),
  };
}

export function newSecret({ ports: { crypto } }: Context, endpointId: string) {
  const secret = crypto.createWebhookSecret();
  return {
    shown: secret,
    sealed: {
      secret: crypto.seal(secret, { purpose: "webhook-secret", row: endpointId }),
      secretHint: secret.slice(-4),
    },
  };
}

/** What a rotation leaves of the current secret. Each one keeps its own end; without an overlap all end at once. */
export function overlapOf(
  endpoint: EndpointRecord,
  { overlapSecs }: Pick<ParsedInputOf<"rotateWebhookSecret">, "overlapSecs">,
  now: Date,
): EndpointChanges {
  if (overlapSecs === 0) return { previousSecret: null, previousHint: null, previousUntil: null };
  const earlier = earlierSecrets(endpoint, now);
  if (earlier.length + 1 >= MOST_SECRETS) {
    const message = "Five signing secrets are valid already.";
    const [first] = earlier.map(({ until }) => until).sort((one, other) => +one - +other);
    throw new PaymentsError("conflict", message, {
      details: [{ path: "overlapSecs", message: "too_many_secrets" }],
      hint: `Rotate again after ${first?.toISOString()}, or with overlapSecs 0, which stops all earlier secrets immediately.`,
    });
  }
  return {
    previousSecret: endpoint.secret,
    previousHint: endpoint.secretHint,
    previousUntil: new Date(now.getTime() + overlapSecs * 1000),
  };
}
