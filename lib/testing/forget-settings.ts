import { forgetSettings } from "./process-env.ts";

// A developer's API key or database must not decide what a test sees.
forgetSettings();
