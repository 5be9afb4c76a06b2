import { isFree } from "@turnpike/payments/protocol";
import {
  type Address,
  getAddress,
  isAddressEqual,
  parseEventLogs,
  type TransactionReceipt,
  zeroAddress,
} from "viem";
import type { ChainOrders, PlanVersion, Settler } from "@/lib/domain/chain-ports.ts";
import type { ChargeOutcome } from "@/lib/domain/orders/order-ports.ts";
import type { Rail, RailPrice, RailTerms, TermsFault } from "@/lib/domain/rails/rail.ts";
import type { DelegationRecord, OrderRecord, PlanRecord } from "@/lib/domain/records.ts";
import { within } from "@/lib/domain/within.ts";
import { plansAbi } from "./abis.ts";
import { findOwnLogs } from "./bundler/handle-ops.ts";
import type { TransactionSender } from "./bundler/transaction-sender.ts";
import type { ChainClient } from "./chain-client.ts";
import { isBurnedByHolder, saleIdOf } from "./chain-plan.ts";
import type { Deployment } from "./deployment.ts";
import type { GrantBook } from "./grants/grant-book.ts";
import { OwnerSignatureNeeded } from "./grants/owner-keys.ts";
import { checkFunds, findEndedOrder, type OrderOutcome, orderOnChain } from "./order.ts";
import {
  findBudgetFault,
  gasOfOrder,
  meterGas,
  ORDER_GAS,
  type OrderBudget,
} from "./order-budget.ts";
import { describeRefusal } from "./order-refusals.ts";
import type { PlanRegistry } from "./plan-registry.ts";
import type { CodeMemory } from "./prepare-accounts.ts";
import type { OwnerRefunds } from "./refund-part.ts";
import { hasCode, requireChain, requireSoundNode } from "./sound-node.ts";

export type CryptoRailOptions = {
  terms: RailTerms;
  client: ChainClient;
  deployment: Deployment;
  sender: TransactionSender;
  grants: GrantBook;
  plans: PlanRegistry;
  findVersion: (planId: string, version: number) => Promise<PlanVersion>;
  orders: ChainOrders;
  /** The current settler and earlier ones. */
  listSettlers: () => Promise<Settler[]>;
  budget: OrderBudget;
  /** How far a settlement's burn came, once it is as far as asked or the wait is over. */
  mirror: NonNullable<Rail["mirror"]>;
  refunds: OwnerRefunds;
  known?: CodeMemory;
};

/** After this long the outcome of a charge is reported as unknown. */
const CHARGE_TIMEOUT_MS = 20_000;
/** So long a plan's registration waits for the chain. */
const TERMS_TIMEOUT_MS = 3_000;

/**
 * The rail of `svc:erc4337`: an order is paid on chain by a user operation of a session key, and credits are minted
 * there in the same transaction. One order id is paid once at most, however often it is charged.
 */
export function createCryptoRail(options: CryptoRailOptions): Rail {
  const { terms, sender, mirror, refunds } = options;
  const underWay = new Map<string, Promise<ChargeOutcome>>();

  async function chargeOnce(
    order: OrderRecord,
    plan: PlanRecord,
    delegation: DelegationRecord | null,
  ): Promise<ChargeOutcome> {
    try {
      return await payOnChain(options, { order, plan, delegation });
    } catch (cause) {
      if (cause instanceof OwnerSignatureNeeded) return refuse("owner_signature", cause.message);
      throw cause;
    }
  }

  return {
    ...terms,
    charge(order, plan, delegation) {
      const { orderId } = order;
      const running = underWay.get(orderId) ?? chargeOnce(order, plan, delegation);
      underWay.set(orderId, running);
      const forget = () => underWay.delete(orderId);
      running.then(forget, forget);
      return within(running, CHARGE_TIMEOUT_MS, `Order ${orderId} is still under way on chain.`);
    },
    async abandon(order) {
      const { orderId, status } = order;
      if (underWay.has(orderId)) throw new Error(`Order ${orderId} is still under way on chain.`);
      // This rail asks no holder to act: only a repair that stopped leaves an order so, and the chain proves its payment.
      if (status === "requires_action") throw unfinishedRepair(orderId);
      return endOrder(options, order);
    },
    findOutsideFault: (price) => findTokenFault(options, price),
    mirror,
    ...refunds,
    signers: () => ({ pattern: "eip155:*", addresses: [sender.address] }),
    async isHealthy() {
      await requireChain(options);
      return true;
    },
  };
}

