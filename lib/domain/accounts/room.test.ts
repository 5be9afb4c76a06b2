import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const LIMITS = { spendingLimitCents: "100", durationSecs: 60 };

describe.each(ruleStores())("what an account may have, on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let party: TestParty;
  let planId: string;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    party = await service.party();
    ({ planId } = await make.plans());
    await make.agents();
    await make.tokens();
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => database.close());

  const make = {
    plans: () =>
      party.payments.plans.registerCreditsPlan(
        { name: "Starter" },
        getFreePriceConfig(),
        getFixedCreditsConfig(10n),
      ),
    agents: () => party.payments.agents.registerAgent({ name: "Agent" }, { endpoints: [] }, []),
    delegations: () => party.payments.delegation.createDelegation(LIMITS),
    tokens: () => party.payments.x402.getX402AccessToken(planId),
  };
  const kinds = Object.keys(make) as (keyof typeof make)[];

  test.each(kinds)("its %s are counted, those of others are not", async (kind) => {
    const { accounts } = service.ports;
    const other = await service.party();
    expect(await accounts.hasRoom(party.address, kind, 2)).toBe(true);
    expect(await accounts.hasRoom(party.address, kind, 1)).toBe(false);
    expect(await accounts.hasRoom(other.address, kind, 1)).toBe(true);
  });

  test.each(kinds)("one more of its %s is refused once it has the most", async (kind) => {
    const { accounts } = service.ports;
    vi.spyOn(accounts, "hasRoom").mockImplementation(async (_, asked) => asked !== kind);
    await expect(make[kind]()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/^This account has [\d,]+ /),
      hint: expect.stringMatching(/^(Delete|Reuse) /),
    });
  });

  test("delegations and tokens of the day before leave room", async () => {
    const { accounts, clock } = service.ports;
    await clock.advance(86_401);
    for (const kind of ["delegations", "tokens"] as const)
      expect(await accounts.hasRoom(party.address, kind, 1)).toBe(true);
    expect(await accounts.hasRoom(party.address, "plans", 1)).toBe(false);
  });
});
