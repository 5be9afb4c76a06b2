import type { z } from "zod";

/** `0x…=acct_…`, comma-separated. */
export const readConnectedAccounts = (list: string, context: z.RefinementCtx) =>
  readByAddress(list, context, {
    form: "0x…=acct_…",
    read: (text) => (/^acct_\w+$/.test(text) ? text : undefined),
  });

/** `0x…=250`, comma-separated: a plan's fee controller and its rate. */
export const readFeeControllers = (list: string, context: z.RefinementCtx) =>
  readByAddress(list, context, {
    form: "0x…=0 to 10000",
    read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 10_000 ? Number(text) : undefined),
  });

/** Each address once. A fault names the entry by its place: what is malformed may be a key that was pasted here. */
function readByAddress<Value>(
  list: string,
  context: z.RefinementCtx,
  { form, read }: { form: string; read: (text: string) => Value | undefined },
): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const [index, entry] of list.split(",").entries()) {
    if (entry.trim() === "") continue;
    const [, given = "", text = ""] = /^(0x[0-9a-fA-F]{40})=(\w+)$/.exec(entry.trim()) ?? [];
    const address = given.toLowerCase();
    const value = read(text);
    if (value === undefined) context.addIssue(`Entry ${index + 1} is not ${form}.`);
    else if (values.has(address)) {
      context.addIssue(`Entry ${index + 1} repeats the address ${address}.`);
    } else values.set(address, value);
  }
  return values;
}
