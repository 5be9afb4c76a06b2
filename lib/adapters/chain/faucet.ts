import { type Address, getAddress } from "viem";
import type { Faucet } from "@/lib/domain/sandbox-ports.ts";
import { balanceOf } from "./account-payments.ts";
import { giveTestDollars, type Operator } from "./operator.ts";

/** 1,000.00 test dollars. */
const TEST_DOLLARS = 1_000_000_000n;
/** One coin, topped up when an account has less than a tenth of it. */
const TEST_COINS = 1_000_000_000_000_000_000n;
/** A smart account runs code when it receives money. */
const TRANSFER_GAS = 100_000n;

/** Gives out test money on a chain where it has no value. Throws where there is no test dollar. */
export function createFaucet(operator: Operator): Faucet {
  const { client, deployment, sender } = operator;

  const dollarsOf = async (account: Address) =>
    deployment.usdc ? balanceOf(client, { account, token: deployment.usdc }) : 0n;

  return {
    async fund(address, { usdc, native, usdcAtLeast = 0n }) {
      const account = getAddress(address);
      const wanted = usdcAtLeast > TEST_DOLLARS ? usdcAtLeast : TEST_DOLLARS;
      const missing = usdc ? wanted - (await dollarsOf(account)) : 0n;
      if (missing > 0n) {
        const gift = await giveTestDollars(operator, { account, amount: missing });
        if (gift.status === "refused") {
          throw new Error(`The test dollars were refused: ${gift.detail}`);
        }
      }
      if (native && (await client.getBalance({ address: account })) < TEST_COINS / 10n) {
        await sender.send({ to: account, data: "0x", value: TEST_COINS, gas: TRANSFER_GAS });
      }
      return {
        account,
        usdc: (await dollarsOf(account)).toString(),
        native: (await client.getBalance({ address: account })).toString(),
      };
    },
  };
}
