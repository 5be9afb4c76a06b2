import { isFree, MAX_UINT256, totalOf, ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { type Context, invalid } from "../context.ts";
import type { PlanRecord } from "../records.ts";

/** Refuses terms that no order could meet, or that contradict each other. Plans of an earlier release keep what it took. */
export async function checkTerms(context: Context, plan: PlanRecord): Promise<void> {
  checkPayable(context, plan);
  checkConsistent(context, plan);
  const { price } = plan;
  const fault = await context.ports.rails.getByPrice(price).findOutsideFault?.(price);
  if (fault) throw invalid(fault.path, fault.message);
}

function checkPayable({ ports }: Context, plan: PlanRecord): void {
  const { price } = plan;
  const rail = ports.rails.all.find(({ takes }) => takes(price));
  if (!rail || rail.isLeftOut) {
    throw invalid("priceConfig.isCrypto", "This service has no way to charge such a price.");
  }
  const index = isFree(price) ? -1 : price.receivers.indexOf(ZERO_ADDRESS);
  if (index >= 0) {
    throw invalid(`priceConfig.receivers.${index}`, "The zero address can’t be paid.");
  }
  const fault = rail.findTermsFault?.(plan);
  if (fault) throw invalid(fault.path, fault.message);
}

function checkConsistent({ ports }: Context, { accessLimit, price, credits }: PlanRecord): void {
  const fault = ports.rails.getByPrice(price).findPriceFault(price);
  if (fault) throw invalid("priceConfig.amounts", fault);
  if (totalOf(price) > MAX_UINT256) {
    throw invalid("priceConfig.amounts", "The amounts add up to more than 2^256-1.");
  }
  const granted = BigInt(credits.amount);
  if (granted === 0n)
    throw invalid("creditsConfig.amount", "An order must grant at least one credit.");
  if (accessLimit === "credits" && credits.maxAmount > granted) {
    throw invalid(
      "creditsConfig.maxAmount",
      "A request may burn more credits than an order grants.",
    );
  }
  if (accessLimit === "time" && (granted !== 1n || credits.isRedemptionAmountFixed)) {
    throw invalid(
      "creditsConfig.amount",
      "A time plan grants 1 credit and burns none. Use a duration config.",
    );
  }
}
