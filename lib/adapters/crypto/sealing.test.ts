import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSealing } from "./sealing.ts";
import { sealUnbound } from "./testing/seal-unbound.ts";

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)] as const;
const place = { purpose: "session-key", row: "0xAbCd" };
const SECRET = "0x1234";

test("T56: a sealed secret opens for its purpose and row only, however the address is spelled", () => {
  const { seal, open } = createSealing([newKey]);
  const sealed = seal(SECRET, place);
  expect(open(sealed, place)).toBe(SECRET);
  expect(open(sealed, { ...place, row: "0xabcd" })).toBe(SECRET);
  expect(() => open(sealed, { ...place, row: "0xabce" })).toThrow();
  expect(() => open(sealed, { ...place, purpose: "account-owner" })).toThrow();
  expect(sealed).not.toContain(SECRET);
});

test("T56: any changed byte, a short tag and a foreign text are refused", () => {
  const { seal, open } = createSealing([newKey]);
  const parts = seal(SECRET, place).split(".");
  for (const index of [2, 3, 4]) {
    const bytes = Buffer.from(parts[index] ?? "", "base64url");
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    const changed = parts.with(index, bytes.toString("base64url"));
    expect(() => open(changed.join("."), place)).toThrow();
  }
  const shortTag = Buffer.from(parts[3] ?? "", "base64url").subarray(0, 4);
  expect(() => open(parts.with(3, shortTag.toString("base64url")).join("."), place)).toThrow();
  for (const text of ["", "2", "3.a.b.c.d", "1.a.b", `${parts.join(".")}.x`]) {
    expect(() => open(text, place)).toThrow();
  }
});

test("the newest root key seals and every configured one opens", () => {
  const before = createSealing([oldKey]);
  const during = createSealing([newKey, oldKey]);
  const after = createSealing([newKey]);
  const old = before.seal(SECRET, place);
  const fresh = during.seal(SECRET, place);
  expect(during.open(old, place)).toBe(SECRET);
  expect(after.open(fresh, place)).toBe(SECRET);
  expect(() => before.open(fresh, place)).toThrow(
    "No key of TURNPIKE_SECRET_KEY opens this secret",
  );
  expect(() => after.open(old, place)).toThrow("No key of TURNPIKE_SECRET_KEY opens this secret");
  expect(fresh.startsWith(during.currentPrefix)).toBe(true);
  expect(old.startsWith(during.currentPrefix)).toBe(false);
});

test("secrets of earlier releases open under any configured root key, for their purpose", () => {
  const sealed = sealUnbound(oldKey, SECRET, "session-key");
  const { open, currentPrefix } = createSealing([newKey, oldKey]);
  expect(open(sealed, place)).toBe(SECRET);
  expect(() => open(sealed, { ...place, purpose: "account-owner" })).toThrow();
  expect(() => createSealing([newKey]).open(sealed, place)).toThrow("does not open");
  expect(sealed.startsWith(currentPrefix)).toBe(false);
});
