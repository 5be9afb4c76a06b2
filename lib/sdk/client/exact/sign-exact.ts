import type { ForeignOffer } from "../../protocol/exact/foreign-offer.ts";
import type { Authorized, ExactSent, ExactSigner } from "./exact-types.ts";

/** USDC by network: what else a token is worth, its offer does not prove. */
export const USDC: Readonly<Record<string, string>> = {
  "eip155:1": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  "eip155:10": "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
  "eip155:137": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
  "eip155:8453": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  "eip155:42161": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
  "eip155:84532": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
};

const MOST_SECS = 300;
/** Clocks of sellers and of the chain may be this far behind. */
const EARLIER_SECS = 600;

const FIELDS = [
  ["from", "address"],
  ["to", "address"],
  ["value", "uint256"],
  ["validAfter", "uint256"],
  ["validBefore", "uint256"],
  ["nonce", "bytes32"],
].map(([name = "", type = ""]) => ({ name, type }));

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

/** Signs with a wallet of the caller's (EIP-712, EIP-3009). */
export async function signWith(signer: ExactSigner, offer: ForeignOffer): Promise<Authorized> {
  const { network, asset, amount, payTo, extra, maxTimeoutSeconds = MOST_SECS } = offer;
  const now = Math.floor(Date.now() / 1000);
  const validBefore = now + Math.min(MOST_SECS, Math.max(10, Math.floor(maxTimeoutSeconds)));
  const random = crypto.getRandomValues(new Uint8Array(32));
  const nonce = `0x${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
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
    types: { TransferWithAuthorization: FIELDS },
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
    confirm: async () => ({ ...sent, status: "unknown" }),
  };
}
