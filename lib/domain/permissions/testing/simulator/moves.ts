import { setDelegationBudgets } from "@/lib/domain/budgets/budgets.ts";
import { revokeDelegation } from "@/lib/domain/delegations/delegations.ts";
import { orderPlan } from "@/lib/domain/orders/orders.ts";
import { getX402AccessToken } from "@/lib/domain/tokens/access-tokens.ts";
import { revokeToken } from "@/lib/domain/tokens/token-list.ts";
import { releasePermissions, renewPermissions } from "../../lease-permissions.ts";
import { settlePermissions } from "../../settle-permissions.ts";
import { verifyPermissions } from "../../verify-permissions.ts";
import type { Actor, Sent } from "./actor.ts";
import { type Draw, isLive, newId, pickAmount, pickId, pickToken } from "./draws.ts";
import { batch, lend } from "./lease-moves.ts";
import { answerOf, type Move } from "./move.ts";
import { UNIT, type World } from "./world.ts";

const HOUR_SECS = 3_600;
const REDEMPTIONS = [2, 10, 50, 200, 200];
const DAY_BUDGETS = [5n, 40n, 400n];
// Mostly long: a token costs its writer twenty statements, and is worth a hundred requests.
const LIFETIMES = [600, ...times(2, 6 * HOUR_SECS), ...times(7, 24 * HOUR_SECS)];
/** How often each operation is drawn, in percent. */
const KINDS = [
  ...times(29, reserve),
  ...times(24, settleHeld),
  ...times(9, settleNew),
  ...times(8, repeat),
  ...times(9, release),
  ...times(5, renew),
  ...times(7, check),
  ...times(4, lend),
  ...times(6, batch),
  ...times(1, order),
  ...times(1, mint),
  ...times(1, revoke),
];

/** The next operation of an actor; mostly a new token, for who has none that works. */
export function drawMove(draw: Draw): Move {
  const { actor, random, now } = draw;
  if (actor.tokens.length === 0) return mint(draw);
  if (!actor.tokens.some((token) => isLive(token, now)) && random.chance(60)) return mint(draw);
  return draw.random.pick(KINDS)(draw);
}

function times<T>(count: number, one: T): T[] {
  return Array.from({ length: count }, () => one);
}

function reserve(draw: Draw): Move {
  const { actor, random } = draw;
  // Some reuse an id: of a request that is held, released, expired or settled.
  const id = random.chance(12) ? pickId(draw) : newId(actor);
  return reserving(draw, { id, token: pickToken(draw), max: pickAmount(draw) });
}

function reserving({ world, actor }: Draw, sent: Sent): Move {
  const { id, token, max } = sent;
  return {
    text: `reserve ${textOf(sent)}`,
    expect: (round) => actor.model.reserve(id, token.model, max, round),
    run: (replica) => verify(world, actor, { sent, replica, reserve: true }),
  };
}

function settleHeld(draw: Draw): Move {
  const id = pickId(draw);
  const token = draw.actor.lastToken.get(id) ?? pickToken(draw);
  return settling(draw, { id, token, max: draw.random.chance(50) ? undefined : pickAmount(draw) });
}

function settleNew(draw: Draw): Move {
  const id = newId(draw.actor);
  return settling(draw, { id, token: pickToken(draw), max: pickAmount(draw) });
}

/** The same request once more, as after a lost reply. */
function repeat(draw: Draw): Move {
  const { random, actor } = draw;
  const last = actor.sent.length > 0 ? random.pick(actor.sent.slice(-8)) : null;
  if (!last) return settleNew(draw);
  return random.chance(70) ? settling(draw, last) : reserving(draw, last);
}

function settling({ world, actor }: Draw, sent: Sent): Move {
  const { id, token, max } = sent;
  return {
    text: `settle ${textOf(sent)}`,
    expect: (round) => actor.model.settle(id, token.model, max, round),
    run: (replica) =>
      answerOf(actor, sent, async () => {
        const settled = await settlePermissions(world.asBuilder(actor, replica), {
          ...bodyOf(actor, sent),
          agentRequestId: id,
        });
        if (!settled.success) return `no:${"detail" in settled ? settled.detail : "?"}`;
        return `settled ${settled.creditsRedeemed}, ${settled.remainingBalance} left`;
      }),
  };
}

function check(draw: Draw): Move {
  const { actor, world } = draw;
  const sent = { id: newId(actor), token: pickToken(draw), max: pickAmount(draw) };
  return {
    text: `check ${textOf(sent)}`,
    expect: (round) => actor.model.check(sent.token.model, sent.max, round),
    run: (replica) => verify(world, actor, { sent, replica, reserve: false }),
  };
}

function verify(
  world: World,
  actor: Actor,
  { sent, replica, reserve }: { sent: Sent; replica: number; reserve: boolean },
): Promise<string> {
  return answerOf(actor, sent, async () => {
    const found = await verifyPermissions(world.asBuilder(actor, replica), {
      ...bodyOf(actor, sent),
      agentRequestId: sent.id,
      reserve,
    });
    if (!found.isValid) return `no:${"detail" in found ? found.detail : "?"}`;
    const until = found.reservedUntil && ` until ${secsOf(found.reservedUntil)}`;
    const order = found.needsOrder ? " after an order" : "";
    return `ok ${found.credits} of ${found.balance}${until ?? order}`;
  });
}

