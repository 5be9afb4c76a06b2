import "server-only";
import type { Agent } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";

const PAGE = 100;
/** A list a person looks through; beyond it the newest are shown and the page says so. */
const MOST = 1_000;

/** The agents of the person signed in, newest first; `isWhole` is false when there are more than shown. */
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
