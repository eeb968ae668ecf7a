"""A small receiver, correct unless DEFECT names one of its defects. Python's standard library only."""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

SECRET = os.environ["WEBHOOK_SECRET"]
STANDARD = os.environ.get("SCHEME") == "standard-webhooks"
DEFECT = os.environ.get("DEFECT", "")
LIMIT = 256 * 1024
ROUTES = {"/test": "GET", "/test/auth": "GET", "/contact-suggestions": "POST", "/offer/response": "POST"}


def secrets():
    return [SECRET, ""] if DEFECT == "empty_secret" else [SECRET]


def is_equal(expected, given):
    if DEFECT == "prefix_compare":
        return expected.startswith(given)
    return hmac.compare_digest(expected.encode(), given.encode())


def header(headers, name):
    """The value of a header that occurs once; None otherwise."""
    values = headers.get_all(name) or []
    if DEFECT == "second_header_wins":
        return values[-1].strip() if values else None
    return values[0].strip() if len(values) == 1 and "," not in values[0].replace("v1,", "") else None


def is_fresh(age):
    if DEFECT == "no_freshness":
        return True
    if DEFECT == "one_direction":
        return age <= timedelta(seconds=300)
    return abs(age) <= timedelta(seconds=300)


def is_documented(headers):
    timestamp, authorization = header(headers, "Timestamp"), header(headers, "Authorization")
    if timestamp is None or authorization is None:
        return False
    digits = "{0,64}" if DEFECT == "prefix_compare" else "{64}"
    match = re.fullmatch(r"hmac +([0-9a-f]" + digits + ")", authorization, re.IGNORECASE)
    time = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(\.\d+)?Z", timestamp, re.ASCII)
    if not match or not time:
        return False
    try:
        signed_at = datetime.strptime(time[1] + (time[2] or ":00"), "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    except ValueError:
        return False
    if not is_fresh(datetime.now(timezone.utc) - signed_at):
        return False
    return any(
        is_equal(digest, match[1].lower())
        for secret in secrets()
        for digest in (
            hashlib.sha256((timestamp + secret).encode()).hexdigest(),
            hmac.new(secret.encode(), timestamp.encode(), "sha256").hexdigest(),
        )
    )


def is_standard(headers, body):
    identifier, timestamp = header(headers, "webhook-id"), header(headers, "webhook-timestamp")
    signatures = header(headers, "webhook-signature")
    if identifier is None or timestamp is None or signatures is None or not re.fullmatch(r"\d{1,12}", timestamp):
        return False
    age = datetime.now(timezone.utc) - datetime.fromtimestamp(int(timestamp), timezone.utc)
    if not is_fresh(age):
        return False
    if DEFECT == "reserialised_json" and body:
        body = json.dumps(json.loads(body), separators=(",", ":")).encode()
    message = f"{identifier}.{timestamp}.".encode() + body
    for secret in secrets():
        key = base64.b64decode(secret.removeprefix("whsec_"))
        expected = base64.b64encode(hmac.new(key, message, "sha256").digest()).decode()
        if any(each.startswith("v1,") and is_equal(expected, each[3:]) for each in signatures.split(" ")):
            return True
    return False


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def handle_request(self):
        try:
            return self.receive()
        except ValueError:
            return self.respond(400)

    def receive(self):
        path = self.path.split("?")[0]
        routed = re.sub("/+", "/", unquote(path).lower()) if DEFECT == "path_confusion" else path
        if routed not in ROUTES:
            return self.respond(404)
        if self.command != ROUTES[routed] and DEFECT != "method_ignored":
            return self.respond(405, {"Allow": ROUTES[routed]})
        body = self.read_body()
        if body is None:
            return self.respond(413)
        # The defect: whether to verify is decided by the path as sent, and where to route by another spelling of it.
        if path in ROUTES and path != "/test" and not self.is_verified(body):
            if DEFECT == "error_on_bad_signature":
                return self.respond(500)
            return self.respond(401, {"WWW-Authenticate": "standard-webhooks" if STANDARD else "hmac"})
        if routed == "/contact-suggestions":
            return self.search(body)
        return self.respond(200)

    def read_body(self):
        """None for a body that is too large. Of an unreadable one, what came before."""
        limit = sys.maxsize if DEFECT == "body_unlimited" else LIMIT
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            length = int(self.headers.get("Content-Length") or "0", 10)
            return self.rfile.read(length) if length <= limit else None
        body = b""
        while size := int(self.rfile.readline(32).split(b";")[0], 16):
            if len(body) + size > limit:
                return None
            body += self.rfile.read(size)
            self.rfile.readline(3)
        return body

    def is_verified(self, body):
        return is_standard(self.headers, body) if STANDARD else is_documented(self.headers)

    def search(self, body):
        try:
            addresses = json.loads(body)["userEmailAddresses"]
        except (ValueError, KeyError, TypeError):
            return self.respond(400)
        if not isinstance(addresses, list) or not all(isinstance(each, str) for each in addresses):
            return self.respond(400)
        return self.respond(200, {"Content-Type": "application/json"}, b"[]")

    def respond(self, status, headers={}, body=b""):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body)), "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.handle_request
        raise AttributeError(name)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Receiver)
print(f"listening {server.server_address[1]}", flush=True)
server.serve_forever()
