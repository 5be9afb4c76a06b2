import {
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  type Hex,
  keccak256,
  parseEther,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { creditsAbi, delegationManagerAbi, plansAbi, smartAccountAbi, tokenAbi } from "./abis.ts";
import reentrantReceiver from "./artifacts/ReentrantReceiver.json" with { type: "json" };
import { encodeHandleOps } from "./bundler/handle-ops.ts";
import {
  burnCall,
  createUserOperation,
  redeemGrant,
  userOperationTypedData,
} from "./bundler/user-operation.ts";
import { deployContracts } from "./deploy.ts";
import { DETERMINISTIC_DEPLOYER } from "./deployment-plan.ts";
import { grantHash } from "./grants/grant.ts";
import {
  createRevocation,
  revocationTypedData,
  revokeGrantOnChain,
} from "./grants/revoke-grant.ts";
import { sessionKeyFromPrivateKey } from "./grants/session-key.ts";
import { orderCalls } from "./order-calls.ts";
import { findRevertData, readRevertReason } from "./revert-reason.ts";
import {
  type ChainFixture,
  freePlan,
  startChainFixture,
  testKey,
} from "./testing/chain-fixture.ts";

let f: ChainFixture;
const root = keccak256(stringToHex("receipts"));
const receiver = privateKeyToAccount(testKey("receiver")).address;
const second = privateKeyToAccount(testKey("second receiver")).address;

beforeAll(async () => {
  f = await startChainFixture();
});
afterAll(async () => {
  await f.stop();
});

const burn = (holder: `0x${string}`, planId: bigint, amount = 1n, count = 1n, proof: Hex = root) =>
  burnCall(f.deployment, { holder, planId, amount, count, root: proof });
const faucet = (account: `0x${string}`, amount: bigint) =>
  f.write(f.usdc, tokenAbi, "faucet", [account, amount]);
const priced = (amounts: bigint[]) => ({
  token: f.usdc,
  amounts,
  receivers: [receiver, second].slice(0, amounts.length),
});
const owner = (name: string) => privateKeyToAccount(testKey(name));
const word = (hex: string) => hex.padStart(64, "0");
/** Runs a call as any address and returns the error's name. */
async function errorOf(
  account: `0x${string}`,
  to: `0x${string}`,
  data: Hex,
  value = 0n,
): Promise<string> {
  try {
    await f.client.call({ account, to, data, value });
    return "done";
  } catch (error) {
    return readRevertReason(findRevertData(error)).name;
  }
}

describe("a session key with a grant", () => {
  test("approves and orders in one operation, and every receiver is paid", async () => {
    const planId = await f.registerPlan(priced([3_000_000n, 1_000_000n]));
    const { account, grant, sessionKey } = await f.createGrant("alice", {
      plans: [planId],
      orderLimit: 4_000_000n,
    });
    await faucet(account.address, 5_000_000n);
    const before = [await f.money(receiver), await f.money(second)] as const;
    const calls = orderCalls(f.deployment, { planId, token: f.usdc, total: 4_000_000n });
    expect(await f.act(grant, sessionKey, calls)).toBe("done");
    expect(await f.credits(account.address, planId)).toBe(100n);
    expect(await f.money(account.address)).toBe(1_000_000n);
    expect((await f.money(receiver)) - before[0]).toBe(3_000_000n);
    expect((await f.money(second)) - before[1]).toBe(1_000_000n);
  });

  test("burns credits for several calls at once", async () => {
    const planId = await f.registerPlan();
    const { account, grant, sessionKey } = await f.createGrant("burner", { plans: [planId] });
    await f.mint(planId, account.address, 50n);
    expect(await f.act(grant, sessionKey, [burn(account.address, planId, 20n, 4n)])).toBe("done");
    expect(await f.credits(account.address, planId)).toBe(30n);
  });

  test("pays a native price from the account", async () => {
    const planId = await f.registerPlan({ amounts: [parseEther("1")], receivers: [receiver] });
    const { account, grant, sessionKey } = await f.createGrant("native", {
      orderToken: zeroAddress,
      orderLimit: parseEther("1"),
    });
    await f.chain.fund(account.address, parseEther("2"));
    const calls = orderCalls(f.deployment, { planId, token: zeroAddress, total: parseEther("1") });
    expect(await f.act(grant, sessionKey, calls)).toBe("done");
    expect(await f.client.getBalance({ address: account.address })).toBe(parseEther("1"));
    expect(await f.act(grant, sessionKey, calls)).toBe("OrderLimitExceeded");
  });

  test("cannot redeem more calls than its limit, whatever the group size", async () => {
    const planId = await f.registerPlan();
    const { account, grant, sessionKey } = await f.createGrant("limited", { redemptionLimit: 3n });
    await f.mint(planId, account.address, 50n);
    expect(await f.act(grant, sessionKey, [burn(account.address, planId, 2n, 2n)])).toBe("done");
    expect(await f.act(grant, sessionKey, [burn(account.address, planId, 2n, 2n)])).toBe(
      "RedemptionLimitExceeded",
    );
    expect(await f.act(grant, sessionKey, [burn(account.address, planId)])).toBe("done");
    expect(await f.act(grant, sessionKey, [burn(account.address, planId)])).toBe(
      "RedemptionLimitExceeded",
    );
    expect(await f.credits(account.address, planId)).toBe(47n);
  });

  test("cannot spend more on orders than its limit", async () => {
    const planId = await f.registerPlan(priced([2_000_000n]));
    const { account, grant, sessionKey } = await f.createGrant("spender", {
      orderLimit: 3_000_000n,
    });
    await faucet(account.address, 10_000_000n);
    const calls = orderCalls(f.deployment, { planId, token: f.usdc, total: 2_000_000n });
    expect(await f.act(grant, sessionKey, calls)).toBe("done");
    expect(await f.act(grant, sessionKey, calls)).toBe("OrderLimitExceeded");
    expect(await f.money(account.address)).toBe(8_000_000n);
  });

  test("T55: does not get a limit back when the owner signs the same grant again", async () => {
    const planId = await f.registerPlan();
    const first = await f.createGrant("resigner", { redemptionLimit: 1n }, 77n);
    await f.mint(planId, first.account.address, 50n);
    expect(await f.act(first.grant, first.sessionKey, [burn(first.account.address, planId)])).toBe(
      "done",
    );
    const again = await f.createGrant("resigner", { redemptionLimit: 1n }, 77n);
    expect(grantHash(again.grant)).toBe(grantHash(first.grant));
    expect(await f.act(again.grant, again.sessionKey, [burn(first.account.address, planId)])).toBe(
      "RedemptionLimitExceeded",
    );
  });

  test("can do nothing once the grant has expired", async () => {
    const planId = await f.registerPlan();
    const { account, grant, sessionKey } = await f.createGrant("ended", {
      validUntil: 1_700_000_000,
    });
    await f.mint(planId, account.address, 5n);
    expect(await f.act(grant, sessionKey, [burn(account.address, planId)])).toBe("GrantEnded");
  });

  test("cannot act on a plan the grant does not name", async () => {
    const [named, other] = [await f.registerPlan(), await f.registerPlan()];
    const { account, grant, sessionKey } = await f.createGrant("one-plan", { plans: [named] });
    await f.mint(other, account.address, 5n);
    expect(await f.act(grant, sessionKey, [burn(account.address, other)])).toBe("PlanNotPermitted");
    const order = orderCalls(f.deployment, { planId: other, token: zeroAddress, total: 0n });
    expect(await f.act(grant, sessionKey, order)).toBe("PlanNotPermitted");
  });

  test("cannot order with a grant to burn, nor burn with a grant to order", async () => {
    const planId = await f.registerPlan();
    const burner = await f.createGrant("only-burn", { permissions: ["burn"] });
    const buyer = await f.createGrant("only-order", { permissions: ["order"] });
    await f.mint(planId, buyer.account.address, 5n);
    const order = orderCalls(f.deployment, { planId, token: zeroAddress, total: 0n });
    expect(await f.act(burner.grant, burner.sessionKey, order)).toBe("PermissionMissing");
    expect(await f.act(buyer.grant, buyer.sessionKey, [burn(buyer.account.address, planId)])).toBe(
      "PermissionMissing",
    );
    expect(await f.act(buyer.grant, buyer.sessionKey, order)).toBe("done");
  });

  test("cannot call another contract, nor another function of ours, nor move money", async () => {
    const { account, grant, sessionKey } = await f.createGrant("thief", { orderLimit: 10n ** 12n });
    await faucet(account.address, 1_000_000n);
    const transfer = encodeFunctionData({
      abi: tokenAbi,
      functionName: "transfer",
      args: [receiver, 1n],
    });
    const approve = encodeFunctionData({
      abi: tokenAbi,
      functionName: "approve",
      args: [receiver, 1n],
    });
    const pause = encodeFunctionData({ abi: plansAbi, functionName: "pause" });
    const expire = encodeFunctionData({
      abi: creditsAbi,
      functionName: "expire",
      args: [account.address, 1n],
    });
    const call = (target: `0x${string}`, callData: Hex, value = 0n) => [
      { target, value, callData },
    ];
    expect(await f.act(grant, sessionKey, call(receiver, "0x"))).toBe("TargetNotPermitted");
    expect(await f.act(grant, sessionKey, call(f.deployment.entryPoint, "0x"))).toBe(
      "TargetNotPermitted",
    );
    expect(await f.act(grant, sessionKey, call(f.deployment.plans, pause))).toBe(
      "SelectorNotPermitted",
    );
    expect(await f.act(grant, sessionKey, call(f.deployment.credits, expire))).toBe(
      "SelectorNotPermitted",
    );
    expect(await f.act(grant, sessionKey, call(f.usdc, transfer))).toBe("SelectorNotPermitted");
    expect(await f.act(grant, sessionKey, call(f.usdc, approve))).toBe("ApprovalNotPermitted");
  });

  test("cannot approve more than the order's price, nor attach value to a burn", async () => {
    const planId = await f.registerPlan(priced([1_000_000n]));
    const { account, grant, sessionKey } = await f.createGrant("over-approver", {
      orderLimit: 10n ** 12n,
    });
    const [, order] = orderCalls(f.deployment, { planId, token: f.usdc, total: 1_000_000n });
    const [approve] = orderCalls(f.deployment, { planId, token: f.usdc, total: 1_000_001n });
    expect(await f.act(grant, sessionKey, [approve!, order!])).toBe("ApprovalNotPermitted");
    const paidBurn = { ...burn(account.address, planId), value: 1n };
    expect(await f.act(grant, sessionKey, [paidBurn])).toBe("ValueNotPermitted");
  });

  test("cannot order in a token the limit does not count in", async () => {
    const planId = await f.registerPlan({ amounts: [5n], receivers: [receiver] });
    const { account, grant, sessionKey } = await f.createGrant("token-mixer", {
      orderLimit: 10n ** 12n,
    });
    await f.chain.fund(account.address, 100n);
    const order = orderCalls(f.deployment, { planId, token: zeroAddress, total: 5n });
    expect(await f.act(grant, sessionKey, order)).toBe("OrderTokenNotPermitted");
  });

  test("cannot burn another account's credits", async () => {
    const planId = await f.registerPlan();
    const victim = await f.createAccount("victim");
    await f.mint(planId, victim.address, 5n);
    const { grant, sessionKey } = await f.createGrant("mallory");
    expect(await f.act(grant, sessionKey, [burn(victim.address, planId)])).toBe(
      "HolderNotPermitted",
    );
    const daring = await f.createGrant("mallory", { permissions: ["burn", "burnForOthers"] });
    expect(await f.act(daring.grant, daring.sessionKey, [burn(victim.address, planId)])).toBe(
      "BurnNotPermitted",
    );
  });

  test("is the only key that may use its grant", async () => {
    const planId = await f.registerPlan();
    const { account, grant } = await f.createGrant("owner-of-key");
    await f.mint(planId, account.address, 5n);
    const foreign = sessionKeyFromPrivateKey(testKey("foreign session"));
    expect(await f.act(grant, foreign, [burn(account.address, planId)])).toBe("InvalidDelegate");
    expect(
      await f.act({ ...grant, delegate: foreign.address }, foreign, [
        burn(account.address, planId),
      ]),
    ).toBe("InvalidERC1271Signature");
  });

  test("T55: cannot widen its terms without the owner's signature", async () => {
    const planId = await f.registerPlan();
    const narrow = await f.createGrant("narrow", { redemptionLimit: 1n });
    const wide = await f.createGrant("narrow", { redemptionLimit: 99n }, narrow.grant.salt);
    const forged = { ...wide.grant, signature: narrow.grant.signature };
    expect(await f.act(forged, wide.sessionKey, [burn(narrow.account.address, planId)])).toBe(
      "InvalidERC1271Signature",
    );
  });
});

describe("revocation", () => {
  test("disables the grant at the delegation manager and, for good, in the enforcer", async () => {
    const planId = await f.registerPlan();
    const { account, grant, sessionKey } = await f.createGrant("revoker");
    await f.mint(planId, account.address, 5n);
    expect(await f.act(grant, sessionKey, [burn(account.address, planId)])).toBe("done");
    const signature = await owner("revoker").signTypedData(revocationTypedData({ ...f, grant }));
    expect(await revokeGrantOnChain({ ...f, account, grant, signature })).toEqual({
      status: "revoked",
    });
    expect(await f.act(grant, sessionKey, [burn(account.address, planId)])).toBe(
      "CannotUseADisabledDelegation",
    );
    expect(await revokeGrantOnChain({ ...f, account, grant, signature })).toEqual({
      status: "revoked",
    });

    // Even an owner who enables the delegation again does not bring the grant back.
    const enable = encodeFunctionData({
      abi: delegationManagerAbi,
      functionName: "enableDelegation",
      args: [grant],
    });
    const execution = encodePacked(
      ["address", "uint256", "bytes"],
      [f.deployment.delegationManager, 0n, enable],
    );
    const operation = createUserOperation({
      sender: account.address,
      callData: encodeFunctionData({
        abi: smartAccountAbi,
        functionName: "execute",
        args: [zeroHash, execution],
      }),
      nonceKey: 1n,
      callGas: 200_000n,
    });
    const typedData = userOperationTypedData(f.deployment, operation, "HybridDeleGator");
    const signed = { ...operation, signature: await owner("revoker").signTypedData(typedData) };
    await f.sender.send({
      to: f.deployment.entryPoint,
      data: encodeHandleOps([signed], f.sender.address),
      gas: 1_000_000n,
    });
    expect(await f.act(grant, sessionKey, [burn(account.address, planId)])).toBe("GrantIsRevoked");
  });

  test("needs the signature of the account's owner", async () => {
    const { account, grant } = await f.createGrant("kept");
    const signature = await owner("another owner").signTypedData(
      revocationTypedData({ ...f, grant }),
    );
    expect(await revokeGrantOnChain({ ...f, account, grant, signature })).toMatchObject({
      status: "refused",
      reason: { name: "InvalidSignature" },
    });
    const { callData } = createRevocation({ ...f, grant });
    expect(await errorOf(receiver, account.address, callData)).toBe("NotEntryPoint");
  });
});

test("a grant means nothing on another deployment", async () => {
  const other = await deployContracts({
    rpcUrl: f.chain.rpcUrl,
    settlerPrivateKey: testKey("other settler"),
    admin: owner("other admin").address,
    sandbox: true,
    journal: f.chain.journal,
  });
  expect(other.delegationManager).not.toBe(f.deployment.delegationManager);
  const planId = await f.registerPlan();
  const { account, grant, sessionKey } = await f.createGrant("replayed");
  await f.mint(planId, account.address, 5n);
  const data = redeemGrant(grant, [burn(account.address, planId)]);
  expect(await errorOf(sessionKey.address, f.deployment.delegationManager, data)).toBe("done");
  expect(await errorOf(sessionKey.address, other.delegationManager, data)).toBe(
    "InvalidERC1271Signature",
  );
});

describe("an order", () => {
  test("cannot be re-entered while it pays", async () => {
    const planId = 900n;
    const bytecode: Hex = `0x${[reentrantReceiver.bytecode.slice(2), word(f.deployment.plans.slice(2)), word(planId.toString(16))].join("")}`;
    await f.sender.send({
      to: DETERMINISTIC_DEPLOYER,
      data: `${zeroHash}${bytecode.slice(2)}`,
      gas: 2_000_000n,
    });
    const attacker = getContractAddress({
      opcode: "CREATE2",
      from: DETERMINISTIC_DEPLOYER,
      salt: zeroHash,
      bytecode,
    });
    await f.write(f.deployment.plans, plansAbi, "registerPlanFor", [
      planId,
      f.builder,
      { ...freePlan, amounts: [7n], receivers: [attacker] },
    ]);
    const data = encodeFunctionData({ abi: plansAbi, functionName: "order", args: [planId] });
    expect(await errorOf(f.sender.address, f.deployment.plans, data, 7n)).toBe(
      "ReentrancyGuardReentrantCall",
    );
  });

  test("is refused while paused, unpaid, for unknown plans and for plans sold by card", async () => {
    const planId = await f.registerPlan({ amounts: [7n], receivers: [receiver] });
    const cardPlan = await f.registerPlan({ isCrypto: false });
    const order = (id: bigint) =>
      encodeFunctionData({ abi: plansAbi, functionName: "order", args: [id] });
    expect(await errorOf(f.sender.address, f.deployment.plans, order(planId), 6n)).toBe(
      "WrongNativeAmount",
    );
    expect(await errorOf(f.sender.address, f.deployment.plans, order(cardPlan))).toBe(
      "PlanNotSoldOnChain",
    );
    expect(await errorOf(f.sender.address, f.deployment.plans, order(12_345n))).toBe("PlanUnknown");
    await f.administer("pause");
    expect(await errorOf(f.sender.address, f.deployment.plans, order(planId), 7n)).toBe(
      "EnforcedPause",
    );
    await f.administer("unpause");
    expect(await errorOf(f.sender.address, f.deployment.plans, order(planId), 7n)).toBe("done");
  });

  test("of a trial plan happens once per account", async () => {
    const planId = await f.registerPlan({ oncePerAccount: true });
    const { grant, sessionKey } = await f.createGrant("trial-user");
    const order = orderCalls(f.deployment, { planId, token: zeroAddress, total: 0n });
    expect(await f.act(grant, sessionKey, order)).toBe("done");
    expect(await f.act(grant, sessionKey, order)).toBe("AlreadyOrdered");
  });

  test("leaves no allowance behind and takes nothing when funds are insufficient", async () => {
    const planId = await f.registerPlan(priced([2_000_000n]));
    const { account, grant, sessionKey } = await f.createGrant("poor", { orderLimit: 10n ** 12n });
    await faucet(account.address, 1_000_000n);
    const calls = orderCalls(f.deployment, { planId, token: f.usdc, total: 2_000_000n });
    expect(await f.act(grant, sessionKey, calls)).toBe("ERC20InsufficientBalance");
    expect(await f.money(account.address)).toBe(1_000_000n);
    const allowance = await f.client.readContract({
      address: f.usdc,
      abi: tokenAbi,
      functionName: "allowance",
      args: [account.address, f.deployment.plans],
    });
    expect(allowance).toBe(0n);
  });
});

describe("credits", () => {
  test("are burned within the plan's range, with a proof where one is required", async () => {
    const planId = await f.registerPlan({ minAmount: 2n, maxAmount: 5n, proofRequired: true });
    const { account, grant, sessionKey } = await f.createGrant("ranger");
    await f.mint(planId, account.address, 20n);
    const attempt = (amount: bigint, count: bigint, proof: Hex = root) =>
      f.act(grant, sessionKey, [burn(account.address, planId, amount, count, proof)]);
    expect(await attempt(1n, 1n)).toBe("AmountOutOfRange");
    expect(await attempt(6n, 1n)).toBe("AmountOutOfRange");
    expect(await attempt(11n, 2n)).toBe("AmountOutOfRange");
    expect(await attempt(0n, 1n)).toBe("AmountOutOfRange");
    expect(await attempt(5n, 0n)).toBe("CountIsZero");
    expect(await attempt(5n, 1n, zeroHash)).toBe("ProofMissing");
    expect(await attempt(10n, 2n)).toBe("done");
    expect(await attempt(25n, 5n)).toBe("InsufficientCredits");
    expect(await f.credits(account.address, planId)).toBe(10n);
  });

  test("of each redemption type are burned only by the role it names", async () => {
    const { account, grant, sessionKey } = await f.createGrant("typed");
    const ownerGrant = await f.createGrant("plan-owner", {
      permissions: ["burn", "burnForOthers"],
    });
    const owner = ownerGrant.account.address;
    for (const redemptionType of [0, 1, 2]) {
      const planId = await f.registerPlan({ redemptionType }, owner);
      await f.mint(planId, account.address, 5n);
      expect(await f.act(grant, sessionKey, [burn(account.address, planId)])).toBe(
        "BurnNotPermitted",
      );
      const expected = redemptionType === 1 ? "done" : "BurnNotPermitted";
      const act = () =>
        f.act(ownerGrant.grant, ownerGrant.sessionKey, [burn(account.address, planId)]);
      expect(await act()).toBe(expected);
    }
    const globalPlan = await f.registerPlan({ redemptionType: 0 }, owner);
    await f.mint(globalPlan, account.address, 5n);
    const globalRedeemer = keccak256(stringToHex("GLOBAL_REDEEMER_ROLE"));
    await f.administer("grantRole", [globalRedeemer, f.sender.address]);
    await f.write(f.deployment.credits, creditsAbi, "burn", [
      account.address,
      globalPlan,
      1n,
      1n,
      root,
    ]);
    expect(await f.credits(account.address, globalPlan)).toBe(4n);
    const setRole = encodeFunctionData({
      abi: plansAbi,
      functionName: "setPlanRole",
      args: [globalPlan, receiver, true],
    });
    expect(await errorOf(receiver, f.deployment.plans, setRole)).toBe("OnlyPlanOwner");
    expect(await errorOf(owner, f.deployment.plans, setRole)).toBe("done");
  });

  test("of a time plan are counted but not burned, and expire after their duration and a day of grace", async () => {
    const planId = await f.registerPlan({ timeBased: true, durationSecs: 3_600n, credits: 1n });
    const { account, grant, sessionKey } = await f.createGrant("timed");
    expect(await f.act(grant, sessionKey, [burn(account.address, planId, 0n)])).toBe(
      "InsufficientCredits",
    );
    await f.mint(planId, account.address, 1n);
    expect(await f.act(grant, sessionKey, [burn(account.address, planId, 1n)])).toBe(
      "AmountOutOfRange",
    );
    expect(await f.act(grant, sessionKey, [burn(account.address, planId, 0n, 3n)])).toBe("done");
    expect(await f.credits(account.address, planId)).toBe(1n);
    const data = encodeFunctionData({
      abi: creditsAbi,
      functionName: "burn",
      args: [account.address, planId, 0n, 1n, root],
    });
    const later = async (secs: number) => {
      const { timestamp } = await f.client.getBlock();
      try {
        await f.client.call({
          account: account.address,
          to: f.deployment.credits,
          data,
          blockOverrides: { time: timestamp + BigInt(secs) },
        });
        return "done";
      } catch (error) {
        return readRevertReason(findRevertData(error)).name;
      }
    };
    expect(await later(3_700)).toBe("done");
    expect(await later(3_700 + 86_400)).toBe("CreditsEnded");
  });

  test("cannot be transferred, minted by anyone but Plans, or minted twice for one order", async () => {
    const planId = await f.registerPlan();
    const account = await f.createAccount("holder");
    await f.mint(planId, account.address, 5n);
    const erc1155 = [
      {
        type: "function",
        name: "safeTransferFrom",
        stateMutability: "nonpayable",
        outputs: [],
        inputs: ["address", "address", "uint256", "uint256", "bytes"].map((type) => ({
          type,
          name: "",
        })),
      },
      {
        type: "function",
        name: "setApprovalForAll",
        stateMutability: "nonpayable",
        outputs: [],
        inputs: ["address", "bool"].map((type) => ({ type, name: "" })),
      },
      {
        type: "function",
        name: "mint",
        stateMutability: "nonpayable",
        outputs: [],
        inputs: ["address", "uint256", "uint256", "uint64"].map((type) => ({ type, name: "" })),
      },
    ] as const;
    const { credits, plans } = f.deployment;
    const send = encodeFunctionData({
      abi: erc1155,
      functionName: "safeTransferFrom",
      args: [account.address, receiver, planId, 1n, "0x"],
    });
    const approve = encodeFunctionData({
      abi: erc1155,
      functionName: "setApprovalForAll",
      args: [receiver, true],
    });
    const mint = encodeFunctionData({
      abi: erc1155,
      functionName: "mint",
      args: [receiver, planId, 1n, 0n],
    });
    expect(await errorOf(account.address, credits, send)).toBe("CreditsNotTransferable");
    expect(await errorOf(account.address, credits, approve)).toBe("CreditsNotTransferable");
    expect(await errorOf(f.sender.address, credits, mint)).toBe("OnlyPlansMayMint");
    const ref = keccak256(stringToHex("order 1"));
    const mintFor = encodeFunctionData({
      abi: plansAbi,
      functionName: "mintFor",
      args: [planId, account.address, 5n, ref],
    });
    expect(await errorOf(receiver, plans, mintFor)).toBe("AccessControlUnauthorizedAccount");
    await f.write(plans, plansAbi, "mintFor", [planId, account.address, 5n, ref]);
    expect(await errorOf(f.sender.address, plans, mintFor)).toBe("ReferenceUsed");
    await f.write(plans, plansAbi, "takeBack", [
      planId,
      account.address,
      4n,
      keccak256(stringToHex("refund 1")),
    ]);
    expect(await f.credits(account.address, planId)).toBe(6n);
  });
});

test("a plan is registered once, with terms that make sense, and a builder cannot take another's id", async () => {
  const planId = await f.registerPlan();
  const register = (id: bigint, terms: Partial<typeof freePlan> = {}, owner = f.builder) =>
    encodeFunctionData({
      abi: plansAbi,
      functionName: "registerPlanFor",
      args: [id, owner, { ...freePlan, ...terms }],
    });
  const attempt = (data: Hex, account = f.sender.address) =>
    errorOf(account, f.deployment.plans, data);
  expect(await attempt(register(planId))).toBe("PlanExists");
  expect(await attempt(register(5_000n), receiver)).toBe("AccessControlUnauthorizedAccount");
  expect(await attempt(register(5_000n, {}, zeroAddress))).toBe("PlanOwnerMissing");
  expect(await attempt(register(5_000n, { amounts: [1n] }))).toBe("ReceiversDoNotMatchAmounts");
  expect(await attempt(register(5_000n, { amounts: [1n], receivers: [zeroAddress] }))).toBe(
    "ReceiverIsZero",
  );
  expect(await attempt(register(5_000n, { redemptionType: 3 }))).toBe("RedemptionTypeUnknown");
  expect(await attempt(register(5_000n, { minAmount: 11n }))).toBe("RedemptionRangeEmpty");
  expect(await attempt(register(5_000n, { credits: 0n }))).toBe("CreditsAreZero");
  expect(await attempt(register(5_000n, { durationSecs: 2n ** 63n }))).toBe("DurationTooLong");
  const many = { amounts: Array(17).fill(1n), receivers: Array(17).fill(receiver) };
  expect(await attempt(register(5_000n, many))).toBe("TooManyReceivers");
  const own = encodeFunctionData({
    abi: plansAbi,
    functionName: "registerPlan",
    args: [9n, freePlan],
  });
  expect(await attempt(own, receiver)).toBe("done");
});

test("a new version sells the plan's credits at its own terms, and earlier subscribers keep theirs", async () => {
  const { plans } = f.deployment;
  const planId = await f.registerPlan(priced([1_000_000n]));
  const versionId = planId + 10_000n;
  const terms = { ...freePlan, ...priced([2_000_000n]), minAmount: 5n, maxAmount: 5n };
  const register = (version: bigint, of: bigint) =>
    encodeFunctionData({
      abi: plansAbi,
      functionName: "registerVersionFor",
      args: [version, of, terms],
    });
  expect(await errorOf(receiver, plans, register(versionId, planId))).toBe(
    "AccessControlUnauthorizedAccount",
  );
  await f.write(plans, plansAbi, "registerVersionFor", [versionId, planId, terms]);
  const errorOfSender = (data: Hex) => errorOf(f.sender.address, plans, data);
  expect(await errorOfSender(register(versionId, planId))).toBe("PlanExists");
  expect(await errorOfSender(register(versionId + 1n, versionId))).toBe("PlanUnknown");
  expect(await errorOfSender(register(versionId + 1n, 99_999n))).toBe("PlanUnknown");

  const made = (name: string, plan: bigint) =>
    f.createGrant(name, { plans: [plan], orderLimit: 10_000_000n });
  const [old, young, other] = [
    await made("version 1", planId),
    await made("version 2", planId),
    await made("version 3", planId + 1n),
  ];
  for (const { account } of [old, young, other]) await faucet(account.address, 10_000_000n);
  const buy = (who: typeof old, id: bigint, total: bigint) =>
    f.act(
      who.grant,
      who.sessionKey,
      orderCalls(f.deployment, { planId: id, token: f.usdc, total }),
    );
  expect(await buy(old, planId, 1_000_000n)).toBe("done");
  expect(await buy(young, versionId, 2_000_000n)).toBe("done");
  expect(await buy(other, versionId, 2_000_000n)).toBe("PlanNotPermitted");
  expect(await f.credits(young.account.address, planId)).toBe(100n);
  expect(await f.credits(young.account.address, versionId)).toBe(0n);

  const take = (who: typeof old, amount: bigint) =>
    f.act(who.grant, who.sessionKey, [burn(who.account.address, planId, amount)]);
  expect(await take(old, 1n)).toBe("done");
  expect(await take(young, 1n)).toBe("AmountOutOfRange");
  expect(await take(young, 5n)).toBe("done");
  expect(await buy(old, versionId, 2_000_000n)).toBe("done");
  expect(await take(old, 1n)).toBe("AmountOutOfRange");
  expect(await f.credits(old.account.address, planId)).toBe(199n);
});
