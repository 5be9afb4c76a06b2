import { describe, expect, test } from "vitest";
import { isScheme, networkOf, readNetwork, readScheme, schemeOfPrice } from "./schemes.ts";

test("a fiat price is paid by card, every other by user operation (§1)", () => {
  expect(schemeOfPrice({ isCrypto: false })).toBe("svc:card-delegation");
  expect(schemeOfPrice({ isCrypto: true })).toBe("svc:erc4337");
});

test("each scheme has its network (§1)", () => {
  expect(networkOf("svc:erc4337")).toBe("eip155:84532");
  expect(networkOf("svc:erc4337", "live")).toBe("eip155:8453");
  expect(networkOf("svc:card-delegation")).toBe("card-processor");
});

describe("names of schemes", () => {
  test("another brand's prefix is an alias, as far as it is listed", () => {
    expect(readScheme("svc:erc4337")).toBe("svc:erc4337");
    expect(readScheme("nvm:card-delegation")).toBe("svc:card-delegation");
    expect(readScheme("acme:erc4337")).toBeNull();
    expect(readScheme("acme:erc4337", ["acme"])).toBe("svc:erc4337");
    expect(readScheme("nvm:erc4337", [])).toBeNull();
  });
  test.each([
    "",
    "erc4337",
    "svc",
    "svc:",
    "SVC:erc4337",
    "nvm:svc:erc4337",
    "toString",
    "__proto__",
  ])("%j is no scheme", (name) => {
    expect(readScheme(name)).toBeNull();
    expect(isScheme(name)).toBe(false);
  });
});

test("other systems' names of the card network are read as ours", () => {
  for (const name of ["stripe", "card:processor", "card-processor"]) {
    expect(readNetwork(name)).toBe("card-processor");
  }
  expect(readNetwork("eip155:8453")).toBe("eip155:8453");
});
