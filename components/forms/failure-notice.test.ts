import { expect, test, vi } from "vitest";
import { FailureNotice } from "./failure-notice.tsx";

const notice = (failureCode: string, signsIn = false) =>
  JSON.stringify(
    FailureNotice({
      signsIn,
      title: "Nothing was ordered.",
      of: { failure: "Sign in again.", failureCode },
    }),
  );

test("a failure because the session ended has a link to sign in, which leads back", () => {
  const location = { pathname: "/checkout/42", search: "?follows=first", hash: "#pay" };
  vi.stubGlobal("window", { location });
  expect(notice("unauthorized")).toContain(
    '"href":"/sign-in?next=%2Fcheckout%2F42%3Ffollows%3Dfirst#pay"',
  );
  expect(notice("unauthorized", true)).not.toContain("href");
  expect(notice("conflict")).not.toContain("sign-in");
  expect(notice("page_outdated")).toContain("Reload page");
});
