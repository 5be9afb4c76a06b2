import { isPassing } from "./waiting/is-passing.ts";
import { pause } from "./waiting/pause.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

type Decision = { status: string };

/**
 * Waits until a person has decided about the request that a gate refused with this body: whether they approved it in time.
 * False at once for any other refusal. Asks less often the longer it takes, and goes on where the service cannot answer for
 * now. Rejects when `signal` aborts.
 */
export async function isApproved(
  getApproval: (approvalId: string) => Promise<Decision>,
  body: Record<string, unknown> | null,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<boolean> {
  const approvalId = (body?.approval as { approvalId?: unknown } | undefined)?.approvalId;
  if (typeof approvalId !== "string") return false;
  const until = performance.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const left = until - performance.now();
    if (!(left > 0)) return false;
    await pause(Math.ceil(Math.min(pauseMs, left)), signal);
    const { status } = await getApproval(approvalId).catch(pendingWhilePassing);
    if (status !== "pending") return status === "approved";
  }
}

function pendingWhilePassing(error: unknown): Decision {
  if (isPassing(error)) return { status: "pending" };
  throw error;
}
