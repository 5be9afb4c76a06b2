import { read } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { findSandbox } from "@/app/demo/find-sandbox.ts";
import {
  askPasskey,
  askWallet,
  signInAsDemo,
  signInWithPasskey,
  signInWithWallet,
} from "@/app/sign-in/actions.ts";
import { clientLines } from "@/components/plans/plan-code.ts";
import { ApiKeys } from "@/components/settings/api-keys/api-keys.tsx";
import type { Identity } from "@/components/sign-in/confirm-identity.tsx";
import type { Session } from "@/lib/domain/accounts/sessions.ts";
import { getRunning } from "@/lib/server/running.ts";
import { createApiKey, revokeApiKey } from "./actions.ts";

export const metadata = { title: "API keys" };

export default async function ApiKeysPage() {
  const { items } = await read("listApiKeys", {});
  const { env } = await getRunning();
  return (
    <ApiKeys
      keys={items}
      isSandbox={env.environment === "sandbox"}
      snippet={clientLines(env).join("\n")}
      now={new Date().toISOString()}
      identity={await identityOf(await requireSession())}
      confirmActions={{ askPasskey, askWallet, signInAsDemo, signInWithPasskey, signInWithWallet }}
      createApiKey={createApiKey}
      revokeApiKey={revokeApiKey}
    />
  );
}

/** How the person can confirm that it is them: as they signed in. */
async function identityOf({ account, method }: Session): Promise<Identity> {
  if (method !== "demo") return { method };
  const sandbox = await findSandbox();
  const isBuilder = sandbox?.builder.address === account.address;
  return { method, role: isBuilder ? "builder" : "subscriber" };
}
