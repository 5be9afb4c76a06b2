import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testKey } from "@/lib/adapters/chain/testing/chain-fixture.ts";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { createTestDatabase } from "@/lib/adapters/db/testing/stores.ts";
import { type EmbeddedChain, startEmbeddedChain } from "@/lib/sandbox/chain/embedded-chain.ts";
import { createTestService } from "../testing/test-service.ts";
import { deployOnce } from "./deploy-once.ts";

const postgres = inject("postgresUrl");
const folder = mkdtempSync(join(tmpdir(), "turnpike-deploy-once-"));
const deploymentsFile = join(folder, "deployments.json");
let chain: EmbeddedChain;

beforeAll(async () => {
  chain = await startEmbeddedChain({ dataDir: join(folder, "chain") });
}, 30_000);
afterAll(async () => {
  await chain.stop();
  rmSync(folder, { recursive: true, force: true });
});

const deploy = (changes: Partial<Parameters<typeof deployOnce>[0]> = {}) =>
  deployOnce({
    rpcUrl: chain.rpcUrl,
    chainId: 84532,
    deploymentsFile,
    databaseUrl: undefined,
    settlerPrivateKey: testKey("settler"),
    admin: privateKeyToAddress(testKey("admin")),
    sandbox: true,
    isNew: false,
    ...changes,
  });
const other = { admin: privateKeyToAddress(testKey("other")) };

test("contracts of a file are kept, and never replaced by others", async () => {
  await expect(deploy({ chainId: 8453 })).rejects.toThrow("is chain 84532, but CHAIN_ID is 8453");
  const first = await deploy();
  expect(first.isKept).toBe(false);
  const file = readFileSync(deploymentsFile, "utf8");
  expect(await deploy()).toEqual({ deployment: first.deployment, isKept: true });
  expect(await deploy(other)).toEqual({ deployment: first.deployment, isKept: true });
  await expect(deploy({ ...other, isNew: true })).rejects.toThrow("--new needs DATABASE_URL");
  expect(readFileSync(deploymentsFile, "utf8")).toBe(file);
});

test("a file whose contracts the chain does not have stays as it is, and no others are deployed", async () => {
  const file = readFileSync(deploymentsFile, "utf8");
  const { deployment } = await deploy();
  const plans = privateKeyToAddress(testKey("no code"));
  const elsewhere = JSON.stringify({ 84532: { ...deployment, plans } });
  writeFileSync(deploymentsFile, elsewhere);
  await expect(deploy()).rejects.toThrow(/already names contracts.*Nothing was deployed.*--new/);
  expect(readFileSync(deploymentsFile, "utf8")).toBe(elsewhere);
  writeFileSync(deploymentsFile, file);
});

test("a contract of a later release is added to the file of an earlier one, and no other is sent", async () => {
  const { deployment } = await deploy();
  const { periodLimits: _, ...earlier } = deployment;
  // Contracts of another release are at other addresses than this one plans.
  const kept = { ...earlier, sessionLimitsEnforcer: deployment.captures as `0x${string}` };
  writeFileSync(deploymentsFile, JSON.stringify({ 84532: kept }));
  const added = await deploy();
  expect(added).toEqual({
    deployment: { ...kept, periodLimits: deployment.periodLimits },
    isKept: false,
  });
  expect(await deploy()).toEqual({ deployment: added.deployment, isKept: true });
  // The settler's key was changed since they were deployed.
  writeFileSync(deploymentsFile, JSON.stringify({ 84532: kept }));
  expect(await deploy({ settlerPrivateKey: testKey("next settler") })).toEqual(added);
  writeFileSync(deploymentsFile, JSON.stringify({ 84532: deployment }));
});

test.skipIf(!postgres)("others are deployed for an empty database only", async () => {
  const databaseUrl = await createTestDatabase(postgres ?? "");
  const before = JSON.parse(readFileSync(deploymentsFile, "utf8"));
  const database = await openDatabase({ url: databaseUrl });
  const empty = await deploy({ ...other, isNew: true, databaseUrl });
  expect(empty.isKept).toBe(false);
  expect(empty.deployment.plans).not.toBe(before[84532].plans);
  await createTestService(database).party();
  await database.close();
  const third = { admin: privateKeyToAddress(testKey("third")), databaseUrl };
  await expect(deploy({ ...third, isNew: true })).rejects.toThrow("has accounts");
  // The file was lost: the database still belongs to its contracts.
  rmSync(deploymentsFile);
  await expect(deploy(third)).rejects.toThrow("Restore its DEPLOYMENTS_FILE");
});
