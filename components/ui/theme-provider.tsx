"use client";

import { ThemeProvider as NextThemes } from "next-themes";
import { createContext, type ReactNode, useState } from "react";

/**
 * Sets `data-theme` before the first paint; the style sheet does the rest. Passes the page's nonce to whatever
 * writes style elements: the scroll lock of dialogs reads it from the global.
 */
export function ThemeProvider({ nonce, children }: { nonce?: string; children: ReactNode }) {
  // Refreshing the page's data brings a new nonce, but the document's policy keeps the first.
  const [first] = useState(nonce);
  if (first && typeof window !== "undefined") {
    (window as Window & { __webpack_nonce__?: string }).__webpack_nonce__ = first;
  }
  return (
    <NonceContext value={first}>
      <NextThemes
        attribute="data-theme"
        defaultTheme="system"
        enableColorScheme={false}
        disableTransitionOnChange
        nonce={first}
      >
        {children}
      </NextThemes>
    </NonceContext>
  );
}

/** The nonce of this page's content security policy, for libraries that write style elements. */
const NonceContext = createContext<string | undefined>(undefined);
