import { useState } from "react";
import type {
  AgentDefinition,
  DiscoveryEvent,
  FoundEndpoint,
  Look,
} from "@/lib/probe/report/discovery.ts";
import { useStream } from "../use-stream.ts";

export type Discovery = {
  isLooking: boolean;
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

/** Looks for an agent's definition. A new search stops the previous one. */
export function useDiscovery(onFound: (found: Found) => void) {
  const { isRunning, failure, run } = useStream<DiscoveryEvent>();
  const [ahead, setAhead] = useState<string[]>([]);
  const [looks, setLooks] = useState<Look[]>([]);
  const [refusal, setRefusal] = useState<Discovery["failure"]>(null);
  const look = (url: string) => {
    const seen: Look[] = [];
    setAhead([]);
    setLooks([]);
    setRefusal(null);
    return run("/agents/new/discover", { url }, (event) => {
      if (event.type === "looking") setAhead(event.paths);
      if (event.type === "refused") setRefusal({ message: event.message, code: event.code });
      if (event.type === "done") onFound({ ...event, looks: seen });
      if (event.type === "looked") {
        seen.push(event.look);
        setLooks([...seen]);
      }
    });
  };
  const discovery: Discovery = {
    isLooking: isRunning,
    ahead,
    looks,
    failure: refusal ?? (failure ? { message: failure } : null),
  };
  return { discovery, look };
}
