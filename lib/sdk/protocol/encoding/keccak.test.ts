import { fc, test as property } from "@fast-check/vitest";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { expect, test } from "vitest";
import { keccak256 } from "./keccak.ts";

const theirs = (text: string) => bytesToHex(keccak_256(new TextEncoder().encode(text)));

test("the empty text has the hash that Ethereum knows", () => {
  expect(bytesToHex(keccak256(""))).toBe(
    "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
  );
});

test("every length across three blocks hashes as another implementation does", () => {
  for (let length = 0; length <= 410; length++) {
    expect(bytesToHex(keccak256("a".repeat(length)))).toBe(theirs("a".repeat(length)));
  }
});

property.prop([fc.string({ unit: "grapheme" })])("so does any text", (text) => {
  expect(bytesToHex(keccak256(text))).toBe(theirs(text));
});
