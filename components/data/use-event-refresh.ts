import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { liveEvents } from "./live-events.ts";

const WITHOUT_STREAM_MS = 60_000;

/**
 * Reads again what an event of the account concerns, for every query around the component. Answers the `refetchInterval`:
 * none while the stream of events is up or after the person was signed out, a minute while the stream is down.
 *
 * @example useQuery({ ...readQuery("getHome", {}), refetchInterval: useEventRefresh() })
 */
export function useEventRefresh(): number | false {
  const client = useQueryClient();
  useEffect(() => liveEvents.follow(client), [client]);
  const isUp = useSyncExternalStore(liveEvents.subscribe, liveEvents.isUp, () => false);
  return isUp || liveEvents.isSignedOut() ? false : WITHOUT_STREAM_MS;
}