const unfinishedRepair = (orderId: string): Error =>
  new Error(`Order ${orderId} was paid on chain. Finish its repair: npm run repair -- --apply.`);

async function payOnChain(
  options: CryptoRailOptions,
  parts: { order: OrderRecord; plan: PlanRecord; delegation: DelegationRecord | null },
): Promise<ChargeOutcome> {
  const { client, deployment, grants, orders, known = new Set() } = options;
  const { order, plan, delegation } = parts;
  const version: PlanVersion =
    plan.version === order.planVersion
      ? plan
      : await options.findVersion(order.planId, order.planVersion);
  const token = getAddress(version.price.tokenAddress);
  const bound = await orders.find(order.orderId);
  // Credits that no one could burn later must not be sold: the plan's owner has to sign first. What was sent before is paid
  // or not, whatever the owner signs now.
  const isBurnedByOwner = !isBurnedByHolder(version.credits.redemptionType);
  if (!bound && isBurnedByOwner) await grants.forRedemption(plan.owner);
  const gas = gasOfOrder(version.price.receivers.length);
  const objection = bound
    ? null
    : ((await findBudgetFault(options, order, gas)) ??
      (await findObjection(options, version, order)));
  if (objection) return objection;
  const chosen =
    bound ??
    (await orders.bind({
      orderId: order.orderId,
      grantId: await chooseGrant(grants, { order, delegation, token }),
      total: order.price,
      sinceBlock: await client.getBlockNumber(),
    }));
  const wasSent = chosen.gas !== null;
  // Asked again: concurrent orders may all have passed before, and one that waited has counted for the least.
  const overBudget = wasSent ? null : await findBudgetFault(options, order, gas - ORDER_GAS);
  if (overBudget && (await orders.refuseUnsent(order.orderId))) return overBudget;
  const { account, grant } = await grants.load(chosen.grantId);
  const addGas = (more: bigint) => orders.addGas(order.orderId, more);
  const sender = meterGas(options.sender, addGas, wasSent);
  const outcome = await orderOnChain({
    client,
    deployment,
    sender,
    account,
    grant,
    sessionKey: await grants.sessionKey(grant.delegate),
    planId: saleIdOf(version),
    orderId: order.orderId,
    listSettlers: options.listSettlers,
    orderedAt: order.createdAt,
    payment: { token, total: order.price },
    register: async () => {
      const refusal = await options.plans.ensure(version, sender);
      return refusal && `The plan's terms are not accepted on chain: ${refusal}.`;
    },
    known,
    sinceBlock: chosen.sinceBlock,
    wasTried: bound !== null,
    beforeSend: async () => {
      if (await orders.isOpen(order.orderId)) return;
      throw new Error(`Order ${order.orderId} was ended meanwhile.`);
    },
  });
  return closeOrder(options, order, outcome);
}

/** Sends nothing more for an order, and looks at what became of it: null when nothing was paid. */
async function endOrder(
  options: CryptoRailOptions,
  order: OrderRecord,
): Promise<ChargeOutcome | null> {
  const { client, deployment, sender, grants, orders, listSettlers } = options;
  const { orderId, createdAt: orderedAt } = order;
  const bound = await orders.end(orderId);
  if (!bound) return null;
  const { grant } = await grants.load(bound.grantId);
  const sessionKey = { address: grant.delegate };
  const { sinceBlock } = bound;
  const sent = { client, deployment, sender, sessionKey, orderId, orderedAt, sinceBlock };
  const outcome = await findEndedOrder({ ...sent, listSettlers });
  if (outcome) return closeOrder(options, order, outcome);
  await requireSoundNode(options);
  return null;
}

