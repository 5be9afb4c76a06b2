import { Notice } from "../ui/notice.tsx";
import { WALLET_WORDS, type WalletFault } from "./wallet-fault.ts";

/** Why the wallet did not sign, read out when it appears. */
export const WalletFaultNotice = ({ fault }: { fault: WalletFault }) => (
  <div role="alert">
    <Notice tone={fault === "rejected" ? "neutral" : "unsettled"} title={WALLET_WORDS[fault]} />
  </div>
);
