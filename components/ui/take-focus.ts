/** A `ref` for what takes the focus when it appears, such as the heading of a result: it is read out. */
export const takeFocus = (place: HTMLElement | null): void => place?.focus();
