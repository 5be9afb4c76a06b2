import { expect, test, vi } from "vitest";
import { reloadRestored } from "./reload-restored.ts";

test("a page that Back restores is loaded anew, and one that is opened is not", () => {
  const page = new EventTarget();
  const reload = vi.fn();
  const stop = reloadRestored(page, reload);
  const show = (persisted: boolean) =>
    page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted }));
  show(false);
  expect(reload).not.toHaveBeenCalled();
  show(true);
  expect(reload).toHaveBeenCalledOnce();
  stop();
  show(true);
  expect(reload).toHaveBeenCalledOnce();
});
