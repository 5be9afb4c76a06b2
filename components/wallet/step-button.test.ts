import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { READ_MS, StepButton } from "./step-button.tsx";

const memory = vi.hoisted(() => ({ cells: [] as unknown[], at: 0, stop: () => {} }));

// The button without a page: it keeps its state from one rendering to the next.
vi.mock("react", () => ({
  useState: (first: unknown) => {
    const index = memory.at++;
    if (!(index in memory.cells)) memory.cells[index] = first;
    const set = (next: unknown) => {
      memory.cells[index] = next;
    };
    return [memory.cells[index], set];
  },
  useRef: (current: unknown) => {
    const index = memory.at++;
    memory.cells[index] ??= { current };
    return memory.cells[index];
  },
  useEffect: (effect: () => () => void) => {
    memory.stop();
    memory.stop = effect();
  },
}));

const onClick = vi.fn();

function show(step: string, more: { isPending?: boolean } = {}) {
  memory.at = 0;
  const button = StepButton({ step, onClick, ...more });
  const props = button.props as Record<string, (event: object) => void>;
  return {
    key: button.key,
    isOff: button.props["aria-disabled"] === true,
    point: () => props.onPointerDown?.({}),
    hold: (event: object) => props.onKeyDown?.(event),
    isPending: button.props.isPending === true,
    click: () => props.onClick?.({ detail: 1 }),
    /** A key or a screen reader clicks without counting presses. */
    keyClick: () => props.onClick?.({ detail: 0 }),
    /** A click on a button that is off: the button keeps it to itself. */
    refusedClick: () => props.onClickCapture?.({}),
  };
}

/** Shows a step for as long as it takes to read it. */
function read(step: string) {
  show(step);
  vi.advanceTimersByTime(READ_MS);
  return show(step);
}

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(memory, { cells: [], at: 0, stop: () => {} });
  onClick.mockReset();
});
afterEach(() => void vi.useRealTimers());

test("a press does what the button says, with or without a pointer", () => {
  const connect = show("connect");
  connect.point();
  connect.click();
  expect(onClick).toHaveBeenCalledOnce();
  const sign = read("sign");
  sign.click();
  sign.point();
  sign.click();
  expect(onClick).toHaveBeenCalledTimes(3);
});

test("a press that was dragged off and released there keeps no later one from counting", () => {
  show("connect").point();
  const sign = read("sign");
  sign.keyClick();
  expect(onClick).toHaveBeenCalledOnce();
  sign.hold({ key: "Enter", repeat: false, preventDefault: vi.fn() });
  sign.point();
  sign.click();
  expect(onClick).toHaveBeenCalledTimes(2);
});

test("a key that was pressed at one step does nothing at the next", () => {
  show("connect").hold({ key: " ", repeat: false });
  const sign = read("sign");
  sign.keyClick();
  expect(onClick).not.toHaveBeenCalled();
});

test("the next step is on the same button, which keeps the focus", () => {
  expect(show("connect").key).toBeNull();
  expect(read("sign").key).toBeNull();
});

test("a press that began at one step does nothing at the next, however long it lasts", () => {
  show("connect").point();
  const sign = read("sign");
  sign.click();
  expect(onClick).not.toHaveBeenCalled();
  sign.point();
  sign.click();
  expect(onClick).toHaveBeenCalledOnce();
});

test("a button is off until its new step could be read, and a press that begins before does nothing", () => {
  show("connect");
  const changed = show("sign");
  expect(changed.isOff).toBe(true);
  changed.click();
  changed.point();
  const sign = read("sign");
  expect(sign.isOff).toBe(false);
  sign.click();
  expect(onClick).not.toHaveBeenCalled();
});

test("a key that repeats while it is down presses once", () => {
  const connect = show("connect");
  const preventDefault = vi.fn();
  connect.hold({ key: "Enter", repeat: false, preventDefault });
  expect(preventDefault).not.toHaveBeenCalled();
  connect.click();
  read("sign").hold({ key: "Enter", repeat: true, preventDefault });
  expect(preventDefault).toHaveBeenCalledOnce();
});

test("a press while the button works is forgotten, so that a click without a press counts at the next step", () => {
  const { isPending, ...pending } = show("connect", { isPending: true });
  expect(isPending).toBe(true);
  pending.point();
  pending.refusedClick();
  read("sign").click();
  expect(onClick).toHaveBeenCalledOnce();
});
