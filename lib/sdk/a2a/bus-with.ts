import type { A2AEvent, Bus } from "./a2a-types.ts";

/** The bus with other methods to publish; its further methods are its own. */
export function busWith<Event extends A2AEvent, Given extends Bus<Event>>(
  given: Given,
  methods: Bus<Event>,
): Given {
  return new Proxy(given, {
    get(target, name) {
      if (name === "publish" || name === "finished") return methods[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
