import { read } from "@/app/_session/operations.ts";
import { ApiKeyTable } from "@/components/settings/api-key-table.tsx";
import { NewApiKey } from "@/components/settings/new-api-key.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { createApiKey, revokeApiKey } from "./actions.ts";

export const metadata = { title: "API keys" };

export default async function ApiKeysPage() {
  const { items } = await read("listApiKeys", {});
  const { env } = await getRunning();
  return (
    <>
      <PageHeader title="API keys" actions={<NewApiKey createApiKey={createApiKey} />}>
        Agents and scripts use a key to act on your behalf. These keys work in{" "}
        {env.environment === "live" ? "live" : "the sandbox"} only.
      </PageHeader>
      <ApiKeyTable keys={items} revokeApiKey={revokeApiKey} />
    </>
  );
}
