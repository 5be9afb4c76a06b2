// Node, Bun and Deno: the settings come as an argument, the result goes to standard output.
import process from "node:process";
import { checkPackage } from "./check-package.mjs";

console.log(JSON.stringify(await checkPackage(JSON.parse(process.argv[2]))));
