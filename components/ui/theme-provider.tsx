"use client";

import { ThemeProvider as NextThemes } from "next-themes";
import { type ReactNode, useState } from "react";
import { NonceContext } from "./nonce.ts";

/**
 * Sets `data-theme` before the first paint; the style sheet does the rest. Hands the nonce of the
 * page to what writes style elements: the lock on scrolling behind a dialog reads the global.
 */
export function ThemeProvider({ nonce, children }: { nonce?: string; children: ReactNode }) {
  // A refresh of the page's data brings another nonce; the document's policy keeps its first.
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
