import type { GrantToSign } from "@turnpike/payments/protocol";
import { useEffect, useRef, useState } from "react";
import type { Hex, TypedDataDomain } from "viem";
import { useSignTypedData, useSwitchChain } from "wagmi";
import { readWalletFault, type WalletFault } from "./wallet-fault.ts";

/** Wallets do not always report a closed request; after this long the page offers to say so. */
const MAY_BE_CLOSED_AFTER_MS = 20_000;

/** Asks the wallet for its signature of a grant, one request at a time. */
export function useGrantSignature(
  { typedData }: Pick<GrantToSign, "typedData">,
  onSigned: (signature: string) => void,
) {
  const { mutateAsync: signTypedData } = useSignTypedData();
  const { mutateAsync: switchChain, isPending: isSwitching } = useSwitchChain();
  const [isAsking, setAsking] = useState(false);
  const [mayBeClosed, setMayBeClosed] = useState(false);
  const [fault, setFault] = useState<WalletFault | null>(null);
  // The answer to a request that was closed is ignored, and so is one that comes after the page was left.
  const round = useRef(0);
  useEffect(
    () => () => {
      round.current += 1;
    },
    [],
  );

  useEffect(() => {
    if (!isAsking) return;
    const timer = setTimeout(() => setMayBeClosed(true), MAY_BE_CLOSED_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setMayBeClosed(false);
    };
  }, [isAsking]);

  const { domain, types, primaryType, message } = typedData;
  return {
    isAsking,
    isSwitching,
    mayBeClosed,
    fault,
    async sign() {
      round.current += 1;
      const own = round.current;
      setFault(null);
      setAsking(true);
      try {
        const signature = await signTypedData({
          domain: domain as TypedDataDomain & { verifyingContract: Hex },
          types,
          primaryType,
          message,
        });
        if (own === round.current) onSigned(signature);
      } catch (cause) {
        if (own === round.current) setFault(readWalletFault(cause));
      } finally {
        if (own === round.current) setAsking(false);
      }
    },
    close() {
      round.current += 1;
      setAsking(false);
      setFault("rejected");
    },
    switchNetwork() {
      setFault(null);
      switchChain({ chainId: domain.chainId }).catch((cause) => setFault(readWalletFault(cause)));
    },
  };
}
