type WithZod = typeof globalThis & { __zod_globalConfig?: { jitless?: boolean } };

// Zod would write faster parsers with `new Function`, which the content security policy refuses and
// reports. Said where Zod keeps its settings: importing it here would bring it onto every page.
const scope = globalThis as WithZod;
scope.__zod_globalConfig = Object.assign(scope.__zod_globalConfig ?? {}, { jitless: true });
