export type WalletFault = "rejected" | "locked" | "pending" | "failed";

export const WALLET_WORDS: Record<WalletFault, string> = {
  rejected: "You closed the request in your wallet. Nothing was sent.",
  locked: "Your wallet is locked. Unlock it and try again. Nothing was sent.",
  pending: "Your wallet already shows another request. Answer it first. Nothing was sent.",
  failed: "Your wallet did not sign. Nothing was sent.",
};

// EIP-1193 and EIP-1474.
const CODES: Record<number, WalletFault> = {
  4001: "rejected",
  4100: "locked",
  4900: "locked",
  [-32002]: "pending",
};

/** What a wallet's error means. Libraries wrap it in their own errors. */
export function readWalletFault(cause: unknown): WalletFault {
  for (
    let at = cause;
    typeof at === "object" && at !== null;
    at = (at as { cause?: unknown }).cause
  ) {
    const { code, name } = at as { code?: unknown; name?: unknown };
    const fault = typeof code === "number" ? CODES[code] : undefined;
    if (fault) return fault;
    if (name === "UserRejectedRequestError") return "rejected";
    if (name === "ConnectorNotConnectedError") return "locked";
  }
  return "failed";
}
