import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, inject, test } from "vitest";
import { claimCardAccount, claimDatabase } from "@/lib/adapters/db/chain/made-for.ts";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { createTestDatabase } from "@/lib/adapters/db/testing/stores.ts";
import { cardAccountCheck } from "./card-checks.ts";
import { runCheck } from "./check.ts";

const server = inject("postgresUrl");

test.skipIf(!server)(
  "keys of another account than the database's are named, also before its migrations",
  async () => {
    const stripe = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: "acct_own", object: "account" }));
    });
    await new Promise<void>((listening) => stripe.listen(0, "127.0.0.1", listening));
    const { port } = stripe.address() as AddressInfo;
    const settings = {
      secretKey: "sk_test_1",
      publishableKey: "pk_test_1",
      webhookSecrets: [],
      apiBase: `http://127.0.0.1:${port}`,
    };
    const found = (databaseUrl: string) => runCheck(cardAccountCheck(settings, { databaseUrl }));
    const unknown = { ok: true, found: expect.stringContaining("not recorded yet") };
    expect(await found(await createTestDatabase(server ?? ""))).toMatchObject(unknown);

    const url = await createTestDatabase(server ?? "", inject("postgresTemplate"));
    const database = await openDatabase({ url });
    await claimDatabase(database, { environment: "live", chainId: 8453, plans: "0x1" });
    expect(await found(url)).toMatchObject(unknown);
    await claimCardAccount(database, "acct_own");
    expect(await found(url)).toMatchObject({ ok: true, found: "acct_own" });
    await database.query("update made_for set card_account = 'acct_other'", []);
    expect(await found(url)).toMatchObject({
      ok: false,
      cause: expect.stringContaining("in the Stripe account acct_other"),
      remedy: expect.stringContaining("update made_for set card_account = 'acct_own'"),
    });
    await database.query("alter table made_for drop column card_account", []);
    expect(await found(url)).toMatchObject(unknown);
    await database.close();
    await new Promise((closed) => stripe.close(closed));
  },
);
