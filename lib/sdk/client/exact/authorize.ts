import { sha256 } from "../../protocol/encoding/sha256.ts";
import type { ExactSent } from "../../protocol/exact/exact-sent.ts";
import type { ForeignOffer } from "../../protocol/exact/foreign-offer.ts";
import type { PaymentAuthorization } from "../../protocol/operations/authorizations.ts";
import { callOperation } from "../call.ts";
import type { Connection } from "../connection.ts";
import type { ExactCall } from "../paying/challenged-call.ts";
import type { Purchase } from "../spending/purchase.ts";
import { createSharedDelegations } from "../spending/shared-delegations.ts";
import { untilAborted } from "../waiting/until-aborted.ts";
import type { Authorized } from "./exact-types.ts";

/** A caller waits for what was paid for. */
const CONFIRM = { timeoutMs: 3_000, maxRetries: 0 };

const shared = new WeakMap<Connection, ReturnType<typeof createSharedDelegations>>();

/**
 * Has the service sign for the account, under a delegation whose limit is the instance's. The call's name is the key of the
 * authorization: the same call gets the same one, and another one only where it has expired unused, so that it never pays.
 */
export async function authorize(
  call: ExactCall,
  offer: ForeignOffer,
  purchase: Purchase,
): Promise<Authorized> {
  const { connection, name, original, options } = call;
  const key = original.headers.get("idempotency-key") ?? "";
  // A page without HTTPS has no digest of the name.
  const named = name !== null && crypto.subtle ? { idempotencyKey: name, earlierKey: key } : {};
  const resource = original.url.split("#")[0];
  let input: object = { idempotencyKey: key, ...named, offer, resource };
  const { rareCalls } = await import("../../protocol/operations/rare-calls.ts");
  const row = rareCalls.x402.createAuthorization;
  const create = async (delegationConfig: object | undefined, limits?: typeof CONFIRM) =>
    (await callOperation(
      connection,
      { name: "createAuthorization", row },
      { ...input, ...(delegationConfig && { delegationConfig }) },
      limits,
    )) as PaymentAuthorization;
  const given = options.tokenOptions?.delegationConfig;
  const authorizeOnce = () => (given ? create(given) : createShared(call, purchase, create));
  let answer = await authorizeOnce();
  while (answer.status === "expired") {
    const next = await sha256(JSON.stringify([key, answer.authorizationId]));
    input = { idempotencyKey: `next_${next}`, offer, resource };
    answer = await authorizeOnce();
  }
  const { payload, delegationId } = answer;
  const sent = sentOf(answer);
  return {
    payload,
    sent,
    renewAtMs: Date.parse(sent.expiresAt),
    confirm: async () => {
      const asked = create({ delegationId }, CONFIRM);
      const now = await untilAborted(asked, original.signal).catch(() => null);
      return now ? sentOf(now) : { ...sent, status: "unknown" };
    },
  };
}

function createShared(
  { connection, options: { maxSpend } }: ExactCall,
  purchase: Purchase,
  create: (config: object | undefined) => Promise<PaymentAuthorization>,
): Promise<PaymentAuthorization> {
  const { spending } = connection;
  const mintUnder = shared.get(connection) ?? createSharedDelegations(connection);
  shared.set(connection, mintUnder);
  const limit = spending.perDay ?? spending.ceiling(maxSpend) ?? 0n;
  const isDaily = spending.perDay !== undefined;
  const isRepeatable = true;
  return mintUnder({ provider: "erc4337", purchase, limit, isDaily, isRepeatable }, create);
}

function sentOf({
  authorizationId,
  status,
  offer,
  payload,
  txHash,
}: PaymentAuthorization): ExactSent {
  const { to: seller, value: amount, validBefore } = payload.authorization;
  return {
    authorizationId,
    seller,
    network: offer.network,
    amount,
    status,
    expiresAt: new Date(Number(validBefore) * 1000).toISOString(),
    ...(txHash && { transaction: txHash }),
  };
}
