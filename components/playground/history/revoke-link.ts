import type { ActionAnswer, OperationAction } from "../../forms/action-answer.ts";

export type EndSharedRun = OperationAction<"endSharedRun">;

/** Revokes a link. One that no longer exists counts as revoked: it expired, or the answer to an earlier request was lost. */
export async function revokeLink(
  endSharedRun: EndSharedRun,
  shareId: string,
): Promise<ActionAnswer<null>> {
  const answer = await endSharedRun({ shareId });
  return answer.ok || answer.code === "not_found" ? { ok: true, data: null } : answer;
}
