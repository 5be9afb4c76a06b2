import { PaymentsError } from "@turnpike/payments/protocol";
import type { Ports } from "../ports.ts";
import type { PayoutAccountRecord, PayoutAccountState, PayoutProcessor } from "./payout-ports.ts";

/** Reads the account's status at the processor and keeps it. */
export async function refreshPayoutAccount(
  ports: Ports,
  account: string,
): Promise<PayoutAccountRecord & PayoutAccountState> {
  const setup = await requireAccount(ports, account);
  const found = await requireProcessor(ports).readAccount(setup.processorAccount);
  const { status, missing } = found;
  await ports.payouts.updateAccount(account, { status, missing });
  return { ...setup, ...found };
}

/** Whether money in a currency reaches the account as it is: converted on its way, it could be neither paid out nor taken back whole. */
export const holdsCurrency = ({ currencies }: PayoutAccountState, currency: string): boolean =>
  currencies?.includes(currency) ?? true;

/** What pays builders, or `rail_unavailable`. */
export function requireProcessor({ payoutProcessor }: Ports): PayoutProcessor {
  if (payoutProcessor) return payoutProcessor;
  throw new PaymentsError("rail_unavailable", "This deployment doesn’t pay out card sales.");
}

/** The caller's account at the processor, or `conflict` before there is one. */
export async function requireAccount(
  { payouts }: Ports,
  account: string,
): Promise<PayoutAccountRecord> {
  const setup = await payouts.findAccount(account);
  if (setup) return setup;
  throw new PaymentsError("conflict", "Payouts are not set up yet.", {
    hint: "Set them up on Balance, Payouts, or with POST /payout-accounts.",
  });
}

/** The same, as the processor knows it now, or `conflict` while it pays nothing out. */
export async function requireActive(
  ports: Ports,
  account: string,
): Promise<PayoutAccountRecord & PayoutAccountState> {
  await requireAccount(ports, account);
  const setup = await refreshPayoutAccount(ports, account).catch((cause) => {
    if (PaymentsError.is(cause)) throw cause;
    throw new PaymentsError(
      "unavailable",
      "The card processor is not responding. Nothing was changed.",
      {
        retryAfterSecs: 5,
      },
    );
  });
  if (setup.status === "active") return setup;
  const [message, hint] = obstacleOf(setup);
  throw new PaymentsError("conflict", message, {
    hint,
    details: setup.missing.map((path) => ({ path, message: "Missing." })),
  });
}

/** Why the processor pays nothing out, and what to do. */
function obstacleOf({ status, isClosed, disabledReason }: PayoutAccountState): [string, string] {
  if (isClosed) {
    return [
      "Your account at the processor is closed.",
      "Set up payouts again on Balance, Payouts, or with POST /payout-accounts.",
    ];
  }
  const page = "Continue on the processor’s page: POST /payout-accounts returns a link.";
  if (status === "onboarding") {
    return ["Payouts are not set up yet.", page];
  }
  if (!disabledReason) {
    return ["The processor has paused your payouts until it gets the missing information.", page];
  }
  return disabledReason.startsWith("rejected.")
    ? ["The processor has rejected your account and pays nothing out.", "Contact support."]
    : ["The processor is checking your account and pays nothing out yet.", "Pay out again later."];
}
