import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLiveEvents, readsOf } from "./live-events.ts";

/** The browser's own, as far as it is used: one that a test drives. */
class Source extends EventTarget {
  static CLOSED = 2;
  static opened: Source[] = [];
  readyState = 1;
  onmessage = (_: { data: string }) => {};
  onerror = () => {};
  constructor(readonly url: string) {
    super();
    Source.opened.push(this);
  }
  close() {
    this.readyState = Source.CLOSED;
  }
}

const page = Object.assign(new EventTarget(), { hidden: false });
const settled = { data: JSON.stringify({ type: "request.settled" }) };

/** What is read again, by name; each reading takes some time. */
function createClient() {
  const readings: unknown[] = [];
  const invalidateQueries = async ({ queryKey = [] }: { queryKey?: readonly unknown[] } = {}) => {
    readings.push(queryKey[0]);
    await new Promise((done) => setTimeout(done, 300));
  };
  const timesOf = (name: string) => readings.filter((one) => one === name).length;
  const cancelQueries = vi.fn(async () => {});
  return { invalidateQueries, cancelQueries, timesOf };
}

describe("the stream of a page", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("EventSource", Source);
    vi.stubGlobal("document", page);
    Source.opened = [];
    page.hidden = false;
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const last = () => Source.opened.at(-1) ?? expect.fail("no stream was opened");

  test("is one for all that follow, and closed while the page is hidden", () => {
    const live = createLiveEvents();
    const stops = [live.follow(createClient()), live.follow(createClient())];
    expect(Source.opened).toHaveLength(1);
    last().dispatchEvent(new MessageEvent("opened", { data: "{}" }));
    expect(live.isUp()).toBe(true);
    page.hidden = true;
    page.dispatchEvent(new Event("visibilitychange"));
    expect(last().readyState).toBe(Source.CLOSED);
    expect(live.isUp()).toBe(false);
    page.hidden = false;
    page.dispatchEvent(new Event("visibilitychange"));
    expect(Source.opened).toHaveLength(2);
    for (const stop of stops) stop();
    vi.advanceTimersByTime(1);
    expect(last().readyState).toBe(Source.CLOSED);
  });

  test("an event reads what it concerns at once, and a flood of them once a second", async () => {
    const live = createLiveEvents();
    const client = createClient();
    const leave = live.follow(client);
    for (let n = 0; n < 500; n++) last().onmessage(settled);
    expect(client.timesOf("listRequests")).toBe(1);
    for (let ms = 0; ms < 5_000; ms += 10) {
      last().onmessage(settled);
      await vi.advanceTimersByTimeAsync(10);
    }
    // Each takes 300 ms, and a second passes before the next; figures wait longer.
    expect(client.timesOf("listRequests")).toBe(4);
    expect(client.timesOf("getActivitySeries")).toBe(1);
    expect(client.timesOf("listAlerts")).toBe(0);
    leave();
  });

  test("a page that is hidden reads no more, also what was to be read again", async () => {
    const live = createLiveEvents();
    const client = createClient();
    const leave = live.follow(client);
    last().onmessage(settled);
    last().onmessage(settled);
    page.hidden = true;
    page.dispatchEvent(new Event("visibilitychange"));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(client.timesOf("listRequests")).toBe(1);
    leave();
  });

  test("a page that is shown again reads nothing before its stream says that the session lasts", async () => {
    const live = createLiveEvents();
    const client = createClient();
    const leave = live.follow(client);
    last().onmessage(settled);
    last().onmessage(settled);
    for (const isHidden of [true, false]) {
      page.hidden = isHidden;
      page.dispatchEvent(new Event("visibilitychange"));
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(client.timesOf("listRequests")).toBe(1);
    last().dispatchEvent(new MessageEvent("opened", { data: "{}" }));
    expect(client.timesOf("listRequests")).toBe(2);
    leave();
  });

  test("a broken stream is the browser's to open again; a refused one is tried at once, then after a minute", () => {
    const live = createLiveEvents();
    const heard = vi.fn();
    live.subscribe(heard);
    const leave = live.follow(createClient());
    last().dispatchEvent(new MessageEvent("opened", { data: "{}" }));
    last().readyState = 0;
    last().onerror();
    expect(live.isUp()).toBe(false);
    expect(heard).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(120_000);
    expect(Source.opened).toHaveLength(1);
    const refuse = () => {
      last().readyState = Source.CLOSED;
      last().onerror();
    };
    refuse();
    expect(Source.opened).toHaveLength(2);
    refuse();
    vi.advanceTimersByTime(59_000);
    expect(Source.opened).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    expect(Source.opened).toHaveLength(3);
    refuse();
    expect(Source.opened).toHaveLength(3);
    leave();
  });

  test("a page whose stream resumes as another account, and is refused for that, is loaded anew at once", () => {
    const reload = vi.fn();
    const live = createLiveEvents(reload);
    live.showTo("0xA");
    live.follow(createClient());
    last().dispatchEvent(new MessageEvent("opened", { data: '{"account":"0xA"}' }));
    // The session ended, and the browser resumed the stream after an event of 0xA.
    last().readyState = Source.CLOSED;
    last().onerror();
    last().dispatchEvent(new MessageEvent("opened", { data: '{"account":"0xB"}' }));
    expect(reload).toHaveBeenCalledTimes(1);
  });

  test("a page that learns from a read that another account is signed in is loaded anew once", () => {
    const reload = vi.fn();
    const live = createLiveEvents(reload);
    live.showTo("0xA");
    live.follow(createClient());
    live.accountChanged();
    live.accountChanged();
    expect(reload).toHaveBeenCalledTimes(1);
    expect(last().readyState).toBe(Source.CLOSED);
  });

  test("a page that is signed out asks no more, until it is shown to someone signed in", () => {
    const live = createLiveEvents();
    const heard = vi.fn();
    expect(live.readsAtFocus()).toBe(true);
    live.subscribe(heard);
    const leave = live.follow(createClient());
    expect(live.readsAtFocus()).toBe(false);
    last().dispatchEvent(new MessageEvent("opened", { data: "{}" }));
    last().dispatchEvent(new Event("signed-out"));
    expect(live.isSignedOut()).toBe(true);
    expect(live.isUp()).toBe(false);
    expect(heard).toHaveBeenCalledTimes(2);
    expect(last().readyState).toBe(Source.CLOSED);
    page.dispatchEvent(new Event("visibilitychange"));
    vi.advanceTimersByTime(120_000);
    expect(Source.opened).toHaveLength(1);
    live.setSignedOut(false);
    expect(Source.opened).toHaveLength(2);
    live.setSignedOut(true);
    leave();
    expect(live.readsAtFocus()).toBe(false);
  });

  test("a person who signs out has nothing read any more, unless they stay", () => {
    const live = createLiveEvents();
    const client = createClient();
    live.follow(client);
    last().dispatchEvent(new MessageEvent("opened", { data: "{}" }));
    last().onmessage(settled);
    live.setLeaving(true);
    expect(client.cancelQueries).toHaveBeenCalled();
    expect(last().readyState).toBe(Source.CLOSED);
    const before = client.timesOf("getHome");
    vi.advanceTimersByTime(10_000);
    expect(client.timesOf("getHome")).toBe(before);
    live.setLeaving(false);
    expect(Source.opened).toHaveLength(2);
  });

  test("a page of one account that a stream of another one answers is loaded anew", () => {
    const reload = vi.fn();
    const opened = (data: object) =>
      last().dispatchEvent(new MessageEvent("opened", { data: JSON.stringify(data) }));
    const live = createLiveEvents(reload);
    const client = createClient();
    live.showTo("0xA");
    live.follow(client);
    opened({ account: "0xA" });
    expect(live.isUp()).toBe(true);
    expect(client.timesOf("getHome")).toBe(1);
    page.hidden = true;
    page.dispatchEvent(new Event("visibilitychange"));
    page.hidden = false;
    page.dispatchEvent(new Event("visibilitychange"));
    // Signed out and in as someone else in another tab meanwhile.
    opened({ account: "0xB" });
    expect(reload).toHaveBeenCalledTimes(1);
    expect(live.isSignedOut()).toBe(true);
    expect(last().readyState).toBe(Source.CLOSED);
    vi.advanceTimersByTime(10_000);
    expect(client.timesOf("getHome")).toBe(1);
  });

  test("a type that this page does not know concerns everything", () => {
    expect(readsOf(JSON.stringify({ type: "parcel.sent" }))).toContain("listMovements");
    expect(readsOf(JSON.stringify({ type: "toString.x" }))).toContain("listRequests");
    expect(readsOf(JSON.stringify({ type: "payout.paid" }))).not.toContain("listRequests");
  });

  test("an order that is paid is read again on its own page, as after a stream that was down", () => {
    for (const type of ["order.paid", "parcel.sent"]) {
      expect(readsOf(JSON.stringify({ type }))).toContain("getOrder");
    }
  });
});
