import { randomBytes } from "node:crypto";
import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { createSealing } from "@/lib/adapters/crypto/sealing.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { firstCases } from "@/lib/testing/in-full.ts";
import { createMarket, type TestMarket } from "../testing/test-service.ts";
import { useChainMarket } from "../testing/use-chain-market.ts";

describe("where a key can't be read", () => {
  const at = useChainMarket(openRuleStore);

  const openMarket = () =>
    createMarket(at.service, {
      price: getCryptoPriceConfig(1_000_000n, at.receiver, at.service.usdc),
      credits: getFixedCreditsConfig(100n, 1n),
    });

  async function settle({ builder, planId, agentId, endpoint, token }: TestMarket) {
    const { agentRequestId, success } = await builder.payments.facilitator.settlePermissions({
      paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
      x402AccessToken: token,
    });
    expect(success).toBe(true);
    return agentRequestId ?? "";
  }

  const statusOf = async (agentRequestId: string) => {
    const [row] = await at.database.query<{ status: string }>(
      "select chain_status as status from settlements where agent_request_id = $1",
      [agentRequestId],
    );
    return row?.status;
  };

  /** Seals something under a root key that the service does not have. */
  const sealed = (purpose: string, row: string) =>
    createSealing([randomBytes(32)]).seal("0x01", { purpose, row });

  type Kept = { name: string; tables: string[]; column: string; of: string; purpose: string };

  test.each<Kept>(
    firstCases(1, [
      {
        name: "owner key",
        tables: ["accounts"],
        column: "owner_key",
        of: "address",
        purpose: "account-owner",
      },
      {
        name: "session key",
        tables: ["delegations", "chain_grants"],
        column: "session_key",
        of: "account",
        purpose: "session-key",
      },
    ]),
  )(
    "an account whose $name can't be read waits alone, and is mirrored once it can be",
    async ({ name, tables, column, of, purpose }) => {
      const { database, service } = at;
      const [broken, sound] = [await openMarket(), await openMarket()];
      const { address } = broken.subscriber;
      const write = async (text: unknown, table: string) =>
        database.query(`update ${table} set ${column} = $2 where ${of} = $1`, [address, text]);
      const [first = ""] = tables;
      const [kept] = await database.query<{ text: string }>(
        `select ${column} as text from ${first} where ${of} = $1`,
        [address],
      );
      await write(sealed(purpose, address), first);
      const waiting = await settle(broken);
      const other = await settle(sound);
      await expect.poll(() => statusOf(other), { timeout: 20_000 }).toMatch(/included|final/);
      expect(await statusOf(waiting)).toBe("pending");
      await service.onChain.readUnreadable();
      expect(service.onChain.findUnreadable()).toBe("burns wait for 1 key that can't be read");
      const [row] = await database.query<{ text: string }>(
        "select last_error as text from outbox where kind = 'chain.burn' and state = 'open'",
        [],
      );
      expect(row?.text).toMatch(new RegExp(`^KeyUnreadable: The ${name} .* can't be read\\.$`));

      for (const table of tables) await write(kept?.text, table);
      await database.query("update outbox set due_at = app_now() where kind = 'chain.burn'", []);
      await service.untilMirrored();
      expect(await statusOf(waiting)).toMatch(/included|final/);
      await service.onChain.readUnreadable();
      expect(service.onChain.findUnreadable()).toBeNull();
    },
  );
});
