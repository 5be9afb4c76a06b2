import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8");

test("the README's declarations of `payment` are those that `npm run check` compiles", () => {
  const blocks = [...read("README.md").matchAll(/```ts excerpt\n(.*?)```/gs)].map(
    ([, code = ""]) => code,
  );
  const declared = blocks.flatMap((code) => code.match(/^declare .*?^\}$/gms) ?? []);
  expect(declared).toHaveLength(2);
  const compiled = read("test-support/typed-servers.ts");
  for (const declaration of declared) expect(compiled).toContain(declaration);
  expect(blocks.join()).toContain("new Hono<{ Variables: PaymentVariables }>()");
  expect(compiled).toContain("new Hono<{ Variables: PaymentVariables }>()");
});
