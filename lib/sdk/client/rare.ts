import { rareCalls } from "../protocol/operations/rare-calls.ts";
import { isApproved } from "./await-approval.ts";
import { streamEvents } from "./event-stream.ts";
import { giveBackUnspent } from "./spending/give-back.ts";

/** What few callers use: the client loads this module at the first call. */
export const rare = { calls: rareCalls, streamEvents, giveBackUnspent, isApproved };
