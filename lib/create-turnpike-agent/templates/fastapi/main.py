import base64, json, os, urllib.request
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

URL, KEY = os.environ["TURNPIKE_URL"], os.environ["TURNPIKE_API_KEY"]
PLAN, AGENT = os.environ["TURNPIKE_PLAN_ID"], os.environ["TURNPIKE_AGENT_ID"]
OFFER = {"scheme": "svc:erc4337", "network": "eip155:84532", "planId": PLAN, "amount": "1", "asset": "credits",
         "payTo": "0x" + "0" * 40, "maxTimeoutSeconds": 300,
         "extra": {"version": "1", "planId": PLAN, "agentId": AGENT, "httpVerb": "POST"}}
app = FastAPI()

def call(verb, body):
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    request = urllib.request.Request(f"{URL}/api/v1/x402/{verb}", json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request))

def header(name, value):
    return {name: base64.b64encode(json.dumps(value).encode()).decode()}

@app.post("/ask")
def ask(request: Request, body: dict | None = None):
    required = {"x402Version": 2, "resource": {"url": str(request.url)}, "accepts": [OFFER], "extensions": {}}
    paid = {"paymentRequired": required, "x402AccessToken": request.headers.get("payment-signature", ""), "maxAmount": "1"}
    verified = call("verify", {**paid, "reserve": True}) if paid["x402AccessToken"] else {"isValid": False}
    if not verified["isValid"]:
        return JSONResponse({"paymentRequired": required}, 402, header("payment-required", required))
    answer = {"words": len(body["text"].split())}  # your work
    receipt = call("settle", {**paid, "agentRequestId": verified["agentRequestId"]})
    return JSONResponse(answer if receipt["success"] else {}, 200 if receipt["success"] else 402, header("payment-response", receipt))
