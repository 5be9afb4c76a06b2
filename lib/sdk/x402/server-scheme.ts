import { PaymentsError } from "../protocol/errors.ts";
import { buildOffer } from "../protocol/payment-required.ts";
import { Uint256 } from "../protocol/primitives.ts";
import type { StockPrice, StockRequirements, StockServerScheme } from "./stock-types.ts";

/**
 * The selling side of our schemes for stock x402 v2 servers (`@x402/hono`, `@x402/express`), whose
 * facilitator is a Turnpike service. A route's `price` is in credits, its plan in `extra`:
 * `{ planId, agentId?, httpVerb? }`. Throws `invalid_amount` for a price that is not whole credits,
 * `invalid_input` for a route without a plan.
 *
 * @example
 * const server = new x402ResourceServer(facilitator).register("eip155:84532", createX402ServerScheme());
 */
export function createX402ServerScheme({
  scheme = "svc:erc4337",
}: {
  scheme?: "svc:erc4337" | "svc:card-delegation";
} = {}): StockServerScheme {
  const { asset = "" } = buildOffer({ planId: "0", scheme });
  return {
    scheme,
    defaultAssetTransferMethod: "default",
    paymentFlows: { default: { supported: ["authorization"], default: "authorization" } },
    async parsePrice(price) {
      return { amount: readCredits(price), asset };
    },
    async enhancePaymentRequirements(requirements) {
      const { planId } = requirements.extra;
      if (typeof planId !== "string") {
        throw new PaymentsError("invalid_input", "The route's `extra` names no `planId`.", {
          hint: 'Write { scheme, network, payTo, price: "2", extra: { planId: "42", agentId: "7" } }.',
        });
      }
      // A token's offer names its plan at the top too.
      const complete: StockRequirements & { planId: string } = {
        ...requirements,
        planId,
        extra: { version: "1", ...requirements.extra },
      };
      return complete;
    },
  };
}

function readCredits(price: StockPrice): string {
  const given = typeof price === "object" ? price.amount : price;
  const credits = Uint256.safeParse(given);
  if (credits.success && credits.data >= 1n) return credits.data.toString();
  throw new PaymentsError(
    "invalid_amount",
    `The price ${JSON.stringify(given)} is not a whole number of credits of at least 1.`,
  );
}
