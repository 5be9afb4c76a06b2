import "server-only";
import { findSandbox } from "@/app/demo/find-sandbox.ts";
import type { Identity } from "@/components/sign-in/confirm-identity.tsx";
import type { Session } from "@/lib/domain/accounts/sessions.ts";

/** How the person can confirm that it is them: as they signed in. */
export async function identityOf({ account, method }: Session): Promise<Identity> {
  if (method !== "demo") return { method };
  const sandbox = await findSandbox();
  const isBuilder = sandbox?.builder.address === account.address;
  return { method, role: isBuilder ? "builder" : "subscriber" };
}
