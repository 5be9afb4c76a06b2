import "server-only";

/** The demo's steps, before they run. */
export async function readOutline() {
  const { STORY_STEPS } = await import("@/lib/sandbox/story-step.ts");
  return STORY_STEPS.map(({ id, title, about }) => ({ id, title, about }));
}
