import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFiatPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { Stripe } from "stripe";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { openCards } from "@/lib/adapters/cards/open-cards.ts";
import { deployContracts } from "@/lib/adapters/chain/deploy.ts";
import { writeDeployment } from "@/lib/adapters/chain/deployment.ts";
import { createCardCustomers } from "@/lib/adapters/db/card-customers.ts";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { requirePostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { startControlledProcessor } from "@/lib/sandbox/card-processor/testing/controlled-processor.ts";
import { startEmbeddedChain } from "@/lib/sandbox/chain/embedded-chain.ts";
import { type SpawnedService, startService } from "@/lib/server/testing/spawn-service.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";

export type Buyer = { address: string; apiKey: string; card: string; delegationId: string };
export type CrashWorld = Awaited<ReturnType<typeof openCrashWorld>>;

/**
 * What outlives the service: a Postgres, a chain, and the card processor with its data, all started by this process.
 * Services can be started over them as often as needed, two at a time.
 */
export async function openCrashWorld() {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-card-crashes-"));
  const cluster = await requirePostgres();
  const settlerPrivateKey = `0x${randomBytes(32).toString("hex")}` as Hex;
  const secretKey = randomBytes(32);
  const [processor, chain, database] = await Promise.all([
    startControlledProcessor({ dataDir: join(folder, "cards") }),
    startEmbeddedChain({ dataDir: join(folder, "chain") }),
    openDatabase({ url: cluster.url }),
  ]);
  const { rpcUrl, journal } = chain;
  const deploymentsFile = join(folder, "deployments.json");
  const admin = privateKeyToAddress(settlerPrivateKey);
  const terms = { rpcUrl, settlerPrivateKey, admin, sandbox: true, journal };
  writeDeployment(deploymentsFile, await deployContracts(terms));
  const cards = openCards({
    ...processor,
    environment: "sandbox",
    customers: createCardCustomers(database),
  });
  const { rail } = cards;
  const service = createTestService(database, { rails: [rail], cards: cards.cards, secretKey });
  const builder = await service.party();
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "By card" },
    getFiatPriceConfig(5_000_000n, builder.address, "USD"),
    getFixedCreditsConfig(100n, 1n),
  );
  const settings = {
    DATABASE_URL: cluster.url,
    TURNPIKE_SECRET_KEY: secretKey.toString("hex"),
    CHAIN_RPC_URL: rpcUrl,
    SETTLER_PRIVATE_KEY: settlerPrivateKey,
    DEPLOYMENTS_FILE: deploymentsFile,
    STRIPE_SECRET_KEY: processor.secretKey,
    STRIPE_PUBLISHABLE_KEY: processor.publishableKey,
    STRIPE_WEBHOOK_SECRET: processor.webhookSecrets.join(","),
    STRIPE_API_BASE: processor.apiBase,
    LOG_LEVEL: "silent",
  };
  const started = new Set<ChildProcess>();
  return {
    processor,
    cards,
    database,
    service,
    planId,
    buyer: () => createBuyer(service),
    /** Starts a service in a separate process, which ends at the step named by `dieAt`. */
    start: (name: string, dieAt = "") =>
      startService({
        settings: { ...settings, TURNPIKE_DATA_DIR: join(folder, name), DIE_AT: dieAt },
        entry: "scripts/proof/card-dying-service.ts",
        onSpawned: (child) => started.add(child),
      }),
    async close(): Promise<void> {
      for (const child of started) child.kill("SIGKILL");
      await Promise.allSettled([processor.stop(), chain.stop(), database.close()]);
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A subscriber with a card and a delegation, so that reserved amounts can be seen. */
async function createBuyer(service: TestService): Promise<Buyer> {
  const { address, apiKey, payments } = await service.party();
  const added = await payments.paymentMethods.addPaymentMethod({ testCard: "pm_card_visa" });
  const card = added.paymentMethodId ?? "";
  const { delegationId } = await payments.delegation.createDelegation({
    provider: "card-processor",
    providerPaymentMethodId: card,
    spendingLimitCents: 1000n,
    durationSecs: 86_400,
    currency: "usd",
    maxTransactions: 2,
  });
  return { address, apiKey, card, delegationId };
}

/** Delivers a payment's newest event to a service, signed. Returns the status of the answer, 0 for none. */
export async function deliverWebhook(
  { processor, cards }: Pick<CrashWorld, "processor" | "cards">,
  { url }: SpawnedService,
  payment: string,
): Promise<number> {
  const id = processor.controls.events(payment).at(-1)?.id ?? "";
  const payload = JSON.stringify(await cards.stripe.events.retrieve(id));
  const secret = processor.webhookSecret;
  const answer = await fetch(`${url}/api/webhooks/cards`, {
    method: "POST",
    headers: { "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload, secret }) },
    body: payload,
  }).catch(() => null);
  return answer?.status ?? 0;
}
