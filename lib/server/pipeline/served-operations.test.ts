import { type Operations, operations } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { servedOperations } from "./served-operations.ts";

const rows: Operations = operations;

test("the input of every paid call is read by compiled code", () => {
  const paid = servedOperations.filter(({ row }) => row.lane !== "api");
  expect(paid.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["verifyPermissions", "settlePermissions"]),
  );
  for (const { name, row } of paid) {
    expect(row.input, name).not.toBe(rows[name]?.input);
    // A schema that cannot be compiled stays as slow as it was, without a word.
    expect(() => z.compile(row.input, { strict: true })).not.toThrow();
  }
});
