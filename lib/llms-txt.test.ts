import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { llmsFullTxt, llmsTxt } from "../scripts/public/llms-txt.ts";

test("public/llms.txt lists the operations and errors of today; `npm run public:llms` writes it", () => {
  expect(readFileSync("public/llms.txt", "utf8")).toBe(llmsTxt());
  expect(readFileSync("public/llms-full.txt", "utf8")).toBe(llmsFullTxt());
});
