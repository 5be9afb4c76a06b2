import type { z } from "zod";

/** `0x…=acct_…`, comma-separated. */
export function readConnectedAccounts(list: string, context: z.RefinementCtx): Map<string, string> {
  const accounts = new Map<string, string>();
  for (const [index, entry] of entriesOf(list)) {
    const [, builder, account] = /^\s*(0x[0-9a-fA-F]{40})=(acct_\w+)\s*$/.exec(entry) ?? [];
    if (builder && account) accounts.set(builder.toLowerCase(), account);
    else context.addIssue(`Entry ${index + 1} is not 0x…=acct_….`);
  }
  return accounts;
}

/** `0x…=250`, comma-separated: a plan's fee controller and its rate. */
export function readFeeControllers(list: string, context: z.RefinementCtx): Map<string, number> {
  const rates = new Map<string, number>();
  for (const [index, entry] of entriesOf(list)) {
    const [, controller, bps] = /^\s*(0x[0-9a-fA-F]{40})=(\d{1,5})\s*$/.exec(entry) ?? [];
    if (controller && Number(bps) <= 10_000) rates.set(controller.toLowerCase(), Number(bps));
    else context.addIssue(`Entry ${index + 1} is not 0x…=0 to 10000.`);
  }
  return rates;
}

/** With their place in the list: what a fault does not repeat may be a key that was pasted here. */
const entriesOf = (list: string) =>
  [...list.split(",").entries()].filter(([, entry]) => entry.trim() !== "");
