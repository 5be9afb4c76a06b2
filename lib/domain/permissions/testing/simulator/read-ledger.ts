import type { Actor } from "./actor.ts";
import type { World } from "./world.ts";

type Texts<T extends string> = Record<T, string | null>;

/** What the database holds of each subscriber, by index, in the words of the model. */
export async function readLedger(world: World): Promise<Map<number, string[]>> {
  const { database, actors } = world;
  const byAccount = new Map(actors.map((actor) => [actor.party.address, actor]));
  const keys = actors.flatMap((actor) => [...actor.touched].map((id) => keyOf(actor, id)));
  const balances = await database.query<Texts<"account" | "text">>(
    `select account, available || ' ' || held || ' ' || coalesce(extract(epoch from expires_at)::bigint::text, 'null') as text
      from balances`,
    [],
  );
  const tokens = await database.query<Texts<"jti" | "text">>(
    `select jti, redeemed || ' ' || reserved || ' ' || round(order_spent / 1000000) || ' ' || round(order_reserved / 1000000)
      || ' ' || (revoked_at is not null)::text as text from tokens`,
    [],
  );
  const holds = await database.query<Texts<"key" | "text">>(
    `select request_key as key, state || ' ' || amount || ' ' || extract(epoch from expires_at)::bigint as text
      from holds where request_key = any($1::text[])`,
    [keys],
  );
  const settled = await database.query<Texts<"key" | "text">>(
    "select request_key as key, amount || ' ' || remaining as text from settlements where request_key = any($1::text[])",
    [keys],
  );
  const paid = new Map<string, number>();
  for (const { account } of world.rail.paid()) paid.set(account, (paid.get(account) ?? 0) + 1);
  const balanceOf = new Map(balances.map(({ account, text }) => [account, text]));
  const tokenOf = new Map(tokens.map(({ jti, text }) => [jti, text]));
  const holdOf = new Map(holds.map(({ key, text }) => [key, text]));
  const settledOf = new Map(settled.map(({ key, text }) => [key, text]));
  return new Map(
    Array.from(byAccount, ([account, actor]) => [
      actor.index,
      [
        `balance ${balanceOf.get(account) ?? "none"}`,
        `paid ${paid.get(account) ?? 0}`,
        ...actor.tokens.map(({ jti }) => `token ${tokenOf.get(jti)}`),
        ...Array.from(actor.touched, (id) => {
          const key = keyOf(actor, id);
          return `${id}: ${holdOf.get(key) ?? "no hold"}, ${settledOf.get(key) ?? "not settled"}`;
        }).sort(),
      ],
    ]),
  );
}

const keyOf = ({ plan }: Actor, id: string) => `${plan.builder.address}/${id}`;
