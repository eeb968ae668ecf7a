import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A small receiver, correct unless DEFECT names one of its defects. The JDK only: java Receiver.java */
public class Receiver {
    static final String SECRET = System.getenv("WEBHOOK_SECRET");
    static final boolean STANDARD = "standard-webhooks".equals(System.getenv("SCHEME"));
    static final String DEFECT = System.getenv().getOrDefault("DEFECT", "");
    static final int LIMIT = 256 * 1024;
    static final Map<String, String> ROUTES =
        Map.of("/test", "GET", "/test/auth", "GET", "/contact-suggestions", "POST", "/offer/response", "POST");
    static final List<String> SECRETS = DEFECT.equals("empty_secret") ? List.of(SECRET, "") : List.of(SECRET);
    static final Pattern TIME = Pattern.compile("(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d)(:\\d\\d(?:\\.\\d{1,9})?)?\\d*Z");

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "0"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 128);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", Receiver::receive);
        server.start();
        System.out.println("listening " + server.getAddress().getPort());
    }

    static void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("Connection", "close");
            String path = exchange.getRequestURI().getRawPath();
            String routed = path;
            if (DEFECT.equals("path_confusion"))
                routed = URLDecoder.decode(path, StandardCharsets.UTF_8).toLowerCase().replaceAll("/+", "/");
            String allowed = ROUTES.get(routed);
            if (allowed == null) { respond(exchange, 404, ""); return; }
            if (!exchange.getRequestMethod().equals(allowed) && !DEFECT.equals("method_ignored")) {
                exchange.getResponseHeaders().set("Allow", allowed);
                respond(exchange, 405, "");
                return;
            }
            boolean isBounded = !DEFECT.equals("body_unlimited");
            String length = exchange.getRequestHeaders().getFirst("Content-Length");
            if (isBounded && length != null && Long.parseLong(length) > LIMIT) { respond(exchange, 413, ""); return; }
            byte[] body = exchange.getRequestBody().readNBytes(isBounded ? LIMIT + 1 : Integer.MAX_VALUE);
            if (isBounded && body.length > LIMIT) { respond(exchange, 413, ""); return; }
            // The defect: whether to verify is decided by the path as sent, and where to route by another spelling of it.
            boolean mustVerify = ROUTES.containsKey(path) && !path.equals("/test");
            if (mustVerify && !(STANDARD ? isStandard(exchange, body) : isDocumented(exchange))) {
                exchange.getResponseHeaders().set("WWW-Authenticate", STANDARD ? "standard-webhooks" : "hmac");
                respond(exchange, DEFECT.equals("error_on_bad_signature") ? 500 : 401, "");
            } else if (!routed.equals("/contact-suggestions")) respond(exchange, 200, "");
            else if (!isSearch(new String(body, StandardCharsets.UTF_8))) respond(exchange, 400, "");
            else respond(exchange, 200, "[]");
        } catch (GeneralSecurityException | RuntimeException error) {
            respond(exchange, 500, "");
        }
    }

    /** The JDK has no JSON parser; a real receiver uses Jackson. */
    static boolean isSearch(String body) {
        return Pattern.matches("(?s)\\s*\\{.*\"userEmailAddresses\"\\s*:\\s*\\[\\s*(\"[^\"]*\"\\s*,?\\s*)*\\].*\\}\\s*", body);
    }

    static void respond(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0) exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    static boolean isEqual(String expected, String given) {
        if (DEFECT.equals("prefix_compare")) return expected.startsWith(given);
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    /** The value of a header that occurs once; null otherwise. */
    static String header(HttpExchange exchange, String name) {
        List<String> values = exchange.getRequestHeaders().get(name);
        if (values == null) return null;
        if (DEFECT.equals("second_header_wins")) return values.get(values.size() - 1);
        return values.size() == 1 && !values.get(0).replace("v1,", "").contains(",") ? values.get(0) : null;
    }

    static boolean isFresh(Instant signedAt) {
        double age = (System.currentTimeMillis() - signedAt.toEpochMilli()) / 1000.0;
        if (DEFECT.equals("no_freshness")) return true;
        return DEFECT.equals("one_direction") ? age <= 300 : Math.abs(age) <= 300;
    }

    static boolean isDocumented(HttpExchange exchange) throws GeneralSecurityException {
        String timestamp = header(exchange, "Timestamp");
        String authorization = header(exchange, "Authorization");
        if (timestamp == null || authorization == null) return false;
        String digits = DEFECT.equals("prefix_compare") ? "{0,64}" : "{64}";
        Matcher digest = Pattern.compile("(?i)hmac +([0-9a-f]" + digits + ")").matcher(authorization);
        Matcher time = TIME.matcher(timestamp);
        if (!digest.matches() || !time.matches()) return false;
        try {
            if (!isFresh(Instant.parse(time.group(1) + (time.group(2) == null ? ":00" : time.group(2)) + "Z"))) return false;
        } catch (DateTimeException error) {
            return false;
        }
        String given = digest.group(1).toLowerCase();
        for (String secret : SECRETS) {
            byte[] appended = MessageDigest.getInstance("SHA-256").digest((timestamp + secret).getBytes(StandardCharsets.UTF_8));
            if (isEqual(HexFormat.of().formatHex(appended), given)) return true;
            byte[] keyed = hmac(secret.getBytes(StandardCharsets.UTF_8), timestamp.getBytes(StandardCharsets.UTF_8));
            if (isEqual(HexFormat.of().formatHex(keyed), given)) return true;
        }
        return false;
    }

    static boolean isStandard(HttpExchange exchange, byte[] body) throws GeneralSecurityException {
        String id = header(exchange, "Webhook-id");
        String timestamp = header(exchange, "Webhook-timestamp");
        String signatures = header(exchange, "Webhook-signature");
        if (id == null || signatures == null || timestamp == null || !timestamp.matches("\\d{1,12}")) return false;
        if (!isFresh(Instant.ofEpochSecond(Long.parseLong(timestamp)))) return false;
        if (DEFECT.equals("reserialised_json")) body = reserialise(body);
        byte[] head = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
        byte[] message = new byte[head.length + body.length];
        System.arraycopy(head, 0, message, 0, head.length);
        System.arraycopy(body, 0, message, head.length, body.length);
        for (String secret : SECRETS) {
            byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
            String expected = Base64.getEncoder().encodeToString(hmac(key, message));
            for (String each : signatures.split(" "))
                if (each.startsWith("v1,") && isEqual(expected, each.substring(3))) return true;
        }
        return false;
    }

    /** Without the white space between members, as a serialiser writes it. */
    static byte[] reserialise(byte[] body) {
        String text = new String(body, StandardCharsets.UTF_8).replaceAll("\\s+(?=([^\"]*\"[^\"]*\")*[^\"]*$)", "");
        return text.replace("\\/", "/").getBytes(StandardCharsets.UTF_8);
    }

    /** An empty key is no key for SecretKeySpec; HMAC pads it with zeros, as it does one zero byte. */
    static byte[] hmac(byte[] key, byte[] message) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, "HmacSHA256"));
        return mac.doFinal(message);
    }
}
