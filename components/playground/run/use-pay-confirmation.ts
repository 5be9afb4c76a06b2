"use client";

import { useCallback, useState } from "react";

/** Asks the user before a live run pays. `ask` resolves with the answer of the dialog shown while `isOpen`. */
export function usePayConfirmation() {
  const [resolve, setResolve] = useState<((isSure: boolean) => void) | null>(null);
  const ask = useCallback(() => new Promise<boolean>((done) => setResolve(() => done)), []);
  const answer = (isSure: boolean) => {
    resolve?.(isSure);
    setResolve(null);
  };
  return { isOpen: resolve !== null, ask, answer };
}
