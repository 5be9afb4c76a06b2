import { keccak256, parseAbi, serializeErc6492Signature, stringToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createRecover } from "@/lib/adapters/crypto/signatures.ts";
import { tokenAbi } from "../abis.ts";
import { createTransactionSender } from "../bundler/transaction-sender.ts";
import type { ChainClient } from "../chain-client.ts";
import type { OwnerKeys } from "../grants/owner-keys.ts";
import { type ChainFixture, startChainFixture, testKey } from "../testing/chain-fixture.ts";
import { createExactChain } from "./exact-chain.ts";
import { createExactPayer } from "./exact-payer.ts";
import { authorizationTypedData } from "./transfer-calls.ts";

const now = async () => new Date();
const PRICE = 10_000n;
let f: ChainFixture;
let count = 0;
const wallet = privateKeyToAccount(testKey("exact wallet"));
const seller = privateKeyToAccount(testKey("exact seller")).address;

beforeAll(async () => {
  f = await startChainFixture();
  await f.write(f.usdc, tokenAbi, "faucet", [wallet.address, 10n * PRICE]);
});
afterAll(async () => {
  await f.stop();
});

const setCode = (code: string) =>
  f.client.request({ method: "anvil_setCode", params: [wallet.address, code] } as never);

async function authorize() {
  const unsigned = {
    id: `exact_${count}`,
    payer: wallet.address,
    asset: f.usdc,
    payTo: seller,
    value: PRICE,
    validAfter: 0n,
    validBefore: 4_000_000_000n,
    nonce: keccak256(stringToHex(`exact nonce ${count++}`)),
    signature: "0x",
  };
  const domain = { name: "USDC", version: "2", chainId: f.deployment.chainId };
  const signature = await wallet.signTypedData(authorizationTypedData(unsigned, domain));
  return { ...unsigned, signature, sinceBlock: await f.client.getBlockNumber(), builder: seller };
}

/** The chain as a process sees it, through its own view of the node. */
function open(view: Partial<ChainClient> = {}, floorCents = 0n) {
  const client = { ...f.client, ...view };
  const settler = privateKeyToAccount(f.settlerKey);
  // The transactions themselves are sent to the same node, whatever it answers.
  const sender = createTransactionSender({ client: f.client, settler });
  return createExactChain({ client, deployment: f.deployment, sender }, { ...terms(), floorCents });
}
const terms = () => ({
  network: `eip155:${f.deployment.chainId}`,
  captures: f.deployment.captures,
  asset: f.usdc,
  floorCents: 0n,
  mostGas: 0,
  recover: createRecover().recover,
  now,
});

test("a capture whose answer was lost is found by its event, and not made again", async () => {
  const payment = await authorize();
  const had = await f.money(seller);
  const first = await open().capture(payment);
  expect(first).toMatchObject({ status: "paid" });
  expect(await open().capture(payment)).toEqual(first);
  expect((await f.money(seller)) - had).toBe(PRICE);
});

test("a payment that is captured by several at once, and again afterwards, takes one transaction", async () => {
  const payment = await authorize();
  const { address } = privateKeyToAccount(f.settlerKey);
  const countSent = () => f.client.getTransactionCount({ address });
  const before = await countSent();
  const chain = open();
  const several = await Promise.all(Array.from({ length: 5 }, () => chain.capture(payment)));
  expect(
    new Set([...several, await chain.capture(payment)].map((each) => JSON.stringify(each))).size,
  ).toBe(1);
  expect((await countSent()) - before).toBe(1);
});

test("a used authorization whose event the node does not show yet is unknown, and never refused", async () => {
  const payment = await authorize();
  const first = await open().capture(payment);
  const lagging = open({ getContractEvents: (async () => []) as ChainClient["getContractEvents"] });
  await expect(lagging.capture(payment)).rejects.toThrow("does not show");
  expect(await open().capture(payment)).toEqual(first);
});

test("a node that answers from before the capture's block says nothing about it", async () => {
  const payment = await authorize();
  const first = await open().capture(payment);
  const stale = BigInt(payment.sinceBlock);
  const behind = open({
    getBlock: (async () => f.client.getBlock({ blockNumber: stale })) as ChainClient["getBlock"],
    readContract: ((call: object) =>
      f.client.readContract({
        ...call,
        blockNumber: stale,
      } as never)) as ChainClient["readContract"],
  });
  await expect(behind.capture(payment)).rejects.toThrow("behind");
  expect(await open().capture(payment)).toEqual(first);
});

