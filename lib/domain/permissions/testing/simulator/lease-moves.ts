import { leasePermissions } from "../../lease-permissions.ts";
import { settleBatch } from "../../settle-permissions.ts";
import { type Draw, newId, pickId, pickToken } from "./draws.ts";
import { answerOf, type Move } from "./move.ts";

export function lend(draw: Draw): Move {
  const { actor, world, random } = draw;
  const token = pickToken(draw);
  const asked = { requests: random.pick([1, 3, 8, 20]), seconds: random.pick([1, 5, 60]) };
  const name = `lease-${actor.lent++}`;
  return {
    text: `lend ${asked.requests} by token ${token.model.index} for ${asked.seconds} s`,
    expect: (round) => actor.model.lend(name, token.model, asked, round),
    run: (replica) =>
      answerOf(actor, null, async () => {
        const lent = await leasePermissions(world.asBuilder(actor, replica), {
          paymentRequired: actor.plan.requirement,
          x402AccessToken: token.accessToken,
          ...asked,
        });
        const { leaseId, requests, seconds } = lent;
        if (leaseId === undefined) return "lent 0";
        actor.leases.push({ name, leaseId });
        return `lent ${requests} for ${seconds}`;
      }),
  };
}

/** Some requests of a lease, settled together; some were settled before, or are reserved on their own. */
export function batch(draw: Draw): Move {
  const { actor, world, random } = draw;
  if (actor.leases.length === 0) return lend(draw);
  const { name, leaseId } = random.pick(actor.leases.slice(-3));
  const of = () => (random.chance(15) ? pickId(draw) : newId(actor));
  const ids = [...new Set(Array.from({ length: 1 + random.below(6) }, of))];
  return {
    text: `batch ${ids} from ${name}`,
    expect: (round) => actor.model.settleLeased(name, ids, round),
    run: (replica) =>
      answerOf(actor, null, async () => {
        for (const id of ids) actor.touched.add(id);
        const { items } = await settleBatch(world.asBuilder(actor, replica), {
          items: ids.map((agentRequestId) => ({ leaseId, agentRequestId })),
        });
        return items
          .map((each) =>
            each.success
              ? `settled ${each.creditsRedeemed}, ${each.remainingBalance} left`
              : each.errorReason,
          )
          .join(", ");
      }),
  };
}
