/** Parts of a page that take the focus in place of a control that was in them. */
const PLACES =
  "main :is(section[aria-label], section[aria-labelledby], [role=region], ul[aria-label], fieldset:has(> legend), table)";

/** What takes the place of a control's focus itself has done so by then. */
const SETTLED_MS = 100;

type Lost = { control: Element; around: Element[] };

/**
 * Keeps the keyboard's place when the control that has the focus disappears: a dismissed notice, a decided request, a row
 * that a refresh removes, a link or button that opened another page. The focus would start over at the top of the document,
 * in silence; it goes to the part of the page that the control was in, or to the heading of the page. Returns what stops it.
 */
export function keepPlace(): () => void {
  let last: Lost | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enter = ({ target }: Event) => {
    const control = target as Element;
    last = { control, around: ancestorsOf(control) };
  };
  // Removing a control may report it too; then it is no longer there a moment later.
  const leave = ({ target }: Event) => {
    setTimeout(() => {
      const isLeft = (target as Element).isConnected && isFocusLost();
      if (isLeft && last?.control === target) last = undefined;
    });
  };
  const look = () => {
    if (last && !last.control.isConnected) timer ??= setTimeout(settle, SETTLED_MS);
  };
  const settle = () => {
    timer = undefined;
    if (!last || last.control.isConnected) return;
    const place = placeOf(last.around);
    // A page that is still loading has no heading yet; its next change looks again.
    if (!place) return;
    last = undefined;
    if (isFocusLost()) focusPlace(place);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("focusin", enter);
  document.addEventListener("focusout", leave);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener("focusin", enter);
    document.removeEventListener("focusout", leave);
  };
}

const isFocusLost = () => document.activeElement === document.body;

function ancestorsOf(control: Element): Element[] {
  const parent = control.parentElement;
  return parent ? [parent, ...ancestorsOf(parent)] : [];
}

const placeOf = (around: readonly Element[]) =>
  (around.find((each) => each.isConnected && each.matches(PLACES)) ??
    document.querySelector("[data-page-heading]")) as HTMLElement | null;

function focusPlace(place: HTMLElement | null): void {
  if (!place) return;
  if (!place.hasAttribute("tabindex")) {
    // Only for now: a click on its text must not focus it later.
    place.tabIndex = -1;
    place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
  }
  place.focus({ preventScroll: true });
}
