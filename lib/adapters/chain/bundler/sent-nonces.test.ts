import { keccak256, parseGwei, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { testKey } from "../testing/chain-fixture.ts";
import { senderOf } from "./sent-nonces.ts";

const common = {
  chainId: 84532,
  nonce: 7,
  to: zeroAddress,
  gas: 100_000n,
  maxFeePerGas: parseGwei("2"),
  maxPriorityFeePerGas: 1n,
};

test("a stored transaction says whose key signed it, also with authorizations of session keys", async () => {
  for (let index = 0; index < 8; index += 1) {
    const account = privateKeyToAccount(testKey(`settler ${index}`));
    const session = privateKeyToAccount(testKey(`session key ${index}`));
    const authorization = { chainId: 84532, contractAddress: zeroAddress, nonce: 0 };
    const authorizationList = [await session.signAuthorization(authorization)];
    for (const raw of [
      await account.signTransaction({ ...common, type: "eip1559" }),
      await account.signTransaction({ ...common, type: "eip7702", authorizationList }),
    ]) {
      expect(await senderOf({ raw, hash: keccak256(raw), nonce: 7 })).toBe(account.address);
    }
  }
});
