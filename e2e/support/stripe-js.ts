import type { BrowserContext, Route } from "@playwright/test";

/**
 * Serves Stripe's script, its frame with the card field, and its API to an offline browser. The script implements what
 * the product uses, and the API is the processor at `apiBase`. As with Stripe, card numbers go from the frame straight
 * to the API.
 */
export async function serveStripeJs(context: BrowserContext, apiBase: string): Promise<void> {
  await context.route("https://js.stripe.com/**", (route) => {
    const isFrame = route.request().url().includes("/card-field.html");
    return isFrame
      ? route.fulfill({ contentType: "text/html", body: FRAME })
      : route.fulfill({ contentType: "text/javascript", body: `(${script.toString()})();` });
  });
  await context.route("https://api.stripe.com/**", (route) => passOn(route, apiBase));
}

async function passOn(route: Route, apiBase: string): Promise<void> {
  const request = route.request();
  const { pathname, search } = new URL(request.url());
  const answer = await fetch(`${apiBase}${pathname}${search}`, {
    method: request.method(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: request.postData(),
  });
  await route.fulfill({
    status: answer.status,
    headers: { "access-control-allow-origin": "*", "content-type": "application/json" },
    body: await answer.text(),
  });
}

/** Runs in the page: the part of Stripe's script that saves a card. */
function script() {
  type Answer = { error?: { message?: string } };
  const FIELD = "https://js.stripe.com/v3/card-field.html";
  const unused = () => Promise.resolve({ error: { message: "Not a part of this script." } });
  let frame: HTMLIFrameElement | undefined;
  let secret = "";
  const create = () => ({
    mount(place: HTMLElement) {
      frame = document.createElement("iframe");
      frame.src = FIELD;
      frame.title = "Secure card field";
      place.append(frame);
    },
    on: () => undefined,
    off: () => undefined,
    update: () => undefined,
    unmount: () => frame?.remove(),
    destroy: () => frame?.remove(),
  });
  const elements = (options: { clientSecret?: string }) => {
    secret = options.clientSecret ?? "";
    return {
      create,
      getElement: () => null,
      update: () => undefined,
      fetchUpdates: unused,
      submit: unused,
    };
  };
  const stripeOf = (key: string) => ({
    elements,
    createToken: unused,
    createPaymentMethod: unused,
    confirmCardPayment: unused,
    registerAppInfo: () => undefined,
    _registerWrapper: () => undefined,
    confirmSetup: () =>
      new Promise<Answer>((done) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = ({ data }) => done(data);
        frame?.contentWindow?.postMessage({ key, secret }, "https://js.stripe.com", [
          channel.port2,
        ]);
      }),
  });
  Object.assign(window, { Stripe: Object.assign(stripeOf, { version: 3 }) });
}

const FRAME = `<!doctype html><html lang="en"><title>Secure card field</title>
<label>Card number <input name="number" inputmode="numeric" autocomplete="cc-number"></label>
<script>
  onmessage = async ({ data: { key, secret }, ports: [port] }) => {
    const id = secret.slice(0, secret.indexOf("_secret"));
    const number = document.querySelector("input").value.replaceAll(" ", "");
    const body = new URLSearchParams({
      key,
      client_secret: secret,
      "payment_method_data[type]": "card",
      "payment_method_data[card][number]": number,
    });
    const answer = await fetch("https://api.stripe.com/v1/setup_intents/" + id + "/confirm", { method: "POST", body });
    const { error } = await answer.json();
    port.postMessage(error ? { error: { message: error.message } } : {});
  };
</script></html>`;
