import {
  type AccessToken,
  decodeAccessToken,
  encodeAccessToken,
} from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { inspectToken } from "./inspect-fields.ts";

const ADDRESS = "0x54F6EcF00fdEea628a15E3831f28a77B908B9812";
const SIGNATURE = `0x${"ab".repeat(65)}`;
const token = encodeAccessToken({
  x402Version: 2,
  accepted: { scheme: "svc:card-delegation", network: "card-processor", asset: "USD" },
  payload: {
    authorization: { from: ADDRESS, planId: "42", iat: 0, exp: 86_400 },
    sessionKey: {
      address: ADDRESS,
      permissions: ["order", "burn"],
      limits: { redemptionLimit: 1_000, orderLimit: "10000000" },
    },
  },
  signature: SIGNATURE,
});

test("a token is read field by field, amounts both formatted and raw", () => {
  const read = inspectToken(`payment-signature: ${token}\n`, new Date(0));
  if (!read.isToken) throw new Error("not read");
  const field = (path: string) => read.fields.find((each) => each.path === path);
  expect(field("payload.sessionKey.limits.orderLimit")).toMatchObject({
    value: "10000000",
    human: "10.00 USD",
  });
  expect(field("payload.authorization.exp")?.human).toBe("2 Jan 1970 00:00:00 UTC");
  expect(field("payload.sessionKey.permissions")?.value).toBe("order, burn");
  expect(field("signature")?.meaning).toContain("Not checked here");
  expect(field("payload.authorization.agentId")).toBeUndefined();
  expect(read.isExpired).toBe(false);
});

test("the limit of a plan in the chain’s own coin has its 18 decimals", () => {
  const document = decodeAccessToken(token) as AccessToken;
  const asset = `0x${"0".repeat(40)}`;
  const accepted = { scheme: "svc:erc4337", network: "eip155:8453", asset };
  const read = inspectToken(encodeAccessToken({ ...document, accepted }), new Date(0));
  const limit =
    read.isToken && read.fields.find(({ path }) => path === "payload.sessionKey.limits.orderLimit");
  expect(limit).toMatchObject({ human: "0.00000000001 ETH" });
});

test.each([
  [`0x${"0".repeat(40)}`, "0.01 ETH"],
  ["usdc", "10,000,000,000.00 USDC"],
  [undefined, "10,000,000,000,000,000 smallest units"],
])("a limit is in the unit that the token signs: %s", (unit, human) => {
  const document = decodeAccessToken(token) as AccessToken;
  const { sessionKey } = document.payload;
  const order = { planVersion: 1, price: "1", credits: "100", durationSecs: "0" };
  const limits = {
    ...{ redemptionLimit: 1, orderLimit: `${10n ** 16n}` },
    ...(unit && { order: { ...order, unit } }),
  };
  const payload = { ...document.payload, sessionKey: { ...sessionKey, limits } };
  const accepted = { ...document.accepted, asset: "credits" };
  const read = inspectToken(
    encodeAccessToken({ ...document, accepted, payload } as never),
    new Date(0),
  );
  const path = "payload.sessionKey.limits.orderLimit";
  expect(read.isToken && read.fields.find((each) => each.path === path)).toMatchObject({ human });
});

test("a token bound to a key shows the key, a bearer token has none", () => {
  const x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
  const document = decodeAccessToken(token) as AccessToken;
  const cnf = { jwk: { kty: "OKP", crv: "Ed25519", x } } as const;
  const authorization = { ...document.payload.authorization, cnf };
  const bound = { ...document, payload: { ...document.payload, authorization } };
  const valueIn = (text: string) => {
    const read = inspectToken(text, new Date(0));
    const path = "payload.authorization.cnf.jwk.x";
    return read.isToken && read.fields.find((each) => each.path === path)?.value;
  };
  expect([valueIn(encodeAccessToken(bound)), valueIn(token)]).toEqual([x, undefined]);
});

test("an expired token says so", () => {
  expect(inspectToken(token, new Date(86_400_000))).toMatchObject({ isExpired: true });
});

test.each(["", "hello", "eyJ4IjoxfQ==", "\u0000", "x".repeat(20_000)])(
  "%j is not a token, and nothing is thrown",
  (text) => {
    expect(inspectToken(text, new Date(0))).toEqual({ isToken: false });
  },
);

test("an API key is recognized, with its environment", () => {
  expect(inspectToken("svc-live:e30.e30.e30", new Date(0))).toEqual({
    isToken: false,
    keyOf: "live",
  });
  expect(inspectToken("Bearer svc-sandbox:e30.e30.e30", new Date(0))).toEqual({
    isToken: false,
    keyOf: "sandbox",
  });
  expect(inspectToken("svc-other:e30.e30.e30", new Date(0))).toEqual({ isToken: false });
});
