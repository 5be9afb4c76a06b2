import { expect, test } from "vitest";
import { maskToken, tokenForms } from "./token-forms.ts";

const TOKEN = "eyJ4NDAyVmVyc2lvbiI6Mn0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaZZZZZZ==";

test("a masked token shows only its first and last characters", () => {
  expect(maskToken(TOKEN)).not.toContain(TOKEN.slice(10, 40));
  expect(maskToken(TOKEN).endsWith("ZZZZ==")).toBe(true);
});

test("each form carries the token in the syntax of its reader", () => {
  const forms = tokenForms(TOKEN, { url: "http://agent.example/a'b", method: "POST" });
  expect(forms.header).toBe(`payment-signature: ${TOKEN}`);
  expect(forms.env).toBe(`TURNPIKE_ACCESS_TOKEN=${TOKEN}`);
  expect(forms.curl).toContain(`curl -X POST 'http://agent.example/a'\\''b'`);
  expect(forms.curl).toContain("-d '");
  expect(tokenForms(TOKEN, { url: "http://a", method: "GET" }).curl).not.toContain("-d");
});
