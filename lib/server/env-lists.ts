import type { z } from "zod";

/** `0x…=acct_…`, comma-separated. */
export const readConnectedAccounts = (list: string, context: z.RefinementCtx) =>
  readByAddress(list, context, {
    form: "0x…=acct_…",
    read: (text) => (/^acct_\w+$/.test(text) ? text : undefined),
  });

/** `0x…/0x…=250`, comma-separated: a plan's fee controller, an account that may name it in its plans, and the rate. */
export const readFeeControllers = (list: string, context: z.RefinementCtx) =>
  readByAddress(list, context, {
    form: "0xFEE_CONTROLLER/0xACCOUNT_THAT_MAY_NAME_IT=0 to 10000",
    addresses: 2,
    read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 10_000 ? Number(text) : undefined),
  });

/** Each address, or pair of them, once. A fault names the entry by its place: what is malformed may be a key that was pasted here. */
function readByAddress<Value>(
  list: string,
  context: z.RefinementCtx,
  {
    form,
    addresses = 1,
    read,
  }: { form: string; addresses?: number; read: (text: string) => Value | undefined },
): Map<string, Value> {
  const values = new Map<string, Value>();
  const address = "0x[0-9a-fA-F]{40}";
  const entryForm = new RegExp(`^(${address}(?:/${address}){${addresses - 1}})=(\\w+)$`);
  for (const [index, entry] of list.split(",").entries()) {
    if (entry.trim() === "") continue;
    const [, given = "", text = ""] = entryForm.exec(entry.trim()) ?? [];
    const key = given.toLowerCase();
    const value = read(text);
    if (value === undefined) context.addIssue(`Entry ${index + 1} is not ${form}.`);
    else if (values.has(key)) {
      context.addIssue(`Entry ${index + 1} repeats ${key}.`);
    } else values.set(key, value);
  }
  return values;
}
