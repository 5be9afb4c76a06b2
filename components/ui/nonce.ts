"use client";

import { createContext } from "react";

/** The nonce of this page's content security policy, for libraries that write style elements. */
export const NonceContext = createContext<string | undefined>(undefined);
