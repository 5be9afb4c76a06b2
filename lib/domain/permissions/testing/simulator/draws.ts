import type { Random } from "@/lib/testing/seeded-random.ts";
import type { Actor, Token } from "./actor.ts";
import type { World } from "./world.ts";

/** What an operation is drawn from; the time is in seconds. */
export type Draw = { world: World; actor: Actor; random: Random; now: number };

/** A token of the actor's: mostly one that works. */
export function pickToken({ actor, random, now }: Draw): Token {
  const live = random.chance(92) ? actor.tokens.filter((token) => isLive(token, now)) : [];
  return random.pick(live.length > 0 ? live : actor.tokens);
}

export const isLive = ({ model: { isRevoked, expiresAt, limit, redeemed } }: Token, now: number) =>
  !isRevoked && expiresAt > now && redeemed < limit;

export function pickAmount({ random }: Draw): bigint | undefined {
  return random.chance(40) ? undefined : BigInt(random.pick([1, 2, 3, 3, 4, 5, 5, 8, 10, 11, 0]));
}

export const pickId = ({ actor, random }: Draw): string =>
  actor.ids.length === 0
    ? newId(actor)
    : random.pick(random.chance(85) ? actor.ids.slice(-6) : actor.ids);

export function newId(actor: Actor): string {
  const id = `sim-${actor.index}-${actor.ids.length}`.padEnd(20, "-");
  actor.ids.push(id);
  return id;
}
