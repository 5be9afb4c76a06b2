import { join } from "node:path";
import { createPublicClient, encodeFunctionData, type Hex, http, stringToHex } from "viem";
import { plansAbi } from "../lib/adapters/chain/abis.ts";
import { readSandboxFile } from "../lib/sandbox/sandbox-file.ts";
import { type BootedSandbox, bootSandbox } from "./support/boot-sandbox.ts";
import { clickDemo } from "./support/sign-in.ts";
import { expect, expectNoAxeFindings, test } from "./support/test.ts";

/** What stops sales stops them for everyone, so this has a sandbox to itself. */
test.describe("while ledger and chain differ", () => {
  let sandbox: BootedSandbox;
  test.beforeAll(async () => {
    test.setTimeout(150_000);
    sandbox = await bootSandbox();
  });
  test.afterAll(() => sandbox.stop());

  test("the pages that lead to an order say that paid orders are paused, and what still works @long", async ({
    browser,
  }) => {
    test.setTimeout(120_000);
    const page = await (await browser.newContext({ baseURL: sandbox.url })).newPage();
    await clickDemo(page, "subscriber");
    const { plans } = await readSandboxFile(join(sandbox.dataDir, "sandbox.json"));
    const notice = page.getByText("Paid orders are paused.");
    await page.goto(`/checkout/${plans.crypto}`);
    await page.getByRole("button", { name: /^Pay / }).click();
    await expect(page.getByRole("heading", { name: / added$/ })).toBeVisible({ timeout: 30_000 });
    const order = new URL(page.url()).pathname;
    await expect(notice).toHaveCount(0);

    await mintBesideTheLedger();
    await expect(async () => {
      await page.goto("/home");
      await expect(notice).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: 60_000 });
    const pages = [order, `/checkout/${plans.crypto}`, `/checkout/${plans.card}`];
    for (const path of [...pages, `/tokens/new?plan=${plans.crypto}`]) {
      await page.goto(path);
      await expect(notice, path).toBeVisible();
      await expectNoAxeFindings(page);
    }
    await page.goto(`/checkout/${plans.crypto}`);
    await page.getByRole("button", { name: /^Pay / }).click();
    await expect(page.getByText("Sales are stopped")).toBeVisible();
  });

  /** The settler's key mints credits that no order paid for. */
  async function mintBesideTheLedger(): Promise<void> {
    const { chain, plans } = await readSandboxFile(join(sandbox.dataDir, "sandbox.json"));
    const answer = await fetch(`${sandbox.url}/api/v1/x402/supported`);
    const { signers } = (await answer.json()) as { signers: Record<string, Hex[]> };
    const [from] = signers["eip155:*"] ?? [];
    const client = createPublicClient({ transport: http(chain?.rpcUrl) });
    const send = (method: string, ...params: unknown[]) =>
      client.request({ method, params } as never);
    const data = encodeFunctionData({
      abi: plansAbi,
      functionName: "mintFor",
      args: [
        BigInt(plans.crypto),
        "0x000000000000000000000000000000000000dEaD",
        1n,
        stringToHex("beside", { size: 32 }),
      ],
    });
    await send("anvil_impersonateAccount", from);
    await send("eth_sendTransaction", { from, to: chain?.contracts.plans, data });
  }
});
