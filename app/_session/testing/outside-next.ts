import { vi } from "vitest";

// Next's own modules work in a request of Next alone. Replaced for all files: they share loaded modules, so that a file without
// these would leave the real ones to the next.
vi.mock("@/app/_session/cookies.ts", async () => (await import("./browser.ts")).cookiesModule);
vi.mock("next/cache", async () => (await import("./browser.ts")).cacheModule);
vi.mock("next/headers", async () => (await import("./browser.ts")).headersModule);
vi.mock("next/navigation", async () => (await import("./browser.ts")).navigationModule);

// Tests run with React's build for servers, which has no context.
vi.mock("@/components/ui/values/clock-provider.tsx", () => ({
  useClock: () => undefined,
  useNow: () => () => new Date(),
}));
