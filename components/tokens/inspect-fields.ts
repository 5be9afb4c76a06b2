import {
  type AccessToken,
  decodeAccessToken,
  Environment,
  signatureOf,
} from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { currencyMoney } from "../ui/values/currency-money.ts";
import { groupDigits } from "../ui/values/money-text.ts";
import { absoluteTime } from "../ui/values/time-text.ts";

/** One field of a token: its path, its value, and what that means. */
export type TokenField = { path: string; value: string; human?: string; meaning: string };

export type Inspection =
  | { isToken: true; token: AccessToken; fields: TokenField[]; isExpired: boolean | undefined }
  | { isToken: false; keyOf?: Environment };

const MEANINGS: [path: string, meaning: string][] = [
  ["x402Version", "Version of the x402 protocol."],
  ["accepted.scheme", "How the plan is paid: on chain or by card."],
  ["accepted.network", "The network that settles it."],
  [
    "accepted.amount",
    "Credits per call in the offer it answers. A token bound to a key pays at most this.",
  ],
  ["accepted.asset", "The currency or token of the plan’s price."],
  ["accepted.payTo", "Who receives the plan’s price."],
  ["payload.authorization.from", "The subscriber’s account, whose credits it uses."],
  ["payload.authorization.planId", "The plan it is for."],
  [
    "payload.authorization.agentId",
    "The only agent that accepts it. Without this field, any agent of the plan does.",
  ],
  ["payload.authorization.delegationId", "The delegation that limits what it can spend."],
  ["payload.authorization.jti", "The token’s ID, used to revoke it."],
  ["payload.authorization.iat", "When it was minted."],
  ["payload.authorization.exp", "When it expires."],
  ["payload.authorization.aud", "The environment that accepts it."],
  ["payload.authorization.resource", "The only URL it works for."],
  ["payload.authorization.httpVerb", "The only HTTP method it works for."],
  [
    "payload.authorization.cnf.jwk.x",
    "The public key it is bound to: each call must be signed with its private key.",
  ],
  ["payload.authorization.accepted", "Fingerprint of the offer it accepts."],
  ["payload.sessionKey.address", "The key that signed it."],
  ["payload.sessionKey.permissions", "What the key may do: order the plan, use its credits."],
  ["payload.sessionKey.limits.redemptionLimit", "Maximum number of calls."],
  ["payload.sessionKey.limits.orderLimit", "Maximum spent on orders, in the smallest unit."],
  ["signature", "Signature of the whole token. Not checked here: only the service can verify it."],
];

/** Decodes a token in this browser, without verifying it. */
export function inspectToken(text: string, now: Date): Inspection {
  const token = decodeAccessToken(text.trim().replace(/^payment-signature:\s*/i, ""));
  if (!token) return { isToken: false, ...keyIn(text) };
  const fields = MEANINGS.flatMap(([path, meaning]) => {
    const value = path === "signature" ? signatureOf(token) : valueAt(token, path);
    if (value === undefined || value === null) return [];
    const human = humanOf(path, value, token);
    return [{ path, value: textOf(value), meaning, ...(human && { human }) }];
  });
  const { exp } = token.payload.authorization;
  const isExpired = exp === undefined ? undefined : exp * 1_000 <= now.getTime();
  return { isToken: true, token, fields, isExpired };
}

/** The environment of an API key, which is often pasted by mistake. */
function keyIn(text: string): { keyOf?: Environment } {
  const { data } = Environment.safeParse(/\bsvc-([a-z]+):/.exec(text)?.[1]);
  return data ? { keyOf: data } : {};
}

function valueAt(token: AccessToken, path: string): unknown {
  let at: unknown = token;
  for (const key of path.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(", ") : String(value);

function humanOf(path: string, value: unknown, token: AccessToken): string | undefined {
  if (path.endsWith(".iat") || path.endsWith(".exp")) {
    return absoluteTime(new Date(Number(value) * 1_000));
  }
  if (path.endsWith(".redemptionLimit")) return plural(Number(value), "call");
  if (!path.endsWith(".orderLimit")) return undefined;
  const unit = token.payload.sessionKey.limits.order?.unit ?? token.accepted?.asset;
  const amount = String(value);
  const isKnown = typeof unit === "string" && /^([a-z]{3,4}|0x[0-9a-f]{40})$/i.test(unit);
  return isKnown ? currencyMoney(amount, unit) : `${groupDigits(amount)} smallest units`;
}
