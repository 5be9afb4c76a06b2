import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import { connection } from "next/server";
import type { ReactNode } from "react";
import { KeptActions } from "@/components/forms/kept-actions.tsx";
import { EarlyKeys } from "@/components/shell/early-keys.tsx";
import { HeldScripts } from "@/components/shell/held-scripts.tsx";
import { FocusKeeper } from "@/components/ui/focus-keeper.tsx";
import { Toaster } from "@/components/ui/overlays/toaster.tsx";
import { ThemeProvider } from "@/components/ui/theme-provider.tsx";
import { ExplorerProvider } from "@/components/ui/values/transaction.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { restoreAgent } from "./(dashboard)/agents/actions.ts";
import { createAlertRule, setEmailAddress } from "./(dashboard)/alerts/actions.ts";
import { revokeDelegation } from "./(dashboard)/delegations/actions.ts";
import { restorePlan } from "./(dashboard)/plans/actions.ts";
import { revokeGrant } from "./checkout/actions.ts";
import { fontNames } from "./fonts.ts";
import "./globals.css";

const KEPT = {
  createAlertRule,
  restoreAgent,
  restorePlan,
  revokeDelegation,
  revokeGrant,
  setEmailAddress,
};

const DESCRIPTION =
  "Put a price on your AI agent. Sell credits, subscriptions and single calls by card or stablecoin, over HTTP 402 (x402).";

/** Every page's name, icons and preview; a page adds its own title and description. */
export async function generateMetadata(): Promise<Metadata> {
  // Waits for a request, so that a build does not start the service.
  await connection();
  const { env } = await getRunning();
  return {
    metadataBase: new URL(env.origin),
    title: { default: "Paid access to AI agents · Turnpike", template: "%s · Turnpike" },
    description: DESCRIPTION,
    applicationName: "Turnpike",
    manifest: "/manifest.webmanifest",
    icons: {
      icon: [
        { url: "/favicon.ico", sizes: "16x16 32x32 48x48" },
        { url: "/icon.svg", type: "image/svg+xml" },
      ],
      apple: "/apple-touch-icon.png",
    },
    openGraph: { type: "website", siteName: "Turnpike", images: [PREVIEW] },
    twitter: { card: "summary_large_image", images: [PREVIEW.url] },
  };
}

const PREVIEW = {
  url: "/og.png",
  width: 1200,
  height: 630,
  alt: "Paid access to AI agents: a request answered with 402, paid, and settled",
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
  const { env } = await getRunning();
  return (
    // The theme is set on <html> before React takes over.
    <html lang="en" className={fontNames} suppressHydrationWarning>
      <body className="flex min-h-dvh flex-col">
        <EarlyKeys nonce={nonce} />
        <ThemeProvider nonce={nonce}>
          <a
            href="#main"
            className="-top-16 absolute left-2 z-20 rounded-control border border-line-control bg-surface px-3 py-2 focus:top-2"
          >
            Skip to content
          </a>
          <ExplorerProvider {...(env.explorerUrl && { url: env.explorerUrl })}>
            {children}
          </ExplorerProvider>
          <Toaster />
          <FocusKeeper />
          <KeptActions actions={KEPT} />
        </ThemeProvider>
        <HeldScripts nonce={nonce} />
      </body>
    </html>
  );
}
