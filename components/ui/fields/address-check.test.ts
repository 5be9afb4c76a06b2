import { expect, test } from "vitest";
import { readAddress } from "./address-check.ts";

const OWN = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

const faultOf = (text: string, rules = {}) => {
  const reading = readAddress(text, rules);
  return reading.isAddress ? undefined : reading.fault;
};

test("a rightly checksummed address passes, and says when it is one’s own", () => {
  expect(readAddress(` ${OWN} `)).toEqual({
    isAddress: true,
    address: OWN,
    good: "Checksum fits.",
  });
  expect(readAddress(OWN, { ownAddress: OWN.toLowerCase() })).toMatchObject({
    good: "Your account. Checksum fits.",
  });
});

test("one without a checksum passes with a warning and gets its spelling", () => {
  expect(readAddress(OWN.toLowerCase())).toEqual({
    isAddress: true,
    address: OWN,
    good: "An address without a checksum: compare it once more.",
  });
});

test("a wrong length, a wrong checksum, zero and the token itself are refused in words", () => {
  expect(faultOf("0x54F6EcF00f")).toContain("42 characters");
  expect(faultOf("")).toContain("42 characters");
  expect(faultOf(OWN.replace("5aA", "5Aa"))).toContain("checksum does not fit");
  expect(faultOf(`0x${"0".repeat(40)}`)).toContain("zero address");
  expect(faultOf(`0x${"0".repeat(40)}`, { mayBeZero: true })).toBeUndefined();
  expect(faultOf(OWN, { tokenAddress: OWN.toLowerCase() })).toContain("contract of the token");
});
