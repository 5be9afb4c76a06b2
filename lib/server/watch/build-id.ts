// Replaced while the service is bundled (`scripts/build-service.mjs`).
declare const TURNPIKE_COMMIT: string | undefined;

/** The commit that the running build was made of; undefined where it was built without git, or runs from its sources. */
export const BUILD_ID: string | undefined =
  typeof TURNPIKE_COMMIT === "string" ? TURNPIKE_COMMIT : undefined;
