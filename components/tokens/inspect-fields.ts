import {
  type AccessToken,
  decodeAccessToken,
  Environment,
  signatureOf,
} from "@turnpike/payments/protocol";
import { amountText, groupDigits } from "../ui/values/money-text.ts";
import { absoluteTime } from "../ui/values/time-text.ts";

/** One line of a token: where it stands, what it says, and what that means. */
export type TokenField = { path: string; value: string; human?: string; meaning: string };

export type Inspection =
  | { isToken: true; token: AccessToken; fields: TokenField[]; isExpired: boolean | undefined }
  | { isToken: false; keyOf?: Environment };

const MEANINGS: [path: string, meaning: string][] = [
  ["x402Version", "Version of the x402 protocol it speaks."],
  ["accepted.scheme", "How it pays: on chain, or by a card."],
  ["accepted.network", "Where it settles."],
  ["accepted.amount", "Credits a call of the offer uses, at least."],
  ["accepted.asset", "What the plan’s price is in."],
  ["accepted.payTo", "Who the plan’s price is paid to."],
  ["payload.authorization.from", "Whose credits it uses: the subscriber’s account."],
  ["payload.authorization.planId", "The plan it is for."],
  [
    "payload.authorization.agentId",
    "The one agent it may be used at; any of the plan’s without it.",
  ],
  ["payload.authorization.delegationId", "The delegation behind it: what may be spent."],
  ["payload.authorization.jti", "Its id, by which it is revoked."],
  ["payload.authorization.iat", "When it was minted."],
  ["payload.authorization.exp", "When it ends."],
  ["payload.authorization.aud", "The environment it is good for."],
  ["payload.authorization.resource", "The one address it may be used at."],
  ["payload.authorization.httpVerb", "The one method it may be used with."],
  ["payload.authorization.accepted", "Fingerprint of the offer it answers."],
  ["payload.sessionKey.address", "The key that signed it."],
  ["payload.sessionKey.permissions", "What that key may do: order the plan, use its credits."],
  ["payload.sessionKey.limits.redemptionLimit", "Calls it is good for, at most."],
  ["payload.sessionKey.limits.orderLimit", "Spent on orders at most, in the smallest unit."],
  ["signature", "Signature over all of it. Not checked here: only the service can."],
];

const SIX_DECIMALS = 6;

/** Reads a token as it stands, in this browser alone. Proves nothing about it. */
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

/** An API key is often taken for a token; where it belongs is its first word. */
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
  if (path.endsWith(".redemptionLimit")) return `${groupDigits(Number(value))} calls`;
  if (!path.endsWith(".orderLimit")) return undefined;
  const asset = token.accepted?.asset;
  const code = typeof asset === "string" && /^[A-Z]{3}$/.test(asset) ? ` ${asset}` : "";
  return `${amountText(String(value), SIX_DECIMALS)}${code || " in a token of six decimals"}`;
}
