import { canParseUrl } from "@turnpike/payments/protocol";
import "server-only";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import { recordExchange } from "./exchange.ts";

const WAIT_MS = 1_500;
const MAX_ASKED = 4;

/**
 * Whether any of the servers behind these addresses answers at all. Asks for the head of its root, not for the paid
 * path, so that asking is no call of the agent. Only a failed connection counts as no answer: what was not asked, or
 * not allowed, is unknown.
 */
export async function anyAnswers(
  outbound: Outbound,
  account: string,
  urls: readonly string[],
): Promise<boolean> {
  const servers = [
    ...new Set(urls.filter((url) => canParseUrl(url)).map((url) => new URL(url).origin)),
  ];
  const asked = servers.slice(0, MAX_ASKED).map(async (origin) => {
    const asking = { account, method: "HEAD", url: `${origin}/`, totalMs: WAIT_MS, maxBytes: 1 };
    const { outcome } = await recordExchange(outbound, asking);
    if (outcome.kind === "failed") throw new Error(outcome.message);
    return true;
  });
  if (asked.length < servers.length || asked.length === 0) asked.push(Promise.resolve(true));
  return Promise.any(asked).catch(() => false);
}
