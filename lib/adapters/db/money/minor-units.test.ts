import { expect, test } from "vitest";
import { toMinorUnits } from "@/lib/console/minor-units.ts";
import { openRuleStore } from "../testing/stores.ts";

test("the database counts the minor units of a price as the service does", async () => {
  const database = await openRuleStore();
  const currencies = [...Intl.supportedValuesOf("currency"), "usdc", "eurc", "jpy", "kwd"];
  const amounts = [0n, 1n, 9_999n, 10_000n, 5_000_000n, 5_000_001n, 10n ** 40n + 1n];
  const rows = await database.query<{ currency: string; amount: string; minor: string }>(
    `select currency, amount::text, minor_units(amount, currency)::text as minor
     from unnest($1::text[]) currency, unnest($2::numeric[]) amount`,
    [currencies, amounts.map(String)],
  );
  expect(rows).toHaveLength(currencies.length * amounts.length);
  expect(rows).toEqual(
    rows.map(({ currency, amount }) => ({
      currency,
      amount,
      minor: toMinorUnits(BigInt(amount), currency).toString(),
    })),
  );
  expect(await database.query("select minor_units(1, '0xA1') as minor", [])).toEqual([
    { minor: null },
  ]);
  await database.close();
});