test("a canceled authorization is refused", async () => {
  const payment = await authorize();
  const { nonce } = payment;
  const signature = await wallet.signTypedData({
    domain: {
      name: "USDC",
      version: "2",
      chainId: f.deployment.chainId,
      verifyingContract: f.usdc,
    },
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: { authorizer: wallet.address, nonce },
  });
  const abi = parseAbi(["function cancelAuthorization(address, bytes32, bytes)"]);
  await f.write(f.usdc, abi, "cancelAuthorization", [wallet.address, nonce, signature]);
  expect(await open().capture(payment)).toMatchObject({ code: "authorization_used" });
});

test("without the contract that captures, nothing is sent, and what became of an authorization is still found", async () => {
  const { sendRawTransaction } = f.client;
  const sent = vi.fn(sendRawTransaction);
  const without = () => {
    const settler = privateKeyToAccount(f.settlerKey);
    const client = { ...f.client, sendRawTransaction: sent as typeof sendRawTransaction };
    return createExactChain(
      { ...f, sender: createTransactionSender({ client, settler }) },
      { ...terms(), captures: undefined },
    );
  };
  expect([open().takesPayments, without().takesPayments]).toEqual([true, false]);
  const [captured, unused] = [await authorize(), await authorize()];
  const first = await open().capture(captured);
  expect(await without().capture(captured)).toEqual(first);
  await expect(without().capture(unused)).rejects.toThrow("no contract that captures");
  const expired = { ...unused, validBefore: 1n };
  expect(await without().capture(expired)).toMatchObject({ code: "authorization_expired" });
  expect(sent).not.toHaveBeenCalled();
});

test("what a seller captured in time is not called expired by a state from before", async () => {
  const [payment, block] = [await authorize(), await f.client.getBlock()];
  const soon = { ...payment, validBefore: block.timestamp + 30n };
  const unsigned = { ...soon, signature: "0x" };
  const domain = { name: "USDC", version: "2", chainId: f.deployment.chainId };
  const signature = await wallet.signTypedData(authorizationTypedData(unsigned, domain));
  const sent = { ...soon, signature };
  expect(await open().capture(sent)).toMatchObject({ status: "paid" });
  await f.client.request({ method: "evm_increaseTime", params: [60] } as never);
  await f.client.request({ method: "anvil_mine", params: ["0x1"] } as never);
  // One of the node's machines is behind: it reads what no block is named for from before the capture.
  const readContract = ((call: object) =>
    f.client.readContract({ blockNumber: sent.sinceBlock, ...call } as never)) as never;
  const client: ChainClient = { ...f.client, readContract };
  const payer = createExactPayer(
    { ...f, client },
    { owners: {} as OwnerKeys, known: new Set(), now },
  );
  expect(await payer.findCapture(sent)).toMatchObject({ status: "paid" });
});

test("a machine whose clock is an hour ahead signs and judges by the clock that replicas share", async () => {
  const shared = new Date();
  const secs = BigInt(Math.floor(shared.getTime() / 1000));
  const account = await f.createAccount("exact payer");
  await f.write(f.usdc, tokenAbi, "faucet", [account.address, PRICE]);
  const owners = {
    smartAccount: async () => account,
    ownerKey: async () => testKey("exact payer"),
  };
  const own = { owners: owners as OwnerKeys, known: f.known, now: async () => shared };
  const ahead = vi.spyOn(Date, "now").mockReturnValue(shared.getTime() + 3_600_000);
  const transfer = { account: account.address, asset: f.usdc, payTo: seller, value: PRICE };
  const { payment } = await createExactPayer(f, own).sign({ ...transfer, secs: 300 });
  expect(payment.validBefore - secs).toBeLessThan(400n);
  expect(await open().check({ id: "ahead", ...payment })).toMatchObject({ fault: null });
  ahead.mockRestore();
});

test("verify refuses a key's signature that the token refuses, and nothing is wrong with one that names v 0 or 1", async () => {
  const payment = await authorize();
  const [body, s, v] = [
    payment.signature.slice(2, 66),
    BigInt(`0x${payment.signature.slice(66, 130)}`),
    Number.parseInt(payment.signature.slice(130), 16),
  ];
  const sign = (s: bigint, v: number): typeof payment => ({
    ...payment,
    signature: `0x${body}${s.toString(16).padStart(64, "0")}${v.toString(16).padStart(2, "0")}`,
  });
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const twin = await open().check(sign(order - s, 55 - v));
  const short = await open().check({ ...payment, signature: payment.signature.slice(0, -2) });
  expect([twin.fault, short.fault]).toEqual(["authorization_signature", "authorization_signature"]);
  // Bytes that say of themselves that they wrap another signature, and do not.
  const unwrapped = { ...payment, signature: `0x12${"6492".repeat(16)}` };
  expect(await open().check(unwrapped)).toMatchObject({ fault: "authorization_signature" });
  const parity = sign(s, v - 27);
  expect(await open().check(parity)).toMatchObject({ fault: null });
  const had = await f.money(seller);
  expect(await open().capture(parity)).toMatchObject({ status: "paid" });
  expect((await f.money(seller)) - had).toBe(PRICE);
});

