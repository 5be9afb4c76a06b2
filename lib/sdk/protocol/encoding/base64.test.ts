import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { decodeBase64, encodeBase64 } from "./base64.ts";

property.prop([fc.string({ unit: "binary" })])(
  "any text is encoded as Node encodes it, and back",
  (text) => {
    expect(encodeBase64(text)).toBe(Buffer.from(text).toString("base64"));
    expect(decodeBase64(encodeBase64(text))).toBe(text);
  },
);

test("so is a text of ASCII, with its control characters", () => {
  const text = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
  expect(encodeBase64(text)).toBe(Buffer.from(text).toString("base64"));
});
