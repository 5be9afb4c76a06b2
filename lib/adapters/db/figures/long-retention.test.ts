import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../client.ts";
import { brokenRules, ruleStores } from "../testing/stores.ts";
import { sumRequests } from "../testing/sum-requests.ts";
import { deleteOld } from "./retention.ts";

const builder = `0x${"b".repeat(40)}`;
const DAYS = { reports: 90, deliveries: 0, mails: 0, events: 0 };

describe.each(ruleStores())(
  "reports kept for 90 days, longer than sums reach, on $name",
  ({ open }) => {
    let database: Database;
    const run = <Row>(text: string, ...parameters: unknown[]) =>
      database.query<Row>(text, parameters);
    const deleteAll = async () => {
      while ((await deleteOld(database, DAYS)) > 0);
      const [row] = await run<{ n: number }>(
        "select count(*) as n from request_reports where at < app_now() - interval '91 days'",
      );
      return row?.n;
    };
    const brokenSums = async () =>
      (await brokenRules(database)).filter((rule) => rule.includes("sums"));

    beforeAll(async () => {
      database = await open();
      await run(
        "insert into accounts (address, owner, created_at) values ($1, $1, now())",
        builder,
      );
      await run(
        `insert into request_reports (request_key, builder, agent_request_id, at, method, path, http_status, money_status)
       select $1 || '/r' || n, $1, 'r' || n, now() - n * interval '1 day', 'POST', '/', 402, 'challenged' from generate_series(0, 119) n`,
        builder,
      );
      await run(
        "insert into summed_accounts (account, role, seen, covered_from, unpaid_from) values ($1, 'builder', 5000, 'infinity', 'infinity')",
        builder,
      );
    }, 60_000);
    afterAll(() => database.close());

    test("older ones are deleted once the sums cover all that they ever cover", async () => {
      expect(await deleteAll()).toBe(29);
      await sumRequests(database);
      expect(await deleteAll()).toBe(0);
      expect(await brokenSums()).toEqual([]);
    });

    test("a month later the sums are still what the reports say", async () => {
      await run("insert into clock (id, offset_ms) values (1, $1)", 30 * 86_400_000);
      expect(await deleteAll()).toBe(0);
      expect(await brokenSums()).toEqual([]);
    });
  },
);