function release(draw: Draw): Move {
  const { actor, world, random } = draw;
  const id = random.chance(95) ? pickId(draw) : newId(actor);
  return {
    text: `release ${id}`,
    expect: (round) => actor.model.release(id, round),
    run: (replica) =>
      answerOf(actor, { id }, async () => {
        const { released } = await releasePermissions(world.asOwner(actor, replica), {
          agentRequestId: id,
        });
        return `released ${released}`;
      }),
  };
}

function renew(draw: Draw): Move {
  const { actor, world, random } = draw;
  const ids = [...new Set(Array.from({ length: 1 + random.below(4) }, () => pickId(draw)))];
  return {
    text: `renew ${ids}`,
    expect: (round) => actor.model.renew(ids, round),
    run: (replica) =>
      answerOf(actor, { id: ids[0] ?? "" }, async () => {
        for (const id of ids) actor.touched.add(id);
        const context = world.asOwner(actor, replica);
        const { items } = await renewPermissions(context, { agentRequestIds: ids });
        return items
          .map(({ state, reservedUntil }) =>
            reservedUntil ? `held until ${secsOf(reservedUntil)}` : state,
          )
          .join(", ");
      }),
  };
}

function order(draw: Draw): Move {
  const { actor, world, random } = draw;
  const isRepeat = random.chance(30) && actor.keys.length > 0;
  const key = isRepeat ? random.pick(actor.keys) : `order-${actor.keys.length}`;
  if (!isRepeat) actor.keys.push(key);
  return {
    text: `order ${key}`,
    expect: (round) => actor.model.order(key, round),
    run: (replica) =>
      answerOf(actor, null, async () => {
        const { planId } = actor.plan;
        const context = world.asSubscriber(actor, replica);
        const receipt = await orderPlan(context, { planId, idempotencyKey: key });
        const left = receipt.balance === undefined ? "" : `, ${receipt.balance} left`;
        return `${receipt.status}${left}`;
      }),
  };
}

function mint(draw: Draw): Move {
  const { actor, world, random, now } = draw;
  const live = actor.tokens.filter(
    ({ model: { delegation } }) => !delegation.isRevoked && delegation.expiresAt > now,
  );
  const under = live.length > 0 && random.chance(40) ? random.pick(live) : null;
  const limits = {
    orders: 1 + random.below(12),
    maxTransactions: random.chance(20) ? 1 + random.below(5) : null,
    redemptions: random.pick(REDEMPTIONS),
    tokenOrders: random.chance(40) ? random.below(3) : null,
    perDay: !under && random.chance(30) ? random.pick(DAY_BUDGETS) : null,
    leaseSecs: random.pick([0, 5, 60]),
  };
  const durationSecs = random.pick(LIFETIMES);
  const lifeSecs = random.pick(LIFETIMES);
  return {
    text: `mint ${limits.orders} orders, ${limits.redemptions} requests`,
    expect: () => "minted",
    run: async (replica) => {
      const minted = await getX402AccessToken(world.asSubscriber(actor, replica), {
        accepted: { planId: actor.plan.planId, extra: { agentId: actor.plan.agentId } },
        redemptionLimit: limits.redemptions,
        leaseSecs: limits.leaseSecs,
        ...(limits.tokenOrders !== null && { orderLimit: BigInt(limits.tokenOrders) * UNIT }),
        expiration: new Date((now + lifeSecs) * 1000).toISOString(),
        delegationConfig: under
          ? { delegationId: under.delegationId }
          : {
              spendingLimitCents: BigInt(limits.orders) * 100n,
              durationSecs,
              ...(limits.maxTransactions && { maxTransactions: limits.maxTransactions }),
            },
      } as Parameters<typeof getX402AccessToken>[1]);
      const { accessToken, tokenId: jti, delegationId } = minted;
      if (limits.perDay !== null) {
        await setDelegationBudgets(world.asSubscriber(actor, replica), {
          delegationId,
          limits: [{ period: "day", unit: "credits", limit: limits.perDay }],
        });
      }
      const model = actor.model.mint(under?.model ?? null, {
        ...limits,
        expiresAt: now + Math.min(lifeSecs, 24 * HOUR_SECS),
        delegationExpiresAt: now + durationSecs,
      });
      actor.tokens.push({ accessToken, jti, delegationId, model });
      return "minted";
    },
  };
}

function revoke(draw: Draw): Move {
  const { actor, world, random } = draw;
  const token = pickToken(draw);
  const isDelegation = random.chance(30);
  return {
    text: `revoke ${token.model.index}${isDelegation ? " and its delegation" : ""}`,
    expect: () => {
      actor.model.revoke(token.model, isDelegation);
      return "revoked";
    },
    run: (replica) =>
      answerOf(actor, null, async () => {
        const context = world.asSubscriber(actor, replica);
        const { jti, delegationId } = token;
        if (isDelegation) await revokeDelegation(context, { delegationId });
        else await revokeToken(context, { tokenId: jti });
        return "revoked";
      }),
  };
}

const textOf = ({ id, token, max }: Sent) => `${id} by token ${token.model.index}, at most ${max}`;

const bodyOf = ({ plan }: Actor, { token, max }: Sent) => ({
  paymentRequired: plan.requirement,
  x402AccessToken: token.accessToken,
  maxAmount: max,
});

const secsOf = (instant: string) => Date.parse(instant) / 1000;
