import { expect, test, vi } from "vitest";
import { FailureNotice } from "../../forms/failure-notice.tsx";
import { failureWords } from "../../forms/failure-words.ts";
import { SharedRunView } from "./shared-run-view.tsx";

// The page after its run could not be read.
vi.mock("react", async (original) => ({
  ...(await original<typeof import("react")>()),
  useEffect: () => {},
  useState: (first: unknown) => [first === "" ? "The service can’t be reached." : first, () => {}],
}));
vi.mock("../../ui/button-link.tsx", () => ({ ButtonLink: "a" }));
vi.mock("../inspector/inspector-pane.tsx", () => ({ fetchInspectorAhead: () => {} }));
vi.mock("../timeline/timeline-pane.tsx", () => ({}));
vi.mock("./use-revoke-link.ts", () => ({ useRevokeLink: () => ({}), REVOKE_UNKNOWN: "" }));

test("a run that can’t be read is not told as something that may have gone through", () => {
  const service = { origin: "https://pay.example", environment: "sandbox" };
  const page = SharedRunView({ shareId: "s", isYours: false, service, endSharedRun: vi.fn() });
  const notice = page.props.children.find(({ type }: { type: unknown }) => type === FailureNotice);
  expect(failureWords(notice.props)).toEqual({
    tone: "refused",
    title: "The run can’t be shown",
    text: "The service can’t be reached.",
  });
});
