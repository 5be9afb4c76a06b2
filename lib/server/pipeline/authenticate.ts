import { Environment, PaymentsError } from "@turnpike/payments/protocol";
import { rightsOfKey } from "@/lib/domain/accounts/key-rights.ts";
import { accountStopped } from "@/lib/domain/accounts/stopped.ts";
import type { Caller } from "@/lib/domain/context.ts";
import type { Ports } from "@/lib/domain/ports.ts";

const MAX_KEY_LENGTH = 4096;
const WORD: Record<Environment, string> = { sandbox: "Sandbox", live: "Live" };

/**
 * The hash of the API key in an `Authorization` header, or null without one. Throws `unauthorized` for
 * another scheme and `wrong_environment` for a key of another environment.
 */
export function readKeyHash(
  ports: Pick<Ports, "environment" | "crypto">,
  header: string | undefined,
): string | null {
  if (!header) return null;
  const [, apiKey] = /^Bearer +(\S+)$/i.exec(header) ?? [];
  if (!apiKey || apiKey.length > MAX_KEY_LENGTH) {
    throw new PaymentsError("unauthorized", "The Authorization header is not `Bearer <apiKey>`.");
  }
  const [, environment] = /^svc-([a-z]+):/.exec(apiKey) ?? [];
  if (environment !== ports.environment && Environment.safeParse(environment).success) {
    throw new PaymentsError(
      "wrong_environment",
      `This is a ${WORD[environment as Environment]} key; you are in ${WORD[ports.environment]}.`,
      { hint: `Use a ${WORD[ports.environment]} key.` },
    );
  }
  return ports.crypto.digest(apiKey);
}

/** The refusal of a key that was valid once. */
export class KeyEnded extends PaymentsError {}

/** The account behind a key. Throws `unauthorized` when it is unknown, expired or revoked, `forbidden` for a stopped account. */
export async function findCaller(
  ports: Pick<Ports, "apiKeys">,
  keyHash: string | null,
): Promise<Caller> {
  if (keyHash === null) throw new PaymentsError("unauthorized", "This operation needs an API key.");
  const key = await ports.apiKeys.find(keyHash);
  if (key?.isStopped) throw accountStopped();
  if (!key?.isActive) {
    const Refusal = key ? KeyEnded : PaymentsError;
    throw new Refusal("unauthorized", "The API key is unknown, expired or revoked.");
  }
  const { account, keyId, isOperator, expiresAt } = key;
  return { account, keyId, isOperator, expiresAt, rights: rightsOfKey(key) };
}
