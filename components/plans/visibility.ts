import type { Agent } from "@turnpike/payments/protocol";
import type { PlanRowState } from "./plan-list.ts";

type Visibility = {
  text: string;
  change?: "listed" | "unlisted";
};

const VISIBILITIES: Record<PlanRowState, Visibility> = {
  listed: { text: "Visible to everyone on Explore while an agent accepts it.", change: "unlisted" },
  unlisted: {
    text: "Only people with the link can see it. Subscribers keep what they bought.",
    change: "listed",
  },
  draft: {
    text: "In no list, and it can’t be ordered. Anyone who knows its ID can read it through the API.",
    change: "listed",
  },
  archived: {
    text: "Hidden from Explore, and it can’t be ordered. Restore it below to change this.",
  },
};

/** Who can see a plan, and what its owner can change that to. */
export const visibilityOf = (state: PlanRowState): Visibility => VISIBILITIES[state];

type Callable = Pick<Agent, "archivedAt"> & {
  metadata: { agent: Pick<Agent["metadata"]["agent"], "endpoints"> };
};

/** Whether Explore leaves a plan out although it is listed: no agent that can be called accepts it. */
export const isLeftOut = (state: PlanRowState, agents: readonly Callable[]): boolean =>
  state === "listed" &&
  !agents.some(({ archivedAt, metadata }) => !archivedAt && metadata.agent.endpoints.length > 0);
