import "server-only";
import type { Plan } from "@turnpike/payments/protocol";
import { readPublic } from "@/app/_session/operations.ts";
import type { Market } from "@/components/plans/market.ts";
import { railOfPrice } from "@/components/plans/plan-terms.ts";
import type { Rail } from "@/components/plans/rails.ts";
import { termsOfPlan } from "@/components/plans/terms-of-plan.ts";

const PAGE = 24;
/** How many pages of the service are read to fill one page of a rail. */
const MOST_PAGES = 20;

type PublicPlansQuery = { search?: string; rail?: Rail; cursor?: string };

/** Listed plans, newest first. The service has no filter by rail, so pages are read until one is full. */
export async function readPublicPlans(
  { search, rail, cursor }: PublicPlansQuery,
  market: Market,
): Promise<{ plans: Plan[]; older: string | undefined }> {
  const plans: Plan[] = [];
  let at = cursor;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await readPublic("listPublicPlans", {
      limit: PAGE,
      ...(search && { search }),
      ...(at && { cursor: at }),
    });
    const matching = (page?.items ?? []).filter(
      (plan) => !rail || railOfPrice(termsOfPlan(plan).price, market) === rail,
    );
    plans.push(...matching);
    at = page?.nextCursor;
    if (!at || plans.length >= PAGE / 2) break;
  }
  return { plans, older: at };
}

const MOST_AGENTS = 3;

/** The names of a plan's first agents, and how many there are. */
export async function readAgentNames(planId: string): Promise<{ names: string[]; total: number }> {
  const page = await readPublic("getPlanAgents", { planId, limit: MOST_AGENTS });
  const names = (page?.items ?? []).map(({ metadata }) => metadata.main.name);
  return { names, total: page?.total ?? 0 };
}
