// workerd: the settings come as bindings, the result goes to the caller.
import { checkPackage } from "./check-package.mjs";

export default {
  fetch: async (_request, settings) => Response.json(await checkPackage(settings)),
};
