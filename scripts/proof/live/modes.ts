import { PaymentsError } from "@turnpike/payments";
import {
  getCryptoPriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { openAccount, payByCard, payOnChain } from "./pay.ts";
import { isTrusting, type LiveWorld, openLiveWorld, runTool, SERVICE, startLive } from "./world.ts";

// Live as the guide sets it up: both rails, crypto only, cards only. Each passes preflight and takes a payment.
type Mode = {
  name: string;
  unset: RegExp;
  settings: Record<string, string>;
  pays: ((world: LiveWorld) => Promise<string>)[];
};

const MODES: Mode[] = [
  { name: "both", unset: /^$/, settings: {}, pays: [payOnChain, payByCard] },
  { name: "crypto", unset: /^STRIPE_/, settings: { PAYMENT_RAILS: "crypto" }, pays: [payOnChain] },
  {
    name: "cards",
    unset: /^(CHAIN_|SETTLER_|DEPLOYMENTS_)/,
    settings: { PAYMENT_RAILS: "cards" },
    pays: [payByCard],
  },
];

async function prove(): Promise<void> {
  for (const { name, unset, settings: changes, pays } of MODES) {
    const world = await openLiveWorld();
    const kept = Object.entries(world.settings).filter(([setting]) => !unset.test(setting));
    const settings = { ...Object.fromEntries(kept), ...changes };
    const live = { ...world, settings };
    const service = await startLive(SERVICE, { settings, origin: world.origin });
    try {
      const printed = await runTool(["scripts/preflight.ts", "--json"], settings, {
        allowed: [0, 1],
      });
      const { ok, checks } = JSON.parse(printed) as {
        ok: boolean;
        checks: { name: string; ok: boolean; cause?: string }[];
      };
      if (!ok) throw new Error(JSON.stringify(checks.filter((check) => !check.ok)));
      const paid: string[] = [];
      for (const pay of pays) paid.push(await pay(live));
      const refused = name === "both" ? "" : await refusesOther(live, name);
      console.log(
        `live mode ${name}: preflight green on ${checks.length} checks; ${paid.join("; ")}${refused}`,
      );
    } finally {
      console.log(`exit ${await service.stop()}`);
      await world.stop();
    }
  }
}

/** A plan of the other rail is refused, and the service does not offer its scheme. */
async function refusesOther(world: LiveWorld, mode: string): Promise<string> {
  const { payments, address } = await openAccount(world);
  const price =
    mode === "crypto"
      ? getFiatPriceConfig(5_000_000n, address)
      : getCryptoPriceConfig(10_000n, address);
  const error = await payments.plans
    .registerCreditsPlan({ name: "Other" }, price, getFixedCreditsConfig(1n, 1n))
    .catch((cause) => cause);
  const isRefused = error instanceof PaymentsError && error.code === "invalid_input";
  if (!isRefused) throw new Error(`A plan of the other rail was not refused: ${error}`);
  return "; plans of the other rail are refused";
}

if (isTrusting(import.meta.filename)) await prove();
