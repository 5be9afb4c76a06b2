import {
  encodeFunctionData,
  type Hex,
  keccak256,
  serializeErc6492Signature,
  stringToHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authorizationAbi, capturesAbi, tokenAbi } from "./abis.ts";
import { findRevertData, readRevertReason } from "./revert-reason.ts";
import { smartAccount, smartAccountCreation } from "./smart-account.ts";
import { type ChainFixture, startChainFixture, testKey } from "./testing/chain-fixture.ts";
import { isSignedByWallet } from "./wallet-signature.ts";

let f: ChainFixture;
const payer = privateKeyToAccount(testKey("payer"));
const payee = privateKeyToAccount(testKey("payee")).address;
const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

beforeAll(async () => {
  f = await startChainFixture();
  await f.write(f.usdc, tokenAbi, "faucet", [payer.address, 10_000_000n]);
});
afterAll(() => f.stop());

let count = 0;
const transfer = (changes: object = {}) => ({
  from: payer.address,
  to: payee,
  value: 10_000n,
  validAfter: 0n,
  validBefore: 4_000_000_000n,
  nonce: keccak256(stringToHex(`nonce ${count++}`)),
  ...changes,
});
const typedData = (message: ReturnType<typeof transfer>) => ({
  domain: { name: "USDC", version: "2", chainId: 84532, verifyingContract: f.usdc },
  types,
  primaryType: "TransferWithAuthorization" as const,
  message,
});
const sign = (message: ReturnType<typeof transfer>) => payer.signTypedData(typedData(message));
const data = (message: ReturnType<typeof transfer>, signature: Hex) =>
  encodeFunctionData({
    abi: authorizationAbi,
    functionName: "transferWithAuthorization",
    args: [
      message.from,
      message.to,
      message.value,
      message.validAfter,
      message.validBefore,
      message.nonce,
      signature,
    ],
  });
const run = (calls: { target: Hex; gas: bigint; data: Hex }[]) =>
  f.write(f.deployment.captures as Hex, capturesAbi, "run", [calls]);
async function errorOf(message: ReturnType<typeof transfer>, signature: Hex): Promise<string> {
  try {
    await f.client.call({ account: payee, to: f.usdc, data: data(message, signature) });
    return "done";
  } catch (error) {
    return readRevertReason(findRevertData(error)).name;
  }
}

test("an authorization moves exactly its value, once, by either form", async () => {
  const [first, second] = [transfer(), transfer()];
  const before = await f.money(payee);
  await f.write(f.usdc, authorizationAbi, "transferWithAuthorization", [
    ...Object.values(first),
    await sign(first),
  ]);
  const signature = await sign(second);
  await f.write(f.usdc, authorizationAbi, "transferWithAuthorization", [
    ...Object.values(second),
    Number(`0x${signature.slice(130)}`),
    signature.slice(0, 66),
    `0x${signature.slice(66, 130)}`,
  ]);
  expect((await f.money(payee)) - before).toBe(20_000n);
  expect(await errorOf(first, await sign(first))).toBe("AuthorizationUsedOrCanceled");
});

test.each([
  ["another amount", { value: 10_001n }, "AuthorizationSignature"],
  ["another recipient", { to: payer.address }, "AuthorizationSignature"],
  ["another nonce", { nonce: keccak256("0x01") }, "AuthorizationSignature"],
])("a signature does not authorize %s", async (_, changes, error) => {
  const message = transfer();
  expect(await errorOf({ ...message, ...changes }, await sign(message))).toBe(error);
});

test("an authorization is usable inside its window and up to the balance only", async () => {
  const refused = async (changes: object) => {
    const message = transfer(changes);
    return errorOf(message, await sign(message));
  };
  expect(await refused({ validAfter: 3_999_999_999n })).toBe("AuthorizationNotYetValid");
  expect(await refused({ validBefore: 1n })).toBe("AuthorizationExpired");
  expect(await refused({ value: 10n ** 12n })).toBe("ERC20InsufficientBalance");
});

test("a batch pays what it can: one failing authorization leaves the others alone", async () => {
  const [good, spent, other] = [transfer(), transfer({ value: 10n ** 12n }), transfer()];
  const before = await f.money(payee);
  const calls = [];
  for (const message of [good, spent, good, other])
    calls.push({ target: f.usdc, gas: 150_000n, data: data(message, await sign(message)) });
  await run(calls);
  expect((await f.money(payee)) - before).toBe(20_000n);
});

test("a call that returns as much as its gas allows leaves the gas of the calls after it alone", async () => {
  const bomb = privateKeyToAccount(testKey("return bomb")).address;
  // Returns 600,000 bytes: PUSH3 600000, PUSH1 0, RETURN.
  await f.client.request({ method: "anvil_setCode", params: [bomb, "0x620927c06000f3"] } as never);
  const good = transfer();
  const before = await f.money(payee);
  await run([
    { target: bomb, gas: 800_000n, data: "0x" },
    { target: f.usdc, gas: 150_000n, data: data(good, await sign(good)) },
  ]);
  expect((await f.money(payee)) - before).toBe(10_000n);
});

test("a text signed by a wallet is its own: by key, by ERC-1271 and by ERC-6492", async () => {
  const owner = privateKeyToAccount(testKey("smart signer"));
  const stranger = privateKeyToAccount(testKey("stranger"));
  const account = smartAccount({ deployment: f.deployment, owner: owner.address });
  const creation = smartAccountCreation({ deployment: f.deployment, account });
  const text = { message: "turnpike.example wants you to sign in", address: account.address };
  const [bare, foreign] = await Promise.all([owner.signMessage(text), stranger.signMessage(text)]);
  const wrapped = (signature: Hex) =>
    serializeErc6492Signature({ address: creation.to, data: creation.data, signature });
  const isSigned = (signature: Hex, address: Hex = account.address) =>
    isSignedByWallet(f.client, { ...text, address, signature });
  expect(await isSigned(bare, owner.address)).toBe(true);
  expect(await isSigned(bare)).toBe(false);
  expect(await isSigned(wrapped(bare))).toBe(true);
  expect(await isSigned(wrapped(foreign))).toBe(false);
  expect(await isSigned(wrapped(foreign), owner.address)).toBe(false);
  await run([{ target: creation.to, gas: 600_000n, data: creation.data }]);
  expect(await isSigned(bare)).toBe(true);
  expect(await isSigned(foreign)).toBe(false);
});

test("a smart account signs by ERC-1271, and is deployed first where it does not exist (ERC-6492)", async () => {
  const owner = privateKeyToAccount(testKey("smart payer"));
  const account = smartAccount({ deployment: f.deployment, owner: owner.address });
  await f.write(f.usdc, tokenAbi, "faucet", [account.address, 50_000n]);
  const message = transfer({ from: account.address });
  const signature = await owner.signTypedData(typedData(message));
  expect(await errorOf(message, signature)).toBe("AuthorizationSignature");
  const creation = smartAccountCreation({ deployment: f.deployment, account });
  const before = await f.money(payee);
  await run([
    { target: creation.to, gas: 600_000n, data: creation.data },
    { target: f.usdc, gas: 200_000n, data: data(message, signature) },
  ]);
  expect((await f.money(payee)) - before).toBe(10_000n);
});
