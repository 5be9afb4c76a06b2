import base64, hashlib, json, os, time, urllib.request, uuid
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

RENEWABLE = ("token_missing", "invalid_token", "expired_token")  # another token can pay

def request_id(key, token, body):  # a repeat with the same key, token and body is the same request
    text = json.dumps([key, token, body]) if key else uuid.uuid4().hex
    return f"req_{hashlib.sha256(text.encode()).hexdigest()[:48]}"

def verify(paid):
    code, attempt_id = None, f"try_{uuid.uuid4().hex}"  # tells this attempt's reservation from another one's
    for _ in range(2):  # the same agentRequestId reserves once
        try:
            if code == "invalid_amount":  # the plan's price has changed
                paid["maxAmount"] = OFFER["amount"] = price()
            verified = call("x402/verify", {**paid, "reserve": True, "attemptId": attempt_id})
            return {"isValid": False, "isRepeat": True} if verified.get("isRepeat") else verified
        except Exception as error:
            code, message = explain(error)
            print(f"verify failed: {code}: {message}")
            if code == "invalid_input":  # the token can't be read
                return {"isValid": False, "invalidReason": "invalid_token"}
            if code == "idempotency_conflict":
                return {"isValid": False, "isRepeat": True}

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
    token, key = request.headers.get("payment-signature", ""), request.headers.get("idempotency-key")
    paid = {"paymentRequired": required, "x402AccessToken": token, "maxAmount": OFFER["amount"], "agentRequestId": request_id(key, token, body)}
    verified = verify(paid) if token else {"isValid": False}
    if verified is None: return JSONResponse({"error": "Payment can't be checked now.", "code": "unavailable", "retryable": True}, 503, {"retry-after": "5"})
    headers = {"cache-control": "no-store, private", "payment-request-id": verified.get("agentRequestId", paid["agentRequestId"])}
    if verified.get("isRepeat") and not verified["isValid"]:
        error = "This request is paid or in progress, and its response is not kept here. Nothing was charged again."
        return JSONResponse({"error": error, "code": "idempotency_conflict"}, 409, headers)
    if not verified["isValid"]:
        code = required["error"] = verified.get("invalidReason", "token_missing")
        refusal = {name: verified[name] for name in ("cause", "approval") if name in verified}
        if refusal: required["extensions"] = {"refusal": {"info": refusal}}
        answer = {**refusal, "code": code, "retryable": code in RENEWABLE, "paymentRequired": required}
        return JSONResponse(answer, 402, header("payment-required", required))
    named = {"agentRequestId": verified["agentRequestId"]}
    try:
        answer = {"words": len(body["text"].split())}  # your work
    except Exception:
        attempt("release", named)
        raise
    receipt = attempt("settle", {**paid, **named})
    if receipt is None: return JSONResponse(answer, 200, headers)  # charged or not: the request's id tells
    paid_for = receipt["success"]
    return JSONResponse(answer if paid_for else {}, 200 if paid_for else 402, {**headers, **header("payment-response", receipt)})
