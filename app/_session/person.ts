import "server-only";
import type { Person } from "@/components/shell/account-menu.tsx";
import type { Session } from "@/lib/domain/accounts/sessions.ts";

/** The person signed in, as the account menu shows them. */
export const personOf = ({ account, method }: Session): Person => ({
  address: account.address,
  name: account.name ?? null,
  method,
});
