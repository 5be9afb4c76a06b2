"use client";

import { useEffect } from "react";
import { keepPlace } from "./keep-place.ts";

/** Keeps the keyboard's place when a control disappears; once per page. Renders nothing. */
export function FocusKeeper() {
  useEffect(keepPlace, []);
  return null;
}
