"""Standard Webhooks, written from its specification with Python's standard library alone.

Reads one JSON object per line, {"do": "sign" | "verify", "secret", "id", "timestamp", "signature", "body" in hex}, and prints
one line for each: the signature, "true" or "false".
"""
import base64
import hashlib
import hmac
import json
import sys
import time

for line in sys.stdin:
    request = json.loads(line)
    key = base64.b64decode(request["secret"].removeprefix("whsec_"))
    content = f'{request["id"]}.{request["timestamp"]}.'.encode() + bytes.fromhex(request["body"])
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    if request["do"] == "sign":
        print(f"v1,{expected}", flush=True)
        continue
    is_fresh = abs(time.time() - int(request["timestamp"])) <= 300
    entries = [entry.split(",", 1) for entry in request["signature"].split(" ")]
    is_signed = any(len(entry) == 2 and entry[0] == "v1" and hmac.compare_digest(entry[1], expected) for entry in entries)
    print("true" if is_fresh and is_signed else "false", flush=True)
