import base64, json, os, time, urllib.request, uuid
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

URL, KEY = os.environ["TURNPIKE_URL"], os.environ["TURNPIKE_API_KEY"]
PLAN, AGENT = os.environ["TURNPIKE_PLAN_ID"], os.environ["TURNPIKE_AGENT_ID"]
app = FastAPI()

def call(path, body=None):
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    request = urllib.request.Request(f"{URL}/api/v1/{path}", body and json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request, timeout=60))

def explain(error):  # the service's code and message
    try:
        answer = json.load(error)
        return answer["code"], answer["message"]
    except Exception:
        return None, error

def price():
    return call(f"protocol/plans/{PLAN}")["registry"]["credits"]["minAmount"]

SCHEME = call(f"protocol/plans/{PLAN}")["scheme"]
NETWORK = next(kind["network"] for kind in call("x402/supported")["kinds"] if kind["scheme"] == SCHEME)
OFFER = {"scheme": SCHEME, "network": NETWORK, "planId": PLAN, "amount": price(), "asset": "credits",
         "payTo": "0x" + "0" * 40, "maxTimeoutSeconds": 300,
         "extra": {"version": "1", "planId": PLAN, "agentId": AGENT, "httpVerb": "POST"}}

def verify(paid):
    code = None
    for _ in range(2):  # the same agentRequestId reserves once
        try:
            if code == "invalid_amount":  # the plan's price has changed
                paid["maxAmount"] = OFFER["amount"] = price()
            return call("x402/verify", {**paid, "reserve": True})
        except Exception as error:
            code, message = explain(error)
            print(f"verify failed: {code}: {message}")
            if code == "invalid_input":  # the token can't be read
                return {"isValid": False, "invalidReason": "invalid_token"}

def attempt(verb, body):
    for pause in (1, 4, 0):  # the same agentRequestId settles once
        try:
            return call(f"x402/{verb}", body)
        except Exception as error:
            print(f"{verb} of {body['agentRequestId']} failed: {explain(error)}")
            time.sleep(pause)

def header(name, value):
    return {name: base64.b64encode(json.dumps(value).encode()).decode()}

@app.post("/ask")
def ask(request: Request, body: dict | None = None):
    required = {"x402Version": 2, "resource": {"url": str(request.url)}, "accepts": [OFFER], "extensions": {}}
    paid = {"paymentRequired": required, "x402AccessToken": request.headers.get("payment-signature", ""), "maxAmount": OFFER["amount"],
            "agentRequestId": f"req_{uuid.uuid4().hex}"}
    verified = verify(paid) if paid["x402AccessToken"] else {"isValid": False}
    if verified is None: return JSONResponse({"error": "Payment can't be checked now."}, 503, {"retry-after": "5"})
    if not verified["isValid"]:
        required["error"] = verified.get("invalidReason", "token_missing")
        return JSONResponse({"paymentRequired": required}, 402, header("payment-required", required))
    named = {"agentRequestId": verified["agentRequestId"]}
    try:
        answer = {"words": len(body["text"].split())}  # your work
    except Exception:
        attempt("release", named)
        raise
    receipt = attempt("settle", {**paid, **named})
    private = {"cache-control": "no-store, private"}
    if receipt is None: return JSONResponse(answer, 200, private)
    paid_for = receipt["success"]
    return JSONResponse(answer if paid_for else {}, 200 if paid_for else 402, {**private, **header("payment-response", receipt)})
