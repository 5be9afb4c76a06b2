import "server-only";
import { isFree } from "@turnpike/payments/protocol";
import { toMinorUnits } from "@/lib/console/minor-units.ts";
import {
  fundTestCustomer,
  giveTestMoney,
  mintOfRun,
  testCustomerOf,
} from "@/lib/domain/accounts/test-customer.ts";
import type { Caller } from "@/lib/domain/context.ts";
import { getPlanRecord } from "@/lib/domain/plans/plans.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import type { PlanRecord } from "@/lib/domain/records.ts";
import type { RunPayer, RunPermission } from "@/lib/playground/ports.ts";
import type { Pipeline } from "../pipeline/perform.ts";
import {
  performAs,
  type ServiceInput,
  type ServiceOperationName,
  type ServiceOutput,
} from "../pipeline/perform-as.ts";

type Service = { ports: Ports; pipeline: Pipeline };

export type RunCaller = Awaited<ReturnType<typeof openRunCaller>>;

/**
 * Acts as the payer of a person's run: their test customer, or themselves. Throws `not_found` for a test customer in
 * live.
 *
 * `const payer = await openRunCaller(service, caller, "test")`
 */
export async function openRunCaller(
  { ports, pipeline }: Service,
  person: Caller,
  payer: RunPayer,
  /** The client's address, for the audit trail. */
  sentFrom?: string,
) {
  const isTest = payer === "test";
  const account = isTest ? (await testCustomerOf(ports, person.account)).address : person.account;
  const caller = { account, keyId: null, isOperator: false };

  const call = <K extends ServiceOperationName>(
    name: K,
    input: ServiceInput<K>,
  ): Promise<ServiceOutput<K>> => performAs(pipeline, { caller, sentFrom }, name, input);

  /** A call never orders a free plan, so a test customer orders it first. */
  async function orderFree({ planId, price, isTrial }: PlanRecord): Promise<void> {
    if (!isFree(price) && !isTrial) return;
    const balance = await ports.plans.balance(planId, account);
    if (isTrial ? !balance : !balance?.available) await call("orderPlan", { planId });
  }

  return {
    account,
    call,

    async readBalance(planId: string) {
      return call("getPlanBalance", { planId, holderAddress: account });
    },

    /** What the payer has on chain, in millionths of a dollar; a test customer is topped up first if asked. */
    async money({ isToppedUp }: { isToppedUp: boolean }): Promise<bigint> {
      if (isTest && isToppedUp) await giveTestMoney(ports, account);
      const { currencies } = await call("getBalance", {});
      const dollars = currencies.find(({ currency }) => currency === ports.stablecoin?.currency);
      return BigInt(dollars?.available ?? 0) + BigInt(dollars?.reserved ?? 0);
    },

    /** Orders a plan; a test customer has the money for it. */
    async order(input: ServiceInput<"orderPlan">) {
      const plan = await getPlanRecord({ ports, ...NO_CALLER }, String(input.planId));
      if (isTest) await fundTestCustomer(ports, account, plan);
      return call("orderPlan", input);
    },

    /** Mints the run's token, for a single call unless `input` says otherwise. */
    async mint(input: ServiceInput<"getX402AccessToken">) {
      const planId = String(input.accepted.planId);
      const plan = await getPlanRecord({ ports, ...NO_CALLER }, planId);
      if (isTest) await fundTestCustomer(ports, account, plan);
      if (isTest) await orderFree(plan);
      const { delegationConfig: limits, ...run } = mintOfRun(ports, plan);
      const given = input.delegationConfig;
      const minted = await call("getX402AccessToken", {
        ...run,
        ...input,
        delegationConfig: given?.delegationId ? given : { ...limits, ...given },
      });
      const { delegationId, tokenId } = minted;
      const permission: RunPermission = { delegationId, tokenId, isItsOwn: !given?.delegationId };
      return { ...minted, permission };
    },

    /** Signs the run's payment by `exact`, within a delegation for it alone; a test customer is topped up first. */
    async authorize(input: ServiceInput<"createAuthorization">) {
      if (isTest) await giveTestMoney(ports, account);
      const spendingLimitCents = toMinorUnits(BigInt(input.offer.amount), "usd");
      const limits = { spendingLimitCents, durationSecs: 600, name: "A single call" };
      return call("createAuthorization", { ...input, delegationConfig: limits });
    },

    /** Revokes what the run opened. Repeatable; a request that is under way still settles. */
    async end({ delegationId, tokenId, isItsOwn }: RunPermission): Promise<void> {
      if (isItsOwn) await call("revokeDelegation", { delegationId });
      else await call("revokeToken", { tokenId });
    },
  };
}

const NO_CALLER = { caller: null, keyHash: null, requestId: "run" };
