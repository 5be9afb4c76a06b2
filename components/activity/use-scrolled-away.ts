"use client";

import { useEffect, useState } from "react";

const AWAY_PX = 240;

/** Whether the page is scrolled down, where new rows above would move what is being read. */
export function useScrolledAway(): boolean {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const read = () => setAway(window.scrollY > AWAY_PX);
    window.addEventListener("scroll", read, { passive: true });
    return () => window.removeEventListener("scroll", read);
  }, []);
  return isAway;
}
