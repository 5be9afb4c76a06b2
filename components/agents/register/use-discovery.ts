"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type {
  AgentDefinition,
  DiscoveryEvent,
  FoundEndpoint,
  Look,
} from "@/lib/probe/report/discovery.ts";
import { readStream } from "../read-stream.ts";

export type Discovery = {
  isLooking: boolean;
  /** Paths still to be tried. */
  ahead: string[];
  looks: Look[];
  failure: { message: string; code?: string } | null;
};

type Found = {
  definition: AgentDefinition | null;
  endpoint: FoundEndpoint | null;
  looks: Look[];
  ms: number;
};

const IDLE: Discovery = { isLooking: false, ahead: [], looks: [], failure: null };

/** Looks for an agent's definition. A new search stops the previous one. */
export function useDiscovery(onFound: (found: Found) => void) {
  const [discovery, setDiscovery] = useState(IDLE);
  const running = useRef<AbortController>(undefined);
  const listener = useRef(onFound);
  listener.current = onFound;
  useEffect(() => () => running.current?.abort(), []);

  const look = useCallback(async (url: string) => {
    running.current?.abort();
    const current = new AbortController();
    running.current = current;
    setDiscovery({ ...IDLE, isLooking: true });
    const looks: Look[] = [];
    try {
      const events = readStream<DiscoveryEvent>("/agents/new/discover", { url }, current.signal);
      for await (const event of events) {
        if (event.type === "looking") setDiscovery((now) => ({ ...now, ahead: event.paths }));
        if (event.type === "looked") {
          looks.push(event.look);
          setDiscovery((now) => ({ ...now, looks: [...looks] }));
        }
        if (event.type === "refused") {
          const { message, code } = event;
          return setDiscovery({ ...IDLE, failure: { message, code } });
        }
        if (event.type === "done") {
          setDiscovery((now) => ({ ...now, isLooking: false, ahead: [] }));
          listener.current({ ...event, looks });
        }
      }
    } catch (cause) {
      if (current.signal.aborted) return;
      setDiscovery({ ...IDLE, failure: { message: (cause as Error).message } });
    }
  }, []);

  return { discovery, look };
}
