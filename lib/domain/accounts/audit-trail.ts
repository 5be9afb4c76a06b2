import { requireCaller } from "../context.ts";
import { pageAnswer } from "../page-answer.ts";
import type { Verb } from "../verb.ts";

/** What was changed in the caller's account, newest first. */
export const listAudit: Verb<"listAudit"> = async (context, query) => {
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
};
