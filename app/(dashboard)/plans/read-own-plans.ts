import "server-only";
import type { Plan } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";

const PAGE = 100;
/** Larger lists show only their newest plans, and the page says so. */
const MOST = 1_000;

/** The plans of the signed-in account, newest first; `isWhole` is false when there are more. */
export async function readOwnPlans(): Promise<{ plans: Plan[]; isWhole: boolean }> {
  const plans: Plan[] = [];
  let cursor: string | undefined;
  do {
    const page = await read("listPlans", { limit: PAGE, ...(cursor && { cursor }) });
    plans.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor && plans.length < MOST);
  return { plans, isWhole: !cursor };
}
