/** What few callers use: the client loads this module at the first call. */
export { rareCalls } from "../protocol/operations/rare-calls.ts";
export { streamEvents } from "./event-stream.ts";
