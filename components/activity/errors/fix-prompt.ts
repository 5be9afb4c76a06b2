import { explainAttempt } from "@/lib/console/attempt-remedies.ts";
import type { CauseCount } from "@/lib/console/figures.ts";

/** A prompt for a coding assistant: facts only, and no data of the caller. */
export function fixPrompt(count: CauseCount): string {
  const { cause, moneyStatus, route, routes, calls, previous, lastAt, agentRequestId } = count;
  const { title, remedy } = explainAttempt(count, "builder");
  return [
    "An HTTP endpoint of my agent is gated with @turnpike/payments (x402). These requests ended without payment.",
    `Route: ${route.trim() || "unknown"}${routes > 1 ? ` and ${routes - 1} more` : ""}`,
    `Reason code: ${cause} (${title})`,
    `Payment status: ${moneyStatus}`,
    `Count: ${calls}, in the period before: ${previous}, last ${lastAt}`,
    `Sample request ID: ${agentRequestId}`,
    `Usual fix: ${remedy}`,
    "Find the cause in the code of this route and its gate, fix it, and add a test that fails without the fix.",
  ].join("\n");
}

/** How a count changed: `New`, `As before`, or by how much. */
export function changeText({ calls, previous }: Pick<CauseCount, "calls" | "previous">): string {
  if (previous === 0) return "New";
  if (calls === previous) return "As before";
  const percent = Math.round((100 * (calls - previous)) / previous);
  if (percent >= 200) return `× ${(calls / previous).toFixed(1)}`;
  return `${percent > 0 ? "+" : "−"}${Math.abs(percent)}%`;
}
