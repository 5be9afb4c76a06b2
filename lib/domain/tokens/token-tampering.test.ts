import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import {
  type AccessToken,
  decodeAccessToken,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRecover, signDigest } from "@/lib/adapters/crypto/signatures.ts";
import { createTokenDigest, hexBytes } from "@/lib/adapters/crypto/token-digest.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { countRows } from "@/lib/server/testing/count-rows.ts";
import {
  HOSTILE_VALUES,
  hostileJson,
  pathsOf,
  withMember,
} from "@/lib/server/testing/hostile-input.ts";
import { codeOf, createPermissionCalls, tampered } from "@/lib/server/testing/permission-calls.ts";
import { testDeployment } from "@/lib/server/testing/pretend-rail.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { createRandom, type Random } from "@/lib/testing/seeded-random.ts";

const MUTANTS = inFull(1_000_000, 3_000);
const ANSWERS_MS = inFull(900_000, 60_000);
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const REFUSALS = ["invalid_token", "invalid_input"];

describe.each(ruleStores())("a token that was tampered with on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  let calls: ReturnType<typeof createPermissionCalls>;
  let document: AccessToken;
  let before: Record<string, number>;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service, { credits: getFixedCreditsConfig(100n, 1n) });
    calls = createPermissionCalls(service, market);
    document = decodeAccessToken(market.token) as AccessToken;
    before = await countRows(database);
  });
  // Whatever was tried, nothing was written.
  afterAll(async () => {
    expect(await countRows(database)).toEqual(before);
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** The tokens among these that verify or settle do not refuse as `invalid_token`, or for their length. */
  async function accepted(tokens: string[]): Promise<string[]> {
    const answers = await Promise.all(
      tokens.map(async (token, index) => {
        const ask = index % 2 === 0 ? calls.verify : calls.settle;
        return { token, code: codeOf((await ask({ token })).body) };
      }),
    );
    return answers.filter(({ code }) => !REFUSALS.includes(code)).map(({ token }) => token);
  }

  test("the token itself is good", async () => {
    expect((await calls.verify()).body).toMatchObject({ isValid: true });
  });

  test(
    "T05: no change of any one character of its text is accepted",
    async () => {
      const { token } = market;
      const mutants = [...token].flatMap((character, index) => {
        const replace = (other: string) => token.slice(0, index) + other + token.slice(index + 1);
        const at = BASE64.indexOf(character);
        const flips = [1, 2, 4, 8, 16, 32].map((bit) => BASE64[at ^ bit] ?? "=");
        return [...(at < 0 ? [] : flips), "=", "-", "é", "", " "].map(replace);
      });
      // Padding may be left out: the same bytes, the same token.
      const bytesOf = (text: string) => Buffer.from(text, "base64").toString("latin1");
      const different = [...new Set(mutants)].filter(
        (mutant) => bytesOf(mutant) !== bytesOf(token),
      );
      expect(different.length).toBeGreaterThan(10_000);
      const tried = different.filter((_, at) => at % inFull(1, 9) === 0);
      expect(await accepted(tried)).toEqual([]);
    },
    ANSWERS_MS,
  );

  test(
    "T05: no change of any member of its document is accepted, signed or not",
    async () => {
      const paths = pathsOf(document).filter(
        // What a stock x402 client writes around a payment, and the signature's second copy.
        ([root]) => root === "payload" || root === "accepted",
      );
      expect(paths.length).toBeGreaterThan(25);
      const tokens = paths.flatMap((path) => {
        const values = [...HOSTILE_VALUES, null, "0xabc", market.builder.address];
        return values.map((value) => encode(withMember(document, path, value)));
      });
      const added = paths
        .filter((path) => typeof memberAt(document, path) === "object")
        .map((path) => encode(withMember(document, [...path, "extra1"], 1)));
      // Some hostile values equal the original.
      const changed = [...tokens, ...added].filter((token) => token !== encode(document));
      const tried = changed.filter((_, at) => at % inFull(1, 3) === 0);
      expect(await accepted(tried)).toEqual([]);
    },
    ANSWERS_MS,
  );

  test(`R9, T05, T24: ${MUTANTS} random changes of its text and of its document: none is accepted`, async () => {
    const random = createRandom(20_260_101);
    const bytes = Buffer.from(market.token, "base64");
    const refusals = new Map<string, number>();
    const wrong: string[] = [];
    for (let count = 0; count < MUTANTS; count++) {
      // Postgres ends the sessions of a process that does not answer for minutes.
      if (count % 1_000 === 0) await setImmediate();
      const mutant = mutate(random, market.token, document);
      if (Buffer.from(mutant, "base64").equals(bytes)) continue;
      const inspected = service.ports.inspectToken(mutant);
      if (inspected.isSound) wrong.push(mutant);
      else refusals.set(inspected.detail, (refusals.get(inspected.detail) ?? 0) + 1);
    }
    console.log(
      `tampering: ${MUTANTS} mutants, ${wrong.length} accepted, refused as`,
      Object.fromEntries(refusals),
    );
    expect(wrong).toEqual([]);
    // Not only their form is wrong: many are whole documents with a signature that is not theirs.
    expect(refusals.get("signature")).toBeGreaterThan(MUTANTS / 50);
  }, 3_600_000);

  test("T05: no member can be left out, but one of the two copies of the signature", async () => {
    for (const path of pathsOf(document)) {
      const token = encode(removeMember(document, path));
      const isSpare = ["payload.signature", "signature", "x402Version", "extensions"].includes(
        path.join("."),
      );
      expect(codeOf((await calls.verify({ token })).body), path.join(".")).toBe(
        isSpare ? "ok" : "invalid_token",
      );
    }
    const unsigned = removeMember(removeMember(document, ["signature"]), ["payload", "signature"]);
    expect(await accepted([encode(unsigned)])).toEqual([]);
  });

  test("T24: two spellings of one document are not two tokens", async () => {
    const json = JSON.stringify(document);
    const spellings = [
      ` ${json}`,
      `${json}\n`,
      JSON.stringify(document, null, 1),
      json.replace('"x402Version":2', '"x402Version":2.0'),
      json.replace('"x402Version":2', '"x402Version":2,"x402Version":2'),
      json.replace('"payload"', '"\\u0070ayload"'),
      json.replace("{", '{"__proto__":{},'),
    ];
    for (const spelling of spellings) expect(spelling).not.toBe(json);
    expect(await accepted(spellings.map((text) => Buffer.from(text).toString("base64")))).toEqual(
      [],
    );
  });

  test("T24: another spelling of an address is not accepted", async () => {
    const spell = (change: (text: string) => string) =>
      ["from", "session"].map((which) =>
        tampered(market.token, ({ payload }) => {
          if (which === "from") payload.authorization.from = change(payload.authorization.from);
          else payload.sessionKey.address = change(payload.sessionKey.address);
        }),
      );
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`;
    expect(await accepted([...spell((text) => text.toLowerCase()), ...spell(upper)])).toEqual([]);
  });

  describe("its signature", () => {
    const withSignature = (signature: string) =>
      tampered(market.token, (token) => {
        token.signature = signature;
        token.payload.signature = signature;
      });
    const parts = () => {
      const signature = document.payload.signature as string;
      return { r: signature.slice(2, 66), s: signature.slice(66, 130), v: signature.slice(130) };
    };

    test("T06: has one form: no high s, no other v, no 64 bytes, no other letters", async () => {
      const { r, s, v } = parts();
      const order = secp256k1.Point.Fn.ORDER;
      const highS = (order - BigInt(`0x${s}`)).toString(16).padStart(64, "0");
      const otherV = v === "1b" ? "1c" : "1b";
      const compact = (BigInt(`0x${s}`) | (v === "1c" ? 1n << 255n : 0n)).toString(16);
      const forms = [
        `0x${r}${highS}${otherV}`,
        `0x${r}${highS}${v}`,
        `0x${r}${s}${otherV}`,
        `0x${r}${s}${v === "1b" ? "00" : "01"}`,
        `0x${r}${s}25`,
        `0x${r}${s}`,
        `0x${r}${compact.padStart(64, "0")}`,
        `0x${r}${s}${v}00`,
        `0x${(r + s + v).toUpperCase()}`,
        `0X${r}${s}${v}`,
        `${r}${s}${v}`,
        `0x${"0".repeat(128)}${v}`,
        `0x${"f".repeat(128)}${v}`,
        `0x${order.toString(16)}${s}${v}`,
        `0x${r}${"0".repeat(64)}${v}`,
        "0x",
      ];
      expect(await accepted(forms.map(withSignature))).toEqual([]);
    });

    test("T07: in a contract's wrapper is none: no factory is called and no contract is asked", async () => {
      const { r, s, v } = parts();
      const word = (hex: string) => hex.padStart(64, "0");
      const inner = `${r}${s}${v}`.padEnd(192, "0");
      const factory = word("dead".repeat(10));
      const calldata = `${word("4")}${"a9059cbb".padEnd(64, "0")}`;
      const wrapped = `${factory}${word("60")}${word("a0")}${calldata}${word("41")}${inner}`;
      const forms = [
        `0x${wrapped}${"6492".repeat(16)}`,
        `0x${"6492".repeat(16)}`,
        `0x${r}${s}${v}${"6492".repeat(16)}`,
        `0x${word("4")}${r}${s}${v}`,
        `0x${"00".repeat(65)}`,
      ];
      const signers = ["0x0000000000000000000000000000000000000004", factory.slice(24)].map(
        (address) =>
          tampered(market.token, (token) => {
            token.payload.sessionKey.address = `0x${address.replace("0x", "")}`;
          }),
      );
      expect(await accepted([...forms.map(withSignature), ...signers])).toEqual([]);
    });

    test("T06, T30: by another key, on another chain or for other contracts, is worth nothing", async () => {
      const plans = "0x2222222222222222222222222222222222222222";
      const key = randomBytes(32);
      const digests = [
        createTokenDigest({ chainId: 84532, verifyingContract: plans }),
        createTokenDigest({ chainId: 1, verifyingContract: plans }),
      ];
      const tokens = digests.map((digest) =>
        withSignature(signDigest(digest(document.payload), key)),
      );
      expect(await accepted(tokens)).toEqual([]);
    });

    test("made by another service with its own key is worth nothing here", async () => {
      const other = createTestService(database, {
        deployment: { ...testDeployment(), plans: "0x3333333333333333333333333333333333333333" },
      });
      const { address, sealedKey } = other.ports.crypto.createKey("session-key");
      const named = { ...document.payload.sessionKey, address };
      const token = other.ports.crypto.signToken(
        { ...document.payload, sessionKey: named },
        sealedKey,
      );
      expect(await accepted([withSignature(token)])).toEqual([]);
      // A session key signs only tokens that name it, wherever its sealed text was copied to.
      expect(() => other.ports.crypto.signToken(document.payload, sealedKey)).toThrow();
    });
  });
});

const RECOVERED = inFull(300, 40);

test("native and JavaScript recovery agree on good, odd and random signatures", () => {
  const [native, script] = [createRecover(), createRecover({ native: false })];
  expect(script.kind).toBe("javascript");
  const order = secp256k1.Point.Fn.ORDER;
  let recovered = 0;
  for (let round = 0; round < RECOVERED; round++) {
    const digest = new Uint8Array(randomBytes(32));
    const good = hexBytes(signDigest(digest, new Uint8Array(randomBytes(32))));
    const highS = good.slice();
    const s = order - BigInt(`0x${Buffer.from(good.subarray(32, 64)).toString("hex")}`);
    highS.set(hexBytes(`0x${s.toString(16).padStart(64, "0")}`), 32);
    const flipped = good.slice();
    flipped[round % 65] = (flipped[round % 65] as number) ^ (1 << (round % 8));
    const random = new Uint8Array(randomBytes(65));
    random[64] = 27 + (round % 2);
    const zeros = new Uint8Array(65).fill(0);
    for (const signature of [good, highS, flipped, random, zeros, good.subarray(0, 64)]) {
      const answer = native.recover(digest, signature);
      expect(answer).toBe(script.recover(digest, signature));
      if (answer !== null) recovered += 1;
    }
  }
  expect(recovered).toBeGreaterThan(RECOVERED);
});

/** The token with some of its text changed, or with its document changed and encoded again. */
function mutate(random: Random, token: string, document: AccessToken): string {
  if (random.chance(50)) return mutateText(random, token, BASE64);
  if (random.chance(40)) {
    const json = Buffer.from(token, "base64").toString("latin1");
    return Buffer.from(mutateText(random, json, LATIN), "latin1").toString("base64");
  }
  const path = random.pick(pathsOf(document).filter(([root]) => root === "payload"));
  const before = memberAt(document, path);
  const value =
    typeof before === "string" && random.chance(70)
      ? mutateText(random, before, HEX)
      : random.pick(HOSTILE_VALUES);
  return encode(withMember(document, path, value));
}

const LATIN = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");
const HEX = "0123456789abcdefABCDEFx";

/** One to three places replaced, inserted, dropped, doubled or cut off. */
function mutateText(random: Random, text: string, letters: string): string {
  let changed = text;
  for (let edits = 1 + random.below(3); edits > 0; edits--) {
    const at = random.below(changed.length);
    const letter = letters.charAt(random.below(letters.length));
    const [head, tail] = [changed.slice(0, at), changed.slice(at)];
    const edit = random.below(20);
    if (edit < 12) changed = head + letter + tail.slice(1);
    else if (edit < 15) changed = head + letter + tail;
    else if (edit < 18) changed = head + tail.slice(1);
    else if (edit < 19) changed = head + tail.slice(0, 4) + tail;
    else changed = head;
  }
  return changed;
}

const encode = (value: unknown) => Buffer.from(hostileJson(value)).toString("base64");

const memberAt = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce((inner, key) => (inner as Record<string | number, unknown>)[key], value);

function removeMember(value: unknown, path: readonly (string | number)[]): unknown {
  const parent = structuredClone(value);
  const last = path.at(-1) as string | number;
  const holder = memberAt(parent, path.slice(0, -1)) as Record<string | number, unknown>;
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return parent;
}
