import { expect, test } from "vitest";
import { crumbsOf, objectOf } from "./crumbs.ts";
import { sectionIn } from "./sections.ts";

const ID = "0x54f4000000000000000000000000000000fa2F";

test("the pages of an object and below it belong to it, other pages to none", () => {
  expect(objectOf(`/customers/${ID}`)).toEqual({ href: `/customers/${ID}`, id: ID });
  expect(objectOf("/agents/17/settings")).toEqual({ href: "/agents/17", id: "17" });
  for (const path of ["/home", "/plans/new", "/activity/errors", "/settings/api-keys", "/"]) {
    expect(objectOf(path)).toBeUndefined();
  }
});

test("an id in a breadcrumb has the one short form", () => {
  expect(crumbsOf(`/customers/${ID}`).map(({ label }) => label)).toEqual([
    "Customers",
    "0x54f4…fa2F",
  ]);
});

test("the breadcrumb of a receipt or a shared run says what it is", () => {
  expect(crumbsOf(`/s/${ID}`).map(({ label }) => label)).toEqual(["Shared run 0x54f4…fa2F"]);
  expect(crumbsOf(`/receipts/${ID}`).map(({ label }) => label)).toEqual(["Receipt 0x54f4…fa2F"]);
});

test("the other environment opens at the same section, never at an object of this one", () => {
  const other = "https://sandbox.example.com/ignored?x=1";
  expect(sectionIn(other, "/plans/123")).toBe("https://sandbox.example.com/plans");
  expect(sectionIn(other, "/settings/api-keys")).toBe(
    "https://sandbox.example.com/settings/api-keys",
  );
  expect(sectionIn(other, "/nowhere")).toBe("https://sandbox.example.com/home");
});
