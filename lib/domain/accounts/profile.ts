import { plainLine } from "@turnpike/payments/protocol";
import { auditNote, type Context, requireCaller } from "../context.ts";

/** A name shown beside an address: up to 80 plain characters; empty takes it away. */
export const ProfileName = plainLine(80);

/** Names the caller's account. The address stays what tells accounts apart. */
export async function renameAccount(context: Context, name: string): Promise<void> {
  const { account } = requireCaller(context);
  await context.ports.accounts.rename(
    account,
    name.trim() === "" ? null : name.trim(),
    auditNote(context, "account.rename", account),
  );
}
