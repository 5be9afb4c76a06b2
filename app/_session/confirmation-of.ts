import "server-only";
import { findSandbox } from "@/app/demo/find-sandbox.ts";
import {
  askPasskey,
  askWallet,
  signInAsDemo,
  signInWithPasskey,
  signInWithWallet,
} from "@/app/sign-in/actions.ts";
import type { Confirmation } from "@/components/sign-in/use-confirmed.tsx";
import type { Session } from "@/lib/domain/accounts/sessions.ts";

/** How the person can confirm that it is them: as they signed in. */
export async function confirmationOf({ account, method }: Session): Promise<Confirmation> {
  const confirmActions = {
    askPasskey,
    askWallet,
    signInAsDemo,
    signInWithPasskey,
    signInWithWallet,
  };
  if (method !== "demo") return { identity: { method }, confirmActions };
  const sandbox = await findSandbox();
  const isBuilder = sandbox?.builder.address === account.address;
  return { identity: { method, role: isBuilder ? "builder" : "subscriber" }, confirmActions };
}