async function closeOrder(
  options: CryptoRailOptions,
  order: OrderRecord,
  outcome: OrderOutcome,
): Promise<ChargeOutcome> {
  const { client, deployment, orders } = options;
  const { orderId } = order;
  if (outcome.status === "refused") {
    await requireSoundNode(options);
    await orders.markRefused(orderId);
    const message = describeRefusal(outcome.reason, outcome.detail);
    return { status: "refused", code: outcome.reason, message };
  }
  const receipt = await client.getTransactionReceipt({ hash: outcome.transaction });
  // The operation alone proves no payment: an account's owner may give it code that skips what it is told to do.
  const logs = findOwnLogs(deployment, receipt.logs, outcome.operation);
  // A node may have a block's events later than its state.
  if (!logs) throw new Error(`The events of order ${orderId} can't be read yet.`);
  if (!isOrderedIn(logs, deployment, order)) {
    await orders.markRefused(orderId);
    return refuse("failed", describeRefusal("failed", "The account's code made no order."));
  }
  await orders.markPaid(orderId, receipt.blockNumber);
  return { status: "paid", reference: outcome.transaction };
}

function isOrderedIn(
  logs: TransactionReceipt["logs"],
  { plans }: Deployment,
  order: OrderRecord,
): boolean {
  const own = logs.filter(({ address }) => isAddressEqual(address, plans));
  const version = { planId: order.planId, version: order.planVersion };
  const args = { planId: saleIdOf(version), account: getAddress(order.account) };
  return parseEventLogs({ abi: plansAbi, logs: own, eventName: "PlanOrdered", args }).length > 0;
}

/** Why an account cannot order a plan, before anything is sent: its registration costs gas as well. */
async function findObjection(
  options: CryptoRailOptions,
  plan: PlanVersion,
  { account, price: total }: OrderRecord,
): Promise<ChargeOutcome | null> {
  const priceFault = options.terms.findPriceFault(plan.price);
  if (priceFault) return refuse("price_too_low", priceFault);
  const token = getAddress(plan.price.tokenAddress);
  if (await isMissing(options, token)) return refuse("wrong_token", missingText(token));
  const poor = await checkFunds(options.client, getAddress(account), { token, total });
  if (poor) await requireSoundNode(options);
  return poor ? refuse(poor.reason, describeRefusal(poor.reason, poor.detail)) : null;
}

/** Whether the chain has no token at an address. Throws when it is unknown. */
async function isMissing(options: CryptoRailOptions, token: Address): Promise<boolean> {
  if (token === zeroAddress || (await hasCode(options.client, token))) return false;
  await requireSoundNode(options);
  return true;
}

const missingText = (token: Address) => `No token exists at ${token} on this chain.`;

async function findTokenFault(
  options: CryptoRailOptions,
  price: RailPrice,
): Promise<TermsFault | null> {
  // Free plans need no token, and those of the deployment are there.
  if (isFree(price) || options.terms.quote(price).currency !== null) return null;
  const token = getAddress(price.tokenAddress);
  const asking = within(isMissing(options, token), TERMS_TIMEOUT_MS, "The chain does not answer.");
  return (await asking.catch(() => false))
    ? { path: "priceConfig.tokenAddress", message: missingText(token) }
    : null;
}

async function chooseGrant(
  grants: GrantBook,
  {
    order,
    delegation,
    token,
  }: { order: OrderRecord; delegation: DelegationRecord | null; token: Address },
): Promise<string> {
  const { grantId } = delegation
    ? await grants.ofDelegation(delegation, token)
    : await grants.forOrder(order.account, token, order.price);
  return grantId;
}

const refuse = (code: string, message: string): ChargeOutcome => ({
  status: "refused",
  code,
  message,
});
