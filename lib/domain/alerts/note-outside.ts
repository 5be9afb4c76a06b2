import { eachAlone } from "../each-alone.ts";
import type { Ports } from "../ports.ts";

const ACCOUNTS_A_ROUND = 10;

/** Notes whether the chain and the card processor work and credits are sold, for the alerts of who depends on them. */
export async function noteServices({ rails, alerts, salesStop }: Ports): Promise<void> {
  const schemes = new Map(
    rails.all.toReversed().map((rail) => [rail.usesPaymentMethods ? "cards" : "chain", rail]),
  );
  for (const [name, rail] of schemes) {
    const isHealthy = await rail.isHealthy().catch(() => false);
    await alerts.noteService(name, !isHealthy);
  }
  // A difference with either stops all sales, and says nothing of whether they work.
  await alerts.noteService("sales", Boolean(salesStop?.()));
}

/** Reads when the cards expire that delegations charge, each account's once a day. */
export async function noteCards(ports: Ports): Promise<void> {
  const { cards, alerts } = ports;
  if (!cards) return;
  const items = await alerts.takeDueCards(ACCOUNTS_A_ROUND);
  const facts = (account: string) => ({ account });
  await eachAlone(ports, { items, says: "cards not read", facts }, async (account) => {
    const saved = await cards.listPaymentMethods(account);
    const known = saved.map(({ id, brand, last4, expMonth, expYear }) => ({
      id,
      name: `${brand} ${last4}`,
      expiresAt: new Date(Date.UTC(expYear, expMonth)).toISOString(),
    }));
    await alerts.writeCards(account, known);
  });
}
