import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  padHex,
  toEventSelector,
  toHex,
  zeroAddress,
} from "viem";
import { expect, test } from "vitest";
import { authorizationAbi, entryPointAbi, tokenAbi } from "../abis.ts";
import { findOwnLogs } from "../bundler/handle-ops.ts";
import type { Deployment } from "../deployment.ts";
import { findOwnTransfers } from "./find-transfer.ts";

const address = (value: number): Address => padHex(toHex(value), { size: 20 });
const hash = (value: number): Hex => padHex(toHex(value), { size: 32 });
const [entryPoint, token, account, to] = [1, 2, 3, 4].map(address) as [
  Address,
  Address,
  Address,
  Address,
];
const AMOUNT = 4_000_000n;
const OWN = hash(7);

type Log = { address: Address; topics: [Hex, ...Hex[]]; data: Hex };
const log = (address: Address, topics: unknown, data: Hex = "0x"): Log => ({
  address,
  topics: topics as Log["topics"],
  data,
});
const started = log(entryPoint, [toEventSelector("BeforeExecution()")]);
const ended = (userOpHash: Hex) => {
  const args = { userOpHash, sender: account, paymaster: address(0) };
  const topics = encodeEventTopics({ abi: entryPointAbi, eventName: "UserOperationEvent", args });
  return log(entryPoint, topics);
};
const moved = (parts: { amount?: bigint; to?: Address; token?: Address } = {}) => {
  const args = { from: account, to: parts.to ?? to };
  const topics = encodeEventTopics({ abi: tokenAbi, eventName: "Transfer", args });
  const data = encodeAbiParameters([{ type: "uint256" }], [parts.amount ?? AMOUNT]);
  return log(parts.token ?? token, topics, data);
};
const authorized = log(
  token,
  encodeEventTopics({
    abi: authorizationAbi,
    eventName: "AuthorizationUsed",
    args: { authorizer: account, nonce: hash(9) },
  }),
);
const other = log(entryPoint, [toEventSelector("Deposited(address,uint256)")]);

const isMade = (logs: Log[]) => {
  const own = findOwnLogs({ entryPoint } as Deployment, logs, OWN);
  return own && findOwnTransfers(own, { account, token, to }, entryPoint).includes(AMOUNT);
};

test.each([
  ["its own transfer", [started, moved(), ended(OWN)], true],
  ["its own, after another's", [started, ended(hash(8)), moved(), ended(OWN)], true],
  ["its own, and an event that others cause", [started, moved(), other, ended(OWN)], true],
  ["no transfer", [started, ended(OWN)], false],
  ["another operation's before it", [started, moved(), ended(hash(8)), ended(OWN)], false],
  ["another operation's after it", [started, ended(OWN), moved(), ended(hash(8))], false],
  ["what was moved before operations ran", [moved(), started, ended(OWN)], false],
  ["less", [started, moved({ amount: AMOUNT - 1n }), ended(OWN)], false],
  ["more", [started, moved({ amount: AMOUNT + 1n }), ended(OWN)], false],
  ["another receiver's", [started, moved({ to: address(5) }), ended(OWN)], false],
  ["another token's", [started, moved({ token: address(5) }), ended(OWN)], false],
  ["an authorization's, which pays its seller", [started, authorized, moved(), ended(OWN)], false],
  ["nothing of it", [started, moved(), ended(hash(8))], undefined],
])("of a transaction with %s, an operation's transfer is judged", (_, logs, expected) => {
  expect(isMade(logs)).toBe(expected);
});

const withdrawn = (parts: { by?: Address; to?: Address; from?: Address } = {}) => {
  const args = { account: parts.by ?? account };
  const topics = encodeEventTopics({ abi: entryPointAbi, eventName: "Withdrawn", args });
  const data = [{ type: "address" }, { type: "uint256" }] as const;
  return log(parts.from ?? entryPoint, topics, encodeAbiParameters(data, [parts.to ?? to, AMOUNT]));
};

test.each([
  ["the coin's own", withdrawn(), [AMOUNT]],
  ["another account's", withdrawn({ by: address(5) }), []],
  ["another receiver's", withdrawn({ to: address(5) }), []],
  ["another contract's", withdrawn({ from: address(5) }), []],
])("%s event through EntryPoint is judged", (_, event, amounts) => {
  const transfer = { account, token: zeroAddress, to };
  expect(findOwnTransfers([event], transfer, entryPoint)).toEqual(amounts);
});
