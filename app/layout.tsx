import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { Toaster } from "@/components/ui/overlays/toaster.tsx";
import { ThemeProvider } from "@/components/ui/theme-provider.tsx";
import { fontNames } from "./fonts.ts";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Paid access to AI agents · Turnpike", template: "%s · Turnpike" },
  description:
    "Put a price on your agent’s endpoint. Sell plans and credits, paid with cards or stablecoins, over HTTP 402 (x402).",
  applicationName: "Turnpike",
};

export const viewport: Viewport = {
  colorScheme: "light dark",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fcfcfd" },
    { media: "(prefers-color-scheme: dark)", color: "#0c0e11" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Reading the nonce also makes every page render per request, as a nonce requires.
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    // The theme is set on <html> before React takes over.
    <html lang="en" className={fontNames} suppressHydrationWarning>
      <body className="flex min-h-dvh flex-col">
        <ThemeProvider nonce={nonce}>
          <a
            href="#main"
            className="-top-16 absolute left-2 z-10 rounded-control border border-line-control bg-surface px-3 py-2 focus:top-2"
          >
            Skip to content
          </a>
          {children}
          <Toaster />
        </ThemeProvider>
      </body>
    </html>
  );
}
