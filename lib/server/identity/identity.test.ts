import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { SignedMessage } from "@/lib/adapters/chain/wallet-signature.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  endSession,
  findSession,
  openSession,
  replaceSession,
  sessionLasts,
} from "@/lib/domain/accounts/sessions.ts";
import { backgroundWork } from "../background-work.ts";
import type { Booted } from "../boot.ts";
import { createSoftwarePasskey } from "../testing/software-passkey.ts";
import { createTestService, type TestParty, type TestService } from "../testing/test-service.ts";
import { putChallenge, takeChallenge } from "./challenge.ts";
import {
  finishPasskeyRegistration,
  finishPasskeySignIn,
  startPasskeyRegistration,
  startPasskeySignIn,
} from "./passkey-sign-in.ts";
import { finishWalletSignIn, startWalletSignIn } from "./wallet-sign-in.ts";

const HOUR_MS = 3_600_000;

const CHAIN_ID = 84532;
const ORIGIN = "https://turnpike.test";
const SMART_WALLET = "0x000000000000000000000000000000000000dEaD";
const SMART_SIGNATURE = `0x${"6492".repeat(100)}`;

describe.each(ruleStores())("who sits before a browser, on $name", ({ name, open }) => {
  let database: Database;
  let service: TestService;
  let party: TestParty;
  let endowed: string[];
  let booted: Booted;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    party = await service.party();
    endowed = [];
    booted = {
      ports: {
        ...service.ports,
        faucet: { fund: async (address: string) => void endowed.push(address) },
      },
      env: { environment: "sandbox" },
      chain: {
        deployment: { chainId: CHAIN_ID },
        isSignedByWallet: async ({ address, signature }: SignedMessage) =>
          address === SMART_WALLET && signature === SMART_SIGNATURE,
      },
    } as unknown as Booted;
  });
  afterAll(() => database.close());

  /** As background work does. */
  const sweep = () =>
    backgroundWork({
      ports: service.ports,
      database,
      keptDays: { reports: 30, deliveries: 90, mails: 90, events: 0 },
      onChain: undefined,
      outbound: { async *send() {} },
      hasCompared: () => true,
      counts: { stuckOrders: 0, refusedMails: 0 },
    })
      .find(({ name }) => name === "sign-ins")
      ?.run() ?? Promise.reject(new Error("There is no such work."));

  /** Lets time pass for all sessions, which follow the clock of the database's machine. */
  const pass = (time: string) =>
    database.query(
      `update sessions set created_at = created_at - $1::interval, seen_at = seen_at - $1::interval,
         expires_at = expires_at - $1::interval`,
      [time],
    );

  describe("a session", () => {
    test("is found by its cookie until it is ended", async () => {
      const token = await openSession(service.ports, party.address, "demo");
      expect(await findSession(service.ports, token)).toMatchObject({
        account: { address: party.address },
        method: "demo",
      });
      await endSession(service.ports, token);
      expect(await findSession(service.ports, token)).toBeNull();
    });

    test("that the same person replaced still answers for ten seconds, and no longer than its own time", async () => {
      const token = await openSession(service.ports, party.address, "passkey");
      await replaceSession(service.ports, token);
      await pass("9 seconds");
      expect(await findSession(service.ports, token)).not.toBeNull();
      // Replacing it again does not prolong it.
      await replaceSession(service.ports, token);
      await pass("2 seconds");
      expect(await findSession(service.ports, token)).toBeNull();
    });

    test("never has its cookie's value in the database", async () => {
      const token = await openSession(service.ports, party.address, "demo");
      const rows = JSON.stringify(
        await service.ports.signIns.findSession(service.ports.crypto.digest(token)),
      );
      expect(rows).not.toContain(token);
    });

    test("ends after half an hour without a request, and after twelve hours with them", async () => {
      const idle = await openSession(service.ports, party.address, "demo");
      const busy = await openSession(service.ports, party.address, "demo");
      for (let minutes = 25; minutes < 12 * 60; minutes += 25) {
        await pass("25 minutes");
        expect(await findSession(service.ports, busy), `${minutes} min`).not.toBeNull();
        if (minutes > 30) expect(await findSession(service.ports, idle)).toBeNull();
      }
      await pass("20 minutes");
      expect(await findSession(service.ports, busy)).toBeNull();
    });

    test("is not used by a page that only stays open, and asks whether it lasts", async () => {
      const token = await openSession(service.ports, party.address, "demo");
      for (const [minutes, lasts] of [
        [1, true],
        [28, true],
        [2, false],
      ] as const) {
        await pass(`${minutes} minutes`);
        expect(await sessionLasts(service.ports, token), `${minutes} min`).toBe(lasts);
        const found = await findSession(service.ports, token, { isUse: false });
        expect(found !== null, `${minutes} min`).toBe(lasts);
      }
      expect(await sessionLasts(service.ports, "another")).toBe(false);
    });

    test("what ended is swept away", async () => {
      await openSession(service.ports, party.address, "demo");
      await pass("13 hours");
      expect(await sweep()).toBeGreaterThan(0);
      expect(await sweep()).toBe(0);
    });
  });

  // The embedded database has one process at a time, whose clock it has.
  if (name === "Postgres") {
    describe("replicas whose clocks differ", () => {
      test.each([25, -25])(
        "a session that a replica whose clock is %i h off opened lasts as long as any",
        async (hours) => {
          vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * HOUR_MS });
          const token = await openSession(service.ports, party.address, "demo").finally(() =>
            vi.useRealTimers(),
          );
          const fresh = await findSession(service.ports, token, { isUse: false });
          expect(fresh?.provenMsAgo).toBeGreaterThanOrEqual(0);
          expect(fresh?.provenMsAgo).toBeLessThan(60_000);
          await pass("29 minutes");
          const old = await findSession(service.ports, token, { isUse: false });
          expect(old?.provenMsAgo).toBeGreaterThanOrEqual(29 * 60_000);
          await pass("2 minutes");
          expect(await findSession(service.ports, token)).toBeNull();
        },
      );

      test("T52: a session is not swept away by a replica whose clock is 25 h ahead, nor is a question", async () => {
        const token = await openSession(service.ports, party.address, "demo");
        const { cookie } = await putChallenge(service.ports, "what?");
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25 * HOUR_MS });
        await sweep().finally(() => vi.useRealTimers());
        expect(await findSession(service.ports, token)).not.toBeNull();
        expect(await takeChallenge(service.ports, cookie)).toMatchObject({ challenge: "what?" });
      });

      test("a question of a replica whose clock is ten minutes behind waits for its answer", async () => {
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 600_000 });
        const { cookie } = await putChallenge(service.ports, "what?").finally(() =>
          vi.useRealTimers(),
        );
        await sweep();
        expect(await takeChallenge(service.ports, cookie)).toMatchObject({ challenge: "what?" });
      });
    });
  }

  test("a question is answered once, by the browser that was asked", async () => {
    const { cookie } = await putChallenge(service.ports, "what?");
    await expect(takeChallenge(service.ports, "another browser")).rejects.toThrow("Start again");
    await expect(takeChallenge(service.ports, undefined)).rejects.toThrow("Start again");
    const both = await Promise.allSettled([
      takeChallenge(service.ports, cookie),
      takeChallenge(service.ports, cookie),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  describe("signing in with a wallet", () => {
    const wallet = privateKeyToAccount(generatePrivateKey());
    type Parts = Parameters<typeof createSiweMessage>[0];

    const answerWith = async (change: Partial<Parts> = {}, signer = wallet, isTampered = false) => {
      const { cookie, challenge, issuedAt } = await startWalletSignIn(booted);
      const message = createSiweMessage({
        address: wallet.address,
        nonce: challenge,
        chainId: CHAIN_ID,
        domain: "turnpike.test",
        uri: ORIGIN,
        version: "1",
        issuedAt: new Date(issuedAt),
        ...change,
      });
      const signature = await signer.signMessage({ message });
      const sent = isTampered ? message.replace(/Nonce: .*/, "Nonce: deadbeef12345678") : message;
      return { message: sent, signature, cookie, origin: ORIGIN };
    };

    test("opens the wallet's smart account, with test money the first time only", async () => {
      const first = await finishWalletSignIn(booted, await answerWith());
      const second = await finishWalletSignIn(booted, await answerWith());
      expect(first).toBe(service.ports.addresses.addressOf(wallet.address));
      expect(second).toBe(first);
      expect(endowed.filter((address) => address === first)).toHaveLength(1);
      const account = await service.ports.accounts.find(first);
      expect(account).toMatchObject({ owner: wallet.address, ownerKey: null });
    });

    test("opens no account for a wallet that is not admitted", async () => {
      const other = privateKeyToAccount(generatePrivateKey());
      const account = service.ports.addresses.addressOf(other.address);
      const admit = vi.fn(() => Promise.reject(new Error("Signed in to another account.")));
      const answered = await answerWith({ address: other.address }, other);
      await expect(finishWalletSignIn(booted, answered, admit)).rejects.toThrow("another account");
      expect(admit).toHaveBeenCalledExactlyOnceWith(account);
      expect(await service.ports.accounts.find(account)).toBeNull();
    });

    test("opens an account while the chain that gives test money is away", async () => {
      const newcomer = privateKeyToAccount(generatePrivateKey());
      const away = { fund: () => Promise.reject(new Error("The chain cannot be reached.")) };
      const cutOff = { ...booted, ports: { ...booted.ports, faucet: away } } as unknown as Booted;
      const answered = await answerWith({ address: newcomer.address }, newcomer);
      const opened = await finishWalletSignIn(cutOff, answered);
      expect(await service.ports.accounts.find(opened)).toMatchObject({ owner: newcomer.address });
    });

    test("a smart wallet signs by its contract, for its own address alone", async () => {
      const signed = async (address: string) => ({
        ...(await answerWith({ address: address as `0x${string}` })),
        signature: SMART_SIGNATURE,
      });
      const account = await finishWalletSignIn(booted, await signed(SMART_WALLET));
      expect(account).toBe(service.ports.addresses.addressOf(SMART_WALLET));
      await expect(finishWalletSignIn(booted, await signed(wallet.address))).rejects.toMatchObject({
        code: "unauthorized",
      });
    });

    test("a chain that cannot be asked is not called a wrong signature", async () => {
      const isSignedByWallet = () => Promise.reject(new Error("no answer"));
      const cut = { ...booted, chain: { ...booted.chain, isSignedByWallet } };
      const answer = { ...(await answerWith()), signature: SMART_SIGNATURE };
      await expect(finishWalletSignIn(cut, answer)).rejects.toMatchObject({ code: "unavailable" });
    });

    if (name === "Postgres") {
      test("works on two replicas whose clocks are six minutes apart", async () => {
        const answer = await answerWith();
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 360_000 });
        const account = await finishWalletSignIn(booted, answer).finally(() => vi.useRealTimers());
        expect(account).toBe(service.ports.addresses.addressOf(wallet.address));
      });
    }

    test("refuses an answer that was given before", async () => {
      const answer = await answerWith();
      await finishWalletSignIn(booted, answer);
      await expect(finishWalletSignIn(booted, answer)).rejects.toMatchObject({ code: "conflict" });
    });

    const refusals: [string, () => Promise<Parameters<typeof finishWalletSignIn>[1]>][] = [
      ["another site's domain", () => answerWith({ domain: "evil.example" })],
      ["another site's address", () => answerWith({ uri: "https://evil.example" })],
      ["another chain", () => answerWith({ chainId: 1 })],
      ["another nonce", () => answerWith({ nonce: "0123456789abcdef" })],
      ["an old message", () => answerWith({ issuedAt: new Date(Date.now() - 600_000) })],
      ["a message from the future", () => answerWith({ issuedAt: new Date(Date.now() + 600_000) })],
      ["a message that ended", () => answerWith({ expirationTime: new Date(Date.now() - 1_000) })],
      [
        "another wallet's signature",
        () => answerWith({}, privateKeyToAccount(generatePrivateKey())),
      ],
      ["a message changed after signing", () => answerWith({}, wallet, true)],
      ["no message at all", async () => ({ ...(await answerWith()), message: "hello" })],
    ];
    test.each(refusals)("refuses %s", async (_name, answer) => {
      await expect(finishWalletSignIn(booted, await answer())).rejects.toMatchObject({
        code: "unauthorized",
      });
    });
  });

  describe("signing in with a passkey", () => {
    type Passkey = ReturnType<typeof createSoftwarePasskey>;
    const register = async (passkey: Passkey, isVerified = true) => {
      const { options, cookie } = await startPasskeyRegistration(booted, ORIGIN);
      const { challenge } = options;
      const response = passkey.register({ challenge, origin: ORIGIN, isVerified });
      return finishPasskeyRegistration(booted, { response, cookie, origin: ORIGIN });
    };
    const signIn = async (passkey: Passkey, isVerified = true) => {
      const { options, cookie } = await startPasskeySignIn(booted, ORIGIN);
      const { challenge } = options;
      const response = passkey.signIn({ challenge, origin: ORIGIN, isVerified });
      return finishPasskeySignIn(booted, { response, cookie, origin: ORIGIN });
    };

    test("opens the account it was registered for", async () => {
      const passkey = createSoftwarePasskey();
      const account = await register(passkey);
      expect(await signIn(passkey)).toBe(account);
    });

    test("can be told apart on the device by when it was made", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-27T19:16:40Z") });
      const { options } = await startPasskeyRegistration(booted, ORIGIN).finally(() =>
        vi.useRealTimers(),
      );
      expect(options.user.name).toBe("Turnpike account, 2026-11-27 19:16 UTC");
    });

    test("that is unknown here is told to sign up, which makes another one", async () => {
      await expect(signIn(createSoftwarePasskey())).rejects.toThrow(
        "No account uses this passkey. Use another one, or sign up for a new account.",
      );
    });

    test("asks for a device that checks who holds it", async () => {
      const made = await startPasskeyRegistration(booted, ORIGIN);
      expect(made.options.authenticatorSelection?.userVerification).toBe("required");
      const asked = await startPasskeySignIn(booted, ORIGIN);
      expect(asked.options.userVerification).toBe("required");
    });

    test("refuses to register a device that did not check who holds it", async () => {
      await expect(register(createSoftwarePasskey(), false)).rejects.toMatchObject({
        code: "unauthorized",
      });
    });

    test("refuses a device that did not check who holds it", async () => {
      const passkey = createSoftwarePasskey();
      await register(passkey);
      await expect(signIn(passkey, false)).rejects.toMatchObject({ code: "unauthorized" });
    });
  });
});
