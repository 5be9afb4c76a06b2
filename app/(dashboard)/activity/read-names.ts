import "server-only";
import { cache } from "react";
import { read } from "@/app/_session/operations.ts";
import type { Names } from "@/components/activity/names.ts";
import { readAll } from "../read-all.ts";

/** Names of the plans and agents of this account, and of its subscriptions. Read once per request. */
export const readNames = cache(async (): Promise<Names> => {
  const [plans, agents, subscriptions] = await Promise.all([
    readAll((page) => read("listPlans", page)),
    readAll((page) => read("listAgents", page)),
    readAll((page) => read("listSubscriptions", page)),
  ]);
  return {
    plans: Object.fromEntries([
      ...subscriptions.items.map(({ planId, planName }) => [planId, planName]),
      ...plans.items.map(({ planId, metadata }) => [planId, metadata.main.name]),
    ]),
    agents: Object.fromEntries(
      agents.items.map(({ agentId, metadata }) => [agentId, metadata.main.name]),
    ),
  };
});
