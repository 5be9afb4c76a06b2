import {
  type ArmedFault,
  type Funds,
  type ParsedInputOf,
  PaymentsError,
} from "@turnpike/payments/protocol";
import { type Context, requireCaller } from "./context.ts";
import type { FaultLab } from "./sandbox-ports.ts";

/** Gives the caller's account test money: test dollars, the chain's own coin, or both. */
export async function fund(
  context: Context,
  { usdc, native, usdcAtLeast }: ParsedInputOf<"fund">,
): Promise<Funds> {
  const { account } = requireCaller(context);
  const { faucet, environment } = context.ports;
  if (environment !== "sandbox" || !faucet) throw onlyInSandbox("faucet");
  const both = usdc === undefined && native === undefined && usdcAtLeast === undefined;
  return faucet.fund(account, {
    usdc: usdc ?? (both || usdcAtLeast !== undefined),
    native: native ?? both,
    usdcAtLeast,
  });
}

/** Arms a fault, for every caller of this sandbox. */
export async function injectFault(
  context: Context,
  request: ParsedInputOf<"injectFault">,
): Promise<ArmedFault> {
  return labOf(context).arm(request);
}

export async function listFaults(context: Context) {
  return { items: labOf(context).list() };
}

/** Ends every fault, or the one that is named. */
export async function clearFaults(context: Context, { faultId }: ParsedInputOf<"clearFaults">) {
  return { success: true, cleared: await labOf(context).clear(faultId) } as const;
}

function labOf({ ports }: Context): FaultLab {
  if (ports.environment === "sandbox" && ports.faults) return ports.faults;
  throw onlyInSandbox("failure lab");
}

const onlyInSandbox = (what: string) =>
  new PaymentsError("not_found", `There is no ${what} outside the sandbox.`);
