import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildService } from "./scripts/build-service.mjs";
import { compressStatic } from "./scripts/compress-static.mjs";
import { hintScripts } from "./scripts/hint-scripts.mjs";

// The policy for scripts and styles needs a fresh nonce per answer and is set in proxy.ts.
const securityHeaders = [
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "X-Frame-Options", value: "DENY" },
  { key: "Referrer-Policy", value: "no-referrer" },
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
  { key: "Cross-Origin-Resource-Policy", value: "same-origin" },
  {
    key: "Permissions-Policy",
    value: "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  },
];

/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // `lib/server/http/serve-pages.ts` compresses, once it has held the scripts of pages.
  compress: false,
  // Fonts and styles are at the top of each page; the same links as a header cost a page's first packets.
  reactMaxHeadersLength: 0,
  compiler: {
    runAfterProductionCompile: async ({ distDir }) => {
      await hintScripts(distDir);
      await Promise.all([
        compressStatic(join(distDir, "static")),
        buildService(join(distDir, "service")),
      ]);
    },
  },
  experimental: {
    // Loading every page before the first visit to any took a fifth of a start.
    preloadEntriesOnStart: false,
    // Writing the cache takes a fifth of a build, and only a later build reads it: a newcomer makes none.
    turbopackFileSystemCacheForBuild: existsSync(".next/BUILD_ID"),
  },
  // Keeps the development server from writing files into the repository.
  agentRules: false,
  // Reads its fonts from files beside it.
  serverExternalPackages: ["pdfkit"],
  // `npm test` checks types; a newcomer's first start should not wait for it.
  typescript: { ignoreBuildErrors: true },
  redirects: async () => [
    { source: "/settings", destination: "/settings/profile", permanent: false },
  ],
  headers: async () => [
    { source: "/:path*", headers: securityHeaders },
    // Its form is also sent without script, and a page without referrers names no origin with a form; ours is checked.
    { source: "/sign-in", headers: [{ key: "Referrer-Policy", value: "same-origin" }] },
    // The playground frames it; its policy allows one agent's origin and no script.
    { source: "/playground/frame", headers: [{ key: "X-Frame-Options", value: "SAMEORIGIN" }] },
    // Shared runs are for those who were given the link.
    {
      source: "/s/:path*",
      headers: [{ key: "X-Robots-Tag", value: "noindex, nofollow, noarchive" }],
    },
  ],
};
