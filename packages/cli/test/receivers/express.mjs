// A correct receiver that is typical of Express and does not use the packages of this project.
import { createHash, timingSafeEqual } from "node:crypto";
import express from "express";

const secret = process.env.WEBHOOK_SECRET;
const app = express();
const router = express.Router();

const onlyValue = (values) => (values?.length === 1 ? values[0] : "");

function verify(request, response, next) {
  const timestamp = onlyValue(request.headersDistinct.timestamp);
  const digits = /^hmac ([0-9A-F]{64})$/i.exec(onlyValue(request.headersDistinct.authorization))?.[1];
  const age = Date.now() - Date.parse(timestamp);
  if (digits === undefined || !(Math.abs(age) <= 300_000)) return response.status(401).json({ error: "unauthorised" });
  const expected = createHash("sha256")
    .update(timestamp + secret, "utf8")
    .digest();
  if (!timingSafeEqual(expected, Buffer.from(digits, "hex")))
    return response.status(401).json({ error: "unauthorised" });
  return next();
}

router.get("/test", (_, response) => response.sendStatus(200));
router.use(verify);
router.get("/test/auth", (_, response) => response.sendStatus(200));
router.use(express.json({ limit: "256kb" }));
router.post("/offer/response", ({ body }, response) =>
  response.sendStatus(typeof body?.offerId === "string" ? 200 : 422),
);
router.get("/contact/new/:workerId", (_, response) => response.json({ ok: true }));
router.post("/contact-suggestions", ({ body }, response) => {
  if (!Array.isArray(body?.userEmailAddresses)) return response.sendStatus(422);
  const ratings = [{ rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: "2025-11-30" }];
  return response.json([{ name: "Dana Kim", emailAddress: "dana.kim@example.com", ratings }]);
});
app.use("/offers", router);
app.use((_request, response) => response.sendStatus(404));
app.use((error, _request, response, _next) => response.sendStatus(error.status ?? 500));
app.listen(Number(process.env.PORT), "127.0.0.1");
