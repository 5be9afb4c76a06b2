import { checksumAddress, isAddress } from "../protocol/address.ts";
import { decodeBase64 } from "../protocol/encoding/base64.ts";
import type { Environment } from "../protocol/enums.ts";
import { PaymentsError } from "../protocol/errors.ts";

/** What an API key says about itself without asking the service: nothing here is proof. */
export type ApiKeyClaims = { environment: Environment; accountAddress: string };

const FORM = /^svc-(sandbox|live):[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+$/;

/**
 * The environment and the account of an API key `svc-<environment>:<jwt>`. Throws `unauthorized`
 * for a missing or malformed key and `wrong_environment` for a key of another environment than
 * asked; no message repeats the key.
 *
 * @example readApiKey(apiKey, "sandbox").accountAddress
 */
export function readApiKey(apiKey: unknown, environment?: Environment): ApiKeyClaims {
  if (apiKey === undefined || apiKey === null || apiKey === "") {
    throw new PaymentsError(
      "unauthorized",
      "The API key is missing: set TURNPIKE_API_KEY, or pass Payments.getInstance({ apiKey }).",
      { hint: "Create one on the API keys page; it looks like svc-<environment>:<jwt>." },
    );
  }
  const claims = typeof apiKey === "string" ? readClaims(apiKey) : null;
  if (!claims) {
    throw new PaymentsError(
      "unauthorized",
      `The API key is malformed: expected svc-<environment>:<jwt>, got ${describe(apiKey)}.`,
      { hint: "Copy the whole key, from `svc-` to its last character." },
    );
  }
  if (environment && claims.environment !== environment) {
    throw new PaymentsError(
      "wrong_environment",
      `This API key belongs to environment "${claims.environment}", but "${environment}" was asked for.`,
    );
  }
  return claims;
}

function readClaims(apiKey: string): ApiKeyClaims | null {
  const [, environment, body] = FORM.exec(apiKey) ?? [];
  const json = body === undefined ? null : decodeBase64(body);
  if (json === null) return null;
  try {
    const { sub } = JSON.parse(json) as { sub?: unknown };
    if (typeof sub !== "string" || !isAddress(sub)) return null;
    return { environment: environment as Environment, accountAddress: checksumAddress(sub) };
  } catch {
    return null;
  }
}

const describe = (value: unknown) =>
  typeof value === "string" ? `${value.length} characters of another form` : `a ${typeof value}`;
