import * as z from "zod/mini";
import { AgentId, AgentRequestId, PlanId } from "../primitives.ts";

/** Inputs, outputs and argument lists that several groups share. */
export const Nothing = z.object({});
export const Done = z.object({ success: z.literal(true) });
export const PlanRef = z.object({ planId: PlanId });
export const AgentRef = z.object({ agentId: AgentId });
export const RequestRef = z.object({ agentRequestId: AgentRequestId });

export const byPlan = (planId: string) => ({ planId });
export const byAgent = (agentId: string) => ({ agentId });

/** How old the answer to a public read of plans and agents may be, in seconds. */
export const PUBLIC_SECS = 2;
