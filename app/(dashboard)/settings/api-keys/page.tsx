import { confirmationOf } from "@/app/_session/confirmation-of.ts";
import { read } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { clientLine, headLines } from "@/components/plans/plan-code.ts";
import { ApiKeys } from "@/components/settings/api-keys/api-keys.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { createApiKey, revokeApiKey } from "./actions.ts";

export const metadata = { title: "API keys" };

export default async function ApiKeysPage() {
  const { items } = await read("listApiKeys", {});
  const { env, ports } = await getRunning();
  return (
    <ApiKeys
      keys={items}
      isSandbox={env.environment === "sandbox"}
      snippet={[
        ...headLines(env, "call.mjs"),
        'import { Payments } from "@turnpike/payments";',
        "",
        clientLine(env),
      ].join("\n")}
      now={(await ports.clock.now()).toISOString()}
      confirmation={await confirmationOf(await requireSession())}
      createApiKey={createApiKey}
      revokeApiKey={revokeApiKey}
    />
  );
}
