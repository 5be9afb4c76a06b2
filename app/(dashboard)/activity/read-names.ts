import "server-only";
import type { OperationName } from "@turnpike/payments/protocol";
import { cache } from "react";
import { read } from "@/app/_session/operations.ts";
import type { Names } from "@/components/activity/names.ts";

const PAGES = 5;
const PAGE = 100;

type Listed = { items: unknown[]; nextCursor?: string | undefined };

/** The first five hundred items of a list, enough for the names on a page. */
async function readAll<T>(
  name: Extract<OperationName, "listPlans" | "listAgents" | "listSubscriptions">,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const listed: Listed = await read(name, { limit: PAGE, ...(cursor && { cursor }) });
    all.push(...(listed.items as T[]));
    cursor = listed.nextCursor;
    if (!cursor) break;
  }
  return all;
}

type Named = { metadata: { main: { name: string } } };

/** Names of the plans and agents of this account, and of its subscriptions. Read once per request. */
export const readNames = cache(async (): Promise<Names> => {
  const [plans, agents, subscriptions] = await Promise.all([
    readAll<Named & { planId: string }>("listPlans"),
    readAll<Named & { agentId: string }>("listAgents"),
    readAll<{ planId: string; planName: string }>("listSubscriptions"),
  ]);
  return {
    plans: Object.fromEntries([
      ...subscriptions.map(({ planId, planName }) => [planId, planName]),
      ...plans.map(({ planId, metadata }) => [planId, metadata.main.name]),
    ]),
    agents: Object.fromEntries(
      agents.map(({ agentId, metadata }) => [agentId, metadata.main.name]),
    ),
  };
});
