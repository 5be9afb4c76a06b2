import { sha256 } from "../../protocol/encoding/sha256.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import { TRANSFER_WITH_AUTHORIZATION } from "../../protocol/exact/exact-payload.ts";
import type { ExactSent } from "../../protocol/exact/exact-sent.ts";
import type { ForeignOffer } from "../../protocol/exact/foreign-offer.ts";
import { USDC } from "../../protocol/exact/usdc.ts";
import type { Authorized, ExactSigner } from "./exact-types.ts";

const MOST_SECS = 300;
/** Clocks of sellers and of the chain may be this far behind. */
const EARLIER_SECS = 600;

const MOST_KEPT = 10_000;

/** The token that a nonce of a wallet was signed for. Another token would take the same nonce once more. */
const tokens = new Map<string, string>();

function isOfOneToken(from: string, nonce: string, { network, asset }: ForeignOffer): boolean {
  const key = `${from} ${nonce}`.toLowerCase();
  const token = `${network} ${asset}`.toLowerCase();
  const known = tokens.get(key);
  if (known !== undefined) return known === token;
  const [oldest] = tokens.keys();
  if (tokens.size >= MOST_KEPT && oldest !== undefined) tokens.delete(oldest);
  tokens.set(key, token);
  return true;
}

/** Whether an offer can be paid: by the account on the service's network, or by the wallet in a token it knows. */
export function canSign(
  { network, asset, extra }: ForeignOffer,
  ownNetwork: string,
  signer: ExactSigner | undefined,
): boolean {
  if ((extra?.assetTransferMethod ?? "eip3009") !== "eip3009") return false;
  if (!signer) return network === ownNetwork;
  const known = signer.assets?.[network] ?? USDC[network];
  const hasDomain = typeof extra?.name === "string" && typeof extra.version === "string";
  return hasDomain && known?.toLowerCase() === asset.toLowerCase();
}

/**
 * Signs with a wallet of the caller's (EIP-712, EIP-3009). The nonce follows from the call's `id`, and a token
 * takes a nonce once: a call that is made again under its key pays once, whatever its seller asks for then. Throws
 * `idempotency_conflict` where the seller asks for another token then, or on another network.
 */
export async function signWith(
  signer: ExactSigner,
  offer: ForeignOffer,
  id: string,
): Promise<Authorized> {
  const { network, asset, amount, payTo, extra, maxTimeoutSeconds = MOST_SECS } = offer;
  const now = Math.floor(Date.now() / 1000);
  const validBefore = now + Math.min(MOST_SECS, Math.max(10, Math.floor(maxTimeoutSeconds)));
  const nonce = `0x${await sha256(id)}`;
  if (!isOfOneToken(signer.address, nonce, offer)) {
    throw new PaymentsError(
      "idempotency_conflict",
      "This Idempotency-Key paid in another token or on another network before. Nothing more was signed.",
      { hint: "Check whether the first payment was captured before you call with a new key." },
    );
  }
  const authorization = {
    from: signer.address,
    to: payTo,
    value: amount,
    validAfter: String(now - EARLIER_SECS),
    validBefore: String(validBefore),
    nonce,
  };
  const signature = await signer.signTypedData({
    domain: {
      name: String(extra?.name),
      version: String(extra?.version),
      chainId: Number(network.slice("eip155:".length)),
      verifyingContract: asset as `0x${string}`,
    },
    types: { TransferWithAuthorization: [...TRANSFER_WITH_AUTHORIZATION] },
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(amount),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(validBefore),
    },
  });
  const sent: ExactSent = {
    seller: payTo,
    network,
    amount,
    status: "open",
    expiresAt: new Date(validBefore * 1000).toISOString(),
  };
  // The chain is not read for a wallet of the caller's own.
  return {
    payload: { signature, authorization },
    sent,
    renewAtMs: (now + validBefore) * 500,
    confirm: async () => ({ ...sent, status: "unknown" }),
  };
}
