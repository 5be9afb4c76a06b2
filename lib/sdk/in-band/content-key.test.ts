import { expect, test } from "vitest";
import { contentKey } from "./content-key.ts";

test("bytes in a message become base64, not a number for each", () => {
  const bytes = Buffer.alloc(1_000_000, 200);
  const key = contentKey([{ content: { $case: "raw", value: bytes } }]);
  expect(key.length).toBeLessThan(1_400_000);
  expect(key).toContain(bytes.toString("base64"));
});

test("content differs by its bytes, and not by the order of its keys or the class of its bytes", () => {
  const part = (value: unknown) => contentKey({ a: 1, value, at: new Date(0) });
  expect(part(Buffer.from([1, 2]))).toBe(
    contentKey({ at: new Date(0), value: new Uint8Array([1, 2]), a: 1 }),
  );
  expect(part(Buffer.from([1, 2]))).not.toBe(part(Buffer.from([1, 3])));
  expect(part(Buffer.from([1, 2]))).not.toBe(part(Buffer.from([1, 2]).toString("base64")));
});
