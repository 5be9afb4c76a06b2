import type { RequestRecord } from "@turnpike/payments/protocol";
import { formatCount } from "@/lib/text/plural.ts";

/** Milliseconds as they are shown: tenths below ten. */
export const rounded = (ms: number) => (ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms));

/** The total duration, as far as its gate reported it. */
export function tookMs({ verifyMs, workMs, settleMs }: RequestRecord): number | undefined {
  const known = [verifyMs, workMs, settleMs].filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : rounded(known.reduce((sum, ms) => sum + ms, 0));
}

export const msText = (ms: number | undefined): string =>
  ms === undefined ? "–" : `${formatCount(rounded(ms))} ms`;
