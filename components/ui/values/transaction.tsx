"use client";

import { createContext, type ReactNode, useContext } from "react";
import { Address, type AddressProps } from "./address.tsx";

const Explorer = createContext<string | undefined>(undefined);

/** Gives the pages below it the address of the chain's block explorer; the sandbox's own chain has none. */
export function ExplorerProvider({ url, children }: { url?: string; children: ReactNode }) {
  return <Explorer value={url}>{children}</Explorer>;
}

type TransactionProps = Pick<AddressProps, "value" | "name">;

/** A transaction hash, with its page in the block explorer where the chain has one. */
export function Transaction({ value, name = "transaction hash" }: TransactionProps) {
  const explorer = useContext(Explorer);
  const isHash = /^0x[0-9a-fA-F]{64}$/.test(value);
  return (
    <Address
      value={value}
      name={name}
      {...(explorer && isHash && { explorerUrl: `${explorer}/tx/${value}` })}
    />
  );
}
