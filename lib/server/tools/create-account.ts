import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import { createApiKey } from "@/lib/domain/accounts/api-keys.ts";
import { actingFor, auditNote } from "@/lib/domain/context.ts";
import type { Ports } from "@/lib/domain/ports.ts";

/**
 * Creates the account of a wallet, if it is new, and an API key for it. Throws `conflict` for a stopped account.
 *
 * @param options.isOperator lets the account redeem plans of `ONLY_GLOBAL_ROLE`; `isPromoted` tells that it existed and could
 * not before.
 * @example const { apiKey } = await createAccount(ports, { owner, name: "First key", requestId: "create-account" });
 */
export async function createAccount(
  ports: Ports,
  options: { owner: string; name: string; requestId: string; isOperator?: boolean },
) {
  const { owner, name, requestId, isOperator: isAsked = false } = options;
  const address = ports.addresses.addressOf(owner);
  if ((await ports.accounts.find(address))?.stoppedAt) throw stopped(address);
  const createdAt = await ports.clock.now();
  await ports.accounts.ensure({ address, owner, ownerKey: null, isOperator: isAsked, createdAt });
  const contextOf = (isOperator: boolean) => actingFor(ports, address, requestId, isOperator);
  const note = auditNote(contextOf(isAsked), "account.make-operator", address);
  const isPromoted = isAsked && (await ports.accounts.makeOperator(address, note));
  const context = contextOf((await ports.accounts.find(address))?.isOperator ?? false);
  const key = await createApiKey(context, { name });
  return { address, context, isPromoted, ...key };
}

const stopped = (address: string) =>
  new PaymentsError(
    "conflict",
    `The account ${address} is stopped, so its keys are refused. No key was created. Undo the stop first: see docs/account-requests.md.`,
  );
