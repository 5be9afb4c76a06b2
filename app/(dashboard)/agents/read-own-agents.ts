import "server-only";
import type { Agent } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";

const PAGE = 100;
/** Larger lists show only their newest agents, and the page says so. */
const MOST = 1_000;

/** The agents of the signed-in account, newest first; `isWhole` is false when there are more. */
export async function readOwnAgents(): Promise<{ agents: Agent[]; isWhole: boolean }> {
  const agents: Agent[] = [];
  let cursor: string | undefined;
  do {
    const page = await read("listAgents", { limit: PAGE, ...(cursor && { cursor }) });
    agents.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor && agents.length < MOST);
  return { agents, isWhole: !cursor };
}
