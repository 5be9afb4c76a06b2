import { and, asc, inArray, sql } from "drizzle-orm";
import type { CardDelegations, CardUses } from "@/lib/domain/card-ports.ts";
import { audited } from "./audit.ts";
import type { Orm } from "./client.ts";
import { revokeUnder } from "./revoke-under.ts";
import { isLive, matches } from "./rows.ts";
import { delegations, tokens } from "./schema.ts";

/** What charges a saved card, and its end. */
export function createCardDelegations(orm: Orm): CardDelegations {
  return {
    async usesOf(account, paymentMethodId) {
      const live = await liveDelegations(orm, account, paymentMethodId);
      const ids = live.map(({ delegationId }) => delegationId);
      const under = await orm
        .select({
          tokenId: tokens.jti,
          planId: tokens.planId,
          delegationId: tokens.delegationId,
        })
        .from(tokens)
        .where(and(inArray(tokens.delegationId, ids), isLive(tokens)))
        .orderBy(asc(tokens.issuedAt));
      return { delegations: live, tokens: under };
    },
    end: (account, paymentMethodId, audit) =>
      audited(orm, audit, async (transaction) => {
        const live = await liveDelegations(transaction, account, paymentMethodId);
        const delegationIds = live.map(({ delegationId }) => delegationId);
        const ended = await revokeUnder(transaction, {
          tokens: inArray(tokens.delegationId, delegationIds),
          delegations: inArray(delegations.delegationId, delegationIds),
        });
        return { delegations: live, tokens: ended.tokens };
      }),
  };
}

const liveDelegations = (
  orm: Orm,
  account: string,
  paymentMethodId: string,
): Promise<CardUses["delegations"]> =>
  orm
    .select({
      delegationId: delegations.delegationId,
      planIds: delegations.planIds,
      currency: delegations.currency,
      leftCents:
        sql<bigint>`${delegations.spendingLimitCents} - ${delegations.spentCents} - ${delegations.reservedCents}`.mapWith(
          BigInt,
        ),
    })
    .from(delegations)
    .where(and(matches(delegations, { account, paymentMethodId }), isLive(delegations)))
    .orderBy(asc(delegations.createdAt));
