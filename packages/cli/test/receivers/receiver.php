<?php
// A small receiver for PHP's built-in server. It is correct unless DEFECT selects a defect: php -S 127.0.0.1:3001 receiver.php

const LIMIT = 256 * 1024;
const ROUTES = ['/test' => 'GET', '/test/auth' => 'GET', '/contact-suggestions' => 'POST', '/offer/response' => 'POST'];
define('DEFECT', getenv('DEFECT') ?: '');
define('IS_STANDARD', getenv('SCHEME') === 'standard-webhooks');

function secrets(): array
{
    $secret = getenv('WEBHOOK_SECRET') ?: throw new RuntimeException('Set WEBHOOK_SECRET.');
    return DEFECT === 'empty_secret' ? [$secret, ''] : [$secret];
}

function isEqual(string $expected, string $given): bool
{
    return DEFECT === 'prefix_compare' ? str_starts_with($expected, $given) : hash_equals($expected, $given);
}

/** Returns the value of a header that occurs once, otherwise null. The PHP server joins repeated headers with a comma. */
function headerOf(string $name): ?string
{
    $value = $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? null;
    if ($value === null) {
        return null;
    }
    if (DEFECT === 'second_header_wins') {
        return $name === 'Authorization' || $name === 'Timestamp' ? trim(array_slice(explode(',', $value), -1)[0])
            : preg_replace('/^.*, /', '', $value);
    }
    return str_contains(str_replace('v1,', '', $value), ',') ? null : $value;
}

function isFresh(float $age): bool
{
    return match (DEFECT) {
        'no_freshness' => true,
        'one_direction' => $age <= 300,
        default => abs($age) <= 300,
    };
}

function isDocumented(): bool
{
    $timestamp = headerOf('Timestamp');
    $authorization = headerOf('Authorization');
    if ($timestamp === null || $authorization === null) {
        return false;
    }
    $digits = DEFECT === 'prefix_compare' ? '{0,64}' : '{64}';
    if (!preg_match("/^hmac +([0-9a-f]$digits)$/iD", $authorization, $match)) {
        return false;
    }
    if (!preg_match('/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d+)?Z$/D', $timestamp, $time)) {
        return false;
    }
    $signedAt = DateTimeImmutable::createFromFormat('!Y-m-d H:i:s', "$time[1] $time[2]" . (($time[3] ?? '') ?: ':00'), new DateTimeZone('UTC'));
    if (!$signedAt || DateTimeImmutable::getLastErrors() || !isFresh(microtime(true) - $signedAt->getTimestamp())) {
        return false;
    }
    foreach (secrets() as $secret) {
        foreach ([hash('sha256', $timestamp . $secret), hash_hmac('sha256', $timestamp, $secret)] as $digest) {
            if (isEqual($digest, strtolower($match[1]))) {
                return true;
            }
        }
    }
    return false;
}

function isStandard(string $body): bool
{
    [$id, $timestamp, $signatures] = array_map('headerOf', ['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    if ($id === null || $timestamp === null || $signatures === null || !preg_match('/^\d{1,12}$/D', $timestamp)) {
        return false;
    }
    if (!isFresh(microtime(true) - (int) $timestamp)) {
        return false;
    }
    if (DEFECT === 'reserialised_json' && $body !== '') {
        $body = json_encode(json_decode($body));
    }
    foreach (secrets() as $secret) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
        $expected = base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $signatures) as $each) {
            if (str_starts_with($each, 'v1,') && isEqual($expected, substr($each, 3))) {
                return true;
            }
        }
    }
    return false;
}

function respond(int $status, array $headers = [], string $body = ''): never
{
    http_response_code($status);
    foreach ($headers as $name => $value) {
        header("$name: $value");
    }
    echo $body;
    exit;
}

$path = explode('?', $_SERVER['REQUEST_URI'])[0];
$routed = DEFECT === 'path_confusion' ? preg_replace('~/+~', '/', strtolower(rawurldecode($path))) : $path;
$method = ROUTES[$routed] ?? respond(404);
if ($_SERVER['REQUEST_METHOD'] !== $method && DEFECT !== 'method_ignored') {
    respond(405, ['Allow' => $method]);
}
$body = file_get_contents('php://input');
if (max((int) ($_SERVER['CONTENT_LENGTH'] ?? 0), strlen($body)) > LIMIT && DEFECT !== 'body_unlimited') {
    respond(413);
}
// With the defect path_confusion, the path as sent decides whether to verify, but the normalised path selects the route.
if (isset(ROUTES[$path]) && $path !== '/test' && !(IS_STANDARD ? isStandard($body) : isDocumented())) {
    if (DEFECT === 'error_on_bad_signature') {
        respond(500);
    }
    respond(401, ['WWW-Authenticate' => IS_STANDARD ? 'standard-webhooks' : 'hmac']);
}
if ($routed !== '/contact-suggestions') {
    respond(200);
}
$search = json_decode($body, true);
$addresses = is_array($search) ? ($search['userEmailAddresses'] ?? null) : null;
if (!is_array($addresses) || !array_is_list($addresses) || array_filter($addresses, 'is_string') !== $addresses) {
    respond(400);
}
respond(200, ['Content-Type' => 'application/json'], '[]');
