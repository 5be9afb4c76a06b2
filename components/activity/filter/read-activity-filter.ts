import { Address, AgentId, Instant, operations, PlanId, Role } from "@turnpike/payments/protocol";
import type { z } from "zod/mini";
import { FigureRange } from "@/lib/console/figures.ts";
import type { SearchParams } from "../../search-params.ts";
import { type ActivityFilter, NAMES } from "./activity-filter.ts";

const fields = operations.listRequests.input.shape;

/** Reads a filter from a URL. Ignores what is invalid, so that an old link still shows a list. */
export function readActivityFilter(params: SearchParams, role: Role): ActivityFilter {
  const take = <T>(schema: z.ZodMiniType<T>, name: string): T | undefined => {
    const [given] = [params[name]].flat();
    if (given === undefined || given === "") return undefined;
    const parsed = schema.safeParse(given);
    return parsed.success ? parsed.data : undefined;
  };
  const optional = {
    since: take(Instant, NAMES.since),
    until: take(Instant, NAMES.until),
    planId: take(PlanId, NAMES.planId),
    agentId: take(AgentId, NAMES.agentId),
    httpStatus: take(fields.httpStatus, NAMES.httpStatus),
    payer: take(Address, NAMES.payer),
    tokenId: take(fields.tokenId, NAMES.tokenId),
    cause: take(fields.cause, NAMES.cause),
    search: take(fields.search, NAMES.search),
    tests: params[NAMES.tests] === "1" ? ("1" as const) : undefined,
  };
  return {
    role: take(Role, NAMES.role) ?? role,
    range: take(FigureRange, NAMES.range) ?? "24h",
    money: take(fields.moneyStatus, NAMES.money) ?? [],
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as typeof optional),
  };
}
