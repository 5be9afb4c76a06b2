/** A token just minted, with what it is for. */
export type MintedToken = {
  accessToken: string;
  tokenId: string;
  planId: string;
  agentId?: string | undefined;
};

let minted: MintedToken | undefined;

/** Keeps the last minted token for other views of this page load: in memory, nowhere else. */
export function rememberMintedToken(token: MintedToken): void {
  minted = token;
}

/** The last minted token of a plan, while this page load lasts. */
export const recallMintedToken = (planId: string): MintedToken | undefined =>
  minted?.planId === planId ? minted : undefined;
