import { pathOf } from "@turnpike/payments/protocol";
import { HOSTED_DEFINITION } from "@/lib/console/hosted-definition.ts";

/** Whether Turnpike serves this definition, so that its origin says nothing of where the agent is. */
export const isHostedDefinition = (url: string, agentId: string): boolean =>
  pathOf(url) === HOSTED_DEFINITION.replace(":agentId", agentId);
