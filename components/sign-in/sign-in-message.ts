import { createSiweMessage } from "viem/siwe";

type Asked = { nonce: string; chainId: number; issuedAt: string };

/** What a wallet signs to sign in (ERC-4361). The time is the service's, because this computer's clock may be wrong. */
export const signInMessage = (
  address: `0x${string}`,
  { nonce, chainId, issuedAt }: Asked,
  { host, origin }: Pick<Location, "host" | "origin">,
): string =>
  createSiweMessage({
    address,
    nonce,
    chainId,
    domain: host,
    uri: origin,
    version: "1",
    statement: "Sign in to Turnpike.",
    issuedAt: new Date(issuedAt),
  });
