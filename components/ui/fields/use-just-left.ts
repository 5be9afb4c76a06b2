import { useEffect, useState } from "react";

/** Long enough for the check that leaving a field starts, and short enough that the form is not sent within it. */
const LEFT_MS = 2_000;

/** Whether the focus has just left an element, and the handlers that the element needs to tell. */
export function useJustLeft() {
  const [isLeft, setLeft] = useState(false);
  useEffect(() => {
    if (!isLeft) return;
    const timer = setTimeout(() => setLeft(false), LEFT_MS);
    return () => clearTimeout(timer);
  }, [isLeft]);
  return { isLeft, handlers: { onBlur: () => setLeft(true), onFocus: () => setLeft(false) } };
}