test("an account whose code refuses its key's signature is refused at verify, as the token does", async () => {
  const codes = {
    reverts: "0x60006000fd",
    failsToRun: "0xfe",
    saysNo: "0x63ffffffff60e01b60005260206000f3",
    saysTooLittle: "0x631626ba7e60e01b60005260046000f3",
    saysMore: "0x631626ba7e60e01b60011760005260206000f3",
    // A megabyte behind it.
    saysTooMuch: "0x631626ba7e60e01b600052621000006000f3",
    // Takes it from all but the token.
    saysNoToTheToken: `0x73${f.usdc.slice(2)}3314602a57631626ba7e60e01b60005260206000f35b60006000fd`,
    delegates: `0xef0100${f.usdc.slice(2).toLowerCase()}`,
  };
  const told: Record<string, unknown> = {};
  for (const [name, code] of Object.entries(codes)) {
    await setCode(code);
    const payment = await authorize();
    told[name] = [(await open().check(payment)).fault, await open().capture(payment)];
  }
  const refused = ["authorization_signature", expect.objectContaining({ code: "capture_failed" })];
  expect(told).toEqual(Object.fromEntries(Object.keys(codes).map((name) => [name, refused])));
  await setCode("0x631626ba7e60e01b60005260206000f3");
  const taken = { ...(await authorize()), signature: "0x1234" };
  expect((await open().check(taken)).fault).toBeNull();
  expect(await open().capture(taken)).toMatchObject({ status: "paid" });
  await setCode("0x");
});

/** Code that uses about so much gas, and then takes any signature. */
const burning = (gas: number) =>
  `0x62${Math.floor(gas / 26)
    .toString(16)
    .padStart(6, "0")}5b600190038060045763${"1626ba7e60e01b60005260206000f3"}`;

test("a payment that passes verify is captured, however much gas its payer's code uses", async () => {
  const passed: Record<string, string[]> = { key: [], other: [], wrapped: [] };
  const outcomes: [number, string, boolean, boolean][] = [];
  await f.write(f.usdc, tokenAbi, "faucet", [wallet.address, 20n * PRICE]);
  for (const gas of [60_000, 90_000, 250_000, 290_000, 310_000, 400_000]) {
    await setCode(burning(gas));
    const key = await authorize();
    const other = { ...(await authorize()), signature: "0x1234" };
    // The account exists, so that its factory does nothing.
    const created = { address: f.usdc, data: "0x", signature: "0x1234" } as const;
    const wrapped = { ...(await authorize()), signature: serializeErc6492Signature(created) };
    for (const [kind, payment] of Object.entries({ key, other, wrapped })) {
      const { fault } = await open().check(payment);
      const { status } = await open().capture(payment);
      outcomes.push([gas, kind, fault === null, status === "paid"]);
      if (fault === null) passed[kind]?.push(`${gas}`);
    }
  }
  await setCode("0x");
  expect(outcomes.filter(([, , isTaken, isPaid]) => isTaken !== isPaid)).toEqual([]);
  // Passkeys that are checked in Solidity use 200,000 and more.
  const enough = ["60000", "90000", "250000"];
  for (const kinds of Object.values(passed)) expect(kinds).toEqual(expect.arrayContaining(enough));
});

test("the code of a payer whose payment is worth a key's gas only gets no more", async () => {
  await f.write(f.usdc, tokenAbi, "faucet", [wallet.address, PRICE]);
  const cheap = { ...(await authorize()), value: 1_000n };
  await setCode(burning(30_000));
  expect(await open({}, 1n).check(cheap)).toMatchObject({ fault: null });
  await setCode(burning(90_000));
  expect(await open({}, 1n).check(cheap)).toMatchObject({ fault: "capture_failed" });
  expect(await open({}, 1n).capture(cheap)).toMatchObject({ code: "capture_failed" });
  expect(await open({}, 1n).check({ ...cheap, value: PRICE })).toMatchObject({ fault: null });
  await setCode("0x");
});
