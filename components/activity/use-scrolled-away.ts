"use client";

import { useEffect, useState } from "react";

const AWAY_PX = 240;

/** Whether somebody reads further down, where rows that come in above would push the text away. */
export function useScrolledAway(): boolean {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const read = () => setAway(window.scrollY > AWAY_PX);
    window.addEventListener("scroll", read, { passive: true });
    return () => window.removeEventListener("scroll", read);
  }, []);
  return isAway;
}
