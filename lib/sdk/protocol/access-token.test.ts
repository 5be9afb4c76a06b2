import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { inFull } from "../../testing/in-full.ts";
import { tokenOf } from "../test-support/fake-service.ts";
import {
  abbreviateToken,
  decodeAccessToken,
  encodeAccessToken,
  hashOffer,
  MAX_TOKEN_LENGTH,
  signatureOf,
} from "./access-token.ts";
import { AccessToken, readPaymentPayload } from "./access-token-schema.ts";
import { decodeBase64, encodeBase64 } from "./encoding/base64.ts";
import { isAccessToken } from "./is-access-token.ts";
import { canonicalJson } from "./json.ts";

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => `0x${digits.join("")}`);
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
const seconds = fc.integer({ min: 0, max: 253_402_300_799 });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const tokens: fc.Arbitrary<AccessToken> = fc
  .record({
    x402Version: fc.constant(2 as const),
    accepted: fc.record({
      scheme: fc.constantFrom("svc:erc4337", "svc:card-delegation"),
      network: fc.string({ maxLength: 20, unit: "grapheme" }),
      planId: amount,
      extra: fc.record({ version: fc.constant("1"), note: fc.string({ unit: "grapheme" }) }),
    }),
    payload: fc.record({
      signature: hex(130),
      authorization: fc
        .record({
          from: hex(40),
          planId: amount,
          agentId: optional(fc.string({ maxLength: 30 })),
          jti: optional(fc.uuid()),
          iat: optional(seconds),
          exp: optional(seconds),
          httpVerb: optional(fc.constantFrom("GET", "POST")),
        })
        .map(withoutUndefined),
      sessionKey: fc.record({
        address: hex(40),
        permissions: fc.constantFrom<("order" | "burn")[]>(["order", "burn"], ["burn"], []),
        limits: fc.record({ redemptionLimit: fc.nat(), orderLimit: amount }),
      }),
    }),
    extensions: fc.constant({}),
  })
  .map((token) => ({ ...token, signature: token.payload.signature }));

function withoutUndefined<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

type Place = { holder: Record<string, unknown>; key: string };

/** Every member of a document, at any depth. */
const placesIn = (value: unknown): Place[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) => [
        { holder: value as Record<string, unknown>, key },
        ...placesIn(inner),
      ]);

const jsonLike = fc.oneof(
  fc.constantFrom(2, 1, 0, -0, -1, 1.5, 253_402_300_800, 2 ** 53, "0", "01", "-1", "order"),
  fc.constantFrom(String(2n ** 256n), `0x${"0".repeat(40)}`, null, true, "", [], {}),
  fc.constantFrom(["order"], ["mint"], ["burn", "burn"], ["order", "burn", "order"]),
  hex(40),
  hex(64),
  hex(130),
  fc.jsonValue(),
);

const toUrlSafe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_");

describe("decodeAccessToken never throws", () => {
  property.prop([fc.anything()])("on any value", (value) => {
    expect(() => decodeAccessToken(value)).not.toThrow();
  });
  property.prop([fc.string({ unit: "binary" })])("on any text", (text) => {
    expect(decodeAccessToken(text)).toBeNull();
  });
  property.prop([fc.uint8Array({ maxLength: 2000 })])("on any bytes in base64", (bytes) => {
    expect(decodeAccessToken(Buffer.from(bytes).toString("base64"))).toBeNull();
    expect(decodeAccessToken(Buffer.from(bytes).toString("base64url"))).toBeNull();
  });
  property.prop([fc.json()])("on any JSON in base64", (json) => {
    expect(decodeAccessToken(encodeBase64(json))).toBeNull();
  });
});

describe("a token comes through its text", () => {
  property.prop([tokens])("as it was, in one header's characters", (token) => {
    const text = encodeAccessToken(token);
    fc.pre(text.length <= MAX_TOKEN_LENGTH);
    expect(text).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect(decodeAccessToken(text)).toEqual(token);
  });
  property.prop([tokens])("also URL-safe and unpadded", (token) => {
    const text = encodeAccessToken(token);
    fc.pre(text.length <= MAX_TOKEN_LENGTH);
    expect(decodeAccessToken(toUrlSafe(text))).toEqual(token);
    expect(decodeAccessToken(text.replace(/=+$/, ""))).toEqual(token);
  });
  test("its JSON is ASCII, and one with the characters themselves is read too", () => {
    const token = { ...tokenOf("42"), resource: { url: "https://agent.example/grüße/😀" } };
    expect(decodeBase64(encodeAccessToken(token))).toMatch(/^[\x20-\x7e]*$/);
    expect(decodeAccessToken(encodeAccessToken(token))).toEqual(token);
    expect(decodeAccessToken(encodeBase64(JSON.stringify(token)))).toEqual(token);
  });
});

describe("decoding accepts exactly what the schema accepts", () => {
  property.prop([tokens])("of whole documents", (token) => {
    expect(isAccessToken(token)).toBe(true);
    expect(AccessToken.safeParse(token).data).toEqual(token);
  });
  property.prop([tokens, fc.nat(), fc.constantFrom("replace", "delete", "add"), jsonLike], {
    numRuns: inFull(2_000, 300),
  })("of documents with one member changed", (token, at, change, value) => {
    const changed = structuredClone(token) as unknown;
    const places = placesIn(changed);
    const { holder, key } = places[at % places.length] as Place;
    if (change === "delete") delete holder[key];
    else holder[change === "add" ? `${key}2` : key] = value;
    const parsed = JSON.parse(JSON.stringify(changed));
    expect(isAccessToken(parsed)).toBe(AccessToken.safeParse(parsed).success);
  });
  property.prop([fc.anything()])("of any value", (value) => {
    expect(isAccessToken(value)).toBe(AccessToken.safeParse(value).success);
  });
});

