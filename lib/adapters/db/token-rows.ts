import { eq, getTableColumns, sql } from "drizzle-orm";
import type { Orm } from "./client.ts";
import { agents, delegations, plans, tokens } from "./schema.ts";

const tokenColumns = {
  ...getTableColumns(tokens),
  planName: sql<string>`${plans.metadata}->>'name'`,
  agentName: sql<string | null>`${agents.metadata}->>'name'`,
  delegationName: delegations.name,
};

/** Tokens with the names of what they belong to. */
export const selectTokens = (orm: Orm) =>
  orm
    .select(tokenColumns)
    .from(tokens)
    .innerJoin(plans, eq(plans.planId, tokens.planId))
    .innerJoin(delegations, eq(delegations.delegationId, tokens.delegationId))
    .leftJoin(agents, eq(agents.agentId, tokens.agentId));
