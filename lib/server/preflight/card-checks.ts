import "server-only";
import { findCardAccount } from "@/lib/adapters/cards/find-card-account.ts";
import { createStripe } from "@/lib/adapters/cards/stripe-client.ts";
import { WATCHED_EVENTS } from "@/lib/adapters/cards/watched-events.ts";
import { findClaimedCardAccount } from "@/lib/adapters/db/chain/made-for.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { readSchemaState } from "@/lib/adapters/db/connections/schema-state.ts";
import { findAccountFault } from "../check-data.ts";
import type { Env } from "../env.ts";
import { findLeftOutCards, leftCardPlans } from "../settings/left-out-cards.ts";
import { type Check, check, Fault, faultOf, reasonOf } from "./check.ts";
import { withDatabase } from "./database-checks.ts";

export function cardChecks(
  stripe: NonNullable<Env["stripe"]>,
  {
    origin,
    connectedAccounts,
    platformFee,
  }: Pick<Env, "origin" | "connectedAccounts" | "platformFee">,
): Check[] {
  const client = createStripe({ ...stripe, timeoutMs: 8_000 });
  const url = `${origin.replace(/\/+$/, "")}/api/webhooks/cards`;
  return [
    check("card keys", async () => {
      if (/^pk_test_/.test(stripe.publishableKey)) {
        throw new Fault(
          "STRIPE_PUBLISHABLE_KEY is a test key, and STRIPE_SECRET_KEY is not.",
          "Copy both live keys of one account from the processor's dashboard.",
        );
      }
      const reads = Promise.all([client.balance.retrieve(), client.events.list({ limit: 1 })]);
      await reads.catch((cause) => {
        throw new Fault(
          `The processor refuses STRIPE_SECRET_KEY: ${reasonOf(cause)}.`,
          "Copy the live secret key again. A restricted key needs to read balances and events, and write payments.",
        );
      });
      return "accepted";
    }),
    check("card webhook", async () => {
      const { data } = await client.webhookEndpoints.list({ limit: 100 });
      // The platform and the connected accounts have an endpoint each, at the same address.
      const endpoints = data.filter((each) => each.url === url);
      if (endpoints.length === 0) {
        throw new Fault(
          `The processor has no webhook endpoint ${url}.`,
          "Create it in the processor's dashboard and set STRIPE_WEBHOOK_SECRET to its signing secret.",
        );
      }
      const off = endpoints.find(({ status }) => status !== "enabled");
      if (off) throw new Fault(`The webhook endpoint ${url} is ${off.status}.`, "Enable it.");
      if (endpoints.length > stripe.webhookSecrets.length) {
        throw new Fault(
          `${endpoints.length} webhook endpoints send to ${url}, and STRIPE_WEBHOOK_SECRET holds ${stripe.webhookSecrets.length} of their secrets.`,
          "Set it to the secrets of all of them, separated by commas.",
        );
      }
      const events = new Set(endpoints.flatMap((each) => each.enabled_events));
      const missing = events.has("*") ? [] : WATCHED_EVENTS.filter((name) => !events.has(name));
      if (missing.length === 0) return "enabled";
      throw new Fault(
        `The webhook endpoint is not sent ${missing.join(", ")}.`,
        "Select these events, or all of them.",
      );
    }),
    check("card payouts", async () => {
      const { payments } = await client.balanceSettings.retrieve();
      const interval = payments.payouts?.schedule?.interval;
      if (interval && interval !== "manual") {
        throw new Fault(
          `The processor pays its balance out to your bank (${interval}), and builders are paid out of it.`,
          "Set payouts to manual in the processor's dashboard.",
        );
      }
      return platformFee.defaultBps > 0
        ? "manual"
        : "manual. PLATFORM_FEE_BPS is 0: the processor's fees come out of what builders are owed";
    }),
    ...[...connectedAccounts].map(([builder, account]) =>
      check(`card account of ${builder}`, async () => {
        const { capabilities } = await client.accounts.retrieve(account).catch((cause) => {
          throw new Fault(
            `The processor has no connected account ${account}: ${reasonOf(cause)}.`,
            "Correct STRIPE_CONNECT_ACCOUNTS. Until then, card sales of this builder fail.",
          );
        });
        if (capabilities?.transfers === "active") return "can be paid";
        throw new Fault(
          `The connected account ${account} accepts no transfers yet.`,
          "Let the builder finish onboarding, or take the account out of STRIPE_CONNECT_ACCOUNTS.",
        );
      }),
    ),
  ];
}

/** Whether the keys are of the account that has the cards and payments of the database. */
export const cardAccountCheck = (
  stripe: NonNullable<Env["stripe"]>,
  { databaseUrl = "" }: Pick<Env, "databaseUrl">,
): Check =>
  check("card account of the data", async () => {
    const [account, claimed] = await Promise.all([
      findCardAccount(stripe),
      withDatabase(databaseUrl, (query) => findClaimedCardAccount({ query })),
    ]);
    if (!account) return "not compared: STRIPE_SECRET_KEY may not read its account";
    if (!claimed) return "not recorded yet; the next start records it";
    const fault = findAccountFault(claimed, account);
    if (fault) throw faultOf(fault);
    return account;
  });

/** What the database has of cards that a service without them leaves undone, and the plans and balances by card. */
export function leftOutChecks({ databaseUrl = "" }: Pick<Env, "databaseUrl">): Check[] {
  const ask = (name: string, read: (database: Database) => Promise<string>) =>
    check(name, () =>
      withDatabase(databaseUrl, async (query) => {
        if ((await readSchemaState(query)).pending > 0) return "not read before the migrations";
        return read({ query } as Database);
      }),
    );
  return [
    ask("cards of the data", async (database) => {
      const fault = await findLeftOutCards(database);
      if (fault) throw faultOf(fault, /(?<=\.) (?=Set )/);
      return "none that need the card processor";
    }),
    ask("plans paid by card", leftCardPlans),
  ];
}
