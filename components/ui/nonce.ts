"use client";

import { createContext, useContext } from "react";

/** The nonce of this page's content security policy, for libraries that write style elements. */
export const NonceContext = createContext<string | undefined>(undefined);

export const useNonce = (): string | undefined => useContext(NonceContext);
