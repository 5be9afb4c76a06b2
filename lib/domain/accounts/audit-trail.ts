import type { ParsedInputOf } from "@turnpike/payments/protocol";
import { type Context, requireCaller } from "../context.ts";
import { pageAnswer } from "../page-answer.ts";

/** What was changed in the caller's account, newest first. */
export async function listAudit(context: Context, query: ParsedInputOf<"listAudit">) {
  const { since, until, ...rest } = query;
  const page = await context.ports.audit.list(requireCaller(context).account, {
    ...rest,
    since: since ? new Date(since) : undefined,
    until: until ? new Date(until) : undefined,
  });
  const items = page.items.map(({ id, account: _account, keyId, createdAt, ...entry }) => ({
    ...entry,
    entryId: String(id),
    ...(keyId && { keyId }),
    createdAt: createdAt.toISOString(),
  }));
  return pageAnswer({ ...page, items }, query);
}