describe("one permission has one text", () => {
  const text = encodeAccessToken(tokenOf("42", "7"));
  const content = canonicalJson(tokenOf("42", "7"));

  property.prop([fc.nat(text.length - 1), fc.integer({ min: 0, max: 127 })], {
    numRuns: inFull(5_000, 500),
  })("any changed character yields nothing, or another document", (at, code) => {
    const character = String.fromCharCode(code);
    fc.pre(character !== text[at]);
    const mutated = text.slice(0, at) + character + text.slice(at + 1);
    const token = decodeAccessToken(mutated);
    if (token !== null) expect(canonicalJson(token)).not.toBe(content);
  });

  const json = JSON.stringify(tokenOf("42", "7"));
  const respelled: [string, string][] = [
    ["white space", json.replace('","', '" ,"')],
    ["a line break at the end", `${json}\n`],
    ["a byte order mark", `\ufeff${json}`],
    ["a repeated member", json.replace('"extensions":{}', '"extensions":{},"extensions":{}')],
    ["a needless escape", json.replace('"burn"', '"\\u0062urn"')],
    ["an escaped slash", json.replace("svc:erc4337", "svc:erc4337\\/")],
    ["an odd number", json.replace('"redemptionLimit":100', '"redemptionLimit":1e2')],
    ["an unknown member", json.replace('"extensions":{}', '"extensions":{},"admin":true')],
    ["an unknown authorization", json.replace('"jti"', '"nonce":"1","jti"')],
    ["a prototype", json.replace('"extensions":{}', '"extensions":{},"__proto__":{"a":1}')],
    [
      "a prototype deep down",
      json.replace('"planId":"42"}', '"planId":"42","extra":{"__proto__":1}}'),
    ],
    ["null instead of absent", json.replace('"agentId":"7"', '"agentId":null')],
    ["deep nesting", json.replace("{}", "[".repeat(2000) + "]".repeat(2000))],
  ];
  test.each(respelled)("%s is refused", (_what, other) => {
    expect(other).not.toBe(json);
    expect(decodeAccessToken(encodeBase64(other))).toBeNull();
  });

  const padded = encodeAccessToken({ ...tokenOf("42"), extensions: { pad: "x" } });
  const spellings: [string, string][] = [
    ["white space around it", ` ${text}`],
    ["a line break inside", `${text.slice(0, 76)}\n${text.slice(76)}`],
    ["too much padding", `${text.replace(/=+$/, "")}===`],
    ["mixed alphabets", `-${text}/`],
    ["a non-ASCII letter", text.replace("e", "е")],
    ["more than the limit", encodeBase64(JSON.stringify({ a: "x".repeat(MAX_TOKEN_LENGTH) }))],
  ];
  test.each(spellings)("base64 with %s is refused", (_what, other) => {
    expect(decodeAccessToken(other)).toBeNull();
    expect(decodeAccessToken(padded)).not.toBeNull();
  });

  test("base64 with unused bits set is refused", () => {
    expect(decodeBase64("QQ==")).toBe("A");
    expect(decodeBase64("QR==")).toBeNull();
    expect(decodeBase64("QUI=")).toBe("AB");
    expect(decodeBase64("QUJ=")).toBeNull();
    expect(decodeBase64("QUI")).toBe("AB");
    expect(decodeBase64("Q")).toBeNull();
    expect(decodeBase64("/w==")).toBeNull();
  });
});

test("T24: a hostile text costs little time", () => {
  const started = process.cpuUsage();
  for (const text of ["A".repeat(10_000_000), encodeBase64("[".repeat(6000)), "=".repeat(8192)]) {
    expect(decodeAccessToken(text)).toBeNull();
  }
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(500);
});

test("the older form without version and offer is read (§2.2)", () => {
  const { payload, signature } = tokenOf("42");
  const { signature: _, ...unsigned } = payload;
  const token = { payload: unsigned, signature };
  expect(decodeAccessToken(encodeBase64(JSON.stringify(token)))).toEqual(token);
  expect(signatureOf(token as AccessToken)).toBe(signature);
});

test("two signatures that differ are no signature", () => {
  const token = tokenOf("42");
  expect(signatureOf(token)).toBe(token.signature);
  expect(signatureOf({ ...token, signature: `0x${"00".repeat(65)}` })).toBeNull();
});

test("a payload object of a stock server is read like a text", () => {
  expect(readPaymentPayload(tokenOf("42"))).toEqual(tokenOf("42"));
  expect(readPaymentPayload({ ...tokenOf("42"), more: 1 })).toBeNull();
  expect(readPaymentPayload(null)).toBeNull();
});

test("the hash of an offer does not depend on the order of its members, but on all of them", () => {
  const offer = { scheme: "a", network: "b", extra: { x: 1, y: 2 } };
  expect(hashOffer({ extra: { y: 2, x: 1 }, network: "b", scheme: "a" })).toBe(hashOffer(offer));
  expect(hashOffer({ ...offer, extra: { x: 1, y: 3 } })).not.toBe(hashOffer(offer));
});

test("a token is shortened for logs, more the shorter it is, and only once", () => {
  expect(abbreviateToken("abcdefghijklmnopqrstuvwxyz")).toBe("abcdefghijklmnop…wxyz");
  expect(abbreviateToken(abbreviateToken("abcdefghijklmnopqrstuvwxyz"))).toBe(
    "abcdefghijklmnop…wxyz",
  );
  expect(abbreviateToken("abcdefgh")).toBe("abcd…(short)");
  expect(abbreviateToken("abcd")).toBe("…(short)");
});
