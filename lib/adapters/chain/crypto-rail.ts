import { type Address, getAddress, zeroAddress } from "viem";
import type { ChainOrders, PlanVersion } from "@/lib/domain/chain-ports.ts";
import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";
import type { MirroredState, SettlementRail } from "@/lib/domain/ports.ts";
import type { DelegationRecord, OrderRecord, PlanRecord } from "@/lib/domain/records.ts";
import type { TransactionSender } from "./bundler/transaction-sender.ts";
import type { ChainClient } from "./chain-client.ts";
import { isBurnedByHolder, saleIdOf } from "./chain-plan.ts";
import type { Deployment } from "./deployment.ts";
import type { GrantBook } from "./grants/grant-book.ts";
import { OwnerSignatureNeeded } from "./grants/owner-keys.ts";
import { orderOnChain } from "./order.ts";
import { describeRefusal } from "./order-refusals.ts";
import type { PlanRegistry } from "./plan-registry.ts";
import type { CodeMemory } from "./prepare-accounts.ts";

export type CryptoRailOptions = {
  client: ChainClient;
  deployment: Deployment;
  sender: TransactionSender;
  network: string;
  grants: GrantBook;
  plans: PlanRegistry;
  findVersion: (planId: string, version: number) => Promise<PlanVersion>;
  orders: ChainOrders;
  /** How far a settlement's burn came, once it is as far as asked or the wait is over. */
  mirrored: (
    settlementId: string,
    until: "submitted" | "included",
  ) => Promise<MirroredState | null>;
  known?: CodeMemory;
};

/** After this long the one who orders is told that the outcome is not known yet. */
const CHARGE_TIMEOUT_MS = 20_000;

/**
 * The rail of `svc:erc4337`: an order is paid on chain by a user operation of a session key, and credits are minted
 * there in the same transaction. One order id is paid once at most, however often it is asked for.
 */
export function createCryptoRail(options: CryptoRailOptions): SettlementRail {
  const { client, deployment, sender, grants, plans, orders, known = new Set() } = options;
  const underWay = new Map<string, Promise<ChargeOutcome>>();

  async function charge(
    order: OrderRecord,
    plan: PlanRecord,
    delegation: DelegationRecord | null,
  ): Promise<ChargeOutcome> {
    const version: PlanVersion =
      plan.version === order.planVersion
        ? plan
        : await options.findVersion(order.planId, order.planVersion);
    const token = getAddress(version.price.tokenAddress);
    const bound = await orders.find(order.orderId);
    const objection = bound ? null : await findObjection(version, token);
    if (objection) return objection;
    const chosen =
      bound ??
      (await orders.bind({
        orderId: order.orderId,
        grantId: await chooseGrant(order, delegation, token),
        total: order.price,
        sinceBlock: await client.getBlockNumber(),
      }));
    const { account, grant } = await grants.load(chosen.grantId);
    const outcome = await orderOnChain({
      client,
      deployment,
      sender,
      account,
      grant,
      sessionKey: await grants.sessionKey(grant.delegate),
      planId: saleIdOf(version),
      orderId: order.orderId,
      payment: { token, total: order.price },
      known,
      sinceBlock: chosen.sinceBlock,
    });
    if (outcome.status === "refused") {
      await orders.markRefused(order.orderId);
      const message = describeRefusal(outcome.reason, outcome.detail);
      return { status: "refused", code: outcome.reason, message };
    }
    const { blockNumber } = await client.getTransactionReceipt({ hash: outcome.transaction });
    await orders.markPaid(order.orderId, blockNumber);
    return { status: "paid", reference: outcome.transaction };
  }

  /** What stands against ordering a plan before any money is involved; also registers it where it is new. */
  async function findObjection(plan: PlanVersion, token: Address): Promise<ChargeOutcome | null> {
    if (token !== zeroAddress && !(await client.getCode({ address: token }))) {
      return refuse("wrong_token", `There is no token at ${token} on this chain.`);
    }
    const refusal = await plans.ensure(plan);
    if (refusal === null) return null;
    return refuse("plan_unknown", `The plan's terms are not accepted on chain: ${refusal}.`);
  }

  async function chooseGrant(
    order: OrderRecord,
    delegation: DelegationRecord | null,
    token: Address,
  ): Promise<string> {
    const { grantId } = delegation
      ? await grants.ofDelegation(delegation, token)
      : await grants.forOrder(order.account, token, order.price);
    return grantId;
  }

  /** Credits nobody could burn later must not be sold: then the plan's owner has to sign first. */
  async function requireRedeemer(plan: PlanRecord): Promise<void> {
    if (!isBurnedByHolder(plan.credits.redemptionType)) await grants.forRedemption(plan.owner);
  }

  async function chargeOnce(
    order: OrderRecord,
    plan: PlanRecord,
    delegation: DelegationRecord | null,
  ): Promise<ChargeOutcome> {
    try {
      await requireRedeemer(plan);
      return await charge(order, plan, delegation);
    } catch (cause) {
      if (cause instanceof OwnerSignatureNeeded) return refuse("owner_signature", cause.message);
      throw cause;
    }
  }

  return {
    scheme: "svc:erc4337",
    provider: "erc4337",
    network: options.network,
    mirrors: true,
    firstChainStatus: "pending",
    charge(order, plan, delegation) {
      const { orderId } = order;
      const running = underWay.get(orderId) ?? chargeOnce(order, plan, delegation);
      underWay.set(orderId, running);
      const forget = () => underWay.delete(orderId);
      running.then(forget, forget);
      return within(running, CHARGE_TIMEOUT_MS, `Order ${orderId} is still under way on chain.`);
    },
    mirrored: options.mirrored,
    signers: () => ({ pattern: "eip155:*", addresses: [sender.address] }),
    isHealthy: async () => (await client.getChainId()) === deployment.chainId,
  };
}

const refuse = (code: string, message: string): ChargeOutcome => ({
  status: "refused",
  code,
  message,
});

async function within<T>(work: Promise<T>, timeoutMs: number, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(message)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
